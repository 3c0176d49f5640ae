#include <torch/version.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "distributed/device_exchange.h"
#include "distributed/transport.h"

// c10d's header of NCCL needs those of NCCL and CUDA.
#if defined(SOFTALIGN_HAS_C10D) && defined(USE_C10D_NCCL) && __has_include(<nccl.h>) && \
    __has_include(<cuda_runtime_api.h>) && (TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6))
#define SOFTALIGN_HAS_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace softalign {

#ifdef SOFTALIGN_HAS_NCCL

namespace {

using Clock = std::chrono::steady_clock;

class NcclExchange : public DeviceExchange {
public:
    explicit NcclExchange(const DeviceMeeting& meeting)
        : timeout_(static_cast<std::int64_t>(meeting.timeout * 1000.0)) {
        auto options = c10d::ProcessGroupNCCL::Options::create();
        // c10d ends the whole program when this is over; this class gives up first, and says why.
        options->timeout = 2 * timeout_ + std::chrono::minutes(1);
        group_ = c10::make_intrusive<c10d::ProcessGroupNCCL>(
            c10::make_intrusive<c10d::PrefixStore>("nccl", meeting.store), meeting.rank, meeting.size, options);
        // Makes the communicator, for which all have to be there, as they need not be in a later exchange.
        std::vector<at::Tensor> one{at::ones({1}, at::TensorOptions(at::kFloat).device(meeting.device))};
        try {
            in_time(0, [&] { return group_->allreduce(one); });
        } catch (const LinkFailure& failure) {
            // Two processes of one GPU, for example.
            if (std::string(failure.what()).find("invalid usage") == std::string::npos) {
                throw;
            }
            throw Error(ExitCode::configuration,
                        std::string("NCCL does not connect the GPUs (") + failure.what() +
                            "); each process needs a GPU of its own, or choose runtime.distributed.backend: gloo");
        }
    }

    // Not left to the destructors of c10d, of which those of several processes wait for each other.
    ~NcclExchange() override {
        try {
            group_->shutdown();
        } catch (const std::exception&) {  // the others are gone
        }
    }

    NcclExchange(const NcclExchange&) = delete;
    NcclExchange& operator=(const NcclExchange&) = delete;

    void exchange(int to, const at::Tensor& sent, int from, const at::Tensor& received) override {
        in_time(received.defined() ? from : to, [&] {
            std::vector<at::Tensor> in{received};
            std::vector<at::Tensor> out{sent};
            group_->startCoalescing();
            if (received.defined()) {
                group_->recv(in, from, 0);
            }
            if (sent.defined()) {
                group_->send(out, to, 0);
            }
            return group_->endCoalescing();
        });
    }

private:
    // Starts work on the device and waits for it. c10d's own wait would only put it before the device's next work.
    template <typename Start>
    void in_time(int partner, const Start& start) {
        try {
            const c10::intrusive_ptr<c10d::Work> work = start();
            for (const Clock::time_point began = Clock::now(); work && !work->isCompleted();) {
                if (Clock::now() - began > timeout_) {
                    throw LinkFailure(partner, true, "NCCL has waited too long");
                }
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            }
            if (work && work->exception()) {
                std::rethrow_exception(work->exception());
            }
        } catch (const LinkFailure&) {
            throw;
        } catch (const std::exception& error) {
            const std::string text = error.what();
            throw LinkFailure(partner, text.find("imed out") != std::string::npos, text.substr(0, text.find('\n')));
        }
    }

    std::chrono::milliseconds timeout_;
    c10::intrusive_ptr<c10d::ProcessGroupNCCL> group_;
};

}  // namespace

bool has_nccl() {
    return true;
}

std::unique_ptr<DeviceExchange> make_nccl_exchange(const DeviceMeeting& meeting) {
    return std::make_unique<NcclExchange>(meeting);
}

#else

bool has_nccl() {
    return false;
}

#ifdef SOFTALIGN_HAS_C10D
std::unique_ptr<DeviceExchange> make_nccl_exchange(const DeviceMeeting& /*meeting*/) {
    return nullptr;
}
#endif

#endif

}  // namespace softalign
