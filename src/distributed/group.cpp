#include "distributed/group.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/instructions.h"
#include "base/stopwatch.h"
#include "base/strings.h"
#include "base/version.h"
#include "platform/blas.h"
#include "platform/memory.h"
#include "platform/processor.h"

namespace softalign {

namespace {

// How long the processes give each other to say why they end, seconds.
constexpr double patience_for_reasons = 5.0;

std::string own_host() {
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

// The processors that this process may use, as the system lists them: "0-7,16"; empty if unknown.
std::string own_processors() {
    const std::string name = "Cpus_allowed_list:";
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind(name, 0) == 0) {
            return line.substr(name.size());
        }
    }
    return "";
}

void rest() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

at::Tensor bytes_of(const std::string& text) {
    at::Tensor bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
    if (!text.empty()) {
        std::memcpy(bytes.data_ptr(), text.data(), text.size());
    }
    return bytes;
}

std::string text_of(const at::Tensor& bytes) {
    return {static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

std::string claim(int rank) {
    return "claim/" + std::to_string(rank);
}

std::string hello(int rank) {
    return "hello/" + std::to_string(rank);
}

std::string waits_for(int rank) {
    return "waits/" + std::to_string(rank);
}

constexpr std::int64_t sign_of_life = -1;  // in place of a size

constexpr const char* failure_count = "failures";
constexpr const char* failure_note = "failure";
constexpr const char* farewells = "farewells";
constexpr const char* signs_of_life = "signs of life";
constexpr const char* first_is_ready = "ready";

// Everything on which the bytes of a result depend, besides what they compute from.
nlohmann::ordered_json own_hello() {
    return {{"host", own_host()},
            {"process", ::getpid()},
            {"processors", own_processors()},
            {"softalign", version()},
            {"LibTorch", libtorch_version()},
            {"BLAS", blas_info().kernels},
            {"instruction set", name_of(instructions())}};
}

}  // namespace

Group::Group(const LaunchEnvironment& place, const DistributedConfig& config, std::string advice)
    : rank_(place.rank), size_(place.size), timeout_(config.timeout), advice_("; " + std::move(advice)) {
    if (is_alone()) {
        return;
    }
    LaunchEnvironment meeting = place;
    if (!config.rendezvous.empty()) {
        meeting.rendezvous = config.rendezvous;
        meeting.server_elsewhere = false;
    }
    hosts_.assign(static_cast<std::size_t>(size_), "");
    transport_ = make_transport(meeting, config);
    try {
        come_as_the_only_one(meeting.rendezvous);
    } catch (const LinkFailure& failure) {
        explain(failure);
    }
    try {
        meet();
    } catch (const Error& error) {
        fail(error.code(), error.what());
        leave();
        throw;
    }
}

void Group::come_as_the_only_one(const std::string& place) {
    if (transport_->count(claim(rank_)) > 1) {
        throw Error(ExitCode::processes,
                    "another process has already come to " + place + " as rank " + std::to_string(rank_) +
                        ": two runs meet there, or a file there is left from an earlier run; choose another place with "
                        "MASTER_PORT or runtime.distributed.rendezvous");
    }
}

void Group::meet() {
    try {
        greet();
        require_one_version();
        transport_->connect();
        show_signs_of_life();
    } catch (const LinkFailure& failure) {
        explain(failure);
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        const std::string text = error.what();
        throw Error(ExitCode::processes, "rank " + std::to_string(rank_) +
                                             " could not connect to the other processes (" +
                                             text.substr(0, text.find('\n')) +
                                             "); name the network interface with runtime.distributed.interface");
    }
}

// While rank 0 does alone what the others wait for.
void Group::show_signs_of_life() {
    if (!is_first()) {
        return;
    }
    heart_ = std::thread([this, stopped = stop_heart_.get_future()] {
        const std::chrono::duration<double> pause(std::min(timeout_ / 4.0, 5.0));
        try {
            do {
                transport_->count(signs_of_life);
            } while (stopped.wait_for(pause) == std::future_status::timeout);
        } catch (const std::exception&) {  // the board is gone: so is the run
        }
    });
}

void Group::stop_heart() {
    if (heart_.joinable()) {
        stop_heart_.set_value();
        heart_.join();
    }
}

Group::~Group() {
    stop_heart();
    if (!is_alone() && !finished_) {
        leave();
    }
}

std::string Group::name_of(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return "rank " + std::to_string(rank) +
           (i < hosts_.size() && !hosts_[i].empty() ? " (" + hosts_[i] + ")" : std::string());
}

// Waits until all have said who they are.
void Group::greet() {
    transport_->post(hello(rank_), json_text(own_hello()));
    const Stopwatch watch;
    hellos_.assign(static_cast<std::size_t>(size_), "");
    for (bool complete = false; !complete;) {
        complete = true;
        std::string absent;
        for (int rank = 0; rank < size_; ++rank) {
            std::string& text = hellos_[static_cast<std::size_t>(rank)];
            if (text.empty()) {
                text = transport_->look(hello(rank)).value_or("");
            }
            if (text.empty()) {
                complete = false;
                absent += (absent.empty() ? "" : ", ") + std::to_string(rank);
            } else {
                hosts_[static_cast<std::size_t>(rank)] = nlohmann::json::parse(text).at("host");
            }
        }
        throw_if_failed();
        if (!complete && watch.seconds() > timeout_) {
            throw Error(ExitCode::processes, "of " + std::to_string(size_) + " processes, rank " + absent +
                                                 " did not come within runtime.distributed.timeout (" +
                                                 std::to_string(static_cast<int>(timeout_)) +
                                                 " s); see what its machine says, and whether it reaches this one");
        }
        if (!complete) {
            rest();
        }
    }
}

Share Group::share_of_processors() const {
    if (is_alone()) {
        return {};
    }
    Share share{0, 0};
    const auto mine = nlohmann::json::parse(hellos_[static_cast<std::size_t>(rank_)]);
    for (int rank = 0; rank < size_; ++rank) {
        const auto other = nlohmann::json::parse(hellos_[static_cast<std::size_t>(rank)]);
        if (mine.at("host") == other.at("host") && mine.at("processors") == other.at("processors")) {
            share.index += rank < rank_ ? 1 : 0;
            ++share.count;
        }
    }
    return share;
}

void Group::require_one_version() const {
    const auto first = nlohmann::ordered_json::parse(hellos_.front());
    for (int rank = 1; rank < size_; ++rank) {
        const auto other = nlohmann::ordered_json::parse(hellos_[static_cast<std::size_t>(rank)]);
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

void Group::require_same(const std::string& what, const std::string& mine) {
    const std::vector<std::string> all = gather(mine);
    for (int rank = 1; rank < size_; ++rank) {
        if (all[static_cast<std::size_t>(rank)] != all.front()) {
            throw Error(ExitCode::configuration, name_of(rank) + " has another " + what + " than " + name_of(0) +
                                                     "; start all processes with the same files and options");
        }
    }
}

void Group::throw_if_failed() {
    const std::optional<std::string> note = transport_->look(failure_note);
    if (!note) {
        return;
    }
    failed_ = true;
    const auto json = nlohmann::json::parse(*note);
    const int rank = json.at("rank");
    const std::string reason = json.at("reason");
    throw Error(static_cast<ExitCode>(json.at("code").get<int>()),
                rank < 0 ? reason : name_of(rank) + " ended: " + reason);
}

// A process that others wait for has gone or does not answer: which one, it is agreed on by the first note.
void Group::blame(int rank, const std::string& reason) {
    const std::string text = name_of(rank) + reason;
    failed_ = true;
    if (transport_->count(failure_count) == 1) {
        transport_->post(failure_note,
                         nlohmann::json{{"rank", -1}, {"code", ExitCode::processes}, {"reason", text}}.dump());
    }
    for (const Stopwatch watch; watch.seconds() < patience_for_reasons; rest()) {
        throw_if_failed();
    }
    throw Error(ExitCode::processes, text);
}

std::string Group::silence() const {
    return " has not answered for runtime.distributed.timeout (" + std::to_string(static_cast<int>(timeout_)) + " s)";
}

void Group::explain(const LinkFailure& failure) {
    int guilty = failure.partner();
    try {
        if (failure.timed_out()) {
            transport_->post(waits_for(rank_), std::to_string(guilty));
        }
        // A process whose connection breaks has said why before, if it could. One that gave up waiting for another one
        // says whom it waited for, and closes its connections before that.
        const double patience = failure.timed_out() ? patience_for_reasons : 1.0;
        for (const Stopwatch watch; watch.seconds() < patience;) {
            throw_if_failed();
            if (!failure.timed_out() && transport_->look(waits_for(guilty))) {
                break;
            }
            rest();
        }
        bool follows = failure.timed_out();
        for (int steps = 0; steps < size_; ++steps) {
            const std::optional<std::string> next = transport_->look(waits_for(guilty));
            if (!next) {
                break;
            }
            guilty = std::stoi(*next);
            follows = true;
        }
        throw_if_failed();
        blame(guilty, (follows ? silence() : " is gone (" + std::string(failure.what()) + ")") + advice_);
    } catch (const LinkFailure&) {
        failed_ = true;
        throw Error(ExitCode::processes, name_of(0) + ", where the processes meet, is gone" + advice_);
    }
}

void Group::exchange(int to, const at::Tensor& sent, int from, const at::Tensor& received) {
    try {
        transport_->exchange(to, sent, from, received);
    } catch (const LinkFailure& failure) {
        explain(failure);
    }
    bytes_sent_ += sent.defined() ? static_cast<std::int64_t>(sent.nbytes()) : 0;
}

void Group::send_text(int to, const std::string& text, int from, std::string& received) {
    const at::Tensor size = at::full({1}, static_cast<std::int64_t>(text.size()), at::kLong);
    const at::Tensor other_size = at::empty({1}, at::kLong);
    const at::Tensor none;
    exchange(to, to < 0 ? none : size, from, from < 0 ? none : other_size);
    while (from >= 0 && other_size.item<std::int64_t>() == sign_of_life) {
        exchange(-1, none, from, other_size);
    }
    const std::int64_t count = from < 0 ? 0 : other_size.item<std::int64_t>();
    const at::Tensor bytes = at::empty({count}, at::kByte);
    const bool sends = to >= 0 && !text.empty();
    if (sends || count > 0) {
        exchange(to, sends ? bytes_of(text) : none, from, count > 0 ? bytes : none);
    }
    received = text_of(bytes);
}

// The size comes first; a sign of life is a size below 0.
void Group::send(int to, const std::string& bytes) {
    std::string ignored;
    send_text(to, bytes, -1, ignored);
}

void Group::send_sign_of_life(int to) {
    exchange(to, at::full({1}, sign_of_life, at::kLong), -1, {});
}

std::string Group::receive(int from) {
    std::string received;
    send_text(-1, "", from, received);
    return received;
}

// Bruck's algorithm: in step k, what has come so far goes to the process 2^k before this one.
std::vector<std::string> Group::gather(const std::string& mine) {
    std::vector<std::string> found{mine};  // of this rank, the next one, ...
    for (int step = 1; step < size_; step *= 2) {
        const auto wanted = static_cast<std::size_t>(std::min(step, size_ - step));
        const nlohmann::json list(
            std::vector<std::string>(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(wanted)));
        const std::vector<std::uint8_t> packed = nlohmann::json::to_msgpack(list);
        std::string received;
        send_text((rank_ - step + size_) % size_, std::string(packed.begin(), packed.end()), (rank_ + step) % size_,
                  received);
        for (const auto& text : nlohmann::json::from_msgpack(received)) {
            found.push_back(text.get<std::string>());
        }
    }
    std::rotate(found.begin(), found.end() - rank_, found.end());
    return found;
}

void Group::wait_for_first() {
    if (is_alone()) {
        return;
    }
    stop_heart();
    try {
        if (is_first()) {
            transport_->post(first_is_ready, "yes");
        }
        Stopwatch since_sign;
        std::optional<std::string> sign;
        while (!transport_->look(first_is_ready)) {
            throw_if_failed();
            std::optional<std::string> newest = transport_->look(signs_of_life);
            if (newest != sign) {
                sign = std::move(newest);
                since_sign = Stopwatch();
            } else if (since_sign.seconds() > timeout_) {
                blame(0, silence());
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    } catch (const LinkFailure& failure) {
        explain(failure);
    }
}

// A binomial tree: in step k, ranks below 2^k send to those 2^k above them.
std::string Group::broadcast(const std::string& bytes) {
    std::string result = bytes;
    for (int step = 1; step < size_; step *= 2) {
        if (rank_ < step && rank_ + step < size_) {
            std::string ignored;
            send_text(rank_ + step, result, -1, ignored);
        } else if (rank_ >= step && rank_ < 2 * step) {
            send_text(-1, "", rank_ - step, result);
        }
    }
    return result;
}

void Group::broadcast(const at::Tensor& values) {
    for (int step = 1; step < size_; step *= 2) {
        if (rank_ < step && rank_ + step < size_) {
            exchange(rank_ + step, values, -1, {});
        } else if (rank_ >= step && rank_ < 2 * step) {
            exchange(-1, {}, rank_ - step, values);
        }
    }
}

bool Group::fail(ExitCode code, const std::string& reason) noexcept {
    if (is_alone() || failed_) {
        return false;
    }
    failed_ = true;
    try {
        if (transport_->count(failure_count) == 1) {
            transport_->post(failure_note,
                             json_text(nlohmann::json{{"rank", rank_}, {"code", code}, {"reason", reason}}));
        }
    } catch (const std::exception&) {  // nobody is there to be told
    }
    return true;
}

// The board goes with rank 0, which stays until the others have read it, or for a while: some may be gone. Those that
// wait for this process notice that its connections are closed, and look at the board.
void Group::leave() noexcept {
    try {
        transport_->disconnect();
        transport_->count(farewells);
        for (const Stopwatch watch; is_first() && watch.seconds() < patience_for_reasons; rest()) {
            if (std::stoi(transport_->look(farewells).value_or("0")) >= size_) {
                break;
            }
        }
    } catch (const std::exception&) {
    }
}

void Group::run(const std::function<void()>& work) {
    try {
        work();
        finish();
    } catch (const Error& error) {
        if (fail(error.code(), error.what())) {
            throw Error(error.code(), name_of(rank_) + ": " + error.what());
        }
        throw;
    } catch (const std::exception& error) {
        const std::string reason = error.what();
        fail(ExitCode::internal, is_out_of_memory(error) ? "out of memory" : reason.substr(0, reason.find('\n')));
        throw;
    }
}

void Group::finish() {
    gather("");
    finished_ = true;
}

Group& one_process() {
    static Group group;
    return group;
}

}  // namespace softalign
