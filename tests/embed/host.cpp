// host MODEL SCENE: a program that embeds softalign and forks, or ends, in the middle of things. Started by
// process_test.cpp. Status: 0 if all went as it should, 1 with a word if not.
#include <softalign/translator.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using softalign::Translator;
using softalign::TranslatorError;

namespace {

constexpr int refused = 3;  // status of a child that may not use its parent's translator

std::vector<std::string> text_of(std::size_t sentences) {
    const std::vector<std::string> some = {"the cat sees the dog", "a dog", "the house is small", "a small cat"};
    std::vector<std::string> text;
    for (std::size_t i = 0; i < sentences; ++i) {
        text.push_back(some[i % some.size()]);
    }
    return text;
}

// Many batches, for all workers; or one, for the calling thread.
Translator::Options batches(bool many) {
    Translator::Options options;
    options.batch_size = many ? 2 : 64;
    return options;
}

std::vector<std::string> translations(const Translator& translator, bool many) {
    std::vector<std::string> result;
    for (const Translator::Result& translated : translator.translate(text_of(60), batches(many))) {
        result.push_back(translated.best().text);
    }
    return result;
}

Translator::Machine three_workers() {
    Translator::Machine machine;
    machine.workers = 3;
    return machine;
}

void require(bool condition, const std::string& what) {
    if (!condition) {
        std::cerr << what << "\n";
        std::_Exit(EXIT_FAILURE);
    }
}

// The status of a child that does `action` and ends with what it returns, as a process does.
int status_of_child(const std::function<int()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            std::exit(action());
        } catch (const std::exception& error) {
            std::cerr << "in the child: " << error.what() << "\n";
            std::_Exit(EXIT_FAILURE);
        }
    }
    int status = 0;
    require(::waitpid(child, &status, 0) == child && WIFEXITED(status), "the child ended with a signal");
    return WEXITSTATUS(status);
}

// Threads that translate until the process ends, in calls of many batches and of one.
class Translating {
public:
    Translating(const Translator& translator, int threads) {
        for (int thread = 0; thread < threads; ++thread) {
            std::thread([this, &translator, thread] {
                while (true) {
                    translator.translate(text_of(300), batches(thread % 2 == 0));
                    const std::lock_guard<std::mutex> lock(mutex_);
                    ++calls_;
                    called_.notify_all();
                }
            }).detach();
        }
    }

    void wait_for_calls(int count) {
        std::unique_lock<std::mutex> lock(mutex_);
        called_.wait(lock, [&] { return calls_ >= count; });
    }

private:
    std::mutex mutex_;
    std::condition_variable called_;
    int calls_ = 0;
};

// These live on, as what threads use at the end of the process has to.
Translator& new_translator(const std::string& model) {
    return *new Translator(model, three_workers());
}

Translating& translate_for_ever(const Translator& translator, int threads) {
    return *new Translating(translator, threads);
}

int return_from_main(const std::string& model) {
    translate_for_ever(new_translator(model), 4).wait_for_calls(4);
    return EXIT_SUCCESS;
}

int exit_from_a_thread(const std::string& model) {
    const Translator& translator = new_translator(model);
    Translating& others = translate_for_ever(translator, 2);
    std::thread([&others] {
        others.wait_for_calls(2);
        std::exit(EXIT_SUCCESS);
    }).detach();
    while (true) {
        translations(translator, true);
    }
}

// An object that the end of the process destroys, and a thread that is joined before.
int static_objects(const std::string& model) {
    static std::unique_ptr<std::thread, void (*)(std::thread*)> thread(nullptr, [](std::thread* joined) {
        joined->join();
        delete joined;
    });
    static const Translator translator(model, three_workers());
    static std::atomic<int> calls{0};
    thread.reset(new std::thread([] {
        for (; calls < 20; ++calls) {
            translations(translator, true);
        }
    }));
    while (calls < 2) {
        translations(translator, true);
    }
    thread.reset();
    return EXIT_SUCCESS;
}

int fork_between_calls(const std::string& model) {
    static const Translator translator(model, three_workers());
    const auto expected = translations(translator, true);
    const auto same = [&] {
        for (const bool many : {true, false, true}) {
            require(translations(translator, many) == expected, "a forked process translates otherwise");
        }
        return EXIT_SUCCESS;
    };
    // The parent keeps its workers, a child has its own, and a child of a child too.
    require(status_of_child([&] {
                same();
                require(status_of_child(same) == 0, "the child of a child failed");
                return same();
            }) == 0,
            "the child failed");
    require(status_of_child([] { return 0; }) == 0, "a child that translates nothing failed");
    return same();
}

// What the other thread was in the middle of is never finished in the child.
int fork_during_calls(const std::string& model) {
    const Translator& translator = new_translator(model);
    translate_for_ever(translator, 2).wait_for_calls(2);
    const auto child = [&] {
        try {
            translations(translator, true);
            return EXIT_SUCCESS;  // neither was in a call
        } catch (const TranslatorError& error) {
            require(error.kind() == TranslatorError::Kind::options, error.what());
            require(std::string(error.what()).find("was forked while") != std::string::npos, error.what());
        }
        const Translator own(model, three_workers());
        require(translations(own, true).size() == 60, "the child's own translator failed");
        return refused;
    };
    for (int i = 0; i < 100; ++i) {
        const int status = status_of_child(child);
        require(status == EXIT_SUCCESS || status == refused, "the child failed");
        if (status == refused) {
            return EXIT_SUCCESS;
        }
    }
    std::cerr << "no child was refused\n";
    return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, int (*)(const std::string&)> scenes = {
        {"return_from_main", &return_from_main},   {"exit_from_a_thread", &exit_from_a_thread},
        {"static_objects", &static_objects},       {"fork_between_calls", &fork_between_calls},
        {"fork_during_calls", &fork_during_calls},
    };
    const auto scene = argc == 3 ? scenes.find(argv[2]) : scenes.end();
    if (scene == scenes.end()) {
        std::cerr << "usage: host MODEL SCENE\n";
        return 2;
    }
    try {
        return scene->second(argv[1]);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return EXIT_FAILURE;
    }
}
