#include "data/npy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "data/npy_header.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error ".npy files of the accepted types are little-endian; this code copies their bytes as they are"
#endif

namespace softalign {

namespace {

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        count *= size;
    }
    return count;
}

// A whole file, mapped.
struct MappedNpy {
    std::shared_ptr<const char> begin;
    std::size_t bytes = 0;
};

MappedNpy map_npy(const std::string& path) {
    const auto fail = [&](const std::string& what) {
        throw Error(ExitCode::data, path + ": cannot be read: " + what + "; check the path and the permissions");
    };
    // Not blocking: opening a FIFO would wait for its writer.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        fail(errno_text(errno));
    }
    const std::shared_ptr<void> closed(nullptr, [descriptor](void*) { ::close(descriptor); });
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) {
        fail(errno_text(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        fail("it is not a regular file");
    }
    MappedNpy mapped;
    mapped.bytes = static_cast<std::size_t>(status.st_size);
    if (mapped.bytes == 0) {
        throw Error(ExitCode::data, path + ": the file is empty; write the array with np.save(path, x)");
    }
    mapped.begin = map_file_to_read(descriptor, mapped.bytes);
    if (!mapped.begin) {
        fail(errno_text(errno));
    }
    return mapped;
}

void check_length(const NpyHeader& header, std::size_t file_bytes, const std::string& path) {
    const auto needed = static_cast<std::size_t>(count_of(header.shape)) * element_bytes(header.dtype);
    const std::size_t present = file_bytes - header.data_begin;
    if (present == needed) {
        return;
    }
    const std::string array = path + ": its array of shape " + shape_text(header.shape) + " and dtype " +
                              npy_name(header.dtype) + " takes " + std::to_string(needed) + " bytes, ";
    if (present < needed) {
        throw Error(ExitCode::data, array + "but after the header there are only " + std::to_string(present) +
                                        ": the file is cut short; copy it again, or write it again with "
                                        "np.save(path, x)");
    }
    throw Error(ExitCode::data, array + "and " + std::to_string(present - needed) + " more follow it, from byte " +
                                    std::to_string(header.data_begin + needed + 1) +
                                    "; a file has one array: write it again with np.save(path, x)");
}

// How an element of each type lies in the file, and how it becomes a number.
struct ByteElement {
    using Stored = std::uint8_t;
    static bool is_number(Stored) { return true; }
    static float value(Stored stored) { return unit_value(stored); }
};

struct HalfElement {
    using Stored = std::uint16_t;
    static bool is_number(Stored stored) { return (stored & 0x7C00U) != 0x7C00U; }
    // IEEE 754 binary16: 1 bit sign, 5 exponent (bias 15), 10 fraction. Each is a float32.
    static float value(Stored stored) {
        const std::uint32_t exponent = (stored >> 10U) & 0x1FU;
        const std::uint32_t fraction = stored & 0x3FFU;
        const std::uint32_t normal_bits = ((exponent + 127 - 15) << 23U) | (fraction << 13U);
        float normal = 0.0F;
        std::memcpy(&normal, &normal_bits, sizeof normal);
        const float magnitude = exponent == 0 ? static_cast<float>(fraction) * 0x1p-24F : normal;
        return (stored & 0x8000U) != 0 ? -magnitude : magnitude;
    }
};

struct FloatElement {
    using Stored = std::uint32_t;
    static bool is_number(Stored stored) { return (stored & 0x7F800000U) != 0x7F800000U; }
    static float value(Stored stored) {
        float number = 0.0F;
        std::memcpy(&number, &stored, sizeof number);
        return number;
    }
};

template <typename Element>
typename Element::Stored stored_at(const char* begin, std::int64_t index) {
    typename Element::Stored stored = 0;
    std::memcpy(&stored, begin + index * static_cast<std::int64_t>(sizeof stored), sizeof stored);
    return stored;
}

// Writes the values, and returns the index of the first that is no number, or `count`.
template <typename Element>
std::int64_t convert(const char* begin, std::int64_t count, float* out) {
    bool all_numbers = true;
    for (std::int64_t i = 0; i < count; ++i) {  // no exit in the middle, so that the compiler can vectorise it
        const typename Element::Stored stored = stored_at<Element>(begin, i);
        all_numbers &= Element::is_number(stored);
        out[i] = Element::value(stored);
    }
    std::int64_t first = count;
    for (std::int64_t i = 0; !all_numbers && i < count; ++i) {
        if (!Element::is_number(stored_at<Element>(begin, i))) {
            first = i;
            break;
        }
    }
    return first;
}

// "[3, 1, 4]": where element `index` of an array of this shape is.
std::string index_text(std::int64_t index, const std::vector<std::int64_t>& shape) {
    std::string text;
    for (std::size_t i = shape.size(); i-- > 0;) {
        text.insert(0, std::to_string(index % shape[i]) + (text.empty() ? "" : ", "));
        index /= shape[i];
    }
    return "[" + text + "]";
}

}  // namespace

std::int64_t NpyArray::size() const {
    return count_of(shape);
}

NpyArray read_npy(const std::string& path) {
    const MappedNpy file = map_npy(path);
    const NpyHeader header = parse_npy_header(std::string_view(file.begin.get(), file.bytes), path);
    check_length(header, file.bytes, path);
    return {path, header.shape, header.dtype, {file.begin, file.begin.get() + header.data_begin}};
}

void copy_npy(const NpyArray& array, std::int64_t begin, std::int64_t count, float* out) {
    const std::size_t bytes = element_bytes(array.dtype);
    const char* const first = array.data.get() + static_cast<std::size_t>(begin) * bytes;
    constexpr std::size_t worth_reading_ahead = std::size_t{1} << 16;
    if (static_cast<std::size_t>(count) * bytes >= worth_reading_ahead) {
        read_ahead_of_mapped(first, static_cast<std::size_t>(count) * bytes);
    }
    std::int64_t bad = count;
    switch (array.dtype) {
        case NpyType::uint8:
            bad = convert<ByteElement>(first, count, out);
            break;
        case NpyType::float16:
            bad = convert<HalfElement>(first, count, out);
            break;
        case NpyType::float32:
            bad = convert<FloatElement>(first, count, out);
            break;
    }
    if (bad < count) {
        throw Error(ExitCode::data, array.path + ": the number at " + index_text(begin + bad, array.shape) +
                                        " is NaN or infinite; find out why, or replace all of them: np.save(path, "
                                        "np.nan_to_num(x, posinf=0, neginf=0))");
    }
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace softalign
