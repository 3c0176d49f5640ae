#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "storage/safetensors_header.h"

namespace softalign {

// The metadata key under which a file has a CRC-32C of each tensor's bytes and of the header. Other programs ignore it;
// files that other programs wrote have none and are accepted without it.
extern const char* const checksums_key;

// Adds the entry. `tensors`: the data of header.entries, on the CPU and contiguous. Throws std::invalid_argument for a
// tensor whose name is empty.
void add_checksums(SafetensorsHeader& header, const std::vector<at::Tensor>& tensors);

// The checksums in a file, for comparison with what was read.
class Checksums {
public:
    // Removes the entry from the header and verifies the header's own checksum. Throws Error(model) if it is wrong.
    Checksums(SafetensorsHeader& header, const std::string& path);

    // Throws Error(model), naming the tensor, if its bytes do not match the checksum.
    void check(const TensorEntry& entry, const at::Tensor& tensor) const;

private:
    std::string path_;
    bool present_ = false;
    std::map<std::string, std::string> sums_;  // tensor name -> eight hexadecimal digits
};

}  // namespace softalign
