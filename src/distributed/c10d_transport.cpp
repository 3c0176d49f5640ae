#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "distributed/c10d.h"
#include "distributed/device_exchange.h"
#include "distributed/meeting_place.h"
#include "distributed/transport.h"
#include "platform/device.h"

namespace softalign {

#ifdef SOFTALIGN_HAS_C10D

namespace {

using Milliseconds = std::chrono::milliseconds;

Milliseconds milliseconds(double seconds) {
    return Milliseconds(static_cast<std::int64_t>(seconds * 1000.0));
}

// The text of an exception without the trace that LibTorch appends.
std::string first_line(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
}

// FileStore's destructor throws where the file is gone or cannot be written, and so ends the process.
c10::intrusive_ptr<c10d::Store> never_destroyed(c10::intrusive_ptr<c10d::Store> store) {
    static std::mutex mutex;
    static auto& kept = *new std::vector<c10::intrusive_ptr<c10d::Store>>();
    const std::lock_guard<std::mutex> lock(mutex);
    kept.push_back(store);
    return store;
}

// Not every version has the option. What is built without libuv cannot listen with it.
template <typename Options>
auto listen_plainly(Options& options, int) -> decltype(options.useLibUV, void()) {
    options.useLibUV = false;
}

template <typename Options>
void listen_plainly(Options&, long) {}

class C10dTransport : public Transport {
public:
    C10dTransport(const LaunchEnvironment& place, const DistributedConfig& config)
        : place_(place), config_(config), timeout_(milliseconds(config.timeout)) {
        if (starts_with(place.rendezvous, "file:///")) {
            file_ = place.rendezvous.substr(std::strlen("file://"));
            require_meeting_file(file_);
            store_ = never_destroyed(c10::make_intrusive<c10d::FileStore>(file_, place.size));
            store_->setTimeout(timeout_);
            tcp_ = {"127.0.0.1", "1"};
        } else if (starts_with(place.rendezvous, "tcp://")) {
            tcp_ = tcp_place(place.rendezvous);
            reach();
        } else {
            throw Error(
                ExitCode::configuration,
                (place.rendezvous.empty() ? place.launcher + ": it is not said where the processes meet"
                                          : place.rendezvous + " is not a place where processes can meet") +
                    "; set MASTER_ADDR and MASTER_PORT, or runtime.distributed.rendezvous to tcp://HOST:PORT of "
                    "rank 0 or to file:///PATH");
        }
        // Of a run of this size, so that one of another size that comes here by mistake disturbs nobody.
        const std::string run = "softalign/" + place.run + "/" + std::to_string(place.size);
        store_ = c10::make_intrusive<c10d::PrefixStore>(run, store_);
    }

    // The last one removes the file.
    ~C10dTransport() override {
        try {
            if (!file_.empty() && !withdrawn_ && store_->add("transports that ended", 1) == place_.size) {
                ::unlink(file_.c_str());
            }
        } catch (const std::exception&) {  // who comes next is told of the file
        }
    }
    C10dTransport(const C10dTransport&) = delete;
    C10dTransport& operator=(const C10dTransport&) = delete;

    void post(const std::string& key, const std::string& value) override {
        ask([&] { store_->set(key, std::vector<std::uint8_t>(value.begin(), value.end())); });
    }

    std::optional<std::string> look(const std::string& key) override {
        std::optional<std::string> result;
        ask([&] {
            if (store_->check({key})) {
                const std::vector<std::uint8_t> value = store_->get(key);
                result.emplace(value.begin(), value.end());
            }
        });
        return result;
    }

    std::int64_t count(const std::string& key) override {
        std::int64_t result = 0;
        ask([&] { result = store_->add(key, 1); });
        return result;
    }

    void withdraw() override { withdrawn_ = true; }

    void connect(bool elsewhere) override {
        auto options = c10d::ProcessGroupGloo::Options::create(timeout_);
        options->devices.push_back(config_.interface.empty()
                                       ? c10d::ProcessGroupGloo::createDeviceForHostname(own_address(tcp_, elsewhere))
                                       : c10d::ProcessGroupGloo::createDeviceForInterface(config_.interface));
        options->threads = 1;  // sending and receiving need none
        auto meeting = c10::make_intrusive<c10d::PrefixStore>("gloo", store_);
        group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(meeting, place_.rank, place_.size, options);
    }

    void disconnect() override {
        devices_.reset();
        group_.reset();
    }

    void use_device(const at::Device& device) override {
        if (config_.backend == DistributedBackend::nccl && device.type() != at::kCUDA) {
            throw Error(ExitCode::configuration, "runtime.distributed.backend: nccl is for GPUs, and the device is " +
                                                     device.str() + "; choose auto or gloo");
        }
        if (config_.backend == DistributedBackend::nccl && !has_nccl()) {
            throw Error(
                ExitCode::configuration,
                "runtime.distributed.backend: nccl: this program was built without NCCL (a CUDA LibTorch 2.6 or "
                "newer and the headers of NCCL and CUDA); choose auto or gloo");
        }
        if (device.type() == at::kCUDA && has_nccl() && config_.backend != DistributedBackend::gloo) {
            devices_ = make_nccl_exchange({store_, place_.rank, place_.size, device, config_.timeout});
        }
    }

    void exchange(int to, const at::Tensor& sent, int from, const at::Tensor& received) override {
        if (!is_elsewhere(sent) && !is_elsewhere(received)) {
            exchange_here(to, sent, from, received);
        } else if (devices_) {
            devices_->exchange(to, sent, from, received);
        } else {
            const at::Tensor arrived = received.defined() ? at::empty_like(received, at::kCPU) : received;
            exchange_here(to, sent.defined() ? sent.to(at::kCPU) : sent, from, arrived);
            if (received.defined()) {
                received.copy_(arrived);
            }
        }
    }

private:
    static bool is_elsewhere(const at::Tensor& x) { return x.defined() && !is_in_process(x.device()); }

    // Of tensors of the CPU.
    void exchange_here(int to, const at::Tensor& sent, int from, const at::Tensor& received) {
        int partner = from;
        try {
            std::vector<at::Tensor> in{received};
            std::vector<at::Tensor> out{sent};
            c10::intrusive_ptr<c10d::Work> receiving;
            c10::intrusive_ptr<c10d::Work> sending;
            if (received.defined()) {
                receiving = group_->recv(in, from, 0);
            }
            partner = to;
            if (sent.defined()) {
                sending = group_->send(out, to, 0);
            }
            partner = from;
            if (receiving) {
                receiving->wait(timeout_);
            }
            partner = to;
            if (sending) {
                sending->wait(timeout_);
            }
        } catch (const std::exception& error) {
            const std::string text = first_line(error);
            throw LinkFailure(partner, text.find("imed out") != std::string::npos, text);
        }
    }

    void reach() {
        const bool serves = place_.rank == 0 && !place_.server_elsewhere;
        if (serves) {
            require_free_port(tcp_);
        }
        c10d::TCPStoreOptions options;
        options.port = static_cast<std::uint16_t>(std::stoi(tcp_.port));
        options.isServer = serves;
        options.numWorkers = static_cast<std::size_t>(place_.size);
        options.waitWorkers = false;
        options.timeout = timeout_;
        listen_plainly(options, 0);
        if (const std::string doubt = doubt_about(tcp_, serves); !doubt.empty()) {
            warn("rank " + std::to_string(place_.rank) + ": " + doubt + "; trying for " +
                 std::to_string(timeout_.count() / 1000) + " s all the same");
        }
        try {
            store_ = within_timeout([host = tcp_.host, options]() -> c10::intrusive_ptr<c10d::Store> {
                auto store = c10::make_intrusive<c10d::TCPStore>(host, options);
                store->add("softalign", 1);  // the first question that wants an answer
                return store;
            });
        } catch (const std::exception& error) {
            throw Error(ExitCode::processes,
                        "rank " + std::to_string(place_.rank) +
                            (serves ? " cannot listen at " : " did not reach rank 0 at ") + place_.rendezvous + " (" +
                            first_line(error) +
                            (serves ? "); name an address of this machine, with a port that is free"
                                    : "); check that rank 0 runs there, and that its port is open to this machine"));
        }
    }

    // c10d may wait for ever for the answer of another program that listens there.
    c10::intrusive_ptr<c10d::Store> within_timeout(std::function<c10::intrusive_ptr<c10d::Store>()> make) const {
        std::packaged_task<c10::intrusive_ptr<c10d::Store>()> task(std::move(make));
        auto made = task.get_future();
        std::thread(std::move(task)).detach();
        if (made.wait_for(timeout_ + std::chrono::seconds(1)) != std::future_status::ready) {
            throw std::runtime_error("what listens there does not answer");
        }
        return made.get();
    }

    template <typename Question>
    void ask(const Question& question) {
        try {
            question();
        } catch (const std::exception& error) {
            throw LinkFailure(0, false, first_line(error));
        }
    }

    LaunchEnvironment place_;
    DistributedConfig config_;
    Milliseconds timeout_;
    TcpPlace tcp_;
    bool withdrawn_ = false;
    std::string file_;  // empty: they meet by TCP
    c10::intrusive_ptr<c10d::Store> store_;
    c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
    std::unique_ptr<DeviceExchange> devices_;  // null: by way of the host
};

}  // namespace

bool has_transport() {
    return true;
}

std::unique_ptr<Transport> make_transport(const LaunchEnvironment& place, const DistributedConfig& config) {
    return std::make_unique<C10dTransport>(place, config);
}

#else

bool has_transport() {
    return false;
}

std::unique_ptr<Transport> make_transport(const LaunchEnvironment& place, const DistributedConfig& /*config*/) {
    throw Error(ExitCode::processes,
                place.launcher + " asks for " + std::to_string(place.size) +
                    " processes, and this program was built without c10d; install libgloo-dev (or a "
                    "LibTorch with Gloo and its headers) and build it again");
}

#endif

}  // namespace softalign
