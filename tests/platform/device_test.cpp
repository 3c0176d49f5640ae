#include "platform/device.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <string>

#include "base/error.h"
#include "platform/processor.h"

namespace softalign {
namespace {

TEST(Device, CpuIsAlwaysThere) {
    EXPECT_TRUE(pick_device(DeviceChoice::cpu).is_cpu());
    EXPECT_EQ(list_devices().front().name, "cpu");
    synchronize(at::Device(at::kCPU));
}

TEST(Device, AutomaticTakesCudaWhereItIs) {
    EXPECT_EQ(pick_device(DeviceChoice::automatic).is_cuda(), torch::cuda::is_available());
    EXPECT_EQ(list_devices().size(), 1 + (torch::cuda::is_available() ? torch::cuda::device_count() : 0));
}

TEST(Device, CudaWhereThereIsNoneSaysWhy) {
    if (torch::cuda::is_available()) {
        EXPECT_TRUE(pick_device(DeviceChoice::cuda).is_cuda());
        return;
    }
    try {
        pick_device(DeviceChoice::cuda);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::configuration);
        const std::string message = error.what();
        EXPECT_EQ(message.find("device: cuda: there is no CUDA device: "), 0U) << message;
        EXPECT_NE(message.find("choose device: auto or cpu"), std::string::npos) << message;
    }
}

TEST(Device, NamesOfACommandLine) {
    EXPECT_EQ(parse_device("auto"), DeviceChoice::automatic);
    EXPECT_EQ(parse_device("cpu"), DeviceChoice::cpu);
    EXPECT_EQ(parse_device("cuda"), DeviceChoice::cuda);
    try {
        parse_device("tpu");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_STREQ(error.what(), "--device: \"tpu\" is not a device; choose auto, cpu or cuda");
    }
}

TEST(Device, Bfloat16IsTf32OnCudaAndInt8IsFloat32) {
    const at::Device cuda(at::kCUDA, 0);
    EXPECT_EQ(pick_precision(Precision::float32, cuda), Precision::float32);
    EXPECT_EQ(pick_precision(Precision::int8, cuda), Precision::float32);
    EXPECT_EQ(pick_precision(Precision::bfloat16, at::Device(at::kCPU)), Precision::bfloat16);
    EXPECT_FALSE(at::globalContext().allowTF32CuBLAS());
    EXPECT_EQ(pick_precision(Precision::bfloat16, cuda), Precision::float32);
    EXPECT_TRUE(at::globalContext().allowTF32CuBLAS());
    EXPECT_TRUE(at::globalContext().allowTF32CuDNN());
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
}

TEST(Device, Workers) {
    const at::Device cpu(at::kCPU);
    EXPECT_EQ(worker_count(3, cpu), 3);
    EXPECT_EQ(worker_count(0, cpu), physical_cores());
    EXPECT_EQ(worker_count(3, at::Device(at::kCUDA, 0)), 1);
}

}  // namespace
}  // namespace softalign
