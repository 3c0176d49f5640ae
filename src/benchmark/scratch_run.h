#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/temporary.h"
#include "benchmark/run_benchmark.h"
#include "config/config.h"
#include "model/seq2seq.h"
#include "train/run_data.h"

namespace softalign {

// Throws Error(configuration) for runtime.device: cuda.
void require_cpu(const Config& config);

// The lines of request.input, or of the validation text. Throws Error(configuration) where there is no such text, and
// Error(data) where it has no sentence.
std::vector<std::string> sentences_to_translate(const Config& config, const BenchmarkRequest& request);

// The vocabularies and data of a configuration, and models of it, in a temporary directory. The vocabularies are those
// of its model directory if that was made with the same keys, else new ones.
class ScratchRun {
public:
    explicit ScratchRun(const Config& config);

    const RunData& data() const { return data_; }

    // With initial weights. REQUIRES of both: the configuration differs from the first in its model and search only.
    std::shared_ptr<Seq2Seq> new_model(const Config& config) const;

    // A model directory with the model as it is now, in place of the one before.
    std::string write_model(const Config& config, const Seq2Seq& model) const;

private:
    TemporaryDirectory folder_;
    RunData data_;
};

}  // namespace softalign
