#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "config/config.h"
#include "review/sentences.h"
#include "translate/loaded_ensemble.h"

namespace softalign {

// A report written while translating: only the part about sentences, with only the first of them.
class TranslationReport {
public:
    static constexpr std::size_t most_sentences = 2000;  // the sentences kept; the page says so

    // `references`: a file with a line for each sentence, or empty. Throws Error(output) if `path` cannot be written,
    // Error(data) if the references cannot be read.
    TranslationReport(const std::string& path, const std::string& references);

    // Adds the best translation of the next sentence, with its words and, if the model has it, its attention.
    void add(const Translation& translation);

    // Writes the file. `name` is the model's name, `text` the input's. Throws Error(data) if the numbers of references
    // and sentences differ, and Error(output).
    void finish(const std::string& name, const std::string& text, const LoadedEnsemble& loaded);

private:
    AtomicFile file_;
    std::string references_name_;
    std::vector<std::string> references_;
    std::vector<Translation> translations_;
    std::size_t sentences_ = 0;
};

}  // namespace softalign
