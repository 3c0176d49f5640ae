#include "storage/quantized.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/version.h"
#include "ops/rounded_rows.h"
#include "storage/model_directory.h"
#include "storage/safetensors_header.h"

namespace softalign {

namespace {

constexpr const char* quantized_key = "quantized";

std::string scales_of(const std::string& name) {
    return name + ".scales";
}

at::Tensor matrix_of(const std::string& name, const at::Tensor& numbers, const at::Tensor& scales,
                     const std::string& path) {
    const bool fit = numbers.dim() == 2 && scales.scalar_type() == at::kFloat && scales.dim() == 1 &&
                     scales.size(0) == numbers.size(0);
    if (!fit) {
        throw Error(ExitCode::model, path + ": tensor " + printable(scales_of(name)) +
                                         " is not a float32 number for each row of " + printable(name) +
                                         "; copy the file that softalign quantize wrote");
    }
    require_finite(path, scales_of(name), scales);
    const at::Tensor matrix = restored({numbers, scales});
    let_go_of_mapped(numbers.data_ptr(), numbers.nbytes());
    return matrix;
}

}  // namespace

TensorFile quantized_weights(const Seq2Seq& model) {
    const std::set<std::string> by_rows = model.matrices_used_by_rows();
    TensorFile file;
    file.metadata = {{"producer", producer()}, {quantized_key, "int8"}};
    for (const auto& item : model.named_parameters()) {
        if (by_rows.count(item.key()) == 0) {
            file.tensors.emplace_back(item.key(), item.value());
            continue;
        }
        const RoundedRows rows = round_rows(item.value());
        file.tensors.emplace_back(item.key(), rows.numbers);
        file.tensors.emplace_back(scales_of(item.key()), rows.scales);
        let_go_of_mapped(item.value().data_ptr(), item.value().nbytes());
    }
    return file;
}

bool is_quantized(const TensorFile& file) {
    return file.metadata.count(quantized_key) > 0;
}

TensorFile with_restored_matrices(const TensorFile& file, const std::string& path) {
    const std::map<std::string, at::Tensor> tensors(file.tensors.begin(), file.tensors.end());
    std::set<std::string> used;  // scales
    TensorFile result;
    result.metadata = file.metadata;
    for (const auto& [name, tensor] : file.tensors) {
        const auto scales = tensors.find(scales_of(name));
        const bool rounded = tensor.scalar_type() == at::kChar && scales != tensors.end();
        if (rounded) {
            used.insert(scales->first);
        }
        result.tensors.emplace_back(name, rounded ? matrix_of(name, tensor, scales->second, path) : tensor);
    }
    const auto is_used = [&used](const auto& item) { return used.count(item.first) > 0; };
    result.tensors.erase(std::remove_if(result.tensors.begin(), result.tensors.end(), is_used), result.tensors.end());
    return result;
}

}  // namespace softalign
