#include "storage/quantized.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "base/error.h"
#include "config/config.h"
#include "ops/rounded_rows.h"
#include "storage/average.h"
#include "storage/temporary_directory.h"

namespace softalign {
namespace {

std::string fault_of(const TensorFile& file) {
    return fault(ExitCode::model, [&] { with_restored_matrices(file, "w.safetensors"); });
}

TensorFile rounded_file(const at::Tensor& scales, const at::Tensor& numbers = at::ones({2, 3}, at::kChar)) {
    return {{{"w", numbers}, {"w.scales", scales}}, {}};
}

TEST(Quantized, EveryMatrixOfAModelIsInt8AndTheRestIsFloat32) {
    Config config;
    config.model.embedding_size = 16;
    config.model.encoder.hidden_size = 24;
    config.model.decoder.hidden_size = 24;
    config.model.attention.size = 20;
    config.model.decoder.lexical = true;
    Seq2Seq model(config.model, {11, 13});
    model.initialize(1);
    const TensorFile file = quantized_weights(model);
    EXPECT_TRUE(is_quantized(file));
    const TensorFile whole = with_restored_matrices(file, "w.safetensors");
    const auto parameters = model.named_parameters();
    ASSERT_EQ(whole.tensors.size(), parameters.size());
    std::set<std::string> kept;
    for (const auto& [name, tensor] : whole.tensors) {
        const at::Tensor given = parameters[name].detach();
        if (tensor.equal(given)) {
            kept.insert(name.substr(name.rfind('.') + 1));
        } else {
            EXPECT_TRUE(tensor.equal(restored(round_rows(given)))) << name;
        }
    }
    EXPECT_EQ(kept.count("weight_score"), 1U);
    for (const std::string& name : kept) {
        EXPECT_TRUE(name == "weight_score" || name.find("bias") != std::string::npos) << name;
    }
}

TEST(Quantized, OneMatrixOfWhichProductsUsePartsOfRowsStaysFloat32) {
    Config config;
    config.model.attention.type = AttentionType::concat;
    const Seq2Seq model(config.model, {11, 13});
    EXPECT_EQ(model.matrices_used_by_rows().count("decoder.attention.weight"), 0U);
    EXPECT_EQ(model.matrices_used_by_rows().count("target_embedding"), 1U);
}

TEST(Quantized, ScalesMustFitTheirTensor) {
    const std::string message =
        "w.safetensors: tensor \"w.scales\" is not a float32 number for each row of \"w\"; copy the file that "
        "softalign "
        "quantize wrote";
    EXPECT_EQ(fault_of(rounded_file(at::ones({3}))), message);
    EXPECT_EQ(fault_of(rounded_file(at::ones({2, 1}))), message);
    EXPECT_EQ(fault_of(rounded_file(at::ones({2}, at::kDouble))), message);
    EXPECT_EQ(fault_of(rounded_file(at::ones({2}), at::ones({2}, at::kChar))), message);
    const at::Tensor scales = at::ones({2});
    scales[1] = NAN;
    EXPECT_EQ(
        fault_of(rounded_file(scales)).rfind("w.safetensors: tensor \"w.scales\": number 2 of 2 is not a number", 0),
        0U);
}

TEST(Quantized, OnlyInt8TensorsHaveScales) {
    const TensorFile file{{{"w", at::ones({2, 3})}, {"w.scales", at::ones({2})}, {"v", at::ones({2}, at::kChar)}}, {}};
    const TensorFile same = with_restored_matrices(file, "w.safetensors");
    ASSERT_EQ(same.tensors.size(), 3U);
    EXPECT_EQ(same.tensors[1].first, "w.scales");
    EXPECT_EQ(same.tensors[2].second.scalar_type(), at::kChar);
}

class QuantizedFile : public InTemporaryDirectory {};

TEST_F(QuantizedFile, CannotBeAveraged) {
    const std::string file = path("a.safetensors");
    TensorFile rounded = rounded_file(at::ones({2}));
    rounded.metadata["quantized"] = "int8";
    write_safetensors(file, rounded);
    EXPECT_EQ(fault(ExitCode::model,
                    [&] {
                        average_checkpoints({file, file});
                    }),
              file + ": its weights are rounded to int8; average those in float32, and then use softalign quantize");
}

}  // namespace
}  // namespace softalign
