#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "storage/safetensors_header.h"

namespace softalign {

// The entry of a file's metadata that holds a CRC-32C of each tensor's bytes, and one of the header itself. Other
// programs pass over it; files of other programs have none and are taken as they are.
extern const char* const checksums_key;

// Adds the entry. `tensors`: the data of header.entries, on the CPU and contiguous. Throws std::invalid_argument for a
// tensor whose name is empty.
void add_checksums(SafetensorsHeader& header, const std::vector<at::Tensor>& tensors);

// The checksums of a file that was read, which compare what was read with what was written.
class Checksums {
public:
    // Takes the entry out of the header and compares the header's own sum. Throws Error(model) where they differ.
    Checksums(SafetensorsHeader& header, const std::string& path);

    // Throws Error(model), naming the tensor, where its bytes are not those that were written.
    void check(const TensorEntry& entry, const at::Tensor& tensor) const;

private:
    std::string path_;
    bool present_ = false;
    std::map<std::string, std::string> sums_;  // by tensor, eight hexadecimal digits
};

}  // namespace softalign
