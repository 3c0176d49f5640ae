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

// A report of translations as they are made: the part about sentences, of the first of them.
class TranslationReport {
public:
    static constexpr std::size_t most_sentences = 2000;  // that are kept; the page says so

    // `references`: a file with a line for each sentence, or empty. Throws Error(output) where `path` cannot be
    // written, Error(data) where the references cannot be read.
    TranslationReport(const std::string& path, const std::string& references);

    // The best translation of the next sentence, with its words and, where the model has it, its attention.
    void add(const Translation& translation);

    // Writes the file. `name` is that of the model, `text` that of the input. Throws Error(data) where there are more
    // or fewer references than sentences, Error(output).
    void finish(const std::string& name, const std::string& text, const LoadedEnsemble& loaded);

private:
    AtomicFile file_;
    std::string references_name_;
    std::vector<std::string> references_;
    std::vector<Translation> translations_;
    std::size_t sentences_ = 0;
};

}  // namespace softalign
