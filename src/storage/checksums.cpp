#include "storage/safetensors_header.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/strings.h"

namespace softalign {

const char* const checksums_key = "softalign.crc32c";

namespace {

// The name under which the header's own sum stands, which no tensor may have.
constexpr const char* of_header = "";

std::string digits(std::uint32_t sum) {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(sum));
    return text;
}

std::string sum_of(const at::Tensor& tensor) {
    return digits(crc32c(tensor.data_ptr(), tensor.nbytes()));
}

// All that the header says, the checksums left out, in one spelling.
std::string sum_of(const SafetensorsHeader& header) {
    std::string text;
    const auto add = [&text](const std::string& part) { text.append(part).push_back('\0'); };
    for (const auto& [key, value] : header.metadata) {
        if (key != checksums_key) {
            add(key);
            add(value);
        }
    }
    for (const TensorEntry& entry : header.entries) {
        add(entry.name);
        add(dtype_name(entry.dtype));
        for (const std::int64_t size : entry.shape) {
            add(std::to_string(size));
        }
        add(std::to_string(entry.begin) + "-" + std::to_string(entry.end));
    }
    return digits(crc32c(text.data(), text.size()));
}

[[noreturn]] void reject_contents(const std::string& path, const std::string& what) {
    throw Error(ExitCode::model,
                path + ": " + what + "; the file is damaged or was changed: copy it again or use another checkpoint");
}

}  // namespace

void add_checksums(SafetensorsHeader& header, const std::vector<at::Tensor>& tensors) {
    nlohmann::ordered_json sums;
    sums[of_header] = sum_of(header);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (header.entries[i].name == of_header) {
            throw std::invalid_argument("a tensor without a name cannot be stored");
        }
        sums[header.entries[i].name] = sum_of(tensors[i]);
    }
    // A name that is not UTF-8 is refused where the header is written.
    header.metadata[checksums_key] = json_text(sums);
}

Checksums::Checksums(SafetensorsHeader& header, const std::string& path) : path_(path) {
    const auto entry = header.metadata.find(checksums_key);
    if (entry == header.metadata.end()) {
        return;
    }
    present_ = true;
    try {
        sums_ = nlohmann::json::parse(entry->second).get<std::map<std::string, std::string>>();
    } catch (const nlohmann::json::exception&) {
        reject_contents(path_, "its checksums cannot be read");
    }
    header.metadata.erase(entry);
    if (sums_[of_header] != sum_of(header)) {
        reject_contents(path_, "its header is not what was written");
    }
}

void Checksums::check(const TensorEntry& entry, const at::Tensor& tensor) const {
    if (!present_) {
        return;
    }
    const auto sum = sums_.find(entry.name);
    if (sum == sums_.end() || sum->second != sum_of(tensor)) {
        reject_contents(path_, "tensor " + printable(entry.name) + " is not what was written");
    }
}

}  // namespace softalign
