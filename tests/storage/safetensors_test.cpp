#include "storage/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/temporary_directory.h"

namespace softalign {
namespace {

class SafetensorsTest : public InTemporaryDirectory {
protected:
    std::string bytes_of(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
};

TEST_F(SafetensorsTest, EveryDtypeComesBack) {
    TensorFile file;
    for (const at::ScalarType dtype : {at::kBool, at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf,
                                       at::kBFloat16, at::kFloat, at::kDouble}) {
        file.tensors.emplace_back(c10::toString(dtype), at::tensor({0, 1, 1, 0, 1}, at::kLong).to(dtype));
    }
    file.tensors.emplace_back("matrix", at::randn({3, 5}, at::kFloat));
    file.tensors.emplace_back("scalar", at::scalar_tensor(2.5, at::kDouble));
    file.tensors.emplace_back("empty", at::empty({0, 4}, at::kFloat));
    file.metadata = {{"producer", "a test"}, {"note", "ä \"quoted\"\n"}};
    write_safetensors(path("x"), file);
    const TensorFile back = read_safetensors(path("x"));
    EXPECT_EQ(back.metadata, file.metadata);
    EXPECT_EQ(read_safetensors_metadata(path("x")), file.metadata);
    ASSERT_EQ(back.tensors.size(), file.tensors.size());
    for (const auto& [name, tensor] : file.tensors) {
        const auto found = std::find_if(back.tensors.begin(), back.tensors.end(),
                                        [&name = name](const auto& item) { return item.first == name; });
        ASSERT_NE(found, back.tensors.end()) << name;
        EXPECT_EQ(found->second.scalar_type(), tensor.scalar_type()) << name;
        EXPECT_EQ(found->second.sizes(), tensor.sizes()) << name;
        EXPECT_TRUE(found->second.equal(tensor)) << name;
    }
}

TEST_F(SafetensorsTest, TheBytesAreThoseOfTheFormat) {
    write_safetensors(path("x"), {{{"w", at::tensor({1.0F, -2.0F})}}, {}});
    const std::string bytes = bytes_of("x");
    const std::string data("\0\0\x80\x3F\0\0\0\xC0", 8);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    ASSERT_EQ(bytes.size(), 8 + length + data.size());
    EXPECT_EQ(bytes.substr(8 + length), data);
    const std::string header = bytes.substr(8, bytes.find_last_not_of(' ', 8 + length - 1) + 1 - 8);
    EXPECT_EQ(length, (header.size() + 7) / 8 * 8);
    auto json = nlohmann::json::parse(header);
    const auto sums = nlohmann::json::parse(json.at("__metadata__").at("softalign.crc32c").get<std::string>());
    EXPECT_EQ(sums.at("w"), "aa36f2c9");
    EXPECT_EQ(sums.at("").get<std::string>().size(), 8U);
    json.erase("__metadata__");
    EXPECT_EQ(json.dump(), R"({"w":{"data_offsets":[0,8],"dtype":"F32","shape":[2]}})");
}

TEST_F(SafetensorsTest, EveryTensorIsAlignedToItsElement) {
    write_safetensors(path("x"), {{{"flags", at::zeros({3}, at::kBool)},
                                   {"half", at::zeros({3}, at::kHalf)},
                                   {"counts", at::zeros({1}, at::kLong)},
                                   {"first", at::zeros({3}, at::kFloat)},
                                   {"second", at::zeros({1}, at::kFloat)}},
                                  {}});
    const std::string bytes = bytes_of("x");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    EXPECT_EQ(length % 8, 0U);
    const auto header = nlohmann::json::parse(bytes.substr(8, length));
    EXPECT_EQ(header["counts"]["data_offsets"][0], 0);
    EXPECT_EQ(header["first"]["data_offsets"][0], 8);
    EXPECT_EQ(header["second"]["data_offsets"][0], 20);
    EXPECT_EQ(header["half"]["data_offsets"][0], 24);
    EXPECT_EQ(header["flags"]["data_offsets"][0], 30);
    std::vector<std::string> names;
    for (const auto& item : read_safetensors(path("x")).tensors) {
        names.push_back(item.first);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"counts", "first", "second", "half", "flags"}));
}

TEST_F(SafetensorsTest, ViewsAreWrittenRowByRow) {
    const at::Tensor matrix = at::arange(6, at::kFloat).view({2, 3});
    write_safetensors(path("x"), {{{"t", matrix.t()}, {"column", matrix.select(1, 1)}}, {}});
    const TensorFile back = read_safetensors(path("x"));
    EXPECT_TRUE(back.tensors[0].second.equal(matrix.t()));
    EXPECT_TRUE(back.tensors[1].second.equal(at::tensor({1.0F, 4.0F})));
}

TEST_F(SafetensorsTest, GradientsAreNoHindrance) {
    const at::Tensor weight = at::ones({2}).requires_grad_();
    write_safetensors(path("x"), {{{"w", weight}}, {}});
    EXPECT_FALSE(read_safetensors(path("x")).tensors[0].second.requires_grad());
}

TEST_F(SafetensorsTest, AFileWithoutTensors) {
    write_safetensors(path("x"), {});
    const TensorFile back = read_safetensors(path("x"));
    EXPECT_TRUE(back.tensors.empty());
    EXPECT_TRUE(back.metadata.empty());
}

TEST_F(SafetensorsTest, WriterRefusesWhatNoCallerMayHandIn) {
    const at::Tensor one = at::ones({1});
    EXPECT_THROW(write_safetensors(path("x"), {{{"w", one}, {"w", one}}, {}}), std::invalid_argument);
    EXPECT_THROW(write_safetensors(path("x"), {{{"__metadata__", one}}, {}}), std::invalid_argument);
    EXPECT_THROW(write_safetensors(path("x"), {{{"w", at::Tensor()}}, {}}), std::invalid_argument);
    EXPECT_THROW(write_safetensors(path("x"), {{{"w", at::ones({1}, at::kComplexFloat)}}, {}}), std::invalid_argument);
    EXPECT_THROW(write_safetensors(path("x"), {{{"\xFF", one}}, {}}), std::invalid_argument);
    EXPECT_THROW(write_safetensors(path("x"), {{{"", one}}, {}}), std::invalid_argument);
    EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(SafetensorsTest, WriterNamesPathAndReason) {
    const std::string where = path("no/such/model.safetensors");
    EXPECT_EQ(fault(ExitCode::output, [&] { write_safetensors(where, {}); }),
              where + ": cannot create the file: No such file or directory; create the directory " + path("no/such") +
                  " first, or name another path");
}

// Written by another implementation: tensors out of order in the header, unpadded.
TEST_F(SafetensorsTest, ReadsWhatOthersWrite) {
    const std::string header =
        R"({ "b": {"data_offsets": [4, 6], "dtype": "U8", "shape": [2]},
             "a": {"shape": [], "dtype": "I32", "data_offsets": [0, 4]}, "__metadata__": {"format": "pt"} })";
    std::string bytes(8, '\0');
    bytes[0] = static_cast<char>(header.size());
    std::ofstream(path("x"), std::ios::binary) << bytes << header << std::string("\x2A\0\0\0\x01\x02", 6);
    const TensorFile file = read_safetensors(path("x"));
    ASSERT_EQ(file.tensors.size(), 2U);
    EXPECT_EQ(file.tensors[0].first, "a");
    EXPECT_EQ(file.tensors[0].second.item<int>(), 42);
    EXPECT_TRUE(file.tensors[1].second.equal(at::tensor({1, 2}, at::kByte)));
    EXPECT_EQ(file.metadata.at("format"), "pt");
}

// Whether an address lies in a mapping of the file of this name.
bool is_mapped_from(const void* address, const std::string& file) {
    std::ifstream maps("/proc/self/maps");
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    for (std::string line; std::getline(maps, line);) {
        const std::size_t dash = line.find('-');
        const std::uintptr_t begin = std::stoull(line.substr(0, dash), nullptr, 16);
        const std::uintptr_t end = std::stoull(line.substr(dash + 1), nullptr, 16);
        if (begin <= wanted && wanted < end) {
            return line.find(file) != std::string::npos;
        }
    }
    return false;
}

TEST_F(SafetensorsTest, TensorsAreViewsOfTheFile) {
    write_safetensors(path("mapped"), {{{"a", at::randn({300, 50})}, {"b", at::arange(7, at::kLong)}}, {}});
    at::Tensor kept;
    {
        const TensorFile file = read_safetensors(path("mapped"));
        for (const auto& item : file.tensors) {
            EXPECT_TRUE(is_mapped_from(item.second.data_ptr(), "mapped")) << item.first;
        }
        kept = file.tensors.back().second;
    }
    EXPECT_TRUE(is_mapped_from(kept.data_ptr(), "mapped"));  // for as long as one of them is there
}

TEST_F(SafetensorsTest, TheMappingEndsWithTheLastTensor) {
    write_safetensors(path("short-lived"), {{{"a", at::ones({300})}}, {}});
    const void* address = nullptr;
    {
        const TensorFile file = read_safetensors(path("short-lived"));
        address = file.tensors.front().second.data_ptr();
        ASSERT_TRUE(is_mapped_from(address, "short-lived"));
    }
    EXPECT_FALSE(is_mapped_from(address, "short-lived"));
}

TEST_F(SafetensorsTest, WritingToATensorLeavesTheFileAlone) {
    write_safetensors(path("x"), {{{"a", at::ones({4})}}, {}});
    const std::string before = bytes_of("x");
    const TensorFile file = read_safetensors(path("x"));
    file.tensors.front().second.fill_(5.0);
    EXPECT_EQ(bytes_of("x"), before);
    EXPECT_TRUE(read_safetensors(path("x")).tensors.front().second.equal(at::ones({4})));
}

TEST_F(SafetensorsTest, AFileThatIsReplacedLeavesWhatWasRead) {
    write_safetensors(path("x"), {{{"a", at::ones({5000})}}, {}});
    const TensorFile file = read_safetensors(path("x"));
    write_safetensors(path("x"), {{{"a", at::zeros({3})}}, {}});
    EXPECT_TRUE(file.tensors.front().second.equal(at::ones({5000})));
    EXPECT_TRUE(read_safetensors(path("x")).tensors.front().second.equal(at::zeros({3})));
}

TEST_F(SafetensorsTest, TensorsThatAreNotAlignedAreCopied) {
    const std::string header =
        R"({"flag":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}})";
    const std::string length(1, static_cast<char>(header.size()));
    std::ofstream(path("odd"), std::ios::binary)
        << length << std::string(7, '\0') << header << '\7' << std::string("\0\0\x80\x3F\0\0\0\xC0", 8);
    const TensorFile file = read_safetensors(path("odd"));
    ASSERT_EQ(file.tensors.size(), 2U);
    const at::Tensor& w = file.tensors[1].second;
    EXPECT_TRUE(w.equal(at::tensor({1.0F, -2.0F})));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(w.data_ptr()) % sizeof(float), 0U);
}

}  // namespace
}  // namespace softalign
