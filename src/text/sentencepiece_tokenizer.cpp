#include "text/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>
#include <util.h>  // SentencePiece's: the generator that it samples with

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/strings.h"
#include "text/line_reader.h"
#include "text/vocabulary_file.h"
#include "text/vocabulary_message.h"
#include "text/words.h"

namespace softalign {

namespace {

using Pieces = std::vector<std::pair<std::string, std::int32_t>>;
using Part = sentencepiece::ImmutableSentencePieceText_ImmutableSentencePiece;

constexpr std::int64_t largest_nbest = 512;  // SentencePiece's own limit

// Some normalisations turn these into spaces, although they are no white space: U+200B, U+200C, U+200E, U+200F, U+2581,
// U+FEFF and U+FFFD.
constexpr std::string_view possible_spaces[] = {"\xE2\x80\x8B", "\xE2\x80\x8C", "\xE2\x80\x8E", "\xE2\x80\x8F",
                                                space_symbol,   "\xEF\xBB\xBF", "\xEF\xBF\xBD"};

constexpr std::size_t largest_model = std::size_t{1} << 26;  // bytes; a piece needs about 20

// Single spaces between words, none at the ends.
std::string tidy_spaces(std::string_view text) {
    std::string tidy;
    tidy.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, space_symbol.size(), space_symbol) == 0) {
            i += space_symbol.size() - 1;
        } else if (text[i] != ' ') {
            tidy += text[i];
            continue;
        }
        if (!tidy.empty() && tidy.back() != ' ') {
            tidy += ' ';
        }
    }
    if (!tidy.empty() && tidy.back() == ' ') {
        tidy.pop_back();
    }
    return tidy;
}

VocabularyType piece_model(std::string_view bytes) {
    switch (algorithm_number(bytes)) {
        case 2:
            return VocabularyType::bpe;
        case 3:
            return VocabularyType::word;
        case 4:
            return VocabularyType::character;
        default:
            return VocabularyType::unigram;
    }
}

}  // namespace

class SentencePieceTokenizer::Impl {
public:
    Impl(const VocabularyBytes& file, const SamplingOptions& sampling) : path_(file.path), sampling_(sampling) {
        if (sampling.nbest > largest_nbest) {
            throw Error(ExitCode::configuration, "vocabulary.sampling_nbest is " + std::to_string(sampling.nbest) +
                                                     "; allowed are at most " + std::to_string(largest_nbest) +
                                                     ", or -1 for all segmentations");
        }
        constexpr int fatal_only = 3;
        sentencepiece::logging::SetMinLogLevel(fatal_only);
        load(file.bytes);
        find_special();
        model_ = piece_model(file.bytes);
        std::copy_if(std::begin(possible_spaces), std::end(possible_spaces), std::back_inserter(spaces_),
                     [this](std::string_view character) { return becomes_space(character); });
    }

    Pieces segment(std::string_view text) const {
        return pieces_of(*filled<sentencepiece::ImmutableSentencePieceText>(
            [&](auto* result) { return processor_.Encode(text, result); }));
    }

    // What a piece writes: that of "<0xE4>" is a byte.
    std::string spelling(const std::string& piece, std::int32_t id) const {
        constexpr std::size_t digits = 3;  // behind "<0x"
        return processor_.IsByte(id) ? std::string(1, static_cast<char>(std::stoi(piece.substr(digits), nullptr, 16)))
                                     : piece;
    }

    Pieces sample(std::string_view text, std::uint64_t key) const {
        if (model_ == VocabularyType::word || model_ == VocabularyType::character || sampling_.alpha <= 0.0) {
            return segment(text);
        }
        sentencepiece::random::GetRandomGenerator()->seed(static_cast<std::uint32_t>(Random(key).next() >> 32));
        if (model_ == VocabularyType::unigram && sampling_.nbest > 1) {
            return draw_of_best(text);
        }
        const int nbest = static_cast<int>(std::max<std::int64_t>(sampling_.nbest, -1));
        const auto alpha = static_cast<float>(sampling_.alpha);
        return pieces_of(*filled<sentencepiece::ImmutableSentencePieceText>(
            [&](auto* result) { return processor_.SampleEncode(text, nbest, alpha, result); }));
    }

    std::string decode(const std::vector<std::int32_t>& ids) const {
        std::vector<int> kept;
        kept.reserve(ids.size());
        bool unknown = false;
        for (const std::int32_t id : ids) {
            require_id(id);
            unknown = unknown || id == special_.unk;
            if (id == special_.unk || !processor_.IsControl(id)) {
                kept.push_back(id);
            }
        }
        std::string text = joined(kept);
        // A word spelled in bytes (byte fallback) brings its space symbol as bytes too.
        return unknown || text.find(space_symbol) != std::string::npos ? tidy_spaces(text) : text;
    }

    std::string decode_pieces(const std::vector<std::string>& pieces) const {
        std::string text = joined(pieces);
        return text.find(space_symbol) != std::string::npos ? tidy_spaces(text) : text;
    }

    void require_id(std::int32_t id) const {
        if (id < 0 || id >= processor_.GetPieceSize()) {
            throw Error(ExitCode::model, path_ + ": there is no piece " + std::to_string(id) +
                                             "; the vocabulary has ids 0 to " +
                                             std::to_string(processor_.GetPieceSize() - 1));
        }
    }

    const sentencepiece::SentencePieceProcessor& processor() const { return processor_; }
    SpecialIds special() const { return special_; }

    std::vector<std::int32_t> silent_ids() const {
        std::vector<std::int32_t> ids;
        for (int id = 0; id < processor_.GetPieceSize(); ++id) {
            if (processor_.IsControl(id) && id != special_.eos && id != special_.unk) {
                ids.push_back(id);
            }
        }
        return ids;
    }

    VocabularyType model() const { return model_; }
    const std::vector<std::string_view>& spaces() const { return spaces_; }

private:
    void load(const std::string& bytes) {
        std::string fault = fault_of_vocabulary_file(bytes);
        if (fault.empty()) {
            try {
                const bool loaded = processor_.LoadFromSerializedProto(bytes).ok();
                fault = bytes.empty() || !loaded || processor_.GetPieceSize() == 0 ? "it cannot be loaded" : "";
            } catch (const std::bad_alloc&) {
                throw;
            } catch (const std::exception&) {
                fault = "its pieces cannot be put in order";
            }
        }
        if (!fault.empty()) {
            throw Error(ExitCode::model, path_ + ": is not a SentencePiece model (" + std::to_string(bytes.size()) +
                                             " bytes): " + fault +
                                             "; give a file that `softalign vocab train` or spm_train wrote");
        }
    }

    // One of the best segmentations, by their probabilities to the power of alpha. SentencePiece draws by the same
    // ones, but takes them as they are: those of a long sentence are all zero, and the first would be drawn every time.
    Pieces draw_of_best(std::string_view text) const {
        const auto best = filled<sentencepiece::ImmutableNBestSentencePieceText>(
            [&](auto* result) { return processor_.NBestEncode(text, static_cast<int>(sampling_.nbest), result); });
        std::vector<double> weights;
        for (std::size_t i = 0; i < best->nbests_size(); ++i) {
            const float behind = best->nbests(static_cast<int>(i)).score() - best->nbests(0).score();
            weights.push_back(std::exp(sampling_.alpha * static_cast<double>(behind)));
        }
        std::discrete_distribution<int> number(weights.begin(), weights.end());
        return pieces_of(best->nbests(number(*sentencepiece::random::GetRandomGenerator())));
    }

    void find_special() {
        if (processor_.eos_id() < 0) {
            throw Error(
                ExitCode::model,
                path_ + ": the vocabulary has no end-of-sentence piece (</s>); train it again without --eos_id=-1");
        }
        special_.eos = processor_.eos_id();
        special_.unk = processor_.unk_id();
        special_.pad = processor_.pad_id() < 0 ? special_.eos : processor_.pad_id();
        special_.bos = processor_.bos_id() < 0 ? special_.eos : processor_.bos_id();
    }

    // Whether a character between letters is segmented like a space there.
    bool becomes_space(std::string_view character) const {
        return segment("a" + std::string(character) + "a") == segment("a a");
    }

    static std::ptrdiff_t characters(const std::string& piece) {
        return std::count_if(piece.begin(), piece.end(), [](char byte) { return !is_utf8_continuation(byte); });
    }

    Pieces pieces_of(const sentencepiece::ImmutableSentencePieceText& text) const {
        Pieces pieces;
        for (const Part& part : text.pieces()) {
            add_part(part, pieces);
        }
        return pieces;
    }

    void add_part(const Part& part, Pieces& pieces) const {
        const int id = static_cast<int>(part.id());
        if (id == special_.unk) {
            add_unknown(part.piece(), pieces);
        } else {
            pieces.emplace_back(part.piece(), processor_.IsControl(id) ? special_.unk : id);
        }
    }

    // SentencePiece joins a run of unknown pieces: "▁foo▁bar" is taken apart again at the spaces.
    void add_unknown(std::string_view run, Pieces& pieces) const {
        std::size_t start = 0;
        for (std::size_t end = run.find(space_symbol, 1); end != std::string_view::npos;
             end = run.find(space_symbol, start + 1)) {
            pieces.emplace_back(run.substr(start, end - start), special_.unk);
            start = end;
        }
        pieces.emplace_back(run.substr(start), special_.unk);
    }

    template <typename Parts>  // ids or pieces
    std::string joined(const Parts& parts) const {
        return filled<sentencepiece::ImmutableSentencePieceText>(
                   [&](auto* result) { return processor_.Decode(parts, result); })
            ->text();
    }

    // A message that SentencePiece fills. Where it finds no memory for it, the message is never destroyed: protobuf
    // counts an element before it has made it, and the destructor would follow a pointer to nothing.
    template <typename Message, typename Fill>
    std::unique_ptr<Message> filled(const Fill& fill) const {
        auto message = std::make_unique<Message>();
        try {
            require(fill(message->mutable_proto()));
        } catch (const std::bad_alloc&) {
            static_cast<void>(message.release());
            throw;
        }
        return message;
    }

    void require(const sentencepiece::util::Status& status) const {
        if (!status.ok()) {
            throw Error(ExitCode::internal, path_ + ": SentencePiece failed: " + status.ToString());
        }
    }

    std::string path_;
    SamplingOptions sampling_;
    sentencepiece::SentencePieceProcessor processor_;
    SpecialIds special_;
    VocabularyType model_ = VocabularyType::unigram;
    std::vector<std::string_view> spaces_;  // of possible_spaces
};

// What cannot be read is a fault of the model here, not of a corpus.
VocabularyBytes read_vocabulary(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw Error(ExitCode::model,
                    path + ": is a directory; name a vocabulary in it, such as joint.spm, source.spm or target.spm");
    }
    try {
        InputStream input(path);
        std::string bytes;
        char buffer[1 << 15];
        for (std::size_t count = input.read(buffer, sizeof(buffer)); count > 0;
             count = input.read(buffer, sizeof(buffer))) {
            bytes.append(buffer, count);
            if (bytes.size() > largest_model) {
                throw Error(ExitCode::model, path + ": larger than 64 MiB, too large for a vocabulary");
            }
        }
        return {path, std::move(bytes)};
    } catch (const Error& error) {
        throw Error(ExitCode::model, std::string("the vocabulary cannot be read: ") + error.what());
    }
}

VocabularyBytes under_path(VocabularyBytes file, const std::string& path) {
    const SentencePieceTokenizer checked(file);
    return {path, std::move(file.bytes)};
}

SentencePieceTokenizer::SentencePieceTokenizer(const std::string& path, const SamplingOptions& sampling)
    : SentencePieceTokenizer(read_vocabulary(path), sampling) {}

SentencePieceTokenizer::SentencePieceTokenizer(const VocabularyBytes& file, const SamplingOptions& sampling)
    : impl_(std::make_unique<Impl>(file, sampling)) {}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

std::int32_t SentencePieceTokenizer::size() const {
    return impl_->processor().GetPieceSize();
}

SpecialIds SentencePieceTokenizer::special() const {
    return impl_->special();
}

std::vector<std::int32_t> SentencePieceTokenizer::encode(std::string_view text) const {
    return ids_of(impl_->segment(text));
}

std::vector<std::string_view> SentencePieceTokenizer::words(std::string_view text) const {
    return words_of(text, impl_->spaces());
}

std::vector<std::int32_t> SentencePieceTokenizer::sample(std::string_view text, std::uint64_t key) const {
    return ids_of(impl_->sample(text, key));
}

std::string SentencePieceTokenizer::decode(const std::vector<std::int32_t>& ids) const {
    return impl_->decode(ids);
}

std::vector<std::int32_t> SentencePieceTokenizer::silent_ids() const {
    return impl_->silent_ids();
}

std::string SentencePieceTokenizer::piece(std::int32_t id) const {
    impl_->require_id(id);
    return impl_->processor().IdToPiece(id);
}

std::string SentencePieceTokenizer::spelling(std::int32_t id) const {
    return impl_->spelling(piece(id), id);
}

SegmentationRules SentencePieceTokenizer::segmentation_rules() const {
    return segmentation_rules_of(impl_->processor().serialized_model_proto());
}

VocabularyType SentencePieceTokenizer::model() const {
    return impl_->model();
}

float SentencePieceTokenizer::score(std::int32_t id) const {
    impl_->require_id(id);
    return impl_->processor().GetScore(id);
}

std::vector<std::pair<std::string, std::int32_t>> SentencePieceTokenizer::segment(std::string_view text) const {
    return impl_->segment(text);
}

std::vector<std::pair<std::string, std::int32_t>> SentencePieceTokenizer::sampled_segment(std::string_view text,
                                                                                          std::uint64_t key) const {
    return impl_->sample(text, key);
}

std::string SentencePieceTokenizer::decode_pieces(const std::vector<std::string>& pieces) const {
    return impl_->decode_pieces(pieces);
}

std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& path, const SamplingOptions& sampling) {
    return std::make_shared<const SentencePieceTokenizer>(path, sampling);
}

}  // namespace softalign
