#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "translate/alignment.h"
#include "translate/batch_translator.h"
#include "translate/document_translator.h"
#include "translate/format.h"
#include "translate/text_output.h"

namespace softalign {

enum class AlignmentFormat {
    hard,  // pharaoh_line
    soft   // soft_alignment_line
};

// Paths are as for TextOutput; an output with an empty one is not written.
struct OutputOptions {
    std::string text;
    std::string alignments;
    std::string scores;        // score_line
    std::string token_scores;  // token_score_line
    std::string json;          // sentence_line
    AlignmentFormat alignment_format = AlignmentFormat::hard;
    AlignmentUnits alignment_units = AlignmentUnits::pieces;
    bool n_best_lines = false;    // the text as lines of an n-best list
    bool features = false;        // these with feature_list
    bool pieces = false;          // pieces instead of text
    bool json_attention = false;  // sentence_line with attention

    // What the translations must have.
    bool needs_attention() const;
    bool needs_words() const;
};

// The files that translations are written to: a line for each translation, and in the JSON file for each sentence.
class Outputs {
public:
    // Opens the files.
    explicit Outputs(const OutputOptions& options);

    // The translations of the sentence `index`, at least one.
    void write(std::int64_t index, const std::vector<Translation>& translations, const TokenizerPair& tokenizers);

    // A paragraph, to the text and the JSON file. REQUIRES: there are no other files.
    void write(std::int64_t index, const TranslatedParagraph& paragraph, const TokenizerPair& tokenizers);

    // A whole document, as it is.
    void write_document(const TranslatedParagraph& document, const TokenizerPair& tokenizers);

    // Both apply to every file. REQUIRES: close is called once, nothing written afterwards.
    void flush();
    void close();

private:
    using File = std::unique_ptr<TextOutput>;  // null where it is not written

    void write_one(std::int64_t index, const Translation& translation, const TokenizerPair& tokenizers);
    std::string text_line(std::int64_t index, const Translation& translation, const Tokenizer& target) const;
    std::string alignment_line(std::int64_t index, const Translation& translation,
                               const TokenizerPair& tokenizers) const;
    void each(void (TextOutput::*what)());

    OutputOptions options_;
    File text_;
    File alignments_;
    File scores_;
    File token_scores_;
    File json_;
};

}  // namespace softalign
