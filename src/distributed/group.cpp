#include "distributed/group.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "base/strings.h"
#include "distributed/direct_transport.h"
#include "platform/memory.h"

namespace softalign {

namespace {

// A message begins with a frame: its size, and as many of its bytes as fit, so that a short one takes one exchange.
constexpr std::int64_t frame_bytes = 16384;
constexpr std::int64_t bytes_in_frame = frame_bytes - static_cast<std::int64_t>(sizeof(std::int64_t));

constexpr std::int64_t sign_of_life = -1;  // in place of a size

at::Tensor frame_of(std::int64_t size, const std::string& text) {
    at::Tensor frame = at::zeros({frame_bytes}, at::kByte);
    auto* const bytes = static_cast<char*>(frame.data_ptr());
    std::memcpy(bytes, &size, sizeof size);
    text.copy(bytes + sizeof size, static_cast<std::size_t>(bytes_in_frame));
    return frame;
}

std::int64_t size_in(const at::Tensor& frame) {
    std::int64_t size = 0;
    std::memcpy(&size, frame.data_ptr(), sizeof size);
    return size;
}

// The bytes of a message that do not fit into its frame; undefined where there are none.
at::Tensor bytes_behind_frame(std::int64_t size) {
    return size > bytes_in_frame ? at::empty({size - bytes_in_frame}, at::kByte) : at::Tensor();
}

std::string claim(int rank) {
    return "claim/" + std::to_string(rank);
}

constexpr const char* signs_of_life = "signs of life";
constexpr const char* first_is_ready = "ready";

}  // namespace

Group::Group(const LaunchEnvironment& place, const DistributedConfig& config, const std::string& command,
             std::string advice)
    : rank_(place.rank),
      size_(place.size),
      local_rank_(place.local_rank),
      timeout_(config.timeout),
      roster_(place.rank, place.size, command) {
    if (is_alone()) {
        return;
    }
    LaunchEnvironment meeting = place;
    if (!config.rendezvous.empty()) {
        meeting.rendezvous = config.rendezvous;
        meeting.server_elsewhere = false;
    }
    transport_ = read_directly(make_transport(meeting, config), rank_, size_, timeout_);
    endings_ = std::make_unique<Endings>(*transport_, roster_, rank_, size_, timeout_, std::move(advice));
    try {
        come_as_the_only_one(meeting.rendezvous);
    } catch (const LinkFailure& failure) {
        endings_->explain(failure);
    }
    try {
        meet();
    } catch (const Error& error) {
        endings_->fail(error.code(), error.what());
        endings_->leave();
        if (starts_with(config.rendezvous, "file:")) {
            throw Error(error.code(), std::string(error.what()) + "; or " + config.rendezvous +
                                          " is left from an earlier run: then remove it");
        }
        throw;
    }
}

void Group::come_as_the_only_one(const std::string& place) {
    if (transport_->count(claim(rank_)) > 1) {
        transport_->withdraw();
        throw Error(
            ExitCode::processes,
            "another process has already come to " + place + " as rank " + std::to_string(rank_) +
                ": two runs meet there, or a file there is left from an earlier run; remove that file, or choose "
                "another place with MASTER_PORT or runtime.distributed.rendezvous");
    }
}

void Group::meet() {
    try {
        roster_.meet(*transport_, timeout_, [this] { throw_if_failed(); });
        roster_.require_one_version();
        transport_->connect(!roster_.is_one_machine());
        show_signs_of_life();
    } catch (const LinkFailure& failure) {
        endings_->explain(failure);
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
        endings_->leave();
    }
}

void Group::require_same(const std::string& what, const std::string& mine) {
    const std::vector<std::string> all = gather(mine);
    for (int rank = 1; rank < size_; ++rank) {
        const std::string& other = all[static_cast<std::size_t>(rank)];
        if (other != all.front()) {
            throw difference(rank, what, other, all.front());
        }
    }
}

Error Group::difference(int rank, const std::string& what, const std::string& theirs, const std::string& first) const {
    const bool of_processors = what == bfloat16_instructions;
    return {of_processors ? ExitCode::processes : ExitCode::configuration,
            name_of(rank) + " has another " + what + " than " + name_of(0) + ": " + theirs + ", and not " + first +
                "; " +
                (of_processors ? "calculate in float32, or start all processes with SOFTALIGN_INSTRUCTIONS=avx512"
                               : "start all processes with the same files and options")};
}

Share Group::share_of_processors() const {
    return is_alone() ? Share() : roster_.share_of_processors();
}

std::string Group::name_of(int rank) const {
    return roster_.name_of(rank);
}

void Group::throw_if_failed() {
    if (endings_) {
        endings_->throw_if_failed();
    }
}

bool Group::fail(ExitCode code, const std::string& reason) noexcept {
    return endings_ && endings_->fail(code, reason);
}

void Group::use_device(const at::Device& device) {
    if (is_alone()) {
        return;
    }
    try {
        transport_->use_device(device);
    } catch (const LinkFailure& failure) {
        endings_->explain(failure);
    }
}

void Group::exchange(int to, const at::Tensor& sent, int from, const at::Tensor& received) {
    try {
        transport_->exchange(to, sent, from, received);
    } catch (const LinkFailure& failure) {
        endings_->explain(failure);
    }
    bytes_sent_ += sent.defined() ? static_cast<std::int64_t>(sent.nbytes()) : 0;
}

void Group::send_text(int to, const std::string& text, int from, std::string& received) {
    const auto size = static_cast<std::int64_t>(text.size());
    const at::Tensor frame = at::empty({frame_bytes}, at::kByte);
    exchange(to, to < 0 ? at::Tensor() : frame_of(size, text), from, from < 0 ? at::Tensor() : frame);
    while (from >= 0 && size_in(frame) == sign_of_life) {
        exchange(-1, {}, from, frame);
    }
    const std::int64_t other_size = from < 0 ? 0 : size_in(frame);
    const at::Tensor sent = to < 0 ? at::Tensor() : bytes_behind_frame(size);
    if (sent.defined()) {
        text.copy(static_cast<char*>(sent.data_ptr()), sent.nbytes(), static_cast<std::size_t>(bytes_in_frame));
    }
    const at::Tensor rest = bytes_behind_frame(other_size);
    if (sent.defined() || rest.defined()) {
        exchange(to, sent, from, rest);
    }
    received.assign(static_cast<const char*>(frame.data_ptr()) + sizeof size,
                    static_cast<std::size_t>(std::min(other_size, bytes_in_frame)));
    if (rest.defined()) {
        received.append(static_cast<const char*>(rest.data_ptr()), rest.nbytes());
    }
}

void Group::send(int to, const std::string& bytes) {
    std::string ignored;
    send_text(to, bytes, -1, ignored);
}

void Group::send_sign_of_life(int to) {
    exchange(to, frame_of(sign_of_life, ""), -1, {});
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
                endings_->blame_silence(0);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    } catch (const LinkFailure& failure) {
        endings_->explain(failure);
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
