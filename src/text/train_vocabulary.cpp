#include "text/train_vocabulary.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "text/line_reader.h"

namespace softalign {

namespace {

constexpr std::size_t longest_line = 4192;  // bytes; SentencePiece's own default, its floats do not hold much more
constexpr std::int64_t least_size = 8;      // that vocabulary.size may have
constexpr std::int64_t largest_chosen_size = 32000;
constexpr std::int64_t reserved_pieces = 4;
constexpr std::int64_t byte_pieces = 256;
constexpr std::string_view unknown_mark = "\xE2\x96\x85";  // U+2585, SentencePiece's mark of a character left out

[[noreturn]] void fail(const std::string& message) {
    throw Error(ExitCode::configuration, message);
}

std::string size_key(const VocabularyConfig& config, std::int64_t size) {
    const bool of_target = !config.joint && size == config.target_size && size != config.size;
    return of_target ? "vocabulary.target_size" : "vocabulary.size";
}

void check(const VocabularyConfig& config, std::int64_t size) {
    constexpr std::array<std::string_view, 5> rules = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"};
    if (std::find(rules.begin(), rules.end(), config.normalization) == rules.end()) {
        fail("vocabulary.normalization: unknown rule \"" + config.normalization +
             "\"; allowed are nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity");
    }
    constexpr double least_coverage = 0.98;
    if (!(config.character_coverage >= least_coverage && config.character_coverage <= 1.0)) {
        std::ostringstream value;
        value << config.character_coverage;
        fail("vocabulary.character_coverage: " + value.str() + " is out of range; allowed are 0.98 to 1");
    }
    const std::int64_t reserved = reserved_pieces + (config.byte_fallback ? byte_pieces : 0);
    if (size == 0) {
        return;  // chosen later
    }
    if (size <= reserved || size > std::numeric_limits<std::int32_t>::max()) {
        fail(size_key(config, size) + ": " + std::to_string(size) + " is out of range; " + std::to_string(reserved) +
             " pieces are reserved, and there must be room for others");
    }
}

bool has_only_spaces(std::string_view text) {
    return text.find_first_not_of(' ') == std::string_view::npos;
}

// What is left of a sentence as SentencePiece can train on it: pieces of at most longest_line bytes, cut at spaces. Its
// mark of unknown characters cannot be part of a vocabulary; a space takes its place.
void add_sentence(std::string sentence, std::vector<std::string>& sentences) {
    replace_all(sentence, unknown_mark, " ");
    std::string_view rest = sentence;
    while (rest.size() > longest_line) {
        const std::size_t cut = rest.rfind(' ', longest_line);
        if (cut != std::string_view::npos && cut > 0) {
            sentences.emplace_back(rest.substr(0, cut));
            rest.remove_prefix(cut);
        } else {
            const std::size_t word_end = rest.find(' ', 1);
            rest.remove_prefix(std::min(word_end, rest.size()));
        }
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    if (!has_only_spaces(rest)) {
        sentences.emplace_back(rest);
    }
}

// A uniform sample of at most `limit` sentences (reservoir sampling), or all for limit 0.
class SentenceSample {
public:
    explicit SentenceSample(std::int64_t limit)
        : limit_(static_cast<std::uint64_t>(limit)), random_(mix_key({limit_})) {}

    void add(const std::string& sentence) {
        if (has_only_spaces(sentence)) {
            return;
        }
        ++seen_;
        if (limit_ == 0 || sentences_.size() < limit_) {
            sentences_.push_back(sentence);
            return;
        }
        const std::uint64_t place = random_.below(seen_);
        if (place < limit_) {
            sentences_[place] = sentence;
        }
    }

    std::int64_t seen() const { return static_cast<std::int64_t>(seen_); }
    std::vector<std::string> take() { return std::move(sentences_); }

private:
    std::uint64_t limit_;
    std::uint64_t seen_ = 0;
    Random random_;
    std::vector<std::string> sentences_;
};

// Hands the sentences to SentencePiece, which copies them, and frees each when it is read.
class Sentences : public sentencepiece::SentenceIterator {
public:
    explicit Sentences(std::vector<std::string> sentences) : sentences_(std::move(sentences)) {}
    bool done() const override { return at_ == sentences_.size(); }
    void Next() override { std::string().swap(sentences_[at_++]); }
    const std::string& value() const override { return sentences_[at_]; }
    sentencepiece::util::Status status() const override { return {}; }

private:
    std::vector<std::string> sentences_;
    std::size_t at_ = 0;
};

std::unordered_map<std::string, std::string> trainer_options(const VocabularyConfig& config, std::int64_t size) {
    std::ostringstream coverage;
    coverage.imbue(std::locale::classic());
    coverage.precision(std::numeric_limits<double>::max_digits10);
    coverage << config.character_coverage;
    const bool open_size = config.type == VocabularyType::word || config.type == VocabularyType::character;
    std::unordered_map<std::string, std::string> options = {
        {"model_type", name_of(config.type)},
        {"vocab_size", std::to_string(size)},
        {"hard_vocab_limit", open_size ? "false" : "true"},
        {"normalization_rule_name", config.normalization},
        {"character_coverage", coverage.str()},
        {"byte_fallback", config.byte_fallback ? "true" : "false"},
        {"max_sentence_length", std::to_string(longest_line)},
        {"pad_id", "0"},
        {"unk_id", "1"},
        {"bos_id", "2"},
        {"eos_id", "3"},
        {"num_threads", "4"},  // the sums of unigram training depend on it, so it is the same on every machine
        {"minloglevel", "3"},  // fatal
    };
    if (config.type == VocabularyType::word) {
        options["unk_surface"] = " <unk> ";
    }
    return options;
}

// The digits that follow `words`, or nothing.
std::string number_after(const std::string& text, std::string_view words) {
    const std::size_t at = text.find(words);
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t begin = at + words.size();
    return text.substr(begin, text.find_first_not_of("0123456789", begin) - begin);
}

// What SentencePiece made of a size.
struct Attempt {
    std::string model;
    std::string refusal;  // empty = none
    // Where the size is refused for them, as digits: the bounds of what is possible.
    std::string smallest;
    std::string largest;
};

// SentencePiece's reasons in this program's words.
[[noreturn]] void explain(const Attempt& refused, const VocabularyConfig& config, std::int64_t size) {
    const std::string wanted = size_key(config, size) + ": " + std::to_string(size);
    if (!refused.largest.empty() && std::stoll(refused.largest) < least_size) {
        fail("the text is too small for a vocabulary of type " + std::string(name_of(config.type)) +
             ": it gives only " + refused.largest +
             " pieces; train on more text, or use vocabulary.type: word or char");
    }
    if (!refused.largest.empty()) {
        fail(wanted + " is too large for this text; the largest possible size is " + refused.largest);
    }
    if (!refused.smallest.empty()) {
        fail(wanted + " is too small for the characters of this text; the smallest possible size is " +
             refused.smallest + ", or lower vocabulary.character_coverage");
    }
    throw Error(ExitCode::internal, "SentencePiece could not train the vocabulary: " + refused.refusal);
}

// Whether anything is left of the sentences after normalization: SentencePiece would end the program otherwise.
bool has_text(const std::vector<std::string>& sentences, const VocabularyConfig& config) {
    const auto is_print = [](char byte) { return byte > ' ' && byte < '\x7F'; };
    for (const std::string& sentence : sentences) {
        if (std::any_of(sentence.begin(), sentence.end(), is_print)) {
            return true;
        }
    }
    VocabularyConfig characters;
    characters.type = VocabularyType::character;
    characters.normalization = config.normalization;
    constexpr std::int64_t a_few = reserved_pieces + 1;
    Sentences iterator(sentences);
    std::string model;
    sentencepiece::SentencePieceProcessor processor;
    return sentencepiece::SentencePieceTrainer::Train(trainer_options(characters, a_few), &iterator, &model).ok() &&
           processor.LoadFromSerializedProto(model).ok() && processor.GetPieceSize() > reserved_pieces;
}

Attempt attempt(const std::vector<std::string>& lines, const VocabularyConfig& config, std::int64_t size) {
    std::vector<std::string> sentences;
    sentences.reserve(lines.size());
    std::size_t bytes = 0;
    for (const std::string& line : lines) {
        add_sentence(line, sentences);
        bytes += line.size();
    }
    const bool has_long_words =
        std::any_of(lines.begin(), lines.end(), [](const std::string& line) { return line.size() > longest_line; });
    if (sentences.empty() && has_long_words) {
        throw Error(ExitCode::data,
                    "there is no text to train a vocabulary on: words of more than " + std::to_string(longest_line) +
                        " bytes are left out, and there are no others; are spaces or line ends missing?");
    }
    if (sentences.empty() || !has_text(sentences, config)) {
        throw Error(ExitCode::data, "there is no text to train a vocabulary on: every line is empty or was left out");
    }
    auto options = trainer_options(config, size);
    constexpr std::size_t large = 1U << 30;  // beyond it SentencePiece needs 64-bit offsets
    if (bytes > large) {
        options["train_extremely_large_corpus"] = "true";
    }
    Sentences iterator(std::move(sentences));
    Attempt result;
    const auto status = sentencepiece::SentencePieceTrainer::Train(options, &iterator, &result.model);
    if (!status.ok()) {
        result.refusal = status.ToString();
        result.largest = number_after(result.refusal, "set it to a value <= ");
        result.smallest = number_after(result.refusal, "smaller than required_chars. " + std::to_string(size) + " vs ");
    }
    return result;
}

// For a text of so many lines: pieces that occur often enough to be learnt from it.
std::int64_t size_for(std::int64_t lines, const VocabularyConfig& config) {
    if (config.type == VocabularyType::character) {
        return largest_chosen_size;
    }
    const auto hundreds = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(lines)) / 3));
    return std::min(std::max<std::int64_t>(hundreds, 1) * 100, largest_chosen_size) +
           (config.byte_fallback ? byte_pieces : 0);
}

// With the size given, or 0: the one for so many lines, on top of the characters if these are as many, and no larger
// than is possible.
std::string train(const std::vector<std::string>& sentences, const VocabularyConfig& config, std::int64_t size,
                  std::int64_t lines) {
    const bool chosen = size == 0;
    size = chosen ? size_for(lines, config) : size;
    Attempt result = attempt(sentences, config, size);
    if (chosen && !result.smallest.empty()) {
        size += std::stoll(result.smallest);
        result = attempt(sentences, config, size);
    }
    if (chosen && !result.largest.empty() && std::stoll(result.largest) >= least_size) {
        size = std::stoll(result.largest);
        result = attempt(sentences, config, size);
    }
    if (!result.refusal.empty()) {
        explain(result, config, size);
    }
    return std::move(result.model);
}

TrainedVocabulary train_on_sample(const std::vector<std::string>& sentences, const VocabularyConfig& config,
                                  std::int64_t size, std::int64_t lines) {
    TrainedVocabulary result;
    result.bytes = train(sentences, config, size, lines);
    sentencepiece::SentencePieceProcessor processor;
    const auto status = processor.LoadFromSerializedProto(result.bytes);
    if (!status.ok()) {
        throw Error(ExitCode::internal, "SentencePiece cannot read what it wrote: " + status.ToString());
    }
    result.size = processor.GetPieceSize();
    result.sentences = static_cast<std::int64_t>(sentences.size());
    return result;
}

}  // namespace

const char* name_of(VocabularyType type) {
    switch (type) {
        case VocabularyType::unigram:
            return "unigram";
        case VocabularyType::bpe:
            return "bpe";
        case VocabularyType::word:
            return "word";
        case VocabularyType::character:
            return "char";
    }
    throw Error(ExitCode::internal, "unknown vocabulary type");
}

TrainedVocabulary make_vocabulary(const std::vector<std::string>& files, const VocabularyConfig& config,
                                  std::int64_t size, BadLine on_bad_line) {
    check(config, size);
    SentenceSample sample(config.training_sentences);
    std::int64_t bad_encoding = 0;
    std::string line;
    for (const std::string& file : files) {
        LineReader reader(file);
        while (reader.next(line)) {
            if (on_bad_line == BadLine::error) {
                reader.require_utf8(line);
            } else if (first_invalid_utf8(line) != 0) {
                ++bad_encoding;
                continue;
            }
            sample.add(line);
        }
        if (reader.line_number() == 0) {
            throw Error(ExitCode::data, reader.name() + ": the file is empty");
        }
    }
    TrainedVocabulary result = train_on_sample(sample.take(), config, size, sample.seen());
    result.bad_encoding = bad_encoding;
    return result;
}

}  // namespace softalign
