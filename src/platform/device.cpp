#include "platform/device.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <torch/cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "platform/processor.h"

namespace softalign {

namespace {

std::string why_no_cuda() {
    if (!at::Context::hasCUDART()) {
        return "this LibTorch was built for the CPU only; build with a CUDA LibTorch";
    }
    return "LibTorch has CUDA but sees no device; check nvidia-smi, the driver's version and CUDA_VISIBLE_DEVICES";
}

// Names and memory through NVIDIA's driver library, opened at run time: its headers need not be there to build.
class Driver {
public:
    Driver() : handle_(::dlopen("libcuda.so.1", RTLD_LAZY)) {}
    ~Driver() {
        if (handle_ != nullptr) {
            ::dlclose(handle_);
        }
    }
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    void describe(int ordinal, DeviceInfo& info) const {
        const auto get = function<int (*)(int*, int)>("cuDeviceGet");
        const auto get_name = function<int (*)(char*, int, int)>("cuDeviceGetName");
        const auto get_memory = function<int (*)(std::size_t*, int)>("cuDeviceTotalMem_v2");
        int device = 0;
        if (get == nullptr || get_name == nullptr || get_memory == nullptr || get(&device, ordinal) != 0) {
            return;
        }
        char name[256] = {};
        if (get_name(name, sizeof name - 1, device) == 0) {
            info.model = name;
        }
        std::size_t bytes = 0;
        if (get_memory(&bytes, device) == 0) {
            info.memory = bytes;
        }
    }

private:
    template <typename Function>
    Function function(const char* name) const {
        return handle_ == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(handle_, name));
    }

    void* handle_;
};

at::Device cuda_device(int local_rank) {
    const int count = static_cast<int>(torch::cuda::device_count());
    if (count > 1 && local_rank >= count) {
        throw Error(ExitCode::configuration,
                    "there are more processes on this machine than CUDA devices, of which LibTorch sees " +
                        std::to_string(count) +
                        "; start one process a device, or choose device: cpu (runtime.device; "
                        "--device)");
    }
    // float32 is float32: cuDNN rounds factors to TF32 unless it is told not to. pick_precision() allows it.
    at::globalContext().setAllowTF32CuDNN(false);
    return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(count > 1 ? local_rank : 0));
}

}  // namespace

at::Device pick_device(DeviceChoice choice, int local_rank) {
    if (choice == DeviceChoice::cpu) {
        return at::Device(at::kCPU);
    }
    if (torch::cuda::is_available()) {
        return cuda_device(local_rank);
    }
    if (choice == DeviceChoice::cuda) {
        throw Error(ExitCode::configuration, "device: cuda: there is no CUDA device: " + why_no_cuda() +
                                                 ", or choose device: auto or cpu (runtime.device; --device)");
    }
    return at::Device(at::kCPU);
}

const char* name_of(Precision precision) {
    switch (precision) {
        case Precision::float32:
            return "float32";
        case Precision::bfloat16:
            return "bfloat16";
        case Precision::int8:
            break;
    }
    return "int8";
}

Precision pick_precision(Precision asked, const at::Device& device) {
    if (asked == Precision::float32) {
        return asked;
    }
    if (asked == Precision::bfloat16 && device.is_cuda()) {
        at::globalContext().setAllowTF32CuBLAS(true);
        at::globalContext().setAllowTF32CuDNN(true);
        warn(
            "on CUDA, bfloat16 (runtime.precision, --precision) is TF32: float32 whose factors have 10 bits in "
            "products");
        return Precision::float32;
    }
    if (!device.is_cpu()) {
        warn(std::string(name_of(asked)) +
             " (runtime.precision, --precision) is for the CPU; on this device the products are float32");
        return Precision::float32;
    }
    if (asked == Precision::bfloat16 && !gains_from_bfloat16()) {
        warn(
            "bfloat16 (runtime.precision, --precision) is slower than float32 on this processor: it is for AMX, or for "
            "AVX512_BF16 of AMD's processors");
    }
    return asked;
}

bool is_in_process(const at::Device& device) {
    return device.is_cpu();
}

DeviceChoice parse_device(const std::string& text) {
    if (text == "auto") {
        return DeviceChoice::automatic;
    }
    if (text == "cpu") {
        return DeviceChoice::cpu;
    }
    if (text == "cuda") {
        return DeviceChoice::cuda;
    }
    throw Error(ExitCode::usage, "--device: \"" + text + "\" is not a device; choose auto, cpu or cuda");
}

void synchronize(const at::Device& device) {
    if (device.is_cuda()) {
        torch::cuda::synchronize(device.index());
    }
}

std::vector<DeviceInfo> list_devices() {
    std::vector<DeviceInfo> devices = {{"cpu", processor_name(), available_memory()}};
    if (torch::cuda::is_available()) {
        const Driver driver;
        const int count = static_cast<int>(torch::cuda::device_count());
        for (int ordinal = 0; ordinal < count; ++ordinal) {
            DeviceInfo info;
            info.name = "cuda:" + std::to_string(ordinal);
            driver.describe(ordinal, info);
            devices.push_back(info);
        }
    }
    return devices;
}

int worker_count(std::int64_t requested, const at::Device& device) {
    if (!device.is_cpu()) {
        return 1;
    }
    return requested > 0 ? static_cast<int>(requested) : physical_cores();
}

}  // namespace softalign
