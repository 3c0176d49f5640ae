#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softalign {

// The safetensors format (huggingface.co/docs/safetensors): 8 bytes little-endian header length, a JSON header padded
// with spaces, then the tensors' bytes. Row-major, little-endian.
struct TensorFile {
    std::vector<std::pair<std::string, at::Tensor>> tensors;  // in the order of the file's data
    std::map<std::string, std::string> metadata;              // __metadata__
};

// Writes to a temporary name beside `path`, fsyncs it, renames it, fsyncs the directory: a reader sees the old file or
// the new one, never a part. float16, bfloat16, float32, float64, int8, int16, int32, int64, uint8 and bool; tensors
// may lie on any device. The data are ordered by the size of an element, largest first, and then as given, so that
// every tensor is aligned to its element: readers that map the file rely on it. A checksum of each tensor and of the
// header goes into the metadata (storage/checksums.h).
// Throws Error(output) with path, reason and advice; nothing is left behind then. Throws std::invalid_argument for what
// no caller may hand in: an undefined tensor, another dtype, a name given twice or empty.
void write_safetensors(const std::string& path, const TensorFile& file);

// The file as CPU tensors. Every length, offset and shape is checked before it is used, and the checksums where the
// file has them. The tensors are views of a private mapping of the file where the system can map it: pages are read
// when they are first used and shared with other processes that map the file, and the mapping lasts as long as one of
// the tensors. They may be written to, which the file does not see. A file that is replaced by another (as
// write_safetensors does) leaves them as they are; one that is changed in place changes them, and one that is cut short
// in place ends the process with SIGBUS when the missing part is used. Throws Error(model) with path and what is wrong.
TensorFile read_safetensors(const std::string& path);

// The same, without the tensors' data: the metadata alone (the header is checked all the same).
std::map<std::string, std::string> read_safetensors_metadata(const std::string& path);

}  // namespace softalign
