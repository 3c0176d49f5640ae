#include "distributed/direct_transport.h"

#include <ATen/ATen.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "platform/device.h"

namespace softalign {

namespace {

// Below this the two short messages around a copy cost more than it saves.
constexpr std::size_t least_bytes = 256 << 10;

// Reads the memory of another process; false and errno where that fails.
bool read_memory(pid_t process, std::uint64_t address, void* into, std::size_t bytes) {
    auto* to = static_cast<char*>(into);
    while (bytes > 0) {
        const iovec local{to, bytes};
        const iovec remote{reinterpret_cast<void*>(address), bytes};  // NOLINT(performance-no-int-to-ptr)
        const ssize_t count = ::process_vm_readv(process, &local, 1, &remote, 1, 0);
        if (count <= 0) {
            errno = count == 0 ? EFAULT : errno;
            return false;
        }
        to += count;
        address += static_cast<std::uint64_t>(count);
        bytes -= static_cast<std::size_t>(count);
    }
    return true;
}

std::uint64_t random_number() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

std::string card(int rank) {
    return "memory/" + std::to_string(rank);
}

std::string reads(int rank) {
    return "reads/" + std::to_string(rank);
}

class DirectTransport : public Transport {
public:
    DirectTransport(std::unique_ptr<Transport> transport, int rank, int size, double timeout)
        : transport_(std::move(transport)), rank_(rank), timeout_(timeout), partners_(static_cast<std::size_t>(size)) {}

    void post(const std::string& key, const std::string& value) override { transport_->post(key, value); }
    std::optional<std::string> look(const std::string& key) override { return transport_->look(key); }
    std::int64_t count(const std::string& key) override { return transport_->count(key); }
    void withdraw() override { transport_->withdraw(); }
    void disconnect() override { transport_->disconnect(); }
    void use_device(const at::Device& device) override { transport_->use_device(device); }

    // Each process shows the others a number in its memory. Who can read it there can read all.
    void connect(bool elsewhere) override {
        ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // for Yama; where that is absent it fails, and is not needed
        post(card(rank_),
             nlohmann::json{
                 {"process", ::getpid()}, {"address", reinterpret_cast<std::uintptr_t>(&token_)}, {"token", token_}}
                 .dump());
        transport_->connect(elsewhere);  // all have come here
        std::vector<int> readable;
        for (int rank = 0; rank < static_cast<int>(partners_.size()); ++rank) {
            Partner& partner = of(rank);
            const auto json = nlohmann::json::parse(look(card(rank)).value_or("{}"));
            std::uint64_t found = 0;
            if (rank != rank_ && json.contains("token") &&
                read_memory(json.at("process"), json.at("address"), &found, sizeof found) &&
                found == json.at("token").get<std::uint64_t>()) {
                partner.process = json.at("process");
                readable.push_back(rank);
            }
        }
        post(reads(rank_), nlohmann::json(readable).dump());
    }

    void exchange(int to, const at::Tensor& sent, int from, const at::Tensor& received) override {
        const bool gives = is_large(sent) && is_read_by(to);
        const bool takes = is_large(received) && of(from).process > 0;
        if (!gives && !takes) {
            transport_->exchange(to, sent, from, received);
            return;
        }
        const at::Tensor own = gives ? message(reinterpret_cast<std::intptr_t>(sent.data_ptr())) : sent;
        const at::Tensor other = takes ? message(0) : received;
        transport_->exchange(to, own, from, other);
        if (takes) {
            const auto address = static_cast<std::uint64_t>(other.item<std::int64_t>());
            if (!read_memory(of(from).process, address, received.data_ptr(), received.nbytes())) {
                throw LinkFailure(from, false, std::string("its memory cannot be read: ") + std::strerror(errno));
            }
        }
        // What is sent may change once it has been read.
        transport_->exchange(from, takes ? message(0) : at::Tensor(), to, gives ? message(0) : at::Tensor());
    }

private:
    struct Partner {
        pid_t process = 0;          // 0: its memory cannot be read
        std::optional<bool> reads;  // whether it can read the memory of this process; unknown until asked
    };

    Partner& of(int rank) { return partners_[static_cast<std::size_t>(rank)]; }

    // What is on a device is not in this process's memory.
    static bool is_large(const at::Tensor& x) {
        return x.defined() && x.nbytes() >= least_bytes && is_in_process(x.device());
    }
    static at::Tensor message(std::int64_t number) { return at::full({1}, number, at::kLong); }

    bool is_read_by(int rank) {
        std::optional<bool>& known = of(rank).reads;
        if (!known) {
            std::optional<std::string> list = look(reads(rank));
            for (const Stopwatch watch; !list; list = look(reads(rank))) {  // it has connected, and is about to say it
                if (watch.seconds() > timeout_) {
                    throw LinkFailure(rank, true, "it does not say whether it reads memory");
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            known = false;
            for (const int reader : nlohmann::json::parse(*list).get<std::vector<int>>()) {
                known = *known || reader == rank_;
            }
        }
        return *known;
    }

    std::unique_ptr<Transport> transport_;
    int rank_;
    double timeout_;  // seconds
    std::vector<Partner> partners_;
    std::uint64_t token_ = random_number();
};

}  // namespace

std::unique_ptr<Transport> read_directly(std::unique_ptr<Transport> transport, int rank, int size, double timeout) {
    return std::make_unique<DirectTransport>(std::move(transport), rank, size, timeout);
}

}  // namespace softalign
