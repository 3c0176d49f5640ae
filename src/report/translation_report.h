#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "report/sentences.h"
#include "translate/ensemble.h"
#include "translate/text_output.h"

namespace softalign {

// A report written while translating: only the part about sentences, with only the first of them.
class TranslationReport {
public:
    // The sentences kept, and about the bytes that they may take together; the page says how many there are.
    static constexpr std::size_t most_sentences = 2000;
    static constexpr std::size_t most_bytes = std::size_t{128} << 20;

    // `references`: a file with a line for each sentence of the file `text` ("-": standard input), or empty. `type` of
    // the text: data/source_lines.h. Throws
    // Error(output) if `path` cannot be written, Error(data) if the references cannot be read, or if there are more or
    // fewer than lines in `text`, where that is a regular file.
    TranslationReport(const std::string& path, const std::string& references, const std::string& text,
                      SourceType type = SourceType::text, std::size_t bytes = most_bytes);

    // Adds the best translation of the next sentence, with its words and, if the model has it, its attention. Throws
    // Error(data) if there is no reference for it.
    void add(const Translation& translation, const TokenizerPair& tokenizers);

    // Writes the file. `name` is the model's name. Throws Error(data) if there are more references than sentences, and
    // Error(output).
    void finish(const std::string& name, const LoadedEnsemble& loaded);

private:
    void check_count(std::size_t sentences, bool all) const;

    TextOutput file_;
    std::string text_name_;
    std::string references_name_;
    std::vector<std::string> references_;
    std::vector<std::string> sources_;
    std::vector<ReviewedTranslation> translations_;
    std::size_t bytes_ = 0;  // of both
    std::size_t most_bytes_;
    std::size_t sentences_ = 0;
};

}  // namespace softalign
