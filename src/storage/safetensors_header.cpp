#include "storage/safetensors_header.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace softalign {

namespace {

using nlohmann::json;

constexpr const char* metadata_key = "__metadata__";

struct DtypeName {
    at::ScalarType dtype;
    const char* name;
};
constexpr std::array<DtypeName, 10> dtype_names = {{{at::kDouble, "F64"},
                                                    {at::kFloat, "F32"},
                                                    {at::kHalf, "F16"},
                                                    {at::kBFloat16, "BF16"},
                                                    {at::kLong, "I64"},
                                                    {at::kInt, "I32"},
                                                    {at::kShort, "I16"},
                                                    {at::kChar, "I8"},
                                                    {at::kByte, "U8"},
                                                    {at::kBool, "BOOL"}}};

[[noreturn]] void reject(const std::string& path, const std::string& what) {
    throw Error(ExitCode::model, path + ": not a valid safetensors file: " + what +
                                     "; the file may be cut short or damaged: copy it again or use another checkpoint");
}

[[noreturn]] void reject_tensor(const std::string& path, const std::string& name, const std::string& what) {
    reject(path, "tensor " + printable(name) + ": " + what);
}

// Refuses what a DOM parser would accept in silence: a key given twice, nesting without end.
class StrictParser {
public:
    json parse(std::string_view text, const std::string& path) {
        // The library takes a NUL byte for the end of its input.
        if (text.find('\0') != std::string_view::npos) {
            reject(path, "the header is not JSON");
        }
        json document;
        try {
            document = json::parse(
                text.begin(), text.end(),
                [this](int depth, json::parse_event_t event, json& parsed) { return see(depth, event, parsed); });
        } catch (const json::exception&) {
            // The library's own text quotes the input; a damaged file has nothing in it worth showing.
            reject(path, "the header is not JSON");
        }
        if (!duplicate_.empty()) {
            reject(path, "the header has " + duplicate_ + " twice");
        }
        if (too_deep_ || !document.is_object()) {
            reject(path, "the header is not an object of tensors");
        }
        return document;
    }

private:
    bool see(int depth, json::parse_event_t event, const json& parsed) {
        constexpr int deepest = 3;  // tensors, their members, an array in one
        if (depth > deepest) {
            too_deep_ = true;
            return false;
        }
        if (event == json::parse_event_t::object_start) {
            keys_[static_cast<std::size_t>(depth)].clear();
        } else if (event == json::parse_event_t::key) {
            const std::string key = parsed.get<std::string>();
            if (!keys_[static_cast<std::size_t>(depth) - 1].insert(key).second && duplicate_.empty()) {
                duplicate_ = printable(key);
            }
        }
        return true;
    }

    std::array<std::set<std::string>, 4> keys_;  // by depth
    std::string duplicate_;
    bool too_deep_ = false;
};

std::map<std::string, std::string> parse_metadata(const json& node, const std::string& path) {
    std::map<std::string, std::string> metadata;
    if (!node.is_object()) {
        reject(path, "__metadata__ is not an object of strings");
    }
    for (const auto& item : node.items()) {
        if (!item.value().is_string()) {
            reject(path, "__metadata__ is not an object of strings");
        }
        metadata[item.key()] = item.value().get<std::string>();
    }
    return metadata;
}

at::ScalarType parse_dtype(const json& node, const std::string& name, const std::string& path) {
    if (!node.is_string()) {
        reject_tensor(path, name, "dtype is not a string");
    }
    const std::string text = node.get<std::string>();
    for (const DtypeName& known : dtype_names) {
        if (text == known.name) {
            return known.dtype;
        }
    }
    throw Error(ExitCode::model, path + ": tensor " + printable(name) + " has the dtype " + printable(text) +
                                     ", which is not supported; convert it to F32");
}

// The shape, with the promise that no product of its sizes overflows, not even where one of them is 0.
std::vector<std::int64_t> parse_shape(const json& node, std::uint64_t element_bytes, const std::string& name,
                                      const std::string& path) {
    if (!node.is_array()) {
        reject_tensor(path, name, "shape is not an array");
    }
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = element_bytes;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    for (const json& size : node) {
        if (!size.is_number_unsigned()) {
            reject_tensor(path, name, "shape has something else than non-negative integers");
        }
        const std::uint64_t value = size.get<std::uint64_t>();
        const std::uint64_t factor = std::max<std::uint64_t>(value, 1);
        if (factor > most / bytes) {
            reject_tensor(path, name, "its shape is impossibly large");
        }
        bytes *= factor;
        shape.push_back(static_cast<std::int64_t>(value));
    }
    return shape;
}

std::uint64_t byte_count(const TensorEntry& entry) {
    std::uint64_t bytes = c10::elementSize(entry.dtype);
    for (const std::int64_t size : entry.shape) {
        bytes *= static_cast<std::uint64_t>(size);
    }
    return bytes;
}

TensorEntry parse_entry(const std::string& name, const json& node, std::uint64_t data_bytes, const std::string& path) {
    if (!node.is_object() || node.size() != 3 || !node.contains("dtype") || !node.contains("shape") ||
        !node.contains("data_offsets")) {
        reject_tensor(path, name, "it must have dtype, shape and data_offsets and nothing else");
    }
    TensorEntry entry;
    entry.name = name;
    entry.dtype = parse_dtype(node["dtype"], name, path);
    entry.shape = parse_shape(node["shape"], c10::elementSize(entry.dtype), name, path);
    const json& offsets = node["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned()) {
        reject_tensor(path, name, "data_offsets is not a pair of non-negative integers");
    }
    entry.begin = offsets[0].get<std::uint64_t>();
    entry.end = offsets[1].get<std::uint64_t>();
    if (entry.begin > entry.end) {
        reject_tensor(path, name, "its data end before they begin");
    }
    if (entry.end > data_bytes) {
        reject_tensor(path, name,
                      "its data end at byte " + std::to_string(entry.end) + ", but the file has " +
                          std::to_string(data_bytes) + " bytes of data");
    }
    if (entry.end - entry.begin != byte_count(entry)) {
        reject_tensor(path, name,
                      "its shape needs " + std::to_string(byte_count(entry)) + " bytes, its data have " +
                          std::to_string(entry.end - entry.begin));
    }
    return entry;
}

void check_layout(const std::vector<TensorEntry>& entries, std::uint64_t data_bytes, const std::string& path) {
    std::uint64_t position = 0;
    for (const TensorEntry& entry : entries) {
        if (entry.begin != position) {
            reject_tensor(
                path, entry.name,
                entry.begin < position ? "its data overlap those of another" : "there is a hole before its data");
        }
        position = entry.end;
    }
    if (position != data_bytes) {
        reject(path, std::to_string(data_bytes - position) + " bytes at the end belong to no tensor");
    }
}

}  // namespace

SafetensorsHeader parse_header(std::string_view text, std::uint64_t data_bytes, const std::string& path) {
    const json document = StrictParser().parse(text, path);
    SafetensorsHeader header;
    for (const auto& item : document.items()) {
        if (item.key() == metadata_key) {
            header.metadata = parse_metadata(item.value(), path);
        } else {
            header.entries.push_back(parse_entry(item.key(), item.value(), data_bytes, path));
        }
    }
    std::sort(header.entries.begin(), header.entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    check_layout(header.entries, data_bytes, path);
    return header;
}

std::string format_header(const SafetensorsHeader& header) {
    nlohmann::ordered_json document = nlohmann::ordered_json::object();
    if (!header.metadata.empty()) {
        document[metadata_key] = header.metadata;
    }
    std::set<std::string> names = {metadata_key};
    for (const TensorEntry& entry : header.entries) {
        if (!names.insert(entry.name).second) {
            throw std::invalid_argument("tensor name " + printable(entry.name) + " is taken");
        }
        // ordered_json searches its keys one by one; pushing back spares that.
        document.get_ref<nlohmann::ordered_json::object_t&>().push_back(
            {entry.name,
             {{"dtype", dtype_name(entry.dtype)}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}}});
    }
    std::string text;
    try {
        text = document.dump();
    } catch (const nlohmann::json::exception&) {
        throw std::invalid_argument("tensor names and metadata must be UTF-8");
    }
    text.append((8 - text.size() % 8) % 8, ' ');
    return text;
}

const char* dtype_name(at::ScalarType dtype) {
    for (const DtypeName& known : dtype_names) {
        if (dtype == known.dtype) {
            return known.name;
        }
    }
    throw std::invalid_argument(std::string("a tensor of type ") + c10::toString(dtype) + " cannot be stored");
}

std::string printable(const std::string& name) {
    constexpr std::size_t longest = 120;
    std::string text = json(name.substr(0, longest)).dump(-1, ' ', true, json::error_handler_t::replace);
    if (name.size() > longest) {
        text += "...";
    }
    return text;
}

}  // namespace softalign
