#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

// One input, whatever bytes it has: what a fuzzer calls again and again, and replay.cpp once for each file of a corpus.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace softalign {

// Ends the process where something does not hold that must hold for any input.
void require(bool holds, const char* what);

// What every message must be: there, and UTF-8.
void require_message(const Error& error);

// Whether the program takes an input that it may refuse with an Error. Any other exception goes on, and ends the
// process.
template <typename Action>
bool accepts(Action action) {
    try {
        action();
        return true;
    } catch (const Error& error) {
        require_message(error);
        return false;
    }
}

// A file that lies in memory and still has a path.
class MemoryFile {
public:
    MemoryFile();
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    // Makes these bytes the file's, and gives its path.
    const std::string& hold(std::string_view bytes);

private:
    int descriptor_;
    std::string path_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// The input cut at the lines "====" into `parts` pieces, missing ones empty; in the last one the line stays.
std::vector<std::string_view> cut(std::string_view input, std::size_t parts);

}  // namespace softalign
