#include "config/rules.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "config/helpers.h"

namespace softalign {

namespace {

const std::string corpora = "data: {train_source: s, train_target: t, valid_source: vs, valid_target: vt}\n";
const std::string no_validation = "data: {train_source: s, train_target: t}\n";

struct Case {
    std::string broken;              // a configuration that breaks one rule alone
    Overrides mended;                // what makes it whole
    std::string place;               // where the message points
    std::vector<std::string> parts;  // what the message says, the keys above all
};

std::vector<Case> cases() {
    return {
        {"data:\n  train_source: [a, b]\n  train_target: [c]\ntraining: {max_epochs: 1}\n",
         {"data.train_target=[c, d]"},
         "config.yaml:2:17",
         {"data.train_source and data.train_target need the same number of files", "[\"/base/a\", \"/base/b\"]",
          "[\"/base/c\"] (config.yaml:3:17)"}},
        {"data: {train_source: [a, b], train_target: [c, d], weights: 2}\ntraining: {max_epochs: 1}\n",
         {"data.weights=[1, 2]"},
         "config.yaml:1:61",
         {"data.weights is [2.0]", "data.train_source is [\"/base/a\", \"/base/b\"]"}},
        {"data: {train_source: [a, b], train_target: [c, d], tags: <bt>}\ntraining: {max_epochs: 1}\n",
         {"data.tags=[\"\", <bt>]"},
         "config.yaml:1:58",
         {"data.tags is [\"<bt>\"]", "data.train_source is [\"/base/a\", \"/base/b\"]"}},
        {"data: {train_source: a, train_target: c, tags: <back translated>}\ntraining: {max_epochs: 1}\n",
         {"data.tags=<bt>"},
         "config.yaml:1:48",
         {"data.tags is [\"<back translated>\"]", "without spaces"}},
        {"data: {train_source: a, train_target: c, tags: <bt>, source_type: features}\ntraining: {max_epochs: 1}\n",
         {"data.source_type=text"},
         "config.yaml:1:48",
         {"data.tags is [\"<bt>\"]", "data.source_type is features"}},
        {"data: {train_source: [a, b], train_target: [c, d], alignments: e}\ntraining: {max_epochs: 1}\n",
         {"data.alignments=[e, f]"},
         "config.yaml:1:64",
         {"data.alignments is [\"/base/e\"]", "data.train_source is [\"/base/a\", \"/base/b\"]"}},
        {"data: {train_source: a, train_target: c, alignments: e, source_type: features}\n"
         "training: {max_epochs: 1}\n",
         {"data.source_type=text"},
         "config.yaml:1:54",
         {"data.alignments is [\"/base/e\"]", "data.source_type is features"}},
        {"data: {train_source: a, train_target: c, alignments: e}\ntraining: {max_epochs: 1}\n"
         "model: {attention: {type: none}}\n",
         {"model.decoder.type=transformer"},
         "config.yaml:1:54",
         {"data.alignments is [\"/base/e\"]", "model.attention.type is none"}},
        {no_validation + "training: {max_epochs: 1}\ncheckpoints: {average: 2, keep_best: 2}\n",
         {"data.valid_source=a", "data.valid_target=b"},
         "config.yaml:3:24",
         {"checkpoints.average is 2", "data.valid_source is \"\" (the default)"}},
        {"checkpoints: {average: 3, keep_best: 2}\n",
         {"checkpoints.average_of=last"},
         "config.yaml:1:24",
         {"checkpoints.average is 3", "checkpoints.keep_best is 2", "checkpoints.average_of is best"}},
        {"data: {valid_source: a}\n",
         {"data.valid_target=b"},
         "config.yaml:1:22",
         {"data.valid_source is \"/base/a\"", "data.valid_target is \"\" (the default)"}},
        {"vocabulary: {from_start_model: true}\n",
         {"training.start_from=m"},
         "config.yaml:1:32",
         {"vocabulary.from_start_model is true", "training.start_from is \"\" (the default)"}},
        {"vocabulary: {from_start_model: true, source_model: m}\ntraining: {start_from: d}\n",
         {"vocabulary.source_model="},
         "config.yaml:1:32",
         {"vocabulary.from_start_model is true", "vocabulary.source_model is \"/base/m\""}},
        {"vocabulary: {placeholders: 3}\ndata: {source_type: features}\n",
         {"vocabulary.placeholders=0"},
         "config.yaml:1:28",
         {"vocabulary.placeholders is 3", "data.source_type is features"}},
        {"vocabulary: {placeholders: 3}\ndata: {train_source: a, train_target: c, alignments: e}\n"
         "training: {max_epochs: 1}\n",
         {"vocabulary.placeholders=0"},
         "config.yaml:1:28",
         {"vocabulary.placeholders is 3", "data.alignments is [\"/base/e\"]"}},
        {"vocabulary: {placeholders: 3, type: word}\n",
         {"vocabulary.placeholders=0"},
         "config.yaml:1:28",
         {"vocabulary.placeholders is 3", "vocabulary.type is word"}},
        {"model: {init: {target_embeddings: v}}\ntraining: {start_from: d}\n",
         {"training.start_from="},
         "config.yaml:2:24",
         {"training.start_from is \"/base/d\"", "model.init.target_embeddings is \"/base/v\""}},
        {"data: {source_type: features}\nmodel: {init: {source_embeddings: v}}\n",
         {"data.source_type=text"},
         "config.yaml:2:35",
         {"model.init.source_embeddings is \"/base/v\"", "data.source_type is features"}},
        {"model: {source: {size: 9}}\n",
         {"data.source_type=features"},
         "config.yaml:1:24",
         {"model.source.size is 9", "data.source_type is text (the default)"}},
        {"model: {source: {join_rows: 4}}\n",
         {"data.source_type=features"},
         "config.yaml:1:29",
         {"model.source.join_rows is 4", "data.source_type is text (the default)"}},
        {"data: {source_type: features}\nmodel: {source: {convolutions: {channels: [8, 8, 8], row_strides: [2, 1]}}}\n",
         {"model.source.convolutions.row_strides=2"},
         "config.yaml:2:67",
         {"model.source.convolutions.row_strides is [2, 1]", "model.source.convolutions.channels is [8, 8, 8]"}},
        {"data: {source_type: features}\nmodel: {source: {convolutions: {channels: 8, column_strides: 4}}}\n",
         {"model.source.convolutions.kernel_size=4"},
         "config.yaml:2:62",
         {"model.source.convolutions.column_strides is [4]", "at most kernel_size"}},
        {"data: {source_type: features}\nvocabulary: {source_model: m}\n",
         {"vocabulary.source_model=", "vocabulary.target_model=m"},
         "config.yaml:2:28",
         {"vocabulary.source_model is \"/base/m\"", "vocabulary.target_model alone"}},
        {"data: {source_type: features}\nmodel: {tied_embeddings: all}\n",
         {"model.tied_embeddings=target"},
         "config.yaml:2:26",
         {"model.tied_embeddings is all", "data.source_type is features (config.yaml:1:21)"}},
        {"data: {source_type: features}\nmodel: {encoder: {reverse_source: true}}\n",
         {"model.encoder.reverse_source=false"},
         "config.yaml:2:35",
         {"model.encoder.reverse_source is true", "data.source_type is features"}},
        {"data: {source_type: features}\nmodel: {decoder: {lexical: true}}\n",
         {"model.decoder.lexical=false"},
         "config.yaml:2:28",
         {"model.decoder.lexical is true", "data.source_type is features"}},
        {"data: {source_type: features, max_length_ratio: 2}\n",
         {"data.max_length_ratio=0"},
         "config.yaml:1:49",
         {"data.max_length_ratio is 2", "use data.max_source_length"}},
        {"data: {source_type: features}\nsearch: {shortlist: true}\n",
         {"search.shortlist=false"},
         "config.yaml:2:21",
         {"search.shortlist is true", "data.source_type is features"}},
        {"vocabulary: {target_size: 100}\n",
         {"vocabulary.joint=false"},
         "config.yaml:1:27",
         {"vocabulary.target_size is 100", "vocabulary.joint is true (the default)"}},
        {"vocabulary: {target_model: m}\n",
         {"vocabulary.source_model=n", "vocabulary.joint=false"},
         "config.yaml:1:28",
         {"vocabulary.target_model needs vocabulary.source_model"}},
        {"vocabulary: {source_model: a, target_model: b}\n",
         {"vocabulary.joint=false"},
         "config.yaml:1:45",
         {"two different models need vocabulary.joint: false"}},
        {"vocabulary: {type: word, byte_fallback: true}\n",
         {"vocabulary.type=bpe"},
         "config.yaml:1:41",
         {"vocabulary.byte_fallback is true (config.yaml:1:41)", "vocabulary.type is word (config.yaml:1:20)"}},
        {"vocabulary: {size: 260, byte_fallback: true}\n",
         {"vocabulary.size=261"},
         "config.yaml:1:40",
         {"vocabulary.size is 260", "more than 260"}},
        {"vocabulary: {type: char, sampling_alpha: 0.1}\n",
         {"vocabulary.type=unigram"},
         "config.yaml:1:42",
         {"vocabulary.sampling_alpha is 0.1", "vocabulary.type is char"}},
        {"vocabulary: {type: word, sampling_alpha: 0.1}\n",
         {"vocabulary.type=bpe"},
         "config.yaml:1:42",
         {"vocabulary.sampling_alpha is 0.1", "vocabulary.type is word"}},
        {"vocabulary: {type: bpe, sampling_nbest: 64}\n",
         {"vocabulary.type=unigram"},
         "config.yaml:1:41",
         {"vocabulary.sampling_nbest is 64", "vocabulary.type is bpe"}},
        {"model: {tied_embeddings: all}\nvocabulary: {joint: false}\n",
         {"model.tied_embeddings=target"},
         "config.yaml:1:26",
         {"model.tied_embeddings: all needs vocabulary.joint: true", "vocabulary.joint is false (config.yaml:2:21)"}},
        {"model: {tied_embeddings: target, embedding_size: 64, decoder: {readout_size: 32}}\n",
         {"model.decoder.readout_size=0"},
         "config.yaml:1:26",
         {"model.decoder.readout_size is 32", "model.embedding_size is 64", "set model.decoder.readout_size: 0"}},
        {"model: {attention: {type: dot}, encoder: {hidden_size: 32}, decoder: {hidden_size: 32}}\n",
         {"model.encoder.bidirectional=false"},
         "config.yaml:1:27",
         {"model.decoder.hidden_size is 32", "model.encoder.hidden_size is 32",
          "model.encoder.bidirectional is true (the default)"}},
        {"model: {attention: {type: none}, decoder: {attend: after}}\n",
         {"model.decoder.attend=before"},
         "config.yaml:1:27",
         {"model.attention.type: none needs model.decoder.attend: before or look_generate_update", "or never"}},
        {"model: {decoder: {attend: never}}\n",
         {"model.attention.type=none"},
         "config.yaml:1:27",
         {"model.decoder.attend is never", "model.attention.type is additive (the default)"}},
        {"model: {attention: {type: none}, decoder: {attend: never, initial_state: zero}}\n",
         {"model.decoder.initial_state=copy", "model.encoder.bidirectional=false"},
         "config.yaml:1:52",
         {"model.decoder.initial_state is zero", "nothing of the source reaches the decoder"}},
        {"model: {decoder: {readout: none}}\n",
         {"model.decoder.attend=never", "model.attention.type=none"},
         "config.yaml:1:28",
         {"model.decoder.readout is none", "model.decoder.attend is before (the default)"}},
        {"model: {attention: {type: multi_head, heads: 3}}\n",
         {"model.attention.size=30"},
         "config.yaml:1:46",
         {"model.attention.heads is 3", "model.attention.size is 512"}},
        {"model: {attention: {type: grouped_query, groups: 3}}\n",
         {"model.attention.groups=4"},
         "config.yaml:1:50",
         {"model.attention.groups is 3", "model.attention.heads is 8"}},
        {"model: {attention: {type: dot, coverage: sum}, encoder: {hidden_size: 256}}\n",
         {"model.attention.type=additive"},
         "config.yaml:1:42",
         {"model.attention.coverage is sum", "model.attention.type is dot"}},
        {"model: {attention: {type: none}, decoder: {lexical: true}}\n",
         {"model.attention.type=additive"},
         "config.yaml:1:53",
         {"model.decoder.lexical is true", "model.attention.type is none"}},
        {"model: {encoder: {self_attention: {layers: 1, heads: 3}}}\n",
         {"model.encoder.hidden_size=600"},
         "config.yaml:1:54",
         {"model.encoder.self_attention.heads is 3", "model.encoder.hidden_size is 512"}},
        {"model: {layer_norm: true, decoder: {cell: gru_cho}}\n",
         {"model.decoder.cell=gru"},
         "config.yaml:1:21",
         {"model.layer_norm is true", "model.decoder.cell is gru_cho"}},
        {"model: {decoder: {layer_norm: false}}\n",
         {"model.layer_norm=true"},
         "config.yaml:1:31",
         {"model.decoder.layer_norm is false", "model.layer_norm is false"}},
        {"model: {encoder: {alternating: true}}\n",
         {"model.encoder.layers=2"},
         "config.yaml:1:32",
         {"model.encoder.alternating is true", "model.encoder.layers is 1"}},
        {"model: {encoder: {layers: 2, alternating: true}, decoder: {initial_state: first_backward}}\n",
         {"model.decoder.initial_state=last"},
         "config.yaml:1:43",
         {"model.encoder.alternating is true", "model.decoder.initial_state is first_backward"}},
        {"model: {decoder: {layers: 2, attend: after, deep_context: true}}\n",
         {"model.decoder.attend=between"},
         "config.yaml:1:59",
         {"model.decoder.deep_context is true", "model.decoder.attend is after"}},
        {"model: {encoder: {cell: lstm, transition_depth: 2}}\n",
         {"model.encoder.cell=gru_cho"},
         "config.yaml:1:49",
         {"model.encoder.transition_depth is 2", "model.encoder.cell is lstm"}},
        {"model: {decoder: {cell: lstm, transition_depth: 2}}\n",
         {"model.decoder.cell=gru"},
         "config.yaml:1:49",
         {"model.decoder.transition_depth is 2", "model.decoder.cell is lstm"}},
        {"model: {encoder: {bidirectional: false}, decoder: {initial_state: first_backward}}\n",
         {"model.encoder.bidirectional=true"},
         "config.yaml:1:67",
         {"model.decoder.initial_state is first_backward", "model.encoder.bidirectional is false"}},
        {"model: {encoder: {bidirectional: false, layers: 2}, decoder: {initial_state: copy}}\n",
         {"model.decoder.layers=2"},
         "config.yaml:1:78",
         {"model.decoder.initial_state is copy", "model.encoder.layers is 2", "model.decoder.layers is 1"}},
        {"model: {decoder: {attend: after, readout_state: previous}}\n",
         {"model.decoder.attend=before"},
         "config.yaml:1:49",
         {"model.decoder.readout_state is previous", "model.decoder.attend is after"}},
        {"model: {encoder: {type: transformer}, decoder: {initial_state: last}}\n",
         {"model.decoder.initial_state=mean"},
         "config.yaml:1:25",
         {"model.encoder.type is transformer", "model.decoder.initial_state is last", "mean or zero"}},
        {"model: {encoder: {type: convolutional, reverse_source: true}}\n",
         {"model.encoder.type=recurrent"},
         "config.yaml:1:25",
         {"model.encoder.type is convolutional", "model.encoder.reverse_source is true"}},
        {"model: {encoder: {type: transformer}, transformer: {heads: 3}}\n",
         {"model.encoder.hidden_size=600"},
         "config.yaml:1:60",
         {"model.transformer.heads is 3", "model.encoder.hidden_size is 512"}},
        {"model: {decoder: {type: transformer, layers: 2}, transformer: {alignment_layer: 3}}\n",
         {"model.decoder.layers=3"},
         "config.yaml:1:81",
         {"model.transformer.alignment_layer is 3", "model.decoder.layers is 2"}},
        {"model: {encoder: {residual: true}}\n",
         {"model.encoder.layers=2"},
         "config.yaml:1:29",
         {"model.encoder.residual is true", "model.encoder.layers is 1"}},
        {"model: {decoder: {residual: true}}\n",
         {"model.decoder.layers=2"},
         "config.yaml:1:29",
         {"model.decoder.residual is true", "model.decoder.layers is 1"}},
        {corpora + "validation: {patience: 0}\n",
         {"training.max_minutes=0.5"},
         "config.yaml:2:24",
         {"training.max_epochs is 0", "training.max_updates is 0", "training.max_minutes is 0.0",
          "validation.patience is 0"}},
        {no_validation,
         {"training.max_updates=1"},
         "config.yaml",
         {"training needs a limit", "data.valid_source is \"\" (the default)"}},
        {"training: {batch_size: 4, shards: 5}\n",
         {"training.batch_unit=tokens"},
         "config.yaml:1:35",
         {"training.shards is 5", "training.batch_size is 4 (config.yaml:1:24)"}},
        {"training: {scheduled_sampling: {decay: exponential}}\n",
         {"training.scheduled_sampling.k=0.999"},
         "config.yaml:1:40",
         {"training.scheduled_sampling.k is 1.0 (the default)", "training.scheduled_sampling.decay is exponential"}},
        {"training: {scheduled_sampling: {decay: inverse_sigmoid}}\n",
         {"training.scheduled_sampling.k=1.001"},
         "config.yaml:1:40",
         {"training.scheduled_sampling.k is 1.0 (the default)",
          "training.scheduled_sampling.decay is inverse_sigmoid"}},
        {"training: {scheduled_sampling: {decay: linear}}\n",
         {"training.scheduled_sampling.slope=0.001"},
         "config.yaml:1:40",
         {"training.scheduled_sampling.decay is linear", "training.scheduled_sampling.slope is 0.0"}},
        {"training: {r_drop: 5, minimum_risk: {samples: 10}}\nmodel: {dropout: {output: 0.1}}\n",
         {"training.minimum_risk.samples=0"},
         "config.yaml:1:47",
         {"training.minimum_risk.samples is 10", "training.r_drop is 5"}},
        {"training: {r_drop: 5}\n",
         {"model.dropout.output=0.1"},
         "config.yaml:1:20",
         {"training.r_drop needs dropout (model.dropout)", "training.r_drop is 5"}},
        {"training: {optimizer: {weight_decay: 0.01}}\n",
         {"training.optimizer.type=adamw"},
         "config.yaml:1:38",
         {"training.optimizer.weight_decay is 0.01", "training.optimizer.type is adam (the default)"}},
        {"training: {optimizer: {momentum: 0.9}}\n",
         {"training.optimizer.type=sgd"},
         "config.yaml:1:34",
         {"training.optimizer.momentum is 0.9", "training.optimizer.type is adam"}},
        {"training: {schedule: {type: inverse_sqrt}}\n",
         {"training.schedule.warmup=1"},
         "config.yaml:1:29",
         {"training.schedule.type is inverse_sqrt", "training.schedule.warmup is 0"}},
        {"training: {schedule: {type: cosine, warmup: 10, updates: 10}}\n",
         {"training.schedule.updates=11"},
         "config.yaml:1:29",
         {"training.schedule.updates is 10", "training.schedule.warmup is 10"}},
        {no_validation + "training: {max_epochs: 1, schedule: {type: plateau}}\n",
         {"data.valid_source=a", "data.valid_target=b"},
         "config.yaml:2:44",
         {"training.schedule.type: plateau needs validation", "data.valid_source is \"\""}},
        {"training: {optimizer: {learning_rate: 0.001}, schedule: {min_learning_rate: 0.01}}\n",
         {"training.optimizer.learning_rate=0.01"},
         "config.yaml:1:77",
         {"training.schedule.min_learning_rate is 0.01", "training.optimizer.learning_rate is 0.001"}},
        {"search: {max_length_ratio: 0, max_length_offset: 0}\n",
         {"search.max_length_offset=1"},
         "config.yaml:1:28",
         {"search.max_length_ratio is 0.0", "search.max_length_offset is 0"}},
        {"search: {min_length: 5, max_length: 4}\n",
         {"search.max_length=5"},
         "config.yaml:1:22",
         {"search.min_length is 5", "search.max_length is 4"}},
        {"search: {min_length_ratio: 3}\n",
         {"search.max_length_ratio=3"},
         "config.yaml:1:28",
         {"search.min_length_ratio is 3.0", "search.max_length_ratio is 2.0"}},
        {"search: {coverage_penalty: 0.2}\nmodel: {attention: {type: none}}\n",
         {"model.attention.type=additive"},
         "config.yaml:1:28",
         {"search.coverage_penalty is 0.2", "model.attention.type is none"}},
        {"validation: {translate: false}\n",
         {"validation.metric=cross_entropy"},
         "config.yaml:1:25",
         {"validation.metric is bleu (the default)", "validation.translate is false"}},
    };
}

TEST(Rules, MessagesNamePlaceAndKeysAndCanBeActedOn) {
    for (const Case& test : cases()) {
        SCOPED_TRACE(test.broken);
        const std::string message = refusal(test.broken);
        EXPECT_EQ(message.find(test.place + ": "), 0U) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        for (const std::string& part : test.parts) {
            expect_contains(message, part);
        }
        EXPECT_NO_THROW(parse(test.broken, test.mended));
    }
}

TEST(Rules, EveryOneHasACase) {
    std::set<std::string> statements;
    for (const Case& test : cases()) {
        const std::string message = refusal(test.broken);
        for (const Rule& rule : rules()) {
            if (message.find(rule.statement) != std::string::npos) {
                statements.insert(rule.statement);
            }
        }
    }
    for (const Rule& rule : rules()) {
        if (std::none_of(rule.keys.begin(), rule.keys.end(), find_request_key)) {
            EXPECT_EQ(statements.count(rule.statement), 1U) << rule.statement;
        }
    }
}

// The same rule in the words of a configuration, of the command line and of a program.
TEST(Rules, SpeakTheLanguageOfWhoeverAsks) {
    Config config;
    config.search.min_length = 9;
    config.search.max_length = 3;
    const auto message = [&](const Wording& wording, const std::string& origin = "--min-length 9") -> std::string {
        Problems problems;
        check_rules(config, {{"search.min_length", origin}}, wording, problems);
        try {
            problems.throw_if_any();
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message({[](const Key& key) { return key.path; }, "file", "the default"}),
              "--min-length 9: search.min_length must not be above search.max_length, unless that is 0; now "
              "search.min_length is 9 (--min-length 9) and search.max_length is 3 (the default)");
    EXPECT_EQ(message({[](const Key& key) { return key.option; }, "file", "the file"}),
              "--min-length 9: --min-length must not be above --max-length, unless that is 0; now --min-length is 9 "
              "and --max-length is 3 (the file)");
    const std::string like_its_key = "search.min_length_9.yaml:2:3";
    expect_contains(message({[](const Key& key) { return key.path; }, "", "the default"}, like_its_key),
                    "now search.min_length is 9 (" + like_its_key + ") and");
    EXPECT_EQ(fault_of(config.search),
              "min_length must not be above max_length, unless that is 0; now min_length is 9 and max_length is 3");
    config.search = {};
    EXPECT_EQ(fault_of(config.search), "");
    config.search.min_length_ratio = 3.0;  // one path begins with another
    EXPECT_EQ(fault_of(config.search),
              "min_length_ratio must not be above max_length_ratio; now min_length_ratio is 3.0 and max_length_ratio "
              "is 2.0");
}

TEST(Rules, OfRequests) {
    const auto fault = [](const std::function<void(SearchConfig&)>& change) {
        SearchConfig search;
        change(search);
        return fault_of(search);
    };
    EXPECT_EQ(fault([](auto& s) { s.n_best = 6; }), "beam must be at least n_best; now n_best is 6 and beam is 5");
    EXPECT_EQ(fault([](auto& s) { s.n_best = 5; }), "");
    EXPECT_EQ(fault([](auto& s) { s.groups = 2; }), "beam must be a multiple of groups; now groups is 2 and beam is 5");
    EXPECT_EQ(fault([](auto& s) { s.groups = 5; }), "");
    const auto drawing = [](std::int64_t groups) {
        return [groups](auto& s) {
            s.sampling = true;
            s.n_best = 6;  // sampling has no beam
            s.groups = groups;
        };
    };
    EXPECT_EQ(fault(drawing(1)), "");
    EXPECT_EQ(fault(drawing(2)),
              "groups and sampling exclude each other, since only a beam has groups; now groups is 2 and sampling is "
              "true");
}

TEST(Rules, NameKeysThatExist) {
    for (const Rule& rule : rules()) {
        EXPECT_FALSE(rule.keys.empty());
        for (const std::string& path : rule.keys) {
            EXPECT_TRUE(find_key(path) != nullptr || find_request_key(path) != nullptr) << path;
        }
    }
}

TEST(Rules, PointAtAnOverride) {
    expect_contains(refusal("model: {tied_embeddings: all}\n", {"vocabulary.joint=false"}),
                    "vocabulary.joint is false (--set vocabulary.joint=false)");
    // What was whole without it is not to blame.
    EXPECT_EQ(
        refusal("model: {tied_embeddings: all}\n", {"vocabulary.joint=false"}).find("--set vocabulary.joint=false: "),
        0U);
    EXPECT_EQ(refusal("training: {shards: 8, batch_size: 16}\n", {"training.batch_size=4"})
                  .find("--set training.batch_size=4: training.shards must not be above training.batch_size"),
              0U);
}

TEST(Rules, AreAllReportedAtOnce) {
    const std::string message =
        refusal("model: {encoder: {residual: true}, decoder: {residual: true}}\nvocabulary: {target_size: 9}\n");
    expect_contains(message, "config.yaml:2:27: vocabulary.target_size needs");
    expect_contains(message, "\nconfig.yaml:1:29: model.encoder.residual needs");
    expect_contains(message, "\nconfig.yaml:1:56: model.decoder.residual needs");
}

TEST(Rules, LeaveWhatIsWholeAlone) {
    parse(corpora);  // patience ends it
    parse("model: {tied_embeddings: all, embedding_size: 64, decoder: {readout_size: 64}}\n");
    parse("vocabulary: {source_model: a, target_model: a}\n");
    parse("model: {attention: {type: none}}\n");  // input_feeding keeps its default
    parse("vocabulary: {size: 8, byte_fallback: true, source_model: given.model}\n");
}

}  // namespace

}  // namespace softalign
