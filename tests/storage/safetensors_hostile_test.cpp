// Files that are cut short, damaged or made to hurt: each must end in a message that names the file.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "base/little_endian.h"
#include "storage/safetensors.h"
#include "storage/temporary_directory.h"

namespace softalign {
namespace {

class HostileSafetensors : public InTemporaryDirectory {
protected:
    // What is said of a file of these bytes, without its path.
    std::string of_bytes(const std::string& bytes) const {
        std::ofstream(path("x"), std::ios::binary) << bytes;
        const std::string message = fault(ExitCode::model, [&] { read_safetensors(path("x")); });
        EXPECT_EQ(message.rfind(path("x") + ": ", 0), 0U) << message;
        EXPECT_EQ(fault(ExitCode::model, [&] { read_safetensors_metadata(path("x")); }), message);
        return message.substr(path("x").size() + 2);
    }

    std::string of_header(const std::string& header, std::size_t data_bytes = 0) const {
        return of_bytes(little_endian(header.size(), 8) + header + std::string(data_bytes, '\0'));
    }

    void expect(const std::string& what, const std::string& header, std::size_t data_bytes = 0) const {
        EXPECT_EQ(of_header(header, data_bytes),
                  "not a valid safetensors file: " + what +
                      "; the file may be cut short or damaged: copy it again or use another checkpoint");
    }
};

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
    return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST_F(HostileSafetensors, MissingFileOrDirectory) {
    EXPECT_EQ(fault(ExitCode::model, [&] { read_safetensors(path("none")); }),
              path("none") + ": cannot read: No such file or directory; check the path");
    EXPECT_EQ(fault(ExitCode::model, [&] { read_safetensors(directory_); }),
              directory_ + ": cannot read: it is not a regular file; check the path");
}

TEST_F(HostileSafetensors, TooShort) {
    EXPECT_EQ(of_bytes(""), "not a safetensors file: it has only 0 bytes; copy it again or use another checkpoint");
    EXPECT_EQ(of_bytes("1234567"),
              "not a safetensors file: it has only 7 bytes; copy it again or use another checkpoint");
}

TEST_F(HostileSafetensors, HeaderLengthBeyondTheFileOrTheLimit) {
    for (const std::uint64_t length :
         {std::uint64_t{3}, std::uint64_t{100'000'001}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
        EXPECT_EQ(of_bytes(little_endian(length, 8) + "{}"),
                  "not a safetensors file: its first bytes announce a header of " + std::to_string(length) +
                      " bytes, the file has 10; copy it again or use another checkpoint");
    }
}

TEST_F(HostileSafetensors, HeaderThatIsNoJson) {
    expect("the header is not JSON", "");
    expect("the header is not JSON", "{");
    expect("the header is not JSON", "{} {}");
    expect("the header is not JSON", std::string("{}\0", 3));
    expect("the header is not JSON", "{\"\xFF\":{}}");
    expect("the header is not an object of tensors", "[]");
    expect("the header is not an object of tensors", "7");
}

TEST_F(HostileSafetensors, DeepNestingIsNoTrap) {
    expect("the header is not an object of tensors",
           "{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}");
    expect("the header is not JSON", std::string(1'000'000, '['));
}

TEST_F(HostileSafetensors, DataAfterANulInTheHeader) {
    expect("the header is not JSON", std::string("{}\0{}", 5));
}

TEST_F(HostileSafetensors, NamesGivenTwice) {
    const std::string entry = tensor("w", "F32", "[0]", "[0,0]");
    expect("the header has \"w\" twice", "{" + entry + "," + entry + "}");
    expect("the header has \"shape\" twice", R"({"w":{"dtype":"F32","shape":[0],"shape":[1],"data_offsets":[0,0]}})");
    expect("the header has \"k\" twice", R"({"__metadata__":{"k":"a","k":"b"}})");
}

TEST_F(HostileSafetensors, EntriesOfTheWrongForm) {
    const std::string members = "tensor \"w\": it must have dtype, shape and data_offsets and nothing else";
    expect(members, R"({"w":7})");
    expect(members, R"({"w":{"dtype":"F32","shape":[0]}})");
    expect(members, R"({"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"more":1}})");
    expect("tensor \"w\": dtype is not a string", R"({"w":{"dtype":7,"shape":[0],"data_offsets":[0,0]}})");
    expect("tensor \"w\": shape is not an array", R"({"w":{"dtype":"F32","shape":0,"data_offsets":[0,0]}})");
    for (const char* shape : {"[-1]", "[1.0]", "[\"1\"]", "[null]", "[1e3]", "[18446744073709551616]", "[[]]"}) {
        expect("tensor \"w\": shape has something else than non-negative integers",
               "{" + tensor("w", "F32", shape, "[0,4]") + "}", 4);
    }
    for (const char* offsets : {"[0]", "[0,4,4]", "[-4,0]", "[0,4.0]", "4", "{}"}) {
        expect("tensor \"w\": data_offsets is not a pair of non-negative integers",
               "{" + tensor("w", "F32", "[1]", offsets) + "}", 4);
    }
    expect("__metadata__ is not an object of strings", R"({"__metadata__":{"k":1}})");
    expect("__metadata__ is not an object of strings", R"({"__metadata__":[]})");
}

TEST_F(HostileSafetensors, UnknownDtype) {
    EXPECT_EQ(of_header("{" + tensor("w", "F8_E4M3", "[4]", "[0,4]") + "}", 4),
              "tensor \"w\" has the dtype \"F8_E4M3\", which is not supported; convert it to F32");
}

TEST_F(HostileSafetensors, ShapesWhoseProductOverflows) {
    const std::string what = "tensor \"w\": its shape is impossibly large";
    expect(what, "{" + tensor("w", "F32", "[4294967296,4294967296]", "[0,0]") + "}");
    expect(what, "{" + tensor("w", "U8", "[9223372036854775808]", "[0,0]") + "}");
    expect(what, "{" + tensor("w", "F64", "[1152921504606846976]", "[0,0]") + "}");
    expect(what, "{" + tensor("w", "F32", "[0,4294967296,4294967296]", "[0,0]") + "}");
}

TEST_F(HostileSafetensors, BytesThatDoNotFitTheShape) {
    expect("tensor \"w\": its shape needs 8 bytes, its data have 4", "{" + tensor("w", "F32", "[2]", "[0,4]") + "}", 4);
    expect("tensor \"w\": its shape needs 0 bytes, its data have 4", "{" + tensor("w", "F32", "[0]", "[0,4]") + "}", 4);
    expect("tensor \"w\": its shape needs 4 bytes, its data have 8", "{" + tensor("w", "F32", "[]", "[0,8]") + "}", 8);
}

TEST_F(HostileSafetensors, DataOutsideTheFile) {
    expect("tensor \"w\": its data end at byte 8, but the file has 4 bytes of data",
           "{" + tensor("w", "F32", "[2]", "[0,8]") + "}", 4);
    expect("tensor \"w\": its data end before they begin", "{" + tensor("w", "F32", "[1]", "[8,4]") + "}", 8);
    expect("tensor \"w\": its data end at byte 18446744073709551615, but the file has 4 bytes of data",
           "{" + tensor("w", "F32", "[1]", "[0,18446744073709551615]") + "}", 4);
}

TEST_F(HostileSafetensors, OverlapsHolesAndRests) {
    const std::string first = tensor("a", "F32", "[1]", "[0,4]");
    expect("tensor \"b\": its data overlap those of another",
           "{" + first + "," + tensor("b", "F32", "[2]", "[0,8]") + "}", 8);
    expect("tensor \"b\": its data overlap those of another",
           "{" + first + "," + tensor("b", "F32", "[1]", "[2,6]") + "}", 6);
    expect("tensor \"b\": there is a hole before its data",
           "{" + first + "," + tensor("b", "F32", "[1]", "[8,12]") + "}", 12);
    expect("3 bytes at the end belong to no tensor", "{" + first + "}", 7);
}

TEST_F(HostileSafetensors, NamesAreShownWithoutTheirControlCharacters) {
    const std::string message = of_header(R"({"a\u001b[2J\n":7})");
    EXPECT_EQ(message.find('\033'), std::string::npos);
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_LT(of_header("{\"" + std::string(50'000, 'n') + "\":7}").size(), 500U);
}

TEST_F(HostileSafetensors, BooleansOtherThanZeroAndOne) {
    const std::string header = "{" + tensor("w", "BOOL", "[2]", "[0,2]") + "}";
    std::ofstream(path("x"), std::ios::binary) << little_endian(header.size(), 8) << header << "\x01\x02";
    EXPECT_EQ(fault(ExitCode::model, [&] { read_safetensors(path("x")); }),
              path("x") + ": tensor \"w\" is of dtype BOOL but has bytes other than 0 and 1");
}

// Every prefix of a good file, and every third bit of it turned: an Error, or a file that reads as it was written, as
// where the bit is of the name under which the checksums stand.
TEST_F(HostileSafetensors, NoPrefixAndNoTurnedBitDoesHarm) {
    write_safetensors(path("good"), {{{"a", at::ones({3})}, {"b", at::ones({2, 2}, at::kLong)}}, {{"k", "v"}}});
    std::ifstream file(path("good"), std::ios::binary);
    const std::string good((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (std::size_t length = 0; length < good.size(); ++length) {
        EXPECT_NE(of_bytes(good.substr(0, length)), "no error") << length;
    }
    std::size_t detected = 0;
    for (std::size_t bit = 0; bit < 8 * good.size(); bit += 3) {
        std::string turned = good;
        turned[bit / 8] = static_cast<char>(turned[bit / 8] ^ (1 << (bit % 8)));
        std::ofstream(path("x"), std::ios::binary) << turned;
        try {
            const TensorFile file = read_safetensors(path("x"));
            ASSERT_EQ(file.tensors.size(), 2U) << bit;
            for (const auto& [name, tensor] : file.tensors) {
                EXPECT_EQ(tensor.numel(), name == "a" ? 3 : 4) << bit;
                EXPECT_TRUE(tensor.eq(1).all().item<bool>()) << bit;
            }
            EXPECT_EQ(file.metadata.at("k"), "v") << bit;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::model);
            ++detected;
        }
    }
    EXPECT_GT(detected, 8 * good.size() / 3 * 9 / 10);
}

TEST_F(HostileSafetensors, BytesThatWereChangedAreNamed) {
    write_safetensors(path("good"), {{{"first", at::ones({3})}, {"second", at::ones({2})}}, {{"k", "v"}}});
    std::ifstream file(path("good"), std::ios::binary);
    const std::string good((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto with = [&](std::size_t from_end) {
        std::string changed = good;
        changed[changed.size() - from_end] ^= 1;
        std::ofstream(path("x"), std::ios::binary) << changed;
        return fault(ExitCode::model, [&] { read_safetensors(path("x")); });
    };
    const std::string rest =
        " is not what was written; the file is damaged or was changed: copy it again or use another checkpoint";
    EXPECT_EQ(with(1), path("x") + ": tensor \"second\"" + rest);
    EXPECT_EQ(with(20), path("x") + ": tensor \"first\"" + rest);
    std::string changed = good;
    changed[changed.find("\"v\"") + 1] = 'w';
    EXPECT_EQ(of_bytes(changed), "its header" + rest);
}

}  // namespace
}  // namespace softalign
