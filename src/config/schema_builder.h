#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/schema.h"
#include "config/schema_enums.h"

namespace softalign {

// Limits of integer keys. Products of what they count fit into 64 bits, such as a window of max_batches batches.
constexpr double max_width = 65536;
constexpr double max_layers = 64;
constexpr double max_kernel = 255;
constexpr double max_pieces = 100000;
constexpr double max_updates = 1e12;
constexpr double max_count = 1e9;    // more than anybody needs: epochs, validations
constexpr double max_batch = 1e7;    // sentences or tokens
constexpr double max_batches = 1e6;  // that are read or added up together
constexpr double max_files = 1e6;
// For factors of weights or gradients, which are float32: products of several such factors must not overflow.
constexpr double max_factor = 1e6;

template <typename Member>
constexpr ValueType type_of() {
    if constexpr (std::is_same_v<Member, bool>) {
        return ValueType::boolean;
    } else if constexpr (std::is_same_v<Member, std::int64_t>) {
        return ValueType::integer;
    } else if constexpr (std::is_same_v<Member, std::uint64_t>) {
        return ValueType::unsigned_integer;
    } else if constexpr (std::is_same_v<Member, std::vector<std::int64_t>>) {
        return ValueType::integers;
    } else if constexpr (std::is_same_v<Member, std::vector<double>>) {
        return ValueType::numbers;
    } else if constexpr (std::is_same_v<Member, double>) {
        return ValueType::number;
    } else if constexpr (std::is_enum_v<Member>) {
        return ValueType::choice;
    } else if constexpr (std::is_same_v<Member, std::string>) {
        return ValueType::path;
    } else {
        static_assert(std::is_same_v<Member, std::vector<std::string>>);
        return ValueType::paths;
    }
}

// "search.max_length_ratio" -> "--max-length-ratio"
inline std::string option_name(const std::string& path) {
    std::string name = name_of(path);
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

// A key from the member that `access` reaches in a Config, const or not.
template <typename Access>
Key make_key(const char* path, Access access, Allowed allowed, OnResume on_resume, const char* meaning) {
    using Member = std::decay_t<decltype(access(std::declval<Config&>()))>;
    Key key;
    key.path = path;
    key.option = option_name(key.path);
    key.type = type_of<Member>();
    key.allowed = std::move(allowed);
    key.on_resume = on_resume;
    key.meaning = meaning;
    if constexpr (std::is_enum_v<Member>) {
        for (const auto& [name, value] : spellings(Member{})) {
            key.allowed.choices.push_back(name);
        }
        key.get = [access](const Config& config) -> Value {
            const Member value = access(config);
            const auto all = spellings(Member{});
            return std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.second == value; })->first;
        };
        key.set = [access](Config& config, const Value& value) {
            const auto& name = std::get<std::string>(value);
            const auto all = spellings(Member{});
            access(config) =
                std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.first == name; })->second;
        };
    } else {
        if (key.type == ValueType::path && !key.allowed.choices.empty()) {
            key.type = ValueType::choice;
        }
        if (key.allowed.any_text) {
            key.type = key.type == ValueType::paths ? ValueType::texts : ValueType::text;
        }
        key.get = [access](const Config& config) -> Value { return access(config); };
        key.set = [access](Config& config, const Value& value) { access(config) = std::get<Member>(value); };
    }
    return key;
}

// Collects the keys of a part of the table.
class KeyList {
public:
    template <typename Access>
    void add(const char* path, Access access, Allowed allowed, OnResume on_resume, const char* meaning) {
        keys_.push_back(make_key(path, access, std::move(allowed), on_resume, meaning));
    }

    // One that only a request to translate sets.
    template <typename Access>
    Key& add_request(const char* path, Access access, Allowed allowed, const char* meaning) {
        add(path, access, std::move(allowed), OnResume::may_change, meaning);
        keys_.back().of_request = true;
        return keys_.back();
    }

    std::vector<Key> keys() && { return std::move(keys_); }

private:
    std::vector<Key> keys_;
};

// The path of a key is the path of its member, written once.
#define KEY(member)                      \
#member, [](auto& config) -> auto& { \
        return config.member;            \
    }

// The keys of `model`, in schema_model.cpp, and of `search`, in schema_search.cpp.
std::vector<Key> model_keys();
std::vector<Key> search_keys();

}  // namespace softalign
