#include "translate/outputs.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "translate/format.h"

namespace softalign {

namespace {

std::unique_ptr<TextOutput> open(const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<TextOutput>(path);
}

}  // namespace

bool OutputOptions::needs_attention() const {
    return !alignments.empty() || !json.empty();
}

bool OutputOptions::needs_words() const {
    return (!alignments.empty() && alignment_units == AlignmentUnits::words) || !json.empty();
}

Outputs::Outputs(const OutputOptions& options)
    : options_(options),
      text_(open(options.text)),
      alignments_(open(options.alignments)),
      scores_(open(options.scores)),
      token_scores_(open(options.token_scores)),
      json_(open(options.json)) {}

void Outputs::write(std::int64_t index, const std::vector<Translation>& translations, const TokenizerPair& tokenizers) {
    for (const Translation& translation : translations) {
        write_one(index, translation, tokenizers);
    }
    if (json_) {
        json_->write_line(sentence_line(index, translations, tokenizers, options_.json_attention));
    }
}

void Outputs::write(std::int64_t index, const TranslatedParagraph& paragraph, const TokenizerPair& tokenizers) {
    if (text_) {
        text_->write_line(paragraph.restored.text);
    }
    if (json_) {
        json_->write_line(paragraph_line(index, paragraph, tokenizers, options_.json_attention));
    }
}

void Outputs::write_document(const TranslatedParagraph& document, const TokenizerPair& tokenizers) {
    if (text_) {
        text_->write(document.restored.text);
    }
    if (json_) {
        json_->write_line(paragraph_line(0, document, tokenizers, options_.json_attention));
    }
}

void Outputs::write_one(std::int64_t index, const Translation& translation, const TokenizerPair& tokenizers) {
    if (text_) {
        text_->write_line(text_line(index, translation, tokenizers.target));
    }
    if (alignments_) {
        alignments_->write_line(alignment_line(index, translation, tokenizers));
    }
    if (scores_) {
        scores_->write_line(score_line(translation));
    }
    if (token_scores_) {
        token_scores_->write_line(token_score_line(translation, tokenizers.target));
    }
}

std::string Outputs::text_line(std::int64_t index, const Translation& translation, const Tokenizer& target) const {
    const std::string text = options_.pieces ? target_pieces(translation, target) : translation.text;
    if (!options_.n_best_lines) {
        return text;
    }
    return n_best_line(index, text, translation.score, options_.features ? feature_list(translation) : "");
}

std::string Outputs::alignment_line(std::int64_t index, const Translation& translation,
                                    const TokenizerPair& tokenizers) const {
    if (options_.alignment_format == AlignmentFormat::soft) {
        return soft_alignment_line(index, translation, options_.alignment_units, tokenizers);
    }
    return pharaoh_line(hard_alignment(translation, options_.alignment_units));
}

void Outputs::flush() {
    each(&TextOutput::flush);
}

void Outputs::close() {
    each(&TextOutput::close);
}

void Outputs::each(void (TextOutput::*what)()) {
    for (const File* file : {&text_, &alignments_, &scores_, &token_scores_, &json_}) {
        if (*file) {
            (**file.*what)();
        }
    }
}

}  // namespace softalign
