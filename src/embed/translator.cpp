#include <c10/util/Exception.h>
#include <softalign/translator.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "embed/conversions.h"
#include "platform/computing.h"
#include "platform/device.h"
#include "platform/memory.h"
#include "platform/process.h"
#include "platform/worker_pool.h"
#include "storage/model_directory.h"
#include "translate/batch_translator.h"
#include "translate/shortlist.h"

namespace softalign {

namespace {

using Kind = TranslatorError::Kind;

Kind kind_of(ExitCode code) {
    switch (code) {
        case ExitCode::usage:
        case ExitCode::configuration:
            return Kind::options;
        case ExitCode::model:
            return Kind::model;
        case ExitCode::data:
            return Kind::input;
        case ExitCode::numerical:
            return Kind::numerical;
        default:
            return Kind::internal;
    }
}

// LibTorch is destroyed when the process ends, before threads of the host end: they must not be computing then. An
// object of this library is destroyed before those that it depends on, and after those of the host.
struct ProcessEnd {
    ~ProcessEnd() { end_computing(); }
};
const ProcessEnd process_end;

// What `action` gives, done on a thread that is not ours, with the errors of the interface in place of those within.
template <typename Action>
auto for_caller(const Action& action) {
    try {
        const Computing computing;
        const VisitedThread thread;
        return action();
    } catch (const TranslatorError&) {
        throw;
    } catch (const Error& error) {
        throw TranslatorError(kind_of(error.code()), error.what());
    } catch (const c10::Error& error) {
        if (is_out_of_memory(error)) {
            throw std::bad_alloc();
        }
        const std::string text = error.what_without_backtrace();
        throw TranslatorError(Kind::internal, "LibTorch: " + text.substr(0, text.find('\n')));
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::resource_unavailable_try_again) {
            throw TranslatorError(Kind::internal, error.what());
        }
        throw TranslatorError(Kind::options,
                              "machine: the system starts no more threads; use fewer workers, or raise its limit");
    } catch (const std::exception& error) {
        throw TranslatorError(Kind::internal, error.what());
    }
}

// `number` of the sentence, from 1, as the messages of the translator count.
void require_utf8(const std::string& text, const std::string& what, std::size_t number) {
    if (const std::size_t column = first_invalid_utf8(text)) {
        throw TranslatorError(Kind::input, what + " of sentence " + std::to_string(number) + ", byte " +
                                               std::to_string(column) + ": invalid UTF-8");
    }
}

void require_utf8(const std::vector<Translator::Request>& requests) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
        require_utf8(requests[i].text, "text", i + 1);
        require_utf8(requests[i].prefix, "prefix", i + 1);
        for (const std::string& phrase : requests[i].phrases) {
            require_utf8(phrase, "phrase", i + 1);
        }
    }
}

std::vector<TranslationRequest> inside(const std::vector<Translator::Request>& requests) {
    std::vector<TranslationRequest> result;
    result.reserve(requests.size());
    for (const Translator::Request& request : requests) {
        result.push_back(to_inside(request, result.size() + 1));
    }
    return result;
}

}  // namespace

TranslatorError::TranslatorError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
TranslatorError::~TranslatorError() = default;

class Translator::Impl {
public:
    Impl(const std::string& directory, const Machine& machine)
        : directory_(directory),
          config_(load_model_config(directory)),
          device_(pick_device(device_choice(machine, config_))) {
        set_up_library();
        const int workers = worker_count(requested_workers(machine, config_), device_);
        model_ =
            load_model(directory, device_, machine.weights, machine.map_weights ? FileAccess::map : FileAccess::read);
        pool_ = std::make_shared<WorkerPool>(workers);
        packed_ = std::make_shared<PackedWeights>(precision_of(machine, config_));
    }

    std::vector<Result> translate(const std::vector<Request>& requests, const Options& options) const {
        const Visit visit(visits_);
        require_usable();
        require_utf8(requests);
        const bool has_attention = model_.model->has_attention();
        if (options.attention && !has_attention) {
            throw TranslatorError(Kind::options, "translation options: this model has no attention to give");
        }
        const Tokenizer& source = *model_.source_tokenizer;
        const Tokenizer& target = *model_.target_tokenizer;
        TranslateOptions inner = translate_options(options, config_.search);
        if (inner.search.shortlist) {
            if (model_.model->has_features()) {
                throw Error(ExitCode::usage,
                            "translation options: the shortlist is for models that read text; this one reads features");
            }
            inner.shortlist = shortlist();
        }
        BatchTranslator translator(*model_.model, source, target, inner, pool_, packed_);
        std::vector<Result> results;
        translator.translate(inside(requests), [&](const std::vector<std::vector<Translation>>& part) {
            for (const std::vector<Translation>& translations : part) {
                results.push_back(to_result(translations, source, target));
            }
        });
        if (translator.cut() > 0) {
            mark_cut(requests, options, results);
        }
        return results;
    }

private:
    // Counts the calls that have not returned.
    class Visit {
    public:
        explicit Visit(std::atomic<int>& visits) : visits_(visits) { ++visits_; }
        ~Visit() { --visits_; }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;

    private:
        std::atomic<int>& visits_;
    };

    void require_usable() const {
        if (forked_in_a_call_) {
            throw TranslatorError(Kind::options,
                                  "this process was forked while another thread translated with this object, which is "
                                  "of no use here; load the model again, or fork between calls");
        }
        if (forked_ && !is_in_process(device_)) {
            throw TranslatorError(Kind::options,
                                  "a forked process cannot use CUDA; fork before the model is loaded, or use the CPU");
        }
    }

    // Read when it is first asked for.
    std::shared_ptr<const Shortlist> shortlist() const {
        const std::lock_guard<std::mutex> lock(shortlist_mutex_);
        if (!shortlist_) {
            shortlist_ = std::make_shared<const Shortlist>(
                read_shortlist_of(directory_, *model_.source_tokenizer, *model_.target_tokenizer));
        }
        return shortlist_;
    }

    void mark_cut(const std::vector<Request>& requests, const Options& options, std::vector<Result>& results) const {
        const auto longest = static_cast<std::size_t>(options.max_source_length);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            results[i].cut = results[i].source_pieces.size() == longest &&
                             model_.source_tokenizer->encode(requests[i].text).size() > longest;
        }
    }

    std::string directory_;
    Config config_;
    at::Device device_;
    LoadedModel model_;
    std::shared_ptr<WorkerPool> pool_;
    std::shared_ptr<PackedWeights> packed_;
    mutable std::mutex shortlist_mutex_;
    mutable std::shared_ptr<const Shortlist> shortlist_;
    mutable std::atomic<int> visits_{0};
    bool forked_ = false;            // whether this is in the child of a fork
    bool forked_in_a_call_ = false;  // of another thread, which may have left anything half done
    const AfterFork after_fork_{[this] {
        forked_ = true;
        forked_in_a_call_ = forked_in_a_call_ || visits_ > 0;
        visits_ = 0;
    }};
};

Translator::Translator(const std::string& model_directory) : Translator(model_directory, Machine()) {}

Translator::Translator(const std::string& model_directory, const Machine& machine)
    : impl_(for_caller([&] { return std::make_unique<const Impl>(model_directory, machine); })) {}

Translator::~Translator() {
    if (computing_has_ended()) {
        static_cast<void>(impl_.release());  // what it consists of may be gone; the process is about to be
        return;
    }
    const Computing computing;
    impl_.reset();
}

Translator::Translator(Translator&&) noexcept = default;

Translator& Translator::operator=(Translator&& other) noexcept {
    impl_.swap(other.impl_);
    return *this;
}

std::vector<Translator::Result> Translator::translate(const std::vector<std::string>& sentences) const {
    return translate(sentences, Options());
}

std::vector<Translator::Result> Translator::translate(const std::vector<std::string>& sentences,
                                                      const Options& options) const {
    std::vector<Request> requests;
    requests.reserve(sentences.size());
    for (const std::string& sentence : sentences) {
        requests.push_back({sentence});
    }
    return translate_requests(requests, options);
}

std::vector<Translator::Result> Translator::translate_requests(const std::vector<Request>& requests,
                                                               const Options& options) const {
    if (!impl_) {
        throw TranslatorError(Kind::options, "this translator was moved from");
    }
    return for_caller([&] { return impl_->translate(requests, options); });
}

std::string Translator::version() {
    return softalign::version();
}

}  // namespace softalign
