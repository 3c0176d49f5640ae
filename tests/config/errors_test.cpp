// Every message about a configuration, read in full or where it matters.

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "config/helpers.h"
#include "config/yaml_tree.h"

namespace softalign {

namespace {

std::string load_refusal(const std::string& path) {
    try {
        load_config(path, {});
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::configuration);
        return error.what();
    }
    ADD_FAILURE() << "accepted: " << path;
    return "";
}

TEST(ConfigErrors, WhatOnlyRequestsSetIsNoKey) {
    EXPECT_EQ(refusal("search:\n  n_best: 4\n"),
              "config.yaml:2:3: unknown key search.n_best; it belongs to a request, not to a configuration: use the "
              "option --n-best of softalign translate");
    EXPECT_EQ(to_yaml(Config{}).find("n_best"), std::string::npos);
    EXPECT_EQ(configuration_reference().find("n_best"), std::string::npos);
}

TEST(ConfigErrors, UnknownKeyHasPlaceAndNearest) {
    EXPECT_EQ(refusal("training:\n  seed: 1\n  batch_szie: 32\n"),
              "config.yaml:3:3: unknown key training.batch_szie; did you mean training.batch_size?");
    EXPECT_EQ(refusal("model:\n  encoder: {layer: 2}\n"),
              "config.yaml:2:13: unknown key model.encoder.layer; did you mean model.encoder.layers?");
    EXPECT_EQ(refusal("model:\n  batch_size: 32\n"),
              "config.yaml:2:3: unknown key model.batch_size; batch_size is training.batch_size or search.batch_size");
}

TEST(ConfigErrors, WrongTypeSaysFoundAndExpected) {
    EXPECT_EQ(refusal("training:\n  batch_size: many\n"),
              "config.yaml:2:15: training.batch_size: expected an integer, 1 to 10000000, found the text \"many\"");
    EXPECT_EQ(refusal("training: {batch_size: 2.5}\n"),
              "config.yaml:1:24: training.batch_size: expected an integer, 1 to 10000000, found the number 2.5");
    EXPECT_EQ(refusal("training: {batch_size: \"64\"}\n"),
              "config.yaml:1:24: training.batch_size: expected an integer, 1 to 10000000, found the text \"64\" (in "
              "quotes)");
    EXPECT_EQ(refusal("model: {layer_norm: yes}\n"),
              "config.yaml:1:21: model.layer_norm: expected true or false, found the text \"yes\"");
    EXPECT_EQ(refusal("model: {layer_norm: 1}\n"),
              "config.yaml:1:21: model.layer_norm: expected true or false, found the integer 1");
    EXPECT_EQ(refusal("search: {length_alpha: [1, 2]}\n"),
              "config.yaml:1:24: search.length_alpha: expected a number, 0 to 10, found a list");
    EXPECT_EQ(refusal("model: {source: {convolutions: {channels: [8, x]}}}\n"),
              "config.yaml:1:47: model.source.convolutions.channels: expected an integer or a list of integers, each 1 "
              "to 65536, found the text \"x\"");
    EXPECT_EQ(
        refusal("model: {source: {convolutions: {channels: [8, 0]}}}\n"),
        "config.yaml:1:47: model.source.convolutions.channels: 0 is not allowed; expected an integer or a list of "
        "integers, each 1 to 65536");
    EXPECT_EQ(refusal("data:\n  valid_source: {a: b}\n"),
              "config.yaml:2:17: data.valid_source: expected a path, found a map");
    EXPECT_EQ(refusal("data:\n  train_source: [a, [b]]\n"),
              "config.yaml:2:21: data.train_source: expected a path or a list of paths, found a list");
    EXPECT_EQ(refusal("model: {layer_norm: !!bool true}\n"),
              "config.yaml:1:21: YAML tags (!) are not used here; write the value alone (quotes make it text)");
}

TEST(ConfigErrors, LongTextIsCutInMessages) {
    const std::string message = refusal("training: {seed: " + std::string(5000, 'x') + "}\n");
    EXPECT_LT(message.size(), 300U);
    expect_contains(message, "xxx…");
    EXPECT_LT(refusal("model: {attention: {type: " + std::string(5000, 'x') + "}}\n").size(), 300U);
    EXPECT_LT(refusal("training: {seed: " + std::string(5000, '9') + "}\n").size(), 300U);
}

TEST(ConfigErrors, ChoiceNamesNearestAndAll) {
    EXPECT_EQ(refusal("training:\n  optimizer:\n    type: adm\n"),
              "config.yaml:3:11: training.optimizer.type: unknown choice adm; did you mean adam? Allowed: sgd, "
              "adadelta, adam, adamw");
    EXPECT_EQ(refusal("vocabulary: {type: character}\n"),
              "config.yaml:1:20: vocabulary.type: unknown choice character; Allowed: unigram, bpe, word, char");
    EXPECT_EQ(refusal("model: {attention: {type: [dot]}}\n"),
              "config.yaml:1:27: model.attention.type: expected one of additive, dot, general, concat, location, "
              "local_m, local_p, scaled_dot, multi_head, multi_query, grouped_query, none, found a "
              "list");
}

TEST(ConfigErrors, ImpossibleValue) {
    EXPECT_EQ(refusal("training:\n  batch_size: 0\n"),
              "config.yaml:2:15: training.batch_size: 0 is not allowed; expected an integer, 1 to 10000000");
    EXPECT_EQ(refusal("model: {dropout: {output: 1.0}}\n"),
              "config.yaml:1:27: model.dropout.output: 1.0 is not allowed; expected a number, 0 to 1, 1 excluded");
    EXPECT_EQ(refusal("training: {schedule: {factor: 1}}\n"),
              "config.yaml:1:31: training.schedule.factor: 1 is not allowed; expected a number, 0 to 1, both excluded");
    EXPECT_EQ(
        refusal("training: {optimizer: {learning_rate: 0}}\n"),
        "config.yaml:1:39: training.optimizer.learning_rate: 0 is not allowed; expected a number, 0 to 1000000, 0 "
        "excluded");
    EXPECT_EQ(refusal("training: {optimizer: {type: sgd, learning_rate: 1.0e39}}\n"),
              "config.yaml:1:50: training.optimizer.learning_rate: 1.0e39 is not allowed; expected a number, 0 to "
              "1000000, 0 excluded");
    EXPECT_EQ(refusal("data: {max_length_ratio: 0.5}\n"),
              "config.yaml:1:26: data.max_length_ratio: 0.5 is not allowed; expected a number, 0 or at least 1");
    EXPECT_EQ(refusal("vocabulary: {sampling_nbest: 1}\n"),
              "config.yaml:1:30: vocabulary.sampling_nbest: 1 is not allowed; expected an integer, -1 or 2 to 512");
}

TEST(ConfigErrors, NoValueAndEmptyPath) {
    EXPECT_EQ(refusal("training:\n  seed:\n  max_epochs: 1\n"),
              "config.yaml:2:3: training.seed: no value; expected an integer, 0 to 18446744073709551615, or leave the "
              "key out for its default");
    EXPECT_EQ(refusal("data: {train_source: [a, \"\"]}\n"),
              "config.yaml:1:26: data.train_source: an empty path; write [] for no file");
    EXPECT_EQ(refusal("data: {valid_source: \"a\\nb\"}\n"),
              "config.yaml:1:22: data.valid_source: a line end or another control character inside a path");
}

TEST(ConfigErrors, DuplicateKeys) {
    EXPECT_EQ(refusal("training:\n  seed: 1\n  seed: 1\n"), "config.yaml:3:3: training.seed is given twice; keep one");
    EXPECT_EQ(refusal("training: {seed: 1}\nmodel:\ntraining: {shards: 1}\n"),
              "config.yaml:3:1: training is given twice; keep one");
}

TEST(ConfigErrors, SectionThatIsNoMap) {
    EXPECT_EQ(refusal("search: 5\n"),
              "config.yaml:1:9: search is a section; expected a map with beam, patience, length_norm, length_alpha, "
              "coverage_penalty, "
              "word_penalty, min_length_ratio, max_length_ratio, max_length_offset, min_length, max_length, "
              "no_repeat_ngram, forbid_unk, shortlist, batch_size, found the integer 5");
    const std::string sections =
        "data, vocabulary, model, training, search, validation, checkpoints, report, "
        "runtime";
    EXPECT_EQ(refusal("- a\n- b\n"), "config.yaml:1:1: a configuration is a map of sections; expected a map with " +
                                         sections + ", found a list");
    EXPECT_EQ(refusal("hello\n"), "config.yaml:1:1: a configuration is a map of sections; expected a map with " +
                                      sections + ", found the text \"hello\"");
    for (const char* empty : {"", "\n\n", "# nothing\n", "---\n", "null\n", "  \t\n"}) {
        EXPECT_EQ(refusal(empty), "config.yaml: holds no key; its sections are " + sections);
    }
}

TEST(ConfigErrors, YamlSyntax) {
    EXPECT_EQ(refusal("training:\n  seed: 1: 2\n"), "config.yaml:2:10: not valid YAML: illegal map value");
    expect_contains(refusal("training: {seed: 1\n"), "not valid YAML: end of map flow not found");
    expect_contains(refusal("training: {seed: 1}\n]\n"), "config.yaml:2:1: not valid YAML: ");
    expect_contains(refusal("data: {valid_source: \"a\n"), "not valid YAML: ");
    expect_contains(refusal("data:\n  valid_source: \"a\\\n"), "is a quotation mark not closed?");
    for (const char* rest : {"\n", "\n  valid_target: b\n", "\n  valid_target: b\r\n \t\n", ""}) {
        expect_contains(refusal(std::string("data:\n  valid_source: 'a") + rest),
                        "not valid YAML: illegal EOF in scalar; is a quotation mark not closed?");
    }
    // No half of a character.
    EXPECT_EQ(refusal("data: {valid_source: \"\\\xC3\xA4\"}\n"),
              "config.yaml:1:25: not valid YAML: unknown escape character");
    expect_contains(refusal("model:\n", {"training.seed=["}), "is a bracket not closed?");
    EXPECT_EQ(refusal("? [a]\n: 1\n"), "config.yaml:1:3: a list or a map cannot be a key; is a bracket not closed?");
    EXPECT_EQ(refusal(": 1\n"), "config.yaml:1:1: a key has no name");
    EXPECT_EQ(refusal("training: {seed: 1}\n---\ntraining: {seed: 2}\n"),
              "config.yaml:2:1: a second YAML document starts here; a configuration is one");
}

TEST(ConfigErrors, TabsBytesAndControlCharacters) {
    EXPECT_EQ(refusal("training:\n\tseed: 1\n"), "config.yaml:2:1: a tab in the indentation; YAML allows spaces only");
    EXPECT_EQ(refusal("training:\n  \tseed: 1\n"),
              "config.yaml:2:3: a tab in the indentation; YAML allows spaces only");
    for (const char* bytes : {"\xff", "\xc3(", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x80"}) {
        EXPECT_EQ(refusal("# Gr\xc3\xbc\xc3\x9f"
                          "e\ndata: {valid_source: a" +
                          std::string(bytes) + "}\n"),
                  "config.yaml:2:23: not valid UTF-8; save the file as UTF-8");
    }
    EXPECT_EQ(refusal(std::string("training: {seed: 1\0}", 20)),
              "config.yaml:1:19: a control character, which has no place in a configuration");
    EXPECT_EQ(refusal("training: {seed: 1}\n\x04model: {x: 1}\n"),
              "config.yaml:2:1: a control character, which has no place in a configuration");
}

TEST(ConfigErrors, AnchorsAliasesAndDepth) {
    const std::string advice =
        "YAML anchors and aliases (& and *) are not used here; write the value out (quotes make it text)";
    EXPECT_EQ(refusal("training: &t\n  seed: 1\n"), "config.yaml:1:11: " + advice);
    EXPECT_EQ(refusal("data: {valid_source: &a b, valid_target: *a}\n"), "config.yaml:1:22: " + advice);
    EXPECT_EQ(refusal("model: &m {<<: *m}\n"), "config.yaml:1:8: " + advice);
    EXPECT_EQ(refusal("model: {a: &e }\n"), "config.yaml:1:12: " + advice);
    expect_contains(refusal("<<: {seed: 1}\n"), "config.yaml:1:1: unknown key <<; ");
    expect_contains(refusal(std::string(40000, '[')), "config.yaml:1:1: ");
    std::string deep;
    for (int i = 0; i < 5000; ++i) {
        deep += "- ";
    }
    EXPECT_EQ(refusal(deep), "config.yaml:1:17: nested deeper than 8 levels; no key is that deep");
}

TEST(ConfigErrors, TooLarge) {
    EXPECT_EQ(refusal(std::string(max_yaml_size + 1, '#')),
              "config.yaml: larger than 1 MiB, too large for a configuration; is it the right file?");
}

TEST(ConfigErrors, Files) {
    EXPECT_EQ(load_refusal("/nonexistent/config.yaml"),
              "/nonexistent/config.yaml: cannot be read: No such file or directory; give the path of a configuration "
              "file");
    EXPECT_EQ(load_refusal("/tmp"), "/tmp: a directory, not a configuration file");
    const TemporaryFolder folder;
    const std::string path = folder.path("large.yaml");
    std::ofstream(path) << std::string(3 * max_yaml_size, '#');
    EXPECT_EQ(load_refusal(path), path + ": larger than 1 MiB, too large for a configuration; is it the right file?");
    std::ofstream(path) << "training:\n  batch_szie: 1\n";
    EXPECT_EQ(load_refusal(path), path + ":2:3: unknown key training.batch_szie; did you mean training.batch_size?");
}

TEST(ConfigErrors, SeveralAtOnce) {
    EXPECT_EQ(refusal("training:\n  foo: 1\n  seed: -1\nmodel:\n  layer_norm: maybe\n", {"search.baem=3"}),
              "config.yaml:2:3: unknown key training.foo; the keys of training are seed, start_from, freeze, "
              "max_epochs, max_updates, max_minutes, batch_size, batch_unit, sort_window, shards, accumulate, "
              "clip_norm, label_smoothing, "
              "label_smoothing_over, r_drop, loss_normalization, ema, guided_alignment, scheduled_sampling, "
              "minimum_risk, optimizer, schedule, divergence\n"
              "config.yaml:3:9: training.seed: -1 is not allowed; expected an integer, 0 to 18446744073709551615\n"
              "config.yaml:5:15: model.layer_norm: expected true or false, found the text \"maybe\"\n"
              "--set search.baem=3: unknown key search.baem; did you mean search.beam?");
}

TEST(ConfigErrors, ManyAreCutShort) {
    std::string yaml;
    for (int i = 0; i < 50; ++i) {
        yaml += "key" + std::to_string(i) + ": 1\n";
    }
    const std::string message = refusal(yaml);
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 20);
    expect_contains(message, "\nand perhaps more");
}

TEST(ConfigErrors, Overrides) {
    EXPECT_EQ(refusal("model:\n", {"training.batch_szie=3"}),
              "--set training.batch_szie=3: unknown key training.batch_szie; did you mean training.batch_size?");
    EXPECT_EQ(refusal("model:\n", {"training.batch_size=x"}),
              "--set training.batch_size=x: training.batch_size: expected an integer, 1 to 10000000, found the text "
              "\"x\"");
    EXPECT_EQ(refusal("model:\n", {"training.batch_size="}),
              "--set training.batch_size=: training.batch_size: no value; expected an integer, 1 to 10000000, or leave "
              "the key out for its default");
    EXPECT_EQ(refusal("model:\n", {"training.batch_size"}),
              "--set training.batch_size: expected KEY=VALUE, such as training.batch_size=32");
    EXPECT_EQ(refusal("model:\n", {"=3"}), "--set =3: expected KEY=VALUE, such as training.batch_size=32");
    EXPECT_EQ(refusal("model:\n", {"\xFF=3"}), "--set: what is given is not valid UTF-8; write it in UTF-8");
    EXPECT_EQ(refusal("model:\n", {"training.seed=1: 2: 3"}),
              "--set training.seed=1: 2: 3: not valid YAML: illegal map value");
    EXPECT_EQ(refusal("model:\n", {"training.optimizer={typ: sgd}"}),
              "--set training.optimizer={typ: sgd}: unknown key training.optimizer.typ; did you mean "
              "training.optimizer.type?");
    EXPECT_EQ(refusal("model:\n", {"training=3", "modle.encoder.layers=2"})
                  .find("--set training=3: training is a "
                        "section; expected a map with seed"),
              0U);
    EXPECT_EQ(refusal("model:\n", {"data.valid_source=\xff"}),
              "--set: what is given is not valid UTF-8; write it in UTF-8");
}

TEST(ConfigErrors, AnOverrideThatYamlCutsShort) {
    const auto message = [](const std::string& path, const std::string& value, const std::string& read) {
        return "--set " + path + "=" + value + ": YAML reads only " + read +
               " here (\" #\" begins a comment, and spaces around a value do not count); put the value in quotes, in "
               "quotes of the shell: '" +
               path + "=\"VALUE\"'";
    };
    const std::string directory = "checkpoints.directory";
    for (const auto& [value, read] :
         std::vector<std::pair<std::string, std::string>>{{"/x/try #2", "the text \"/x/try\""},
                                                          {"#2", "no value"},
                                                          {"%x", "no value"},
                                                          {"/x/try ", "the text \"/x/try\""},
                                                          {"it's #2", "the text \"it's\""},
                                                          {"\"/x/try\" #\"2\"", "the text \"/x/try\" (in quotes)"},
                                                          {"/x\n/y", "the text \"/x /y\""}}) {
        EXPECT_EQ(refusal("model:\n", {directory + "=" + value}), message(directory, value, read));
    }
    EXPECT_EQ(refusal("model:\n", {"training.seed=1 # one"}), message("training.seed", "1 # one", "the integer 1"));
    EXPECT_EQ(refusal("model:\n", {"data.train_source=[/a] # one"}),
              message("data.train_source", "[/a] # one", "a list"));

    for (const std::string whole : {"/x/try#2", "/x/it's", "\"/x/try #2\"", "'/x/it''s #2'", "\"/x/a\\\" #2\""}) {
        EXPECT_NE(parse("model:\n", {directory + "=" + whole}).checkpoints.directory.find("/x/"), std::string::npos);
    }
    EXPECT_EQ(parse("model:\n", {directory + "=\"/x/try #2\""}).checkpoints.directory, "/x/try #2");
    EXPECT_EQ(parse("model:\n", {"training.seed= 3"}).training.seed, 3U);
}

// They could not be read back from the config.yaml of a model.
TEST(ConfigErrors, AFolderWithATabOrALineEndInItsName) {
    for (const std::string folder : {"/a\tb", "/a\nb", "/a\rb"}) {
        try {
            parse_config("checkpoints: {directory: run}\n", "config.yaml", folder, {});
            ADD_FAILURE() << "accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::configuration);
            EXPECT_STREQ(error.what(),
                         "config.yaml:1:26: the full path of checkpoints.directory: a tab or a line end in the name of "
                         "a folder; rename that");
        }
    }
}

TEST(ConfigErrors, TrainingIsNotInInt8) {
    const Config config = parse(
        "data: {train_source: a, train_target: b}\ntraining: {max_epochs: 1}\n"
        "checkpoints: {directory: c}\nruntime: {precision: int8}\n");
    try {
        require_training_keys(config, "config.yaml");
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::configuration);
        EXPECT_NE(std::string(error.what()).find("runtime.precision is int8, which is for translation"),
                  std::string::npos)
            << error.what();
    }
}

TEST(ConfigErrors, WhatTrainingNeeds) {
    try {
        require_training_keys(Config{}, "config.yaml");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::configuration);
        const std::string message = error.what();
        EXPECT_EQ(message.find("config.yaml: data.train_source is missing; training needs it: Training text"), 0U);
        expect_contains(message, "\nconfig.yaml: data.train_target is missing; training needs it: ");
        expect_contains(message, "\nconfig.yaml: checkpoints.directory is missing; training needs it: ");
    }
    require_training_keys(parse("data: {train_source: a, train_target: b}\ntraining: {max_epochs: 1}\n"
                                "checkpoints: {directory: c}\n"),
                          "config.yaml");
}

}  // namespace

}  // namespace softalign
