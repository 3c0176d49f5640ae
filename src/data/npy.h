#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace softalign {

// What an array's elements may be: |u1, <f2 and <f4 in NumPy's notation.
enum class NpyType { uint8, float16, float32 };

// The array of a NumPy .npy file, in C order. A copy shares the mapping.
struct NpyArray {
    std::string path;                 // of the file, for messages
    std::vector<std::int64_t> shape;  // every size >= 1; none at all: a single number
    NpyType dtype = NpyType::float32;
    std::shared_ptr<const char> data;  // the elements, in a read-only mapping of the file; need not be aligned

    std::int64_t size() const;  // number of elements
};

// Maps the file and checks its header and its length. The elements are read from the disk when they are used. Replacing
// the file by another one leaves the array unchanged; truncating it in place ends the process with SIGBUS when the
// missing part is used. An array takes one mapping, and Linux gives a process about 65,000 of them: do not keep the
// arrays of very many files at once.
// Accepts format versions 1.0, 2.0 and 3.0, the types above, C order, any rank, at least one element.
// Throws Error(data) with the path, what is wrong, where, and how to write the file correctly.
NpyArray read_npy(const std::string& path);

// Writes the elements [begin, begin + count), in C order, to out[0..count). uint8 becomes unit_value;
// float16 and float32 keep their values. Threads may call it at the same time. REQUIRES: the range lies in the array.
// Throws Error(data) with path and index where an element is NaN or infinite.
void copy_npy(const NpyArray& array, std::int64_t begin, std::int64_t count, float* out);

// What a uint8 stands for, from 0 to 1.
inline float unit_value(std::uint8_t byte) {
    return static_cast<float>(byte) / 255.0F;
}

// The shape as Python writes it, "(1000, 14, 14, 512)", for messages.
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace softalign
