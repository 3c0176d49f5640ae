#include "distributed/endings.h"

#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/stopwatch.h"
#include "base/strings.h"

namespace softalign {

namespace {

// How long the processes give each other to say why they end, seconds.
constexpr double patience_for_reasons = 5.0;

void rest() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

std::string waits_for(int rank) {
    return "waits/" + std::to_string(rank);
}

constexpr const char* failure_count = "failures";
constexpr const char* failure_note = "failure";
constexpr const char* farewells = "farewells";

}  // namespace

Endings::Endings(Transport& transport, const Roster& roster, int rank, int size, double timeout, std::string advice)
    : transport_(transport),
      roster_(roster),
      rank_(rank),
      size_(size),
      timeout_(timeout),
      advice_("; " + std::move(advice)) {}

void Endings::throw_if_failed() {
    const std::optional<std::string> note = transport_.look(failure_note);
    if (!note) {
        return;
    }
    failed_ = true;
    const auto json = nlohmann::json::parse(*note);
    const int rank = json.at("rank");
    const std::string reason = json.at("reason");
    throw Error(static_cast<ExitCode>(json.at("code").get<int>()),
                rank < 0 ? reason : roster_.name_of(rank) + " ended: " + reason);
}

// A process that others wait for has gone or does not answer: which one, it is agreed on by the first note.
void Endings::blame(int rank, const std::string& reason) {
    const std::string text = roster_.name_of(rank) + reason;
    failed_ = true;
    if (transport_.count(failure_count) == 1) {
        transport_.post(failure_note,
                        nlohmann::json{{"rank", -1}, {"code", ExitCode::processes}, {"reason", text}}.dump());
    }
    for (const Stopwatch watch; watch.seconds() < patience_for_reasons; rest()) {
        throw_if_failed();
    }
    throw Error(ExitCode::processes, text);
}

void Endings::blame_silence(int rank) {
    blame(rank, silence());
}

std::string Endings::silence() const {
    return " has not answered for runtime.distributed.timeout (" + std::to_string(static_cast<int>(timeout_)) + " s)";
}

void Endings::explain(const LinkFailure& failure) {
    int guilty = failure.partner();
    try {
        if (failure.timed_out()) {
            transport_.post(waits_for(rank_), std::to_string(guilty));
        }
        // A process whose connection breaks has said why before, if it could. One that gave up waiting for another one
        // says whom it waited for, and closes its connections before that.
        const double patience = failure.timed_out() ? patience_for_reasons : 1.0;
        for (const Stopwatch watch; watch.seconds() < patience;) {
            throw_if_failed();
            if (!failure.timed_out() && transport_.look(waits_for(guilty))) {
                break;
            }
            rest();
        }
        bool follows = failure.timed_out();
        for (int steps = 0; steps < size_; ++steps) {
            const std::optional<std::string> next = transport_.look(waits_for(guilty));
            if (!next) {
                break;
            }
            guilty = std::stoi(*next);
            follows = true;
        }
        throw_if_failed();
        gone_ = follows ? 0 : 1;
        blame(guilty, (follows ? silence() : " is gone (" + std::string(failure.what()) + ")") + advice_);
    } catch (const LinkFailure&) {
        failed_ = true;
        throw Error(ExitCode::processes, roster_.name_of(0) + ", where the processes meet, is gone" + advice_);
    }
}

bool Endings::fail(ExitCode code, const std::string& reason) noexcept {
    if (failed_) {
        return false;
    }
    failed_ = true;
    try {
        if (transport_.count(failure_count) == 1) {
            transport_.post(failure_note,
                            json_text(nlohmann::json{{"rank", rank_}, {"code", code}, {"reason", reason}}));
        }
    } catch (const std::exception&) {  // nobody is there to be told
    }
    return true;
}

// The board goes with rank 0, which stays until the others have read it, or for a while: more may be gone. Those that
// wait for this process notice that its connections are closed, and look at the board.
void Endings::leave() noexcept {
    try {
        transport_.disconnect();
        transport_.count(farewells);
        for (const Stopwatch watch; rank_ == 0 && watch.seconds() < patience_for_reasons; rest()) {
            if (std::stoi(transport_.look(farewells).value_or("0")) >= size_ - gone_) {
                break;
            }
        }
    } catch (const std::exception&) {
    }
}

}  // namespace softalign
