#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/tokenizer.h"

namespace softalign::vocabulary_message {

// The numbers of fields in SentencePiece's messages.
constexpr std::uint64_t model_pieces = 1;
constexpr std::uint64_t model_trainer = 2;
constexpr std::uint64_t model_normalizer = 3;
constexpr std::uint64_t model_denormalizer = 5;
constexpr std::uint64_t trainer_algorithm = 3;
constexpr std::uint64_t trainer_space_as_suffix = 24;
constexpr std::uint64_t trainer_byte_fallback = 35;
constexpr std::uint64_t normalizer_table = 2;
constexpr std::uint64_t normalizer_dummy_prefix = 3;
constexpr std::uint64_t normalizer_remove_spaces = 4;
constexpr std::uint64_t normalizer_escape_spaces = 5;
constexpr std::uint64_t piece_text = 1;
constexpr std::uint64_t piece_score = 2;
constexpr std::uint64_t piece_type = 3;

constexpr std::uint32_t normal = 1;
constexpr std::uint32_t user_defined = 4;

// The fields of a protocol buffer message, one after another.
class Fields {
public:
    explicit Fields(std::string_view message) : left_(message) {}

    // False at the end, and where the bytes are no message.
    bool next() {
        std::uint64_t key = 0;
        if (left_.empty() || !(sound_ = read(key))) {
            return false;
        }
        number = key >> 3;
        value = 0;
        bytes = {};
        switch (key & 7) {
            case 0:
                return sound_ = read(value);
            case 1:
                return sound_ = take(8);
            case 2: {
                std::uint64_t length = 0;
                return sound_ = read(length) && take(length);
            }
            case 5:
                return sound_ = take(4);
            default:
                return sound_ = false;
        }
    }

    bool sound() const { return sound_; }

    std::uint64_t number = 0;  // of the field
    std::uint64_t value = 0;   // where it is a number
    std::string_view bytes;    // where it is not

private:
    bool read(std::uint64_t& result) {
        result = 0;
        for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(left_.front());
            left_.remove_prefix(1);
            result |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) {
                return true;
            }
        }
        return false;
    }

    bool take(std::uint64_t length) {
        if (length > left_.size()) {
            return false;
        }
        bytes = left_.substr(0, length);
        left_.remove_prefix(length);
        return true;
    }

    std::string_view left_;
    bool sound_ = true;
};

}  // namespace softalign::vocabulary_message

namespace softalign {

// Which kind of model a vocabulary in SentencePiece's file format is: 1 unigram, 2 BPE, 3 words, 4 characters.
std::uint64_t algorithm_number(std::string_view bytes);

// The rules of a vocabulary in SentencePiece's file format. REQUIRES: fault_of_vocabulary_file finds no fault in it.
SegmentationRules segmentation_rules_of(std::string_view bytes);

}  // namespace softalign
