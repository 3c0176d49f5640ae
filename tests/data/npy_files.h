#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "data/npy.h"

namespace softalign {

// The bytes of a .npy file of format 1.0 with this dictionary, padded as NumPy does, and this data.
inline std::string npy_file(const std::string& dictionary, const std::string& data) {
    std::string header = dictionary;
    while ((10 + header.size() + 1) % 64 != 0) {
        header += ' ';
    }
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 0xFF);
    bytes += static_cast<char>(header.size() >> 8);
    return bytes + header + data;
}

inline std::string npy_dictionary(const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

// The bytes that np.save writes for an array of this dtype and shape; `data` has its elements.
inline std::string npy_bytes(const std::string& descr, const std::vector<std::int64_t>& shape, const void* data,
                             std::size_t bytes) {
    return npy_file(npy_dictionary(descr, shape_text(shape)), std::string(static_cast<const char*>(data), bytes));
}

inline void write_npy_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

inline void write_npy(const std::string& path, const std::vector<std::int64_t>& shape,
                      const std::vector<float>& values) {
    write_npy_bytes(path, npy_bytes("<f4", shape, values.data(), values.size() * sizeof(float)));
}

inline void write_npy(const std::string& path, const std::vector<std::int64_t>& shape,
                      const std::vector<std::uint8_t>& values) {
    write_npy_bytes(path, npy_bytes("|u1", shape, values.data(), values.size()));
}

// float16, as the bits of each.
inline void write_npy(const std::string& path, const std::vector<std::int64_t>& shape,
                      const std::vector<std::uint16_t>& values) {
    write_npy_bytes(path, npy_bytes("<f2", shape, values.data(), values.size() * sizeof(std::uint16_t)));
}

}  // namespace softalign
