// Files that are cut short, damaged, of another kind or made to hurt: each must end in a message that names the file.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "data/npy.h"
#include "data/npy_files.h"

namespace softalign {
namespace {

const std::string advice_for_damage =
    "; the file may be cut short or damaged: copy it again, or write it again with np.save(path, x)";
const std::string advice_for_numbers = "; write it as np.save(path, np.ascontiguousarray(x, dtype=np.float32))";

class HostileNpy : public testing::Test {
protected:
    // What is said of the file, without its path.
    template <typename Action>
    static std::string message(const std::string& path, Action action) {
        try {
            action();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::data);
            const std::string text = error.what();
            EXPECT_EQ(text.rfind(path + ": ", 0), 0U) << text;
            return text.substr(path.size() + 2);
        }
        return "no error";
    }

    std::string of_file(const std::string& path) const {
        return message(path, [&] { read_npy(path); });
    }
    std::string of_bytes(const std::string& bytes) const { return of_file(folder_.write("x.npy", bytes)); }
    std::string of_dictionary(const std::string& dictionary, std::size_t data_bytes = 0) const {
        return of_bytes(npy_file(dictionary, std::string(data_bytes, '\0')));
    }
    std::string of_type(const std::string& descr) const { return of_dictionary(npy_dictionary(descr, "(1,)"), 4); }
    std::string of_shape(const std::string& shape, std::size_t data_bytes = 0) const {
        return of_dictionary(npy_dictionary("<f4", shape), data_bytes);
    }

    static std::string damaged(const std::string& what) { return "not a valid .npy file: " + what + advice_for_damage; }

    TemporaryFolder folder_;
};

TEST_F(HostileNpy, MissingOrNoFile) {
    EXPECT_EQ(of_file(folder_.path("none")),
              "cannot be read: No such file or directory; check the path and the permissions");
    EXPECT_EQ(of_file(folder_.path(".")),
              "cannot be read: it is not a regular file; check the path and the permissions");
    ASSERT_EQ(::mkfifo(folder_.path("fifo").c_str(), 0600), 0);
    EXPECT_EQ(of_file(folder_.path("fifo")),
              "cannot be read: it is not a regular file; check the path and the permissions");
    EXPECT_EQ(of_bytes(""), "the file is empty; write the array with np.save(path, x)");
}

TEST_F(HostileNpy, FilesOfOtherKinds) {
    const std::string other =
        "not a .npy file: it does not begin with the bytes \\x93NUMPY; write the array with np.save(path, x)";
    EXPECT_EQ(of_bytes("x"), other);
    EXPECT_EQ(of_bytes("\x93NUMP"), other);
    EXPECT_EQ(of_bytes("\x80\x04\x95 a pickle"), other);
    EXPECT_EQ(of_bytes("PK\x03\x04 and so on"),
              "an archive of arrays (.npz), not a .npy file; write one array of it: np.save('x.npy', "
              "np.load(path)['name'])");
}

TEST_F(HostileNpy, Versions) {
    for (const auto& [bytes, version] : {std::pair<std::string, std::string>{std::string("\x00\x00", 2), "0.0"},
                                         {std::string("\x04\x00", 2), "4.0"},
                                         {"\x01\x01", "1.1"},
                                         {"\xFF\xFE", "255.254"}}) {
        EXPECT_EQ(of_bytes("\x93NUMPY" + bytes + "v"), "version " + version +
                                                           " of the .npy format is not supported: 1.0, 2.0 and 3.0 "
                                                           "are; write the array with np.save(path, x)");
    }
}

TEST_F(HostileNpy, EveryPrefixOfAFile) {
    const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
    const std::string whole = npy_bytes("<f4", {2, 3}, numbers.data(), 24);
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const std::string said = of_bytes(whole.substr(0, size));
        const std::string part = size < 6     ? "not a .npy file"
                                 : size < 10  ? "it has only " + std::to_string(size) + " bytes"
                                 : size < 128 ? "byte 9 announces a header of 118 bytes, but the file has only " +
                                                    std::to_string(size - 10) + " more"
                                              : "its array of shape (2, 3) and dtype <f4 takes 24 bytes, but after "
                                                "the header there are only " +
                                                    std::to_string(size - 128) + ": the file is cut short; copy it";
        EXPECT_NE(said.find(part), std::string::npos) << said;
    }
    EXPECT_EQ(of_bytes(whole), "no error");
}

TEST_F(HostileNpy, TrailingBytes) {
    EXPECT_EQ(of_shape("(2, 3)", 24 + 5),
              "its array of shape (2, 3) and dtype <f4 takes 24 bytes, and 5 more follow it, from byte 153; a file "
              "has one array: write it again with np.save(path, x)");
}

TEST_F(HostileNpy, HugeHeaders) {
    const std::string start("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{", 13);
    EXPECT_EQ(of_bytes(start), damaged("byte 9 announces a header of 4294967295 bytes, but the file has only 1 more"));
    std::string large("\x93NUMPY\x02\x00\x00\x00\x01\x00", 12);
    large.append(65536, ' ');
    EXPECT_EQ(of_bytes(large), damaged("byte 9 announces a header of 65536 bytes; a plain array needs at most 65535"));
}

TEST_F(HostileNpy, UnsupportedTypes) {
    for (const char* descr : {"<f8", "|b1", "|i1", "<i4", "<u2", "<c8", "|S5", "<U5", "|V2", "<M8[ns]", "<f16", ""}) {
        EXPECT_EQ(of_type(descr), "its dtype '" + std::string(descr) +
                                      "' is not supported: uint8 '|u1', float16 '<f2' and float32 '<f4' are" +
                                      advice_for_numbers);
    }
    EXPECT_EQ(of_type(">f4"), "its dtype '>f4' is big-endian, which is not supported" + advice_for_numbers);
    EXPECT_EQ(of_type("|O"),
              "its dtype '|O' means pickled Python objects, which are not read; make x an array of "
              "numbers, all rows of one shape, and write it as np.save(path, np.ascontiguousarray(x, "
              "dtype=np.float32))");
    EXPECT_EQ(of_dictionary("{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (1,), }", 8),
              "its dtype is structured, a list of named fields, which is not supported; write one field, or all of "
              "them as one array of numbers: np.save(path, np.ascontiguousarray(x['field'], dtype=np.float32))");
    const std::string unprintable = of_type("\x1B[2J\xFF" + std::string(100, 'x'));
    EXPECT_EQ(unprintable.find("its dtype '\\x1B[2J\\xFF" + std::string(35, 'x') + "...' is not supported"), 0U)
        << unprintable;
}

TEST_F(HostileNpy, FortranOrder) {
    EXPECT_EQ(of_dictionary("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24),
              "its array is in Fortran order, which is not supported; write it as np.save(path, "
              "np.ascontiguousarray(x))");
}

TEST_F(HostileNpy, Shapes) {
    EXPECT_EQ(of_shape("(3, 0)"),
              "its shape (3, 0) has a size of 0, so there are no numbers in it; leave it out, or "
              "write an array of which no size is 0");
    EXPECT_EQ(of_shape("(3, -1)"), damaged("byte 65: 'shape' has a negative size"));
    EXPECT_EQ(of_shape("(3, 1.5)", 4), damaged("byte 66: ',' is missing in 'shape'"));
    EXPECT_EQ(of_shape("(3 4)", 4), damaged("byte 64: ',' is missing in 'shape'"));
    EXPECT_EQ(of_shape("(3, x)"), damaged("byte 65: 'shape' has something other than whole numbers"));
    EXPECT_EQ(of_shape("(,)"), damaged("byte 62: 'shape' has something other than whole numbers"));
    EXPECT_EQ(of_shape("(3)"), damaged("byte 64: 'shape' is not a tuple"));
    EXPECT_EQ(of_shape("3"), damaged("byte 61: 'shape' is not a tuple"));
    EXPECT_EQ(of_shape("[3]"), damaged("byte 61: 'shape' is not a tuple"));
    EXPECT_EQ(of_shape("None"), damaged("byte 61: 'shape' is not a tuple"));
    EXPECT_NE(of_shape("(9223372036854775808,)").find("'shape' is impossibly large"), std::string::npos);
    for (const char* shape : {"(9223372036854775807,)", "(4294967296, 4294967296)", "(2305843009213693952,)",
                              "(65536, 65536, 65536, 65536)"}) {
        EXPECT_EQ(of_shape(shape), damaged("its shape " + std::string(shape) + " is impossibly large"));
    }
    EXPECT_NE(of_shape("(2305843009213693951,)", 4).find("takes 9223372036854775804 bytes, but"), std::string::npos);
    std::string long_shape = "(1";
    for (int i = 0; i < 64; ++i) {
        long_shape += ", 1";
    }
    EXPECT_NE(of_shape(long_shape + ")", 4).find("'shape' has more than 64 sizes"), std::string::npos);
}

TEST_F(HostileNpy, HeadersThatAreNoSuchDictionary) {
    EXPECT_EQ(of_dictionary(""), damaged("byte 65: the header is not a Python dictionary"));
    EXPECT_EQ(of_dictionary("[1, 2]"), damaged("byte 11: the header is not a Python dictionary"));
    EXPECT_EQ(of_dictionary("__import__('os').system('true')"),
              damaged("byte 11: the header is not a Python dictionary"));
    EXPECT_EQ(of_dictionary("{}"), damaged("its header has no 'descr'"));
    EXPECT_EQ(of_dictionary("{'descr': '<f4', 'shape': (1,)}"), damaged("its header has no 'fortran_order'"));
    EXPECT_EQ(of_dictionary("{'descr': '<f4', 'fortran_order': False}"), damaged("its header has no 'shape'"));
    EXPECT_EQ(of_dictionary("{'descr': '<f4', 'descr': '<f4'}"),
              damaged("byte 29: the key 'descr' is unknown, or there twice"));
    EXPECT_EQ(of_dictionary("{'order': 'C'}"), damaged("byte 13: the key 'order' is unknown, or there twice"));
    EXPECT_EQ(of_dictionary("{,}"), damaged("byte 12: a key in quotes is missing"));
    EXPECT_EQ(of_dictionary("{'descr' '<f4'}"), damaged("byte 20: ':' is missing"));
    EXPECT_EQ(of_dictionary("{'descr': '<f4' 'shape': (1,)}"), damaged("byte 27: ',' or '}' is missing"));
    EXPECT_EQ(of_dictionary("{'descr': 4}"), damaged("byte 21: 'descr' is not a string"));
    EXPECT_EQ(of_dictionary("{'descr': '<f4"), damaged("byte 22: a string does not end, or has an escape in it"));
    EXPECT_EQ(of_dictionary("{'descr': '\\x3cf4'}"), damaged("byte 22: a string does not end, or has an escape in it"));
    EXPECT_EQ(of_dictionary("{'fortran_order': 0}"), damaged("byte 29: 'fortran_order' is neither True nor False"));
    EXPECT_EQ(of_dictionary(npy_dictionary("<f4", "(1,)") + " {}", 4),
              damaged("byte 69: something follows the dictionary"));
    EXPECT_EQ(of_dictionary(npy_dictionary("<f4", "(1,)") + std::string(1, '\0'), 4),
              damaged("byte 68: something follows the dictionary"));
    EXPECT_EQ(of_dictionary(std::string(20'000, '{')), damaged("byte 12: a key in quotes is missing"));
}

TEST_F(HostileNpy, NumbersThatAreNone) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    const auto of_copy = [&](std::int64_t begin, std::int64_t count) {
        const NpyArray array = read_npy(folder_.path("x.npy"));
        std::vector<float> out(static_cast<std::size_t>(count));
        return message(array.path, [&] { copy_npy(array, begin, count, out.data()); });
    };
    const auto at = [](const std::string& index) {
        return "the number at " + index +
               " is NaN or infinite; find out why, or replace all of them: np.save(path, np.nan_to_num(x, posinf=0, "
               "neginf=0))";
    };
    write_npy(folder_.path("x.npy"), {2, 2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, -infinity, 8, 9, nan, 11});
    EXPECT_EQ(of_copy(0, 12), at("[1, 0, 1]"));
    EXPECT_EQ(of_copy(8, 4), at("[1, 1, 1]"));
    EXPECT_EQ(of_copy(0, 7), "no error");
    EXPECT_EQ(of_copy(8, 2), "no error");
    write_npy(folder_.path("x.npy"), {3}, std::vector<std::uint16_t>{0x7BFF, 0x7C00, 0x7E00});
    EXPECT_EQ(of_copy(0, 3), at("[1]"));
    EXPECT_EQ(of_copy(2, 1), at("[2]"));
    write_npy(folder_.path("x.npy"), {}, std::vector<float>{nan});
    EXPECT_EQ(of_copy(0, 1), at("[]"));
}

}  // namespace
}  // namespace softalign
