#include "text/vocabulary_message.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/little_endian.h"

namespace softalign {

namespace {

using namespace vocabulary_message;

// A number as eight characters.
std::string eight_bytes(std::uint64_t value) {
    return little_endian(value, 8);
}

// What a message says is compared, not its bytes: a field may be absent where it has its default.
std::string score_and_type(std::string_view piece) {
    std::string score(sizeof(float), '\0');
    std::uint64_t type = normal;
    for (Fields fields(piece); fields.next();) {
        if (fields.number == piece_score) {
            score = fields.bytes;
        } else if (fields.number == piece_type) {
            type = fields.value;
        }
    }
    return score + eight_bytes(type);
}

std::string algorithm_of(std::string_view trainer) {
    std::uint64_t algorithm = 1;  // unigram
    std::uint64_t space_as_suffix = 0;
    std::uint64_t byte_fallback = 0;
    for (Fields fields(trainer); fields.next();) {
        if (fields.number == trainer_algorithm) {
            algorithm = fields.value;
        } else if (fields.number == trainer_space_as_suffix) {
            space_as_suffix = fields.value;
        } else if (fields.number == trainer_byte_fallback) {
            byte_fallback = fields.value;
        }
    }
    return eight_bytes(algorithm) + eight_bytes(space_as_suffix) + eight_bytes(byte_fallback);
}

std::string normalization_of(std::string_view normalizer) {
    std::string table;
    std::uint64_t dummy_prefix = 1;
    std::uint64_t remove_spaces = 1;
    std::uint64_t escape_spaces = 1;
    for (Fields fields(normalizer); fields.next();) {
        if (fields.number == normalizer_table) {
            table = fields.bytes;
        } else if (fields.number == normalizer_dummy_prefix) {
            dummy_prefix = fields.value;
        } else if (fields.number == normalizer_remove_spaces) {
            remove_spaces = fields.value;
        } else if (fields.number == normalizer_escape_spaces) {
            escape_spaces = fields.value;
        }
    }
    return eight_bytes(dummy_prefix) + eight_bytes(remove_spaces) + eight_bytes(escape_spaces) + table;
}

}  // namespace

std::uint64_t algorithm_number(std::string_view bytes) {
    std::uint64_t algorithm = 1;
    for (Fields fields(bytes); fields.next();) {
        for (Fields inner(fields.number == model_trainer ? fields.bytes : std::string_view()); inner.next();) {
            algorithm = inner.number == trainer_algorithm ? inner.value : algorithm;
        }
    }
    return algorithm;
}

SegmentationRules segmentation_rules_of(std::string_view bytes) {
    SegmentationRules rules{algorithm_of(""), "", normalization_of("")};
    for (Fields fields(bytes); fields.next();) {
        if (fields.number == model_pieces) {
            rules.pieces += score_and_type(fields.bytes);
        } else if (fields.number == model_trainer) {
            rules.algorithm = algorithm_of(fields.bytes);
        } else if (fields.number == model_normalizer) {
            rules.normalization = normalization_of(fields.bytes);
        }
    }
    return rules;
}

}  // namespace softalign
