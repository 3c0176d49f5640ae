#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"

namespace softalign {

// The safetensors format (huggingface.co/docs/safetensors): 8 bytes little-endian header length, a JSON header padded
// with spaces, then the tensors' bytes. Row-major, little-endian.
struct TensorFile {
    std::vector<std::pair<std::string, at::Tensor>> tensors;  // in the order of the data in the file
    std::map<std::string, std::string> metadata;              // __metadata__
};

// Writes a temporary file beside `path`, fsyncs it, renames it and fsyncs the directory: readers see the old file or
// the new one, never a part. `link`: what becomes of a symbolic link at `path`. Dtypes: float16, bfloat16, float32,
// float64, int8, int16, int32, int64, uint8 and bool, on any device. The data are ordered by element size, largest
// first, then as given, so that every tensor is aligned to its element size: readers that map the file rely on that.
// The metadata get a checksum of each tensor and of the header (storage/safetensors_header.h). Throws Error(output)
// with path, reason and advice, and leaves nothing behind. Throws std::invalid_argument for invalid arguments: an
// undefined tensor, another dtype, a duplicate or empty name.
void write_safetensors(const std::string& path, const TensorFile& file,
                       AtomicFile::Link link = AtomicFile::Link::followed);

// The same, into a file that the caller commits.
void write_safetensors(AtomicFile& output, const TensorFile& file);

// Where the tensors of a file lie: in a mapping of the file, or in memory of their own.
enum class FileAccess { map, read };

// Reads the file as CPU tensors. Checks every length, offset and shape before use, and the checksums if the file has
// them. If the system can map the file, the tensors are views of a private mapping: pages are read on first use and
// shared with other processes that map the file, and the mapping lasts as long as any of the tensors. Writing to the
// tensors leaves the file unchanged. Replacing the file by another one (as write_safetensors does) leaves the tensors
// unchanged. Overwriting it in place changes them, and truncating it in place ends the process with SIGBUS when the
// missing part is used. With FileAccess::read the tensors are copies, and later changes to the file have no effect.
// Throws Error(model) with the path and what is wrong.
TensorFile read_safetensors(const std::string& path, FileAccess access = FileAccess::map);

// Reads only the metadata, not the tensors. The header is checked as well.
std::map<std::string, std::string> read_safetensors_metadata(const std::string& path);

}  // namespace softalign
