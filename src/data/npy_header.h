#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/npy.h"

namespace softalign {

// What the beginning of a .npy file says (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
struct NpyHeader {
    NpyType dtype = NpyType::float32;
    std::vector<std::int64_t> shape;  // the product of its sizes and of the bytes of an element fits in int64
    std::size_t data_begin = 0;       // bytes before the elements
};

// Bytes of an element.
std::size_t element_bytes(NpyType dtype);

// The name of the type in a .npy file.
const char* npy_name(NpyType dtype);

// Reads magic, version and dictionary from the bytes of the whole file. Throws Error(data); `path` is for messages.
NpyHeader parse_npy_header(std::string_view file, const std::string& path);

}  // namespace softalign
