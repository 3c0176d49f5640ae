#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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
#include "distributed/c10d.h"
#include "distributed/device_exchange.h"
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

struct TcpPlace {
    std::string host;
    std::string port;
};

struct Addresses {
    explicit Addresses(const TcpPlace& place) {
        addrinfo hints{};
        hints.ai_socktype = SOCK_DGRAM;
        const int fault = ::getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &first);
        if (fault != 0) {
            throw Error(ExitCode::processes, "the host " + place.host +
                                                 ", where the processes meet, is unknown here (" +
                                                 ::gai_strerror(fault) +
                                                 "); set MASTER_ADDR or runtime.distributed.rendezvous to an address "
                                                 "that every machine can reach");
        }
    }
    ~Addresses() { ::freeaddrinfo(first); }
    Addresses(const Addresses&) = delete;
    Addresses& operator=(const Addresses&) = delete;

    addrinfo* first = nullptr;
};

bool is_loopback(const sockaddr_storage& address) {
    if (address.ss_family == AF_INET) {
        return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24U == 127;
    }
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr) != 0;
}

// The address of this machine from which it reaches the place, if it does. Connecting a datagram socket sends nothing;
// it only asks the system for the route.
std::optional<std::string> address_towards(const TcpPlace& place, bool elsewhere) {
    const Addresses addresses(place);
    for (const addrinfo* entry = addresses.first; entry != nullptr; entry = entry->ai_next) {
        const int descriptor = ::socket(entry->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        sockaddr_storage own{};
        socklen_t size = sizeof own;
        const bool found = descriptor >= 0 && ::connect(descriptor, entry->ai_addr, entry->ai_addrlen) == 0 &&
                           ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size) == 0;
        if (descriptor >= 0) {
            ::close(descriptor);
        }
        char text[NI_MAXHOST];
        if (found && !(elsewhere && is_loopback(own)) &&
            ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) ==
                0) {
            return text;
        }
    }
    return std::nullopt;
}

// The address of this machine from which it reaches the place. `elsewhere`: other machines have to reach it. Where the
// place is this machine under a name that means loopback here, as Debian has it in /etc/hosts, that is the address of
// the default route: the way to addresses that nobody has (RFC 5737 and 3849).
std::string own_address(const TcpPlace& place, bool elsewhere) {
    for (const TcpPlace& towards : {place, TcpPlace{"192.0.2.1", "9"}, TcpPlace{"2001:db8::1", "9"}}) {
        if (const std::optional<std::string> address = address_towards(towards, elsewhere)) {
            return *address;
        }
        if (!elsewhere) {
            break;
        }
    }
    if (place.host == "127.0.0.1" && !elsewhere) {
        throw Error(
            ExitCode::processes,
            "the loopback interface, over which the processes of this machine talk, is down; bring it up: ip link "
            "set lo up");
    }
    throw Error(ExitCode::processes,
                elsewhere ? "this machine has no address by which the other machines could reach it; name the network "
                            "interface with runtime.distributed.interface"
                          : place.host +
                                ", where the processes meet, cannot be reached from here; name the network interface "
                                "with runtime.distributed.interface");
}

// c10d may wait for ever on a port that is in use.
void require_free_port(const TcpPlace& place) {
    const int descriptor = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return;  // c10d will say what is wrong
    }
    const int on = 1;
    const int off = 0;
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(static_cast<std::uint16_t>(std::stoi(place.port)));
    const bool taken =
        ::bind(descriptor, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 && errno == EADDRINUSE;
    ::close(descriptor);
    if (taken) {
        throw Error(ExitCode::processes, "port " + place.port +
                                             ", where the processes are to meet, is in use on this machine; is another "
                                             "run there? Choose another one with MASTER_PORT or "
                                             "runtime.distributed.rendezvous");
    }
}

// "tcp://HOST:PORT" or "tcp://[IPV6]:PORT".
TcpPlace tcp_place(const std::string& text) {
    const std::string rest = text.substr(std::strlen("tcp://"));
    const std::size_t colon = rest.rfind(':');
    TcpPlace place;
    if (colon != std::string::npos) {
        place.host = rest.substr(0, colon);
        place.port = rest.substr(colon + 1);
    }
    if (place.host.size() > 2 && place.host.front() == '[' && place.host.back() == ']') {
        place.host = place.host.substr(1, place.host.size() - 2);
    }
    const bool is_number =
        !place.port.empty() && place.port.size() <= 5 &&
        std::all_of(place.port.begin(), place.port.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (place.host.empty() || !is_number || std::stoi(place.port) < 1 || std::stoi(place.port) > 65535) {
        throw Error(ExitCode::configuration, text +
                                                 " is no place where processes can meet: tcp://HOST:PORT with a port "
                                                 "from 1 to 65535, or file:///PATH");
    }
    return place;
}

// c10d ends the process, or waits for ever, where the file is not what it can use.
void require_meeting_file(const std::string& path) {
    const auto refuse = [&path](const std::string& why) {
        throw Error(ExitCode::processes, path + ": the processes cannot meet there: " + why +
                                             "; choose a file that does not exist yet, in a folder that all of them "
                                             "can write to");
    };
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        refuse(errno_text(errno));
    }
    struct stat status {};
    std::uint32_t first = 0;  // the length of the first name in a file of c10d
    const bool is_locked = ::flock(descriptor, LOCK_SH) == 0;
    const bool is_known = is_locked && ::fstat(descriptor, &status) == 0;
    const ssize_t read = is_known && status.st_size > 0 ? ::pread(descriptor, &first, sizeof first, 0) : 0;
    ::close(descriptor);  // and unlocks it
    constexpr std::uint32_t longest_name = 4096;
    if (!is_known || !S_ISREG(status.st_mode)) {
        refuse("this is no regular file");
    }
    if (status.st_size > 0 && (read != sizeof first || first == 0 || first > longest_name)) {
        refuse("the file has other content");
    }
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
        if (place.rendezvous.rfind("file:///", 0) == 0) {
            file_ = place.rendezvous.substr(std::strlen("file://"));
            require_meeting_file(file_);
            store_ = never_destroyed(c10::make_intrusive<c10d::FileStore>(file_, place.size));
            store_->setTimeout(timeout_);
            tcp_ = {"127.0.0.1", "1"};
        } else if (place.rendezvous.rfind("tcp://", 0) == 0) {
            tcp_ = tcp_place(place.rendezvous);
            reach();
        } else {
            throw Error(
                ExitCode::configuration,
                (place.rendezvous.empty() ? place.launcher + ": it is not said where the processes meet"
                                          : place.rendezvous + " is no place where processes can meet") +
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
            if (!file_.empty() && store_->add("transports that ended", 1) == place_.size) {
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
                            "); check that rank 0 runs there, and that its port is open to this machine");
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
