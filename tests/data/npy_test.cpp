#include "data/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "data/npy_files.h"

namespace softalign {
namespace {

class Npy : public testing::Test {
protected:
    NpyArray read(const std::string& bytes) const { return read_npy(folder_.write("x.npy", bytes)); }

    static std::vector<float> values(const NpyArray& array, std::int64_t begin, std::int64_t count) {
        std::vector<float> out(static_cast<std::size_t>(count), -7.0F);
        copy_npy(array, begin, count, out.data());
        return out;
    }
    static std::vector<float> values(const NpyArray& array) { return values(array, 0, array.size()); }

    TemporaryFolder folder_;
};

// Written by NumPy 1.24: np.save("x.npy", np.arange(6, dtype=np.float32).reshape(2, 3) / 2).
const char numpy_header[] =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
    "                                                          \n";
const char numpy_data[] = "\x00\x00\x00\x00\x00\x00\x00?\x00\x00\x80?\x00\x00\xc0?\x00\x00\x00@\x00\x00 @";

std::string numpy_file() {
    return std::string(numpy_header, sizeof numpy_header - 1) + std::string(numpy_data, sizeof numpy_data - 1);
}

TEST_F(Npy, FileOfNumPy) {
    const NpyArray array = read(numpy_file());
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(array.dtype, NpyType::float32);
    EXPECT_EQ(array.size(), 6);
    EXPECT_EQ(values(array), (std::vector<float>{0, 0.5F, 1, 1.5F, 2, 2.5F}));
    EXPECT_EQ(values(array, 2, 3), (std::vector<float>{1, 1.5F, 2}));
    EXPECT_TRUE(values(array, 6, 0).empty());
}

TEST_F(Npy, TestWriterWritesWhatNumPyDoes) {
    const std::vector<float> numbers = {0, 0.5F, 1, 1.5F, 2, 2.5F};
    EXPECT_EQ(npy_bytes("<f4", {2, 3}, numbers.data(), 24), numpy_file());
}

// The length of the header takes four bytes in versions 2.0 and 3.0.
TEST_F(Npy, EveryVersion) {
    for (const char version : {'\x02', '\x03'}) {
        std::string bytes = numpy_file();
        bytes[6] = version;
        bytes.insert(10, 2, '\0');
        EXPECT_EQ(values(read(bytes)), values(read(numpy_file())));
    }
}

TEST_F(Npy, EveryShape) {
    const std::vector<float> numbers = {1, 2, 3, 4};
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{4}, {4, 1}, {1, 2, 1, 2}, {2, 1, 1, 1, 1, 2}}) {
        write_npy(folder_.path("x.npy"), shape, numbers);
        const NpyArray array = read_npy(folder_.path("x.npy"));
        EXPECT_EQ(array.shape, shape);
        EXPECT_EQ(values(array), numbers);
    }
    write_npy(folder_.path("x.npy"), {}, std::vector<float>{5});
    EXPECT_EQ(values(read_npy(folder_.path("x.npy"))), std::vector<float>{5});
}

TEST_F(Npy, OtherWaysToWriteTheDictionary) {
    const float five = 5;
    const std::string data(reinterpret_cast<const char*>(&five), sizeof five);
    for (const char* dictionary : {R"({"shape": (1,1), "descr": "<f4", "fortran_order": False})",
                                   "{ 'fortran_order' :False ,\n'descr':\t'<f4','shape': ( 1L , 1L , ) }",
                                   "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}"}) {
        const NpyArray array = read(npy_file(dictionary, data));
        EXPECT_EQ(array.shape, (std::vector<std::int64_t>{1, 1})) << dictionary;
        EXPECT_EQ(values(array), std::vector<float>{5}) << dictionary;
    }
}

TEST_F(Npy, BytesBecomeZeroToOne) {
    std::vector<std::uint8_t> bytes(256);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    write_npy(folder_.path("x.npy"), {16, 16}, bytes);
    const std::vector<float> numbers = values(read_npy(folder_.path("x.npy")));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_EQ(numbers[i], static_cast<float>(static_cast<double>(i) / 255.0)) << i;
    }
}

// The value of a binary16 by its definition, NaN for those that are no numbers.
double half_value(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == 31) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

TEST_F(Npy, EveryHalf) {
    std::vector<std::uint16_t> bits(65536);
    std::iota(bits.begin(), bits.end(), std::uint16_t{0});
    write_npy(folder_.path("x.npy"), {65536}, bits);
    const NpyArray array = read_npy(folder_.path("x.npy"));
    for (std::int64_t i = 0; i < array.size(); ++i) {
        const double expected = half_value(static_cast<std::uint16_t>(i));
        if (std::isnan(expected)) {
            EXPECT_THROW(values(array, i, 1), Error) << i;
        } else {
            const float value = values(array, i, 1).front();
            ASSERT_EQ(static_cast<double>(value), expected) << i;
            ASSERT_EQ(std::signbit(value), std::signbit(expected)) << i;
        }
    }
    EXPECT_EQ(values(array, 0, 0x7C00).back(), 65504.0F);
}

// A header of any length is allowed, so the elements need not be aligned.
TEST_F(Npy, ElementsThatAreNotAligned) {
    std::string bytes = numpy_file();
    bytes.insert(127, 1, ' ');
    ++bytes[8];
    EXPECT_EQ(values(read(bytes)), values(read(numpy_file())));
}

TEST_F(Npy, ArrayLivesOnWithoutItsFile) {
    const NpyArray array = read(numpy_file());
    std::filesystem::remove(array.path);
    EXPECT_EQ(values(array).back(), 2.5F);
}

TEST_F(Npy, LargeRanges) {
    std::vector<float> numbers(100'003);
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    write_npy(folder_.path("x.npy"), {100'003}, numbers);
    const NpyArray array = read_npy(folder_.path("x.npy"));
    EXPECT_EQ(values(array), numbers);
    EXPECT_EQ(values(array, 50'000, 50'003), std::vector<float>(numbers.begin() + 50'000, numbers.end()));
}

}  // namespace
}  // namespace softalign
