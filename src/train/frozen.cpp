#include "train/frozen.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace softalign {

namespace {

// "*" stands for any characters, none included.
bool fits(std::string_view pattern, std::string_view name) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
        return pattern == name;
    }
    if (name.substr(0, star) != pattern.substr(0, star)) {
        return false;
    }
    for (std::size_t end = star; end <= name.size(); ++end) {
        if (fits(pattern.substr(star + 1), name.substr(end))) {
            return true;
        }
    }
    return false;
}

bool names_it(const std::string& given, const std::string& tensor) {
    return fits(given, tensor) || fits(given + ".*", tensor);
}

std::string names_of(const FlatParameters& parameters) {
    std::string names;
    for (const FlatParameters::Part& part : parameters.layout()) {
        names += "\n  " + part.name;
    }
    return names;
}

}  // namespace

FrozenParts::FrozenParts(const std::vector<std::string>& names, const FlatParameters& parameters) {
    const std::vector<FlatParameters::Part>& layout = parameters.layout();
    for (const std::string& name : names) {
        if (std::none_of(layout.begin(), layout.end(),
                         [&](const FlatParameters::Part& part) { return names_it(name, part.name); })) {
            throw Error(ExitCode::configuration,
                        "training.freeze: no tensor or part of the model is called " + name +
                            "; name one of these, or a part that some of them belong to, such as encoder:" +
                            names_of(parameters));
        }
    }
    std::int64_t frozen = 0;
    std::int64_t all = 0;
    for (const FlatParameters::Part& part : layout) {
        all += part.count;
        if (std::any_of(names.begin(), names.end(),
                        [&](const std::string& name) { return names_it(name, part.name); })) {
            ranges_.push_back({part.begin, part.count});
            frozen += part.count;
        }
    }
    if (ranges_.size() == layout.size()) {
        throw Error(ExitCode::configuration,
                    "training.freeze leaves no tensor to train; take one of these out of it:" + names_of(parameters));
    }
    if (!ranges_.empty()) {
        description_ = fmt::format("{} of {} tensors, {} of {} weights", ranges_.size(), layout.size(), frozen, all);
    }
}

std::vector<FlatRange> FrozenParts::inside(const FlatRange& range) const {
    std::vector<FlatRange> result;
    for (const FlatRange& frozen : ranges_) {
        const std::int64_t begin = std::max(range.begin, frozen.begin);
        const std::int64_t end = std::min(range.begin + range.count, frozen.begin + frozen.count);
        if (begin < end) {
            result.push_back({begin, end - begin});
        }
    }
    return result;
}

std::vector<FlatRange> FrozenParts::outside(const FlatRange& range) const {
    std::vector<FlatRange> result;
    std::int64_t begin = range.begin;
    const auto add_up_to = [&](std::int64_t end) {
        if (begin < end) {
            result.push_back({begin, end - begin});
        }
    };
    for (const FlatRange& frozen : inside(range)) {
        add_up_to(frozen.begin);
        begin = frozen.begin + frozen.count;
    }
    add_up_to(range.begin + range.count);
    return result;
}

}  // namespace softalign
