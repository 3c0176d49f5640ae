#include "data/feature_array.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace softalign {

namespace {

struct ParsedName {
    std::string path;
    std::optional<std::int64_t> element;
};

// "x.npy[3]" names an element; anything else is a path.
ParsedName parse_name(const std::string& name) {
    constexpr std::size_t most_digits = 15;
    static const std::string opening = ".npy[";
    const std::size_t found = name.rfind(opening);
    if (found == std::string::npos || name.back() != ']') {
        return {name, std::nullopt};
    }
    const std::size_t begin = found + opening.size();
    const std::string digits = name.substr(begin, name.size() - 1 - begin);
    if (digits.size() > most_digits || !is_digits(digits)) {
        return {name, std::nullopt};
    }
    return {name.substr(0, begin - 1), std::stoll(digits)};
}

Error bad_shape(const NpyArray& file, const std::string& needs) {
    return {ExitCode::data, file.path + ": its shape is " + shape_text(file.shape) + "; " + needs};
}

}  // namespace

FeatureArray::FeatureArray(const std::string& name) : name_(name) {
    const ParsedName parsed = parse_name(name);
    file_ = read_npy(parsed.path);
    std::vector<std::int64_t> shape = file_.shape;
    if (parsed.element) {
        if (shape.size() != 3 && shape.size() != 4) {
            throw bad_shape(file_, "a file of several arrays must have the shape [N,S,D] or [N,H,W,D]");
        }
        if (*parsed.element >= shape.front()) {
            throw Error(ExitCode::data, name + ": the file has " + std::to_string(shape.front()) +
                                            " arrays, counted from 0: " + file_.path);
        }
        shape.erase(shape.begin());
    } else if (shape.size() != 2 && shape.size() != 3) {
        throw bad_shape(file_,
                        "an array that stands for a sentence must have the shape [S,D] or [H,W,D]; name one of "
                        "several arrays in a file as " +
                            parsed.path + "[0]");
    }
    depth_ = shape.back();
    grid_ = shape.size() == 3 ? Grid{shape[0], shape[1]} : Grid{1, shape[0]};
    // Division, since a product of two sizes may be any number.
    if (grid_.height > most_positions || grid_.width > most_positions / grid_.height || depth_ > most_depth) {
        throw bad_shape(file_, "an array that stands for a sentence may have at most " +
                                   std::to_string(most_positions) + " positions (S, or H times W) of at most " +
                                   std::to_string(most_depth) + " numbers (D)");
    }
    begin_ = parsed.element.value_or(0) * grid_.positions() * depth_;
}

Features FeatureArray::read() const {
    Features features{grid_, depth_, {}};
    const std::int64_t count = grid_.positions() * depth_;
    features.values.resize(static_cast<std::size_t>(count));
    copy_npy(file_, begin_, count, features.values.data());
    return features;
}

void require_depth(const FeatureArray& array, std::int64_t depth) {
    if (array.depth() != depth) {
        throw Error(ExitCode::data, array.name() + ": each position has " + std::to_string(array.depth()) +
                                        " numbers (the last size of the shape), and the model reads " +
                                        std::to_string(depth) + " (model.source.size)");
    }
}

}  // namespace softalign
