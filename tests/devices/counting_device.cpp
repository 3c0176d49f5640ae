#include "devices/counting_device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <sys/mman.h>
#include <torch/library.h>
#include <torch/version.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace softalign {

namespace {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
template <typename T>
using Optional = std::optional<T>;
#else
template <typename T>
using Optional = c10::optional<T>;
#endif

constexpr c10::DeviceType own_type = c10::DeviceType::PrivateUse1;

// Addresses of the device, none of which is of any memory, and the memory that stands behind each allocation.
class Memory {
public:
    // Never destroyed: tensors may outlive everything.
    static Memory& instance() {
        static auto* const memory = new Memory;
        return *memory;
    }

    void* allocate(std::size_t bytes) {
        void* const block = std::malloc(std::max<std::size_t>(bytes, 1));
        const std::lock_guard<std::mutex> lock(mutex_);
        if (block == nullptr || end_ + bytes + spacing > room) {
            std::free(block);
            throw std::bad_alloc();
        }
        std::memset(block, 0xA5, bytes);  // what is not written is no number
        char* const address = base_ + end_;
        end_ += (bytes + spacing) / spacing * spacing;
        blocks_[address] = {block, bytes};
        return address;
    }

    void release(void* address) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = blocks_.find(static_cast<char*>(address));
        std::free(found->second.memory);
        blocks_.erase(found);
    }

    // Where the host finds what is at an address.
    void* behind(void* address) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto above = blocks_.upper_bound(static_cast<char*>(address));
        if (above == blocks_.begin()) {
            throw std::logic_error("no address of the counting device");
        }
        const auto& [begin, block] = *std::prev(above);
        const auto offset = static_cast<std::size_t>(static_cast<char*>(address) - begin);
        if (offset >= std::max<std::size_t>(block.bytes, 1)) {
            throw std::logic_error("no address of the counting device");
        }
        return static_cast<char*>(block.memory) + offset;
    }

private:
    struct Block {
        void* memory;
        std::size_t bytes;
    };

    static constexpr std::size_t room = std::size_t{1} << 38;  // addresses, not memory
    static constexpr std::size_t spacing = 64;

    Memory()
        : base_(static_cast<char*>(
              ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
        if (base_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
    }

    std::mutex mutex_;
    char* base_;
    std::size_t end_ = 0;
    std::map<char*, Block> blocks_;
};

void release(void* address) {
    Memory::instance().release(address);
}

class DeviceAllocator final : public c10::Allocator {
public:
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
    c10::DataPtr allocate(std::size_t bytes) override {
        return make(bytes);
    }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        Memory& memory = Memory::instance();
        std::memcpy(memory.behind(to), memory.behind(const_cast<void*>(from)), bytes);
    }
#else
    c10::DataPtr allocate(std::size_t bytes) const override {
        return make(bytes);
    }
#endif
    c10::DeleterFnPtr raw_deleter() const override {
        return &release;
    }

private:
    static c10::DataPtr make(std::size_t bytes) {
        void* const address = Memory::instance().allocate(bytes);
        return {address, address, &release, counting_device()};
    }
};

DeviceAllocator& allocator() {
    static auto* const instance = new DeviceAllocator;
    return *instance;
}

// There is one device, with one stream.
class DeviceGuard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return own_type; }
    c10::Device exchangeDevice(c10::Device /*device*/) const override { return counting_device(); }
    c10::Device getDevice() const override { return counting_device(); }
    void setDevice(c10::Device /*device*/) const override {}
    void uncheckedSetDevice(c10::Device /*device*/) const noexcept override {}
    c10::Stream getStream(c10::Device device) const noexcept override {
        return c10::Stream(c10::Stream::DEFAULT, device);
    }
    c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
    c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
    // All that was begun has ended.
    void record(void** /*event*/, const c10::Stream& /*stream*/, const c10::DeviceIndex /*device*/,
                const c10::EventFlag /*flag*/) const override {}
    void block(void* /*event*/, const c10::Stream& /*stream*/) const override {}
    bool queryEvent(void* /*event*/) const override { return true; }
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }
};

struct Counters {
    std::atomic<std::int64_t> to_device{0};
    std::atomic<std::int64_t> to_device_bytes{0};
    std::atomic<std::int64_t> waits{0};
    std::atomic<std::int64_t> to_host{0};
    std::atomic<std::int64_t> to_host_bytes{0};
    std::atomic<std::int64_t> reads{0};
};

Counters& counters() {
    static Counters instance;
    return instance;
}

// The device's own work, in which copies are not counted.
thread_local int own_work = 0;

struct OwnWork {
    OwnWork() { ++own_work; }
    ~OwnWork() { --own_work; }
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;
};

// What a tensor of the device holds, for the host.
at::Tensor seen_by_host(const at::Tensor& x) {
    if (x.device().type() != own_type) {
        return x;
    }
    return at::from_blob(Memory::instance().behind(x.data_ptr()), x.sizes(), x.strides(),
                         at::TensorOptions().dtype(x.dtype()));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
    if (from.numel() == 0) {
        return to;
    }
    const auto bytes = static_cast<std::int64_t>(to.nbytes());
    if (own_work == 0 && from.device().is_cpu()) {
        ++counters().to_device;
        counters().to_device_bytes += bytes;
        counters().waits += non_blocking ? 0 : 1;
    } else if (own_work == 0 && to.device().is_cpu()) {
        ++counters().to_host;
        counters().to_host_bytes += bytes;
    }
    seen_by_host(to).copy_(seen_by_host(from));
    return to;
}

const at::Tensor& resized(const at::Tensor& x, at::IntArrayRef sizes, Optional<at::MemoryFormat> /*format*/) {
    c10::TensorImpl* const tensor = x.unsafeGetTensorImpl();
    tensor->set_sizes_contiguous(sizes);
    const std::size_t bytes =
        (static_cast<std::size_t>(tensor->storage_offset()) + static_cast<std::size_t>(tensor->numel())) *
        tensor->itemsize();
    c10::Storage storage = tensor->storage();
    if (bytes > storage.nbytes()) {
        c10::DataPtr larger = allocator().allocate(bytes);
        if (storage.nbytes() > 0) {
            Memory& memory = Memory::instance();
            std::memcpy(memory.behind(larger.get()), memory.behind(storage.data_ptr().get()), storage.nbytes());
        }
        storage.set_data_ptr_noswap(std::move(larger));
        storage.set_nbytes(bytes);
    }
    return x;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
    if (from.sizes() != to.sizes()) {
        resized(to, from.sizes(), Optional<at::MemoryFormat>());
    }
    return copy_from(from, to, false);
}

at::Tensor new_tensor(at::IntArrayRef sizes, Optional<at::ScalarType> type, Optional<at::Layout> /*layout*/,
                      Optional<at::Device> /*device*/, Optional<bool> /*pinned*/, Optional<at::MemoryFormat> format) {
    return at::detail::empty_generic(sizes, &allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                     type.value_or(at::kFloat), format);
}

at::Tensor new_strided(at::IntArrayRef sizes, at::IntArrayRef strides, Optional<at::ScalarType> type,
                       Optional<at::Layout> /*layout*/, Optional<at::Device> /*device*/, Optional<bool> /*pinned*/) {
    return at::detail::empty_strided_generic(
        sizes, strides, &allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), type.value_or(at::kFloat));
}

at::Scalar read_number(const at::Tensor& x) {
    ++counters().reads;
    return seen_by_host(x).item();
}

// set_data() asks it. LibTorch 1.13 knows a fixed list of devices.
bool may_take_its_data(const at::Tensor& x, const at::Tensor& from) {
    return x.layout() == from.layout();
}

// The host has to know a result before it knows a size.
bool waits_for_result(const std::string& name) {
    static const char* const names[] = {"aten::nonzero", "aten::masked_select", "aten::equal", "aten::_unique2"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

void compute_on_host(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
    if (own_work == 0 && waits_for_result(operation.schema().name())) {
        ++counters().reads;
    }
    const OwnWork own;
    at::native::cpu_fallback(operation, stack);
}

}  // namespace

at::Device counting_device() {
    return {own_type, 0};
}

Traffic traffic() {
    const Counters& now = counters();
    return {now.to_device, now.to_device_bytes, now.waits, now.to_host, now.to_host_bytes, now.reads};
}

Traffic traffic_since(const Traffic& before) {
    const Traffic now = traffic();
    return {now.to_device - before.to_device, now.to_device_bytes - before.to_device_bytes, now.waits - before.waits,
            now.to_host - before.to_host,     now.to_host_bytes - before.to_host_bytes,     now.reads - before.reads};
}

C10_REGISTER_GUARD_IMPL(PrivateUse1, DeviceGuard);  // NOLINT

TORCH_LIBRARY_IMPL(_, PrivateUse1, all) {
    all.fallback(torch::CppFunction::makeFromBoxedFunction<&compute_on_host>());
}

// An operation made of others has no form for gradients once it has a kernel of its own.
TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, operations) {
    operations.impl("_has_compatible_shallow_copy_type", &may_take_its_data);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, operations) {
    operations.impl("empty.memory_format", &new_tensor);
    operations.impl("empty_strided", &new_strided);
    operations.impl("resize_", &resized);
    operations.impl("_copy_from", &copy_from);
    operations.impl("_copy_from_and_resize", &copy_from_and_resize);
    operations.impl("_local_scalar_dense", &read_number);
    operations.impl("_has_compatible_shallow_copy_type", &may_take_its_data);
    operations.impl("as_strided", &at::native::as_strided_tensorimpl);
    operations.impl("view", &at::native::view);
    operations.impl("_reshape_alias", &at::native::_reshape_alias);
    operations.impl("unfold", &at::native::unfold);
}

}  // namespace softalign
