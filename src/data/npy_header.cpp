#include "data/npy_header.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/little_endian.h"
#include "base/strings.h"

namespace softalign {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::size_t version_bytes = 2;
// NumPy writes about 100 bytes for an array that is not structured, and reads 10,000 itself.
constexpr std::size_t longest_header = 65535;
constexpr std::size_t most_sizes = 64;  // NumPy's limit

constexpr const char* damaged =
    "the file may be cut short or damaged: copy it again, or write it again with np.save(path, x)";
constexpr const char* as_numbers = "write it as np.save(path, np.ascontiguousarray(x, dtype=np.float32))";

[[noreturn]] void refuse_npy(const std::string& path, const std::string& what, const std::string& advice) {
    throw Error(ExitCode::data, path + ": " + what + "; " + advice);
}

// A piece of the file for a message.
std::string excerpt(std::string_view text) {
    constexpr std::size_t longest = 40;
    const bool whole = text.size() <= longest;
    return "'" + terminal_text(text.substr(0, longest)) + (whole ? "'" : "...'");
}

NpyType dtype_of(std::string_view descr, const std::string& path) {
    for (const NpyType dtype : {NpyType::uint8, NpyType::float16, NpyType::float32}) {
        if (descr == npy_name(dtype)) {
            return dtype;
        }
    }
    const std::string what = "its dtype " + excerpt(descr);
    if (descr.substr(0, 2) == "|O") {
        refuse_npy(path, what + " means pickled Python objects, which are not read",
                   "make x an array of numbers, all rows of one shape, and " + std::string(as_numbers));
    }
    if (descr.substr(0, 1) == ">") {
        refuse_npy(path, what + " is big-endian, which is not supported", as_numbers);
    }
    refuse_npy(path, what + " is not supported: uint8 '|u1', float16 '<f2' and float32 '<f4' are", as_numbers);
}

// The dictionary of a header: a Python literal of which only the forms that NumPy writes are accepted.
class NpyDictionary {
public:
    // `text` is file[begin, end).
    NpyDictionary(std::string_view file, std::size_t begin, std::size_t end, const std::string& path)
        : text_(file.substr(0, end)), next_(begin), path_(path) {}

    void parse(NpyHeader& header) {
        expect('{', "the header is not a Python dictionary");
        while (!take('}')) {
            parse_item(header);
            if (!take(',')) {
                expect('}', "',' or '}' is missing");
                break;
            }
        }
        skip_spaces();
        if (next_ != text_.size()) {
            fail("something follows the dictionary");
        }
        for (const auto& [seen, name] :
             {Named{has_descr_, "descr"}, Named{has_order_, "fortran_order"}, Named{has_shape_, "shape"}}) {
            if (!seen) {
                refuse_npy(path_, std::string("not a valid .npy file: its header has no '") + name + "'", damaged);
            }
        }
    }

private:
    struct Named {
        bool seen;
        const char* name;
    };

    [[noreturn]] void fail(const std::string& what) const {
        refuse_npy(path_, "not a valid .npy file: byte " + std::to_string(next_ + 1) + ": " + what, damaged);
    }

    void skip_spaces() { next_ = std::min(text_.find_first_not_of(" \t\r\n", next_), text_.size()); }

    bool take(char expected) {
        skip_spaces();
        if (next_ == text_.size() || text_[next_] != expected) {
            return false;
        }
        ++next_;
        return true;
    }

    void expect(char expected, const char* otherwise) {
        if (!take(expected)) {
            fail(otherwise);
        }
    }

    void parse_item(NpyHeader& header) {
        const std::string_view key = parse_string("a key in quotes is missing");
        const std::size_t after_key = next_;
        expect(':', "':' is missing");
        skip_spaces();
        if (key == "descr" && !has_descr_) {
            has_descr_ = true;
            header.dtype = parse_descr();
        } else if (key == "fortran_order" && !has_order_) {
            has_order_ = true;
            parse_order();
        } else if (key == "shape" && !has_shape_) {
            has_shape_ = true;
            header.shape = parse_shape();
        } else {
            next_ = after_key - key.size() - 1;
            fail("the key " + excerpt(key) + " is unknown, or there twice");
        }
    }

    // The text between the quotes. NumPy escapes nothing in the strings of plain arrays.
    std::string_view parse_string(const char* otherwise) {
        const char quote = take('\'') ? '\'' : '"';
        if (quote == '"') {
            expect('"', otherwise);
        }
        const std::size_t end = text_.find(quote, next_);
        const std::string_view text = text_.substr(next_, end - next_);
        if (end == std::string_view::npos || text.find_first_of("\\\r\n") != std::string_view::npos) {
            fail("a string does not end, or has an escape in it");
        }
        next_ = end + 1;
        return text;
    }

    NpyType parse_descr() {
        if (next_ < text_.size() && text_[next_] == '[') {
            refuse_npy(path_, "its dtype is structured, a list of named fields, which is not supported",
                       "write one field, or all of them as one array of numbers: np.save(path, "
                       "np.ascontiguousarray(x['field'], dtype=np.float32))");
        }
        return dtype_of(parse_string("'descr' is not a string"), path_);
    }

    void parse_order() {
        if (text_.substr(next_, 4) == "True") {
            refuse_npy(path_, "its array is in Fortran order, which is not supported",
                       "write it as np.save(path, np.ascontiguousarray(x))");
        }
        if (text_.substr(next_, 5) != "False") {
            fail("'fortran_order' is neither True nor False");
        }
        next_ += 5;
    }

    std::vector<std::int64_t> parse_shape() {
        expect('(', "'shape' is not a tuple");
        std::vector<std::int64_t> shape;
        bool comma = true;  // in Python, (5) is a number and (5,) a tuple
        while (!take(')')) {
            if (!comma) {
                fail("',' is missing in 'shape'");
            }
            if (shape.size() == most_sizes) {
                fail("'shape' has more than " + std::to_string(most_sizes) + " sizes");
            }
            shape.push_back(parse_size());
            comma = take(',');
        }
        if (shape.size() == 1 && !comma) {
            fail("'shape' is not a tuple");
        }
        return shape;
    }

    std::int64_t parse_size() {
        skip_spaces();
        if (next_ < text_.size() && text_[next_] == '-') {
            fail("'shape' has a negative size");
        }
        const std::size_t begin = next_;
        std::int64_t value = 0;
        for (; next_ < text_.size() && text_[next_] >= '0' && text_[next_] <= '9'; ++next_) {
            const std::int64_t digit = text_[next_] - '0';
            if (value > (std::numeric_limits<std::int64_t>::max() - digit) / 10) {
                fail("'shape' is impossibly large");
            }
            value = value * 10 + digit;
        }
        if (next_ == begin) {
            fail("'shape' has something other than whole numbers");
        }
        if (next_ < text_.size() && text_[next_] == 'L') {
            ++next_;  // Python 2 writes 14L
        }
        return value;
    }

    std::string_view text_;
    std::size_t next_;
    const std::string& path_;
    bool has_descr_ = false;
    bool has_order_ = false;
    bool has_shape_ = false;
};

void check_shape(const NpyHeader& header, const std::string& path) {
    if (std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end()) {
        refuse_npy(path, "its shape " + shape_text(header.shape) + " has a size of 0, so there are no numbers in it",
                   "leave it out, or write an array of which no size is 0");
    }
    auto left = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element_bytes(header.dtype));
    for (const std::int64_t size : header.shape) {
        left /= size;
        if (left == 0) {
            refuse_npy(path, "not a valid .npy file: its shape " + shape_text(header.shape) + " is impossibly large",
                       damaged);
        }
    }
}

// Where the dictionary begins and ends.
struct NpyExtent {
    std::size_t begin;
    std::size_t end;
};

NpyExtent dictionary_of(std::string_view file, const std::string& path) {
    if (file.substr(0, 4) == "PK\x03\x04") {
        refuse_npy(path, "an archive of arrays (.npz), not a .npy file",
                   "write one array of it: np.save('x.npy', np.load(path)['name'])");
    }
    if (!starts_with(file, npy_magic)) {
        refuse_npy(path, "not a .npy file: it does not begin with the bytes \\x93NUMPY",
                   "write the array with np.save(path, x)");
    }
    const std::size_t after_version = npy_magic.size() + version_bytes;
    const std::string_view version = file.substr(npy_magic.size(), version_bytes);
    if (version.size() == version_bytes && (version[0] < 1 || version[0] > 3 || version[1] != 0)) {
        refuse_npy(path,
                   "version " + std::to_string(from_little_endian(version.substr(0, 1))) + "." +
                       std::to_string(from_little_endian(version.substr(1))) +
                       " of the .npy format is not supported: 1.0, 2.0 and 3.0 are",
                   "write the array with np.save(path, x)");
    }
    const std::size_t length_bytes = version.substr(0, 1) == "\x01" ? 2 : 4;
    const std::size_t begin = after_version + length_bytes;
    if (file.size() < begin) {
        refuse_npy(path, "not a valid .npy file: it has only " + std::to_string(file.size()) + " bytes", damaged);
    }
    const std::uint64_t length = from_little_endian(file.substr(after_version, length_bytes));
    const std::string announced = "not a valid .npy file: byte " + std::to_string(after_version + 1) +
                                  " announces a header of " + std::to_string(length) + " bytes";
    if (length > file.size() - begin) {
        refuse_npy(path, announced + ", but the file has only " + std::to_string(file.size() - begin) + " more",
                   damaged);
    }
    if (length > longest_header) {
        refuse_npy(path, announced + "; a plain array needs at most " + std::to_string(longest_header), damaged);
    }
    return {begin, begin + static_cast<std::size_t>(length)};
}

}  // namespace

std::size_t element_bytes(NpyType dtype) {
    return dtype == NpyType::uint8 ? 1 : dtype == NpyType::float16 ? 2 : 4;
}

const char* npy_name(NpyType dtype) {
    return dtype == NpyType::uint8 ? "|u1" : dtype == NpyType::float16 ? "<f2" : "<f4";
}

NpyHeader parse_npy_header(std::string_view file, const std::string& path) {
    const NpyExtent extent = dictionary_of(file, path);
    NpyHeader header;
    header.data_begin = extent.end;
    NpyDictionary(file, extent.begin, extent.end, path).parse(header);
    check_shape(header, path);
    return header;
}

}  // namespace softalign
