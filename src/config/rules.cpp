#include "config/rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/strings.h"
#include "config/metric.h"
#include "config/schema.h"
#include "config/yaml_tree.h"

namespace softalign {

namespace {

bool trains(const Config& c) {
    return !c.data.train_source.empty();
}

bool validates(const Config& c) {
    return !c.data.valid_source.empty();
}

bool has_stopping_rule(const Config& c) {
    const TrainingConfig& t = c.training;
    return t.max_epochs > 0 || t.max_updates > 0 || t.max_minutes > 0 || (validates(c) && c.validation.patience > 0);
}

bool samples_from_pieces(const VocabularyConfig& v) {
    return v.type == VocabularyType::unigram || v.type == VocabularyType::bpe;
}

bool has_features(const Config& c) {
    return c.data.source_type == SourceType::features;
}

// The sizes of the vocabularies to train.
std::vector<std::int64_t> vocabulary_sizes(const Config& c) {
    const VocabularyConfig& v = c.vocabulary;
    if (has_features(c) && !v.from_start_model) {
        return v.target_model.empty() ? std::vector<std::int64_t>{v.size_of_target()} : std::vector<std::int64_t>();
    }
    if (v.from_start_model || !v.source_model.empty()) {
        return {};
    }
    return v.joint ? std::vector<std::int64_t>{v.size} : std::vector<std::int64_t>{v.size, v.size_of_target()};
}

bool too_small_for_bytes(const Config& c) {
    constexpr std::int64_t least = 256 + 4;  // the bytes and the special pieces
    const std::vector<std::int64_t> sizes = vocabulary_sizes(c);
    return c.vocabulary.byte_fallback &&
           std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size != 0 && size <= least; });
}

bool fits_layers(const std::vector<std::int64_t>& strides, const ConvolutionsConfig& convolutions) {
    return strides.size() == 1 || strides.size() == convolutions.channels.size();
}

bool exceeds(const std::vector<std::int64_t>& strides, std::int64_t most) {
    return std::any_of(strides.begin(), strides.end(), [&](std::int64_t stride) { return stride > most; });
}

// Whether k gives shares of true words.
bool suits_decay(const ScheduledSamplingConfig& sampling) {
    switch (sampling.decay) {
        case SamplingDecay::none:
            break;
        case SamplingDecay::linear:
            return sampling.k <= 1.0;
        case SamplingDecay::exponential:
            return sampling.k < 1.0;
        case SamplingDecay::inverse_sigmoid:
            return sampling.k > 1.0;
    }
    return true;
}

std::vector<Rule> feature_rules() {
    return {
        {{"model.source.size", "data.source_type"},
         "model.source.size needs data.source_type: features, since text has no values",
         [](const Config& c) { return c.model.source.size > 0 && !has_features(c); }},
        {{"model.source.convolutions.channels", "model.source.join_rows", "data.source_type"},
         "model.source.convolutions and model.source.join_rows need data.source_type: features",
         [](const Config& c) {
             return (!c.model.source.convolutions.channels.empty() || c.model.source.join_rows > 1) && !has_features(c);
         }},
        {{"model.source.convolutions.row_strides", "model.source.convolutions.column_strides",
          "model.source.convolutions.channels"},
         "model.source.convolutions.row_strides and column_strides need one number, or one for each of the channels",
         [](const Config& c) {
             const ConvolutionsConfig& v = c.model.source.convolutions;
             return !v.channels.empty() && !(fits_layers(v.row_strides, v) && fits_layers(v.column_strides, v));
         }},
        {{"model.source.convolutions.kernel_size", "model.source.convolutions.row_strides",
          "model.source.convolutions.column_strides"},
         "model.source.convolutions.row_strides and column_strides must be at most kernel_size, or parts of the "
         "source are not seen",
         [](const Config& c) {
             const ConvolutionsConfig& v = c.model.source.convolutions;
             return !v.channels.empty() &&
                    (exceeds(v.row_strides, v.kernel_size) || exceeds(v.column_strides, v.kernel_size));
         }},
        {{"vocabulary.source_model", "data.source_type"},
         "vocabulary.source_model needs data.source_type: text; with features, vocabulary.target_model alone names the "
         "vocabulary",
         [](const Config& c) { return !c.vocabulary.source_model.empty() && has_features(c); }},
        {{"model.tied_embeddings", "data.source_type"},
         "model.tied_embeddings: all needs data.source_type: text, since features have no embeddings; use target or "
         "none",
         [](const Config& c) { return c.model.tied_embeddings == TiedEmbeddings::all && has_features(c); }},
        {{"model.init.source_embeddings", "data.source_type"},
         "model.init.source_embeddings needs data.source_type: text, since features have no embeddings",
         [](const Config& c) { return !c.model.init.source_embeddings.empty() && has_features(c); }},
        {{"model.decoder.lexical", "data.source_type"},
         "model.decoder.lexical needs data.source_type: text, since features have no words",
         [](const Config& c) { return c.model.decoder.lexical && has_features(c); }},
        {{"model.encoder.reverse_source", "data.source_type"},
         "model.encoder.reverse_source needs data.source_type: text, whose end of sentence it leaves in place",
         [](const Config& c) {
             return c.model.encoder.type == EncoderType::recurrent && c.model.encoder.reverse_source && has_features(c);
         }},
        {{"data.max_length_ratio", "data.source_type"},
         "data.max_length_ratio needs data.source_type: text, since positions do not compare with pieces; use "
         "data.max_source_length",
         [](const Config& c) { return c.data.max_length_ratio > 0 && has_features(c); }},
        {{"search.shortlist", "data.source_type"},
         "search.shortlist needs data.source_type: text, since it goes by the pieces of the source",
         [](const Config& c) { return c.search.shortlist && has_features(c); }},
    };
}

std::vector<Rule> data_rules() {
    return {
        {{"data.train_source", "data.train_target"},
         "data.train_source and data.train_target need the same number of files",
         [](const Config& c) { return c.data.train_source.size() != c.data.train_target.size(); }},
        {{"data.weights", "data.train_source"},
         "data.weights needs one number for each file of data.train_source",
         [](const Config& c) {
             return !c.data.weights.empty() && c.data.weights.size() != c.data.train_source.size();
         }},
        {{"data.tags", "data.train_source"},
         "data.tags needs one tag, which may be empty, for each file of data.train_source",
         [](const Config& c) { return !c.data.tags.empty() && c.data.tags.size() != c.data.train_source.size(); }},
        {{"data.alignments", "data.train_source"},
         "data.alignments needs one file for each file of data.train_source",
         [](const Config& c) {
             return !c.data.alignments.empty() && c.data.alignments.size() != c.data.train_source.size();
         }},
        {{"data.alignments", "data.source_type"},
         "data.alignments needs data.source_type: text, since features have no words",
         [](const Config& c) { return !c.data.alignments.empty() && has_features(c); }},
        {{"data.alignments", "model.attention.type"},
         "data.alignments needs a model.attention.type other than none, whose decoder has no attention to guide",
         [](const Config& c) {
             return !c.data.alignments.empty() && c.model.decoder.type == DecoderType::recurrent &&
                    c.model.attention.type == AttentionType::none;
         }},
        {{"data.tags"},
         "data.tags must be without spaces, since a tag is one piece",
         [](const Config& c) {
             return std::any_of(c.data.tags.begin(), c.data.tags.end(), [](const std::string& tag) {
                 return tag.find(' ') != std::string::npos || tag.find("\xE2\x96\x81") != std::string::npos;
             });
         }},
        {{"data.tags", "data.source_type"},
         "data.tags needs data.source_type: text, since a tag is a piece",
         [](const Config& c) { return !c.data.tags.empty() && has_features(c); }},
        {{"data.valid_source", "data.valid_target"},
         "data.valid_source and data.valid_target need each other: give both or none",
         [](const Config& c) { return c.data.valid_source.empty() != c.data.valid_target.empty(); }},
    };
}

std::vector<Rule> vocabulary_rules() {
    return {
        {{"vocabulary.target_size", "vocabulary.joint"},
         "vocabulary.target_size needs vocabulary.joint: false, since a joint vocabulary has one size",
         [](const Config& c) { return c.vocabulary.target_size != 0 && c.vocabulary.joint && !has_features(c); }},
        {{"vocabulary.target_model", "vocabulary.source_model"},
         "vocabulary.target_model needs vocabulary.source_model: give both, or the source model alone",
         [](const Config& c) {
             return !c.vocabulary.target_model.empty() && c.vocabulary.source_model.empty() && !has_features(c);
         }},
        {{"vocabulary.target_model", "vocabulary.source_model", "vocabulary.joint"},
         "two different models need vocabulary.joint: false",
         [](const Config& c) {
             const VocabularyConfig& v = c.vocabulary;
             return v.joint && !v.source_model.empty() && !v.target_model.empty() && v.source_model != v.target_model;
         }},
        {{"vocabulary.from_start_model", "training.start_from"},
         "vocabulary.from_start_model needs training.start_from, which names the model",
         [](const Config& c) { return c.vocabulary.from_start_model && c.training.start_from.empty(); }},
        {{"vocabulary.from_start_model", "vocabulary.source_model", "vocabulary.target_model"},
         "vocabulary.from_start_model excludes vocabulary.source_model and vocabulary.target_model",
         [](const Config& c) {
             const VocabularyConfig& v = c.vocabulary;
             return v.from_start_model && !(v.source_model.empty() && v.target_model.empty());
         }},
        {{"vocabulary.placeholders", "data.source_type"},
         "vocabulary.placeholders needs data.source_type: text, since they stand for the same on both sides",
         [](const Config& c) { return c.vocabulary.placeholders > 0 && has_features(c); }},
        {{"vocabulary.placeholders", "data.alignments"},
         "vocabulary.placeholders excludes data.alignments, whose links count words that placeholders stand for",
         [](const Config& c) { return c.vocabulary.placeholders > 0 && !c.data.alignments.empty(); }},
        {{"vocabulary.placeholders", "vocabulary.type"},
         "vocabulary.placeholders needs a vocabulary.type other than word, in which one beside punctuation is unknown",
         [](const Config& c) { return c.vocabulary.placeholders > 0 && c.vocabulary.type == VocabularyType::word; }},
        {{"vocabulary.byte_fallback", "vocabulary.type"},
         "vocabulary.byte_fallback needs a vocabulary.type other than word, which leaves rare words unknown",
         [](const Config& c) { return c.vocabulary.byte_fallback && c.vocabulary.type == VocabularyType::word; }},
        {{"vocabulary.byte_fallback", "vocabulary.size", "vocabulary.target_size"},
         "vocabulary.byte_fallback needs vocabularies of more than 260 pieces, to hold the 256 bytes",
         too_small_for_bytes},
        {{"vocabulary.sampling_alpha", "vocabulary.type"},
         "vocabulary.sampling_alpha needs vocabulary.type: unigram or bpe; words and characters have one segmentation",
         [](const Config& c) { return c.vocabulary.sampling_alpha > 0 && !samples_from_pieces(c.vocabulary); }},
        {{"vocabulary.sampling_nbest", "vocabulary.type"},
         "vocabulary.sampling_nbest needs vocabulary.type: unigram",
         [](const Config& c) {
             return c.vocabulary.sampling_nbest != -1 && c.vocabulary.type != VocabularyType::unigram;
         }},
    };
}

bool has_dropout(const DropoutConfig& d) {
    const auto all = {d.source_words, d.target_words, d.source_embedding, d.target_embedding, d.context, d.output,
                      d.layers,       d.recurrent,    d.attention,        d.feed_forward,     d.residual};
    return std::any_of(all.begin(), all.end(), [](double p) { return p > 0.0; });
}

std::vector<Rule> training_rules() {
    return {
        {{"training.max_epochs", "training.max_updates", "training.max_minutes", "validation.patience",
          "data.valid_source"},
         "training needs a limit: training.max_epochs, training.max_updates, training.max_minutes, or "
         "validation.patience with validation text",
         [](const Config& c) { return trains(c) && !has_stopping_rule(c); }},
        {{"training.start_from", "model.init.source_embeddings", "model.init.target_embeddings"},
         "training.start_from excludes model.init.source_embeddings and model.init.target_embeddings, since the model "
         "brings its own",
         [](const Config& c) {
             const InitConfig& init = c.model.init;
             return !c.training.start_from.empty() &&
                    !(init.source_embeddings.empty() && init.target_embeddings.empty());
         }},
        {{"training.shards", "training.batch_size", "training.batch_unit"},
         "training.shards must not be above training.batch_size where training.batch_unit is sentences",
         [](const Config& c) {
             return c.training.batch_unit == BatchUnit::sentences && c.training.shards > c.training.batch_size;
         }},
        {{"training.r_drop"},
         "training.r_drop needs dropout (model.dropout), without which the two passes are the same",
         [](const Config& c) { return c.training.r_drop > 0 && !has_dropout(c.model.dropout); }},
        {{"training.scheduled_sampling.k", "training.scheduled_sampling.decay"},
         "training.scheduled_sampling.k must be at most 1 where training.scheduled_sampling.decay is linear, below 1 "
         "where it is exponential, and above 1 where it is inverse_sigmoid",
         [](const Config& c) { return !suits_decay(c.training.scheduled_sampling); }},
        {{"training.scheduled_sampling.decay", "training.scheduled_sampling.slope"},
         "training.scheduled_sampling.decay: linear needs training.scheduled_sampling.slope above 0",
         [](const Config& c) {
             const ScheduledSamplingConfig& s = c.training.scheduled_sampling;
             return s.decay == SamplingDecay::linear && s.slope == 0.0;
         }},
        {{"training.minimum_risk.samples", "training.r_drop", "training.scheduled_sampling.decay", "data.alignments"},
         "training.minimum_risk.samples above 0 excludes training.r_drop, training.scheduled_sampling.decay and "
         "data.alignments, which change how cross-entropy is trained",
         [](const Config& c) {
             return c.training.minimum_risk.samples > 0 &&
                    (c.training.r_drop > 0 || c.training.scheduled_sampling.decay != SamplingDecay::none ||
                     !c.data.alignments.empty());
         }},
        {{"training.optimizer.weight_decay", "training.optimizer.type"},
         "training.optimizer.weight_decay needs training.optimizer.type: adamw; the others take "
         "training.optimizer.l2",
         [](const Config& c) {
             return c.training.optimizer.weight_decay > 0 && c.training.optimizer.type != OptimizerType::adamw;
         }},
        {{"training.optimizer.momentum", "training.optimizer.type"},
         "training.optimizer.momentum needs training.optimizer.type: sgd",
         [](const Config& c) {
             return c.training.optimizer.momentum > 0 && c.training.optimizer.type != OptimizerType::sgd;
         }},
        {{"training.schedule.type", "training.schedule.warmup"},
         "training.schedule.type: inverse_sqrt needs training.schedule.warmup of 1 or more",
         [](const Config& c) {
             return c.training.schedule.type == ScheduleType::inverse_sqrt && c.training.schedule.warmup < 1;
         }},
        {{"training.schedule.type", "training.schedule.updates", "training.schedule.warmup"},
         "training.schedule.type: cosine needs training.schedule.updates above training.schedule.warmup: the update at "
         "which the rate reaches its minimum",
         [](const Config& c) {
             return c.training.schedule.type == ScheduleType::cosine &&
                    c.training.schedule.updates <= c.training.schedule.warmup;
         }},
        {{"training.schedule.type", "data.valid_source"},
         "training.schedule.type: plateau needs validation text in data.valid_source and data.valid_target",
         [](const Config& c) {
             return trains(c) && c.training.schedule.type == ScheduleType::plateau && !validates(c);
         }},
        {{"checkpoints.average", "data.valid_source"},
         "checkpoints.average needs validation text in data.valid_source and data.valid_target, which decides whether "
         "the mean is kept",
         [](const Config& c) { return c.checkpoints.average > 0 && trains(c) && !validates(c); }},
        {{"checkpoints.average", "checkpoints.keep_best", "checkpoints.average_of"},
         "checkpoints.average of the best models needs a checkpoints.keep_best that is not below it",
         [](const Config& c) {
             const CheckpointConfig& k = c.checkpoints;
             return k.average_of == AverageOf::best && k.average > k.keep_best;
         }},
        {{"training.schedule.min_learning_rate", "training.optimizer.learning_rate"},
         "training.schedule.min_learning_rate must not be above training.optimizer.learning_rate",
         [](const Config& c) { return c.training.schedule.min_learning_rate > c.training.optimizer.learning_rate; }},
    };
}

std::vector<Rule> output_rules() {
    return {
        {{"search.max_length_ratio", "search.max_length_offset"},
         "search.max_length_ratio and search.max_length_offset must not both be 0, which leaves no room for a "
         "translation",
         [](const Config& c) { return c.search.max_length_ratio <= 0 && c.search.max_length_offset == 0; }},
        {{"search.min_length", "search.max_length"},
         "search.min_length must not be above search.max_length, unless that is 0",
         [](const Config& c) { return c.search.max_length > 0 && c.search.min_length > c.search.max_length; }},
        {{"search.min_length_ratio", "search.max_length_ratio"},
         "search.min_length_ratio must not be above search.max_length_ratio",
         [](const Config& c) { return c.search.min_length_ratio > c.search.max_length_ratio; }},
        {{"search.n_best", "search.beam"},
         "search.beam must be at least search.n_best",
         [](const Config& c) { return !c.search.sampling && c.search.n_best > c.search.beam; }},
        {{"search.groups", "search.sampling"},
         "search.groups and search.sampling exclude each other, since only a beam has groups",
         [](const Config& c) { return c.search.sampling && c.search.groups > 1; }},
        {{"search.groups", "search.beam"},
         "search.beam must be a multiple of search.groups",
         [](const Config& c) { return !c.search.sampling && c.search.beam % c.search.groups != 0; }},
        {{"search.coverage_penalty", "model.attention.type"},
         "search.coverage_penalty needs a model with attention",
         [](const Config& c) {
             return c.search.coverage_penalty > 0 && c.model.attention.type == AttentionType::none;
         }},
        {{"validation.metric", "validation.translate"},
         "validation.metric: bleu, chrf, chrf++, ter, cer and wer need validation.translate: true; without translation "
         "use cross_entropy or perplexity",
         [](const Config& c) { return scores_translations(c.validation.metric) && !c.validation.translate; }},
    };
}

std::vector<Rule> make_rules() {
    std::vector<Rule> all;
    for (const auto& part :
         {data_rules(), feature_rules(), vocabulary_rules(), model_rules(), training_rules(), output_rules()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

// "model.attention.type is dot (config.yaml:4:9)"
std::string describe_key(const Key& key, const Config& config, const Origins& origins, const Wording& wording) {
    const std::string name = wording.name_of_key(key);
    const auto given = origins.find(key.path);
    const std::string origin = given != origins.end() ? given->second : key.of_request ? "" : wording.otherwise;
    const bool says_more = !origin.empty() && !starts_with(origin, name + " ");
    return name + " is " + format_value(key.get(config), key.type) + (says_more ? " (" + origin + ")" : "");
}

// The statement with what `wording` calls the keys in place of their paths.
std::string statement_of(const Rule& rule, const Wording& wording) {
    std::string text = rule.statement;
    for (const std::string& path : rule.keys) {
        const std::string name = wording.name_of_key(key_at(path));
        for (std::size_t i = text.find(path); i != std::string::npos; i = text.find(path, i + 1)) {
            const char next = text.c_str()[i + path.size()];
            if (next != '_' && (next < 'a' || next > 'z')) {  // else it is the beginning of a longer path
                text.replace(i, path.size(), name);
            }
        }
    }
    return text;
}

std::string describe_broken(const Rule& rule, const Config& config, const Origins& origins, const Wording& wording) {
    std::string text = statement_of(rule, wording) + "; now ";
    for (std::size_t i = 0; i < rule.keys.size(); ++i) {
        text += i == 0 ? "" : i + 1 == rule.keys.size() ? " and " : ", ";
        text += describe_key(key_at(rule.keys[i]), config, origins, wording);
    }
    return text;
}

bool is_override(const std::string& origin) {
    return starts_with(origin, "--");
}

}  // namespace

const std::vector<Rule>& rules() {
    static const std::vector<Rule>& all = *new std::vector<Rule>(make_rules());  // never destroyed, like the schema
    return all;
}

void check_rules(const Config& config, const Origins& origins, const Wording& wording, Problems& problems) {
    const Config used = without_ignored(config);
    for (const Rule& rule : rules()) {
        if (!rule.broken(used)) {
            continue;
        }
        std::string place;  // of what was given last: an override is to blame rather than the file that it changes
        for (const std::string& path : rule.keys) {
            const auto origin = origins.find(path);
            const bool given = origin != origins.end();
            if (given && (place.empty() || (!is_override(place) && is_override(origin->second)))) {
                place = origin->second;
            }
        }
        problems.add(place.empty() ? wording.place : place, describe_broken(rule, config, origins, wording));
    }
}

std::string fault_of(const SearchConfig& search) {
    Config config;
    config.search = search;
    for (const Key& key : search_schema()) {
        if (!allows(key, key.get(config))) {
            return name_of(key.path) + " must be " + expected_text(key);
        }
    }
    for (const Rule& rule : rules()) {
        if (rule.broken(config)) {
            return describe_broken(rule, config, {}, {[](const Key& key) { return name_of(key.path); }, "", ""});
        }
    }
    return "";
}

}  // namespace softalign
