// A .npy file. An input that begins with "{" is a dictionary, to which magic, version and length are added, and after
// its first line feed the elements; any other is a file as it is.
#include "data/npy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/npy_files.h"
#include "fuzz.h"

namespace softalign {

namespace {

std::string npy_of(std::string_view input) {
    if (input.empty() || input.front() != '{') {
        return std::string(input);
    }
    const std::size_t end = std::min(input.find('\n'), input.size());
    return npy_file(std::string(input.substr(0, end)), std::string(input.substr(std::min(end + 1, input.size()))));
}

const char* descr_of(NpyType dtype) {
    return dtype == NpyType::uint8 ? "|u1" : dtype == NpyType::float16 ? "<f2" : "<f4";
}

std::size_t bytes_of(NpyType dtype) {
    return dtype == NpyType::uint8 ? 1 : dtype == NpyType::float16 ? 2 : 4;
}

// Element by element it is the same as at once: the same numbers, and refused where one element is.
void require_same_by_one(const NpyArray& array, const std::vector<float>& whole, bool accepted) {
    bool each_accepted = true;
    for (std::int64_t i = 0; i < array.size(); ++i) {
        float number = 0.0F;
        if (!accepts([&] { copy_npy(array, i, 1, &number); })) {
            each_accepted = false;
            continue;
        }
        require(std::isfinite(number), "what is copied is a number");
        require(!accepted || number == whole[static_cast<std::size_t>(i)], "an element does not depend on the range");
    }
    require(each_accepted == accepted, "an array is refused where one of its elements is");
}

void run(std::string_view input) {
    MemoryFile memory;
    NpyArray array;
    const std::string bytes = npy_of(input);
    const std::string& path = memory.hold(bytes);
    if (!accepts([&] { array = read_npy(path); })) {
        return;
    }
    require(array.size() >= 1, "an array has elements");
    const std::size_t data_bytes = static_cast<std::size_t>(array.size()) * bytes_of(array.dtype);
    require(data_bytes < bytes.size(), "the elements lie in the file");
    require(std::equal(array.data.get(), array.data.get() + data_bytes,
                       bytes.end() - static_cast<std::ptrdiff_t>(data_bytes)),
            "the elements are the end of the file");
    std::vector<float> whole(static_cast<std::size_t>(array.size()));
    const bool accepted = accepts([&] { copy_npy(array, 0, array.size(), whole.data()); });
    require_same_by_one(array, whole, accepted);
    MemoryFile copy;
    const NpyArray again =
        read_npy(copy.hold(npy_bytes(descr_of(array.dtype), array.shape, array.data.get(), data_bytes)));
    require(again.shape == array.shape && again.dtype == array.dtype, "what is written is read back");
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}
