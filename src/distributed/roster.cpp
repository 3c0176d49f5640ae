#include "distributed/roster.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/instructions.h"
#include "base/stopwatch.h"
#include "base/strings.h"
#include "base/version.h"
#include "platform/blas.h"
#include "platform/processor.h"

namespace softalign {

namespace {

std::string own_host() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

// Another after each start of a machine, and the same in all its containers; empty if unknown.
std::string own_machine() {
    std::ifstream id("/proc/sys/kernel/random/boot_id");
    std::string line;
    std::getline(id, line);
    return line;
}

// The processors that this process may use, as the system lists them: "0-7,16"; empty if unknown.
std::string own_processors() {
    const std::string name = "Cpus_allowed_list:";
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (starts_with(line, name)) {
            return line.substr(name.size());
        }
    }
    return "";
}

std::string hello(int rank) {
    return "hello/" + std::to_string(rank);
}

nlohmann::ordered_json own_hello(const std::string& command) {
    return {{"command", command},
            {"host", own_host()},
            {"machine", own_machine()},
            {"process", ::getpid()},
            {"processors", own_processors()},
            {"softalign", version()},
            {"LibTorch", libtorch_version()},
            {"BLAS", blas_info().kernels},
            {"instruction set", softalign::name_of(instructions_of_float32())}};
}

}  // namespace

Roster::Roster(int rank, int size, std::string command)
    : rank_(rank),
      size_(size),
      command_(std::move(command)),
      hosts_(static_cast<std::size_t>(size)),
      hellos_(static_cast<std::size_t>(size)) {}

std::string Roster::name_of(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return "rank " + std::to_string(rank) +
           (i < hosts_.size() && !hosts_[i].empty() ? " (" + hosts_[i] + ")" : std::string());
}

void Roster::meet(Transport& transport, double timeout, const std::function<void()>& look_out) {
    transport.post(hello(rank_), json_text(own_hello(command_)));
    const Stopwatch watch;
    for (bool complete = false; !complete;) {
        complete = true;
        std::string absent;
        int count = 0;
        for (int rank = 0; rank < size_; ++rank) {
            std::string& text = hellos_[static_cast<std::size_t>(rank)];
            if (text.empty()) {
                text = transport.look(hello(rank)).value_or("");
            }
            if (text.empty()) {
                complete = false;
                constexpr int most_named = 10;
                absent += ++count > most_named ? "" : (absent.empty() ? "" : ", ") + std::to_string(rank);
                absent += count == most_named + 1 ? " and others" : "";
            } else {
                hosts_[static_cast<std::size_t>(rank)] = nlohmann::json::parse(text).at("host");
            }
        }
        look_out();
        if (!complete && watch.seconds() > timeout) {
            throw Error(ExitCode::processes, "of " + std::to_string(size_) + " processes, rank " + absent +
                                                 " did not come within runtime.distributed.timeout (" +
                                                 std::to_string(static_cast<int>(timeout)) +
                                                 " s); see what its machine says, and whether it reaches this one");
        }
        if (!complete) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
}

Share Roster::share_of_processors() const {
    Share share{0, 0};
    const auto mine = nlohmann::json::parse(hellos_[static_cast<std::size_t>(rank_)]);
    for (int rank = 0; rank < size_; ++rank) {
        const auto other = nlohmann::json::parse(hellos_[static_cast<std::size_t>(rank)]);
        // Machines can share a name, and the containers of one machine have names of their own.
        const char* which = mine.at("machine").get<std::string>().empty() ? "host" : "machine";
        if (mine.at(which) == other.at(which) && mine.at("processors") == other.at("processors")) {
            share.index += rank < rank_ ? 1 : 0;
            ++share.count;
        }
    }
    return share;
}

bool Roster::is_one_machine() const {
    const auto first = nlohmann::json::parse(hellos_.front());
    return std::all_of(hellos_.begin(), hellos_.end(), [&](const std::string& text) {
        const auto other = nlohmann::json::parse(text);
        return other.at("host") == first.at("host") && other.at("machine") == first.at("machine");
    });
}

void Roster::require_one_version() const {
    const auto first = nlohmann::ordered_json::parse(hellos_.front());
    for (int rank = 1; rank < size_; ++rank) {
        const auto other = nlohmann::ordered_json::parse(hellos_[static_cast<std::size_t>(rank)]);
        if (other.at("command") != first.at("command")) {
            throw Error(ExitCode::configuration, name_of(rank) + " runs softalign " +
                                                     other.at("command").get<std::string>() + ", and " + name_of(0) +
                                                     " " + first.at("command").get<std::string>() +
                                                     "; start all processes with the same command");
        }
        for (const char* what : {"softalign", "LibTorch", "BLAS", "instruction set"}) {
            if (other.at(what) != first.at(what)) {
                throw Error(ExitCode::processes,
                            name_of(rank) + " has another " + what + " than " + name_of(0) + ": " +
                                other.at(what).get<std::string>() + ", and not " + first.at(what).get<std::string>() +
                                ", so their results would not be the same; run the same build on machines of one kind");
            }
        }
    }
}

}  // namespace softalign
