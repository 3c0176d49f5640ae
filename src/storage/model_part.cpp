#include "storage/model_directory.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>

#include "base/error.h"
#include "storage/safetensors_header.h"

namespace softalign {

namespace {

namespace fs = std::filesystem;

// The part of a path below a folder has no "..": both are canonical.
bool lies_in(const fs::path& folder, const fs::path& path) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

// Index of the first number whose exponent bits are all set, which is how IEEE 754 writes infinity and NaN; -1 where
// there is none. The first loop has no exit, so that it becomes vector instructions.
template <typename Bits>
std::int64_t first_not_finite(const at::Tensor& tensor, Bits exponent) {
    const auto* const bits = static_cast<const Bits*>(tensor.data_ptr());
    const std::int64_t count = tensor.numel();
    Bits found = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        found |= static_cast<Bits>((bits[i] & exponent) == exponent);
    }
    if (found == 0) {
        return -1;
    }
    const auto* const first =
        std::find_if(bits, bits + count, [exponent](Bits one) { return (one & exponent) == exponent; });
    return first - bits;
}

std::int64_t first_not_finite(const at::Tensor& tensor) {
    switch (tensor.scalar_type()) {
        case at::kDouble:
            return first_not_finite<std::uint64_t>(tensor, 0x7FF0000000000000U);
        case at::kFloat:
            return first_not_finite<std::uint32_t>(tensor, 0x7F800000U);
        case at::kBFloat16:
            return first_not_finite<std::uint16_t>(tensor, 0x7F80U);
        case at::kHalf:
            return first_not_finite<std::uint16_t>(tensor, 0x7C00U);
        default:
            return -1;
    }
}

}  // namespace

void require_part(const std::string& directory, const std::string& path) {
    std::error_code fault;
    if (!fs::is_regular_file(path, fault)) {
        throw Error(ExitCode::model, path +
                                         ": it is not a regular file; a model directory consists of regular files, "
                                         "copy the one that training wrote");
    }
    const fs::path folder = fs::canonical(directory, fault);
    const fs::path file = fault ? fs::path() : fs::canonical(path, fault);
    if (!fault && !lies_in(folder, file)) {
        throw Error(ExitCode::model, path + ": a symbolic link that leads out of the model directory, to " +
                                         file.string() +
                                         "; a model uses nothing outside its directory, put a copy of the file there");
    }
}

std::string sizes_text(at::IntArrayRef sizes) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << sizes;
    return text.str();
}

void require_finite(const std::string& path, const std::string& name, const at::Tensor& tensor) {
    const std::int64_t at = first_not_finite(tensor);
    if (at >= 0) {
        const bool infinite = tensor.view({-1})[at].isinf().item<bool>();
        throw Error(ExitCode::model, path + ": tensor " + printable(name) + ": number " + std::to_string(at + 1) +
                                         " of " + std::to_string(tensor.numel()) +
                                         (infinite ? " is infinite" : " is not a number (NaN)") +
                                         "; its training diverged or the file is damaged, use another checkpoint");
    }
}

void require_weights_alone(const std::string& path, const TensorFile& file) {
    if (file.metadata.count("run_state") > 0) {
        throw Error(ExitCode::model, path +
                                         ": this is a checkpoint for train --resume, which only training can use; name "
                                         "model.safetensors or one of checkpoints/best-*.safetensors");
    }
}

}  // namespace softalign
