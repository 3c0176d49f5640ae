#include "translate/document_translator.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/clauses.h"
#include "document/text_units.h"

namespace softalign {

namespace {

// What joins two translations; `between`: what is between their sources.
std::string joint_of(std::string_view between, std::string_view before, std::string_view behind) {
    const bool wide = ends_wide(before) && begins_wide(behind);
    if (between.empty()) {
        return wide || before.empty() || behind.empty() ? "" : " ";
    }
    return wide && between == " " ? "" : std::string(between);
}

}  // namespace

DocumentTranslator::DocumentTranslator(BatchTranslator& translator, const Tokenizer& source,
                                       const DocumentOptions& options)
    : translator_(translator),
      source_(source),
      splitter_(options.locale, options.abbreviations),
      longest_(options.longest) {}

std::vector<TextRange> DocumentTranslator::sentences_of(std::string_view paragraph) const {
    std::vector<TextRange> parts;
    for (const TextRange& sentence : splitter_.split(paragraph)) {
        const std::vector<TextRange> clauses = cut_at_clauses(
            paragraph, sentence, longest_, [this](std::string_view part) { return source_.encode(part).size(); });
        parts.insert(parts.end(), clauses.begin(), clauses.end());
    }
    return parts;
}

void DocumentTranslator::translate(const std::vector<std::string>& paragraphs, const Take& take) {
    std::vector<std::vector<TextRange>> ranges;
    std::vector<std::string> sentences;
    for (const std::string& paragraph : paragraphs) {
        ranges.push_back(sentences_of(paragraph));
        for (const TextRange& range : ranges.back()) {
            sentences.emplace_back(range.of(paragraph));
        }
    }
    std::size_t next = 0;  // paragraph
    TranslatedParagraph current;
    std::vector<TranslatedParagraph> done;
    const auto finish_paragraphs = [&] {
        while (next < paragraphs.size() && current.sentences.size() == ranges[next].size()) {
            current.source = paragraphs[next];
            const std::size_t end = ranges[next].empty() ? 0 : ranges[next].back().end;
            current.text += current.source.substr(end);
            done.push_back(std::exchange(current, {}));
            ++next;
        }
    };
    finish_paragraphs();
    translator_.translate(sentences, [&](std::vector<std::vector<Translation>> part) {
        for (std::vector<Translation>& found : part) {
            const std::vector<TextRange>& of_paragraph = ranges[next];
            const std::size_t number = current.sentences.size();
            Translation& best = found.front();
            const std::size_t begin = number == 0 ? 0 : of_paragraph[number - 1].end;
            const std::string between = paragraphs[next].substr(begin, of_paragraph[number].begin - begin);
            current.text += number == 0 ? between : joint_of(between, current.text, best.text);
            current.text += best.text;
            current.sentences.push_back(std::move(best));
            finish_paragraphs();
        }
        take(std::exchange(done, {}));
    });
    if (!done.empty()) {
        take(std::move(done));
    }
}

void translate_paragraphs(DocumentTranslator& translator, RequestQueue& requests, const WriteParagraph& write,
                          const StreamOptions& options) {
    const auto most = static_cast<std::size_t>(options.chunk);
    const std::size_t least = options.full_chunks ? most : 1;
    std::int64_t index = 0;
    std::vector<std::string> paragraphs;
    for (std::vector<TranslationRequest> chunk; requests.take(least, most, chunk);) {
        paragraphs.clear();
        for (TranslationRequest& request : chunk) {
            paragraphs.push_back(std::move(request.text));
        }
        translator.translate(paragraphs, [&](const std::vector<TranslatedParagraph>& part) {
            for (const TranslatedParagraph& paragraph : part) {
                write(index++, paragraph);
            }
            if (options.after_chunk) {
                options.after_chunk();
            }
        });
    }
}

}  // namespace softalign
