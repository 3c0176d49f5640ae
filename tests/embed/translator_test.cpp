#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <softalign/translator.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/version.h"
#include "cli/fixtures.h"
#include "embed/fault.h"
#include "storage/model_directory.h"
#include "translate/alignment.h"
#include "translate/batch_translator.h"
#include "translate/shortlist.h"

namespace softalign {
namespace {

using Kind = TranslatorError::Kind;
using Results = std::vector<Translator::Result>;

class EmbeddedTranslator : public testing::Test {
protected:
    void SetUp() override { write_model(model_); }

    const TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
};

Translator::Options n_best(std::int64_t count) {
    Translator::Options options;
    options.n_best = count;
    return options;
}

void expect_same(const Results& results, const Results& expected) {
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        ASSERT_EQ(results[i].hypotheses.size(), expected[i].hypotheses.size());
        for (std::size_t j = 0; j < results[i].hypotheses.size(); ++j) {
            EXPECT_EQ(results[i].hypotheses[j].text, expected[i].hypotheses[j].text);
            EXPECT_NEAR(results[i].hypotheses[j].score, expected[i].hypotheses[j].score, 1e-4);
        }
    }
}

// The alignments of two translations of each of model_sentences.
void expect_alignments_of_the_program(const std::string& model, const Results& results) {
    const LoadedModel loaded = load_model(model, at::kCPU);
    TranslateOptions options{loaded.config.search};
    options.search.n_best = 2;
    options.keep_attention = true;
    options.keep_words = true;
    BatchTranslator inside(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, options);
    const auto expected = inside.translate(model_sentences);
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(results[i].source_words, split(model_sentences[i], ' '));
        ASSERT_EQ(results[i].hypotheses.size(), expected[i].size());
        for (std::size_t j = 0; j < expected[i].size(); ++j) {
            EXPECT_EQ(results[i].hypotheses[j].alignment,
                      hard_alignment(alignment_weights(expected[i][j], AlignmentUnits::pieces)));
            EXPECT_EQ(results[i].hypotheses[j].word_alignment,
                      hard_alignment(alignment_weights(expected[i][j], AlignmentUnits::words)));
        }
    }
}

TEST_F(EmbeddedTranslator, GivesWhatTheProgramGives) {
    const LoadedModel loaded = load_model(model_, at::kCPU);
    TranslateOptions plain{loaded.config.search};
    BatchTranslator inside(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer, plain);
    const auto expected = inside.translate(model_sentences);

    const Translator translator(model_);
    const Results results = translator.translate(model_sentences);
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(results[i].hypotheses.size(), 1U);
        EXPECT_EQ(results[i].best().text, expected[i].front().text);
        EXPECT_EQ(results[i].best().score, expected[i].front().score);
        EXPECT_EQ(results[i].best().log_prob, expected[i].front().log_prob);
        EXPECT_EQ(results[i].best().token_log_probs, expected[i].front().token_log_probs);
        EXPECT_EQ(results[i].best().pieces.size(), expected[i].front().ids.size());
        EXPECT_TRUE(results[i].best().attention.empty());
        EXPECT_TRUE(results[i].best().alignment.empty());
        EXPECT_FALSE(results[i].cut);
    }
    EXPECT_EQ(results[1].source_pieces, (std::vector<std::string>{"\xE2\x96\x81"
                                                                  "a",
                                                                  "\xE2\x96\x81"
                                                                  "dog"}));
}

TEST_F(EmbeddedTranslator, NothingInAndEmptySentences) {
    const Translator translator(model_);
    EXPECT_TRUE(translator.translate({}).empty());
    const Results results = translator.translate({"", "a dog", " \t"}, n_best(2));
    ASSERT_EQ(results.size(), 3U);
    for (const std::size_t empty : {0, 2}) {
        ASSERT_EQ(results[empty].hypotheses.size(), 1U);
        EXPECT_EQ(results[empty].best().text, "");
        EXPECT_EQ(results[empty].best().log_prob, 0.0);
        EXPECT_TRUE(results[empty].source_pieces.empty());
    }
    EXPECT_EQ(results[1].hypotheses.size(), 2U);
}

TEST_F(EmbeddedTranslator, OptionsAreOverThoseOfTheConfiguration) {
    const Translator translator(model_);
    const std::vector<std::string> sentences(model_sentences.begin(), model_sentences.begin() + 3);
    Translator::Options options;
    options.beam = 4;
    options.n_best = 4;
    options.length_alpha = 0.0;
    for (const Translator::Result& result : translator.translate(sentences, options)) {
        ASSERT_EQ(result.hypotheses.size(), 4U);
        for (std::size_t i = 0; i < 4; ++i) {
            const Translator::Hypothesis& hypothesis = result.hypotheses[i];
            const std::vector<float>& tokens = hypothesis.token_log_probs;
            EXPECT_EQ(hypothesis.score, hypothesis.log_prob);
            EXPECT_EQ(tokens.size(), hypothesis.pieces.size() + 1);
            EXPECT_NEAR(std::accumulate(tokens.begin(), tokens.end(), 0.0), hypothesis.log_prob, 1e-4);
            EXPECT_TRUE(i == 0 || hypothesis.score <= result.hypotheses[i - 1].score);
        }
    }
    options = {};
    options.max_length_ratio = 0.0;
    options.max_length_offset = 1;
    for (const Translator::Result& result : translator.translate(sentences, options)) {
        EXPECT_LE(result.best().pieces.size(), 1U);
    }
}

TEST_F(EmbeddedTranslator, DrawsAndKeepsGroupsApart) {
    const Translator translator(model_);
    Translator::Options options = n_best(5);
    options.sampling = Translator::Sampling();
    const Results drawn = translator.translate(model_sentences, options);
    EXPECT_EQ(drawn[0].hypotheses.size(), 5U);
    expect_same(translator.translate(model_sentences, options), drawn);
    options.sampling->top_k = 1;  // one piece to draw from: what greedy search gives
    Translator::Options greedy;
    greedy.beam = 1;
    const Results certain = translator.translate({"a dog"}, options);
    for (const Translator::Hypothesis& hypothesis : certain[0].hypotheses) {
        EXPECT_EQ(hypothesis.text, translator.translate({"a dog"}, greedy)[0].best().text);
    }
    options = n_best(2);
    options.beam = 4;
    options.groups = 2;
    EXPECT_EQ(translator.translate({"a dog"}, options)[0].hypotheses.size(), 2U);
    options.groups = 3;
    EXPECT_NE(fault(Kind::options, [&] { translator.translate({"a dog"}, options); }).find("groups"),
              std::string::npos);
}

TEST_F(EmbeddedTranslator, FollowsPrefixesAndPhrases) {
    const Translator translator(model_);
    const std::vector<Translator::Request> requests = {
        {"a dog", "the house"}, {"the cat sees", "", {"small dog"}}, {""}};
    const Results results = translator.translate_requests(requests, n_best(1));
    ASSERT_EQ(results.size(), 3U);
    EXPECT_EQ(results[0].best().text.rfind("the house", 0), 0U) << results[0].best().text;
    EXPECT_NE(results[1].best().text.find("small dog"), std::string::npos) << results[1].best().text;
    EXPECT_EQ(fault(Kind::input,
                    [&] {
                        translator.translate_requests({{"a dog", "\xFF"}}, n_best(1));
                    }),
              "prefix of sentence 1, byte 1: invalid UTF-8");
    EXPECT_NE(fault(Kind::input,
                    [&] {
                        translator.translate_requests({{"a", "", {"zebra"}}}, n_best(1));
                    })
                  .find("sentence 1: "),
              std::string::npos);
}

// A shortlist of one word besides the unknown one, which is forbidden.
TEST_F(EmbeddedTranslator, KeepsToTheShortlistOfTheModel) {
    const Translator translator(model_);
    Translator::Options options;
    options.forbid_unk = true;
    const Results plain = translator.translate(model_sentences, options);
    options.shortlist = true;
    EXPECT_NE(fault(Kind::model, [&] { translator.translate(model_sentences, options); })
                  .find("has no shortlist.txt; make one with: softalign shortlist --model " + model_),
              std::string::npos);
    const Tokenizers tokenizers = load_tokenizers(model_);
    const std::int32_t dog = tokenizers.target->encode("dog").front();
    std::vector<std::vector<Shortlist::Translation>> rows(static_cast<std::size_t>(tokenizers.source->size()));
    const Shortlist one_word(rows, {tokenizers.target->special().eos, dog});
    std::ofstream(shortlist_path(model_)) << shortlist_text(one_word, *tokenizers.source, *tokenizers.target);
    std::size_t words = 0;
    for (const Translator::Result& result : translator.translate(model_sentences, options)) {
        for (const std::string& piece : result.best().pieces) {
            EXPECT_EQ(piece, tokenizers.target->piece(dog));
            ++words;
        }
    }
    EXPECT_GT(words, 0U);
    options.shortlist = std::nullopt;
    expect_same(translator.translate(model_sentences, options), plain);

    Config config = small_model_config();
    config.search.shortlist = true;
    std::ofstream(config_path(model_)) << to_yaml(config);
    const Translator other(model_);
    options.shortlist = true;
    const Results found = translator.translate(model_sentences, options);
    options.shortlist = std::nullopt;
    expect_same(other.translate(model_sentences, options), found);
    options.shortlist = false;
    expect_same(other.translate(model_sentences, options), plain);
}

TEST_F(EmbeddedTranslator, GivesAttentionAndAlignment) {
    const Translator translator(model_);
    Translator::Options options = n_best(2);
    options.attention = true;
    for (const Translator::Result& result : translator.translate({"the cat sees the dog", "a dog"}, options)) {
        for (const Translator::Hypothesis& hypothesis : result.hypotheses) {
            ASSERT_EQ(hypothesis.attention.size(), hypothesis.pieces.size() + 1);
            for (const std::vector<float>& weights : hypothesis.attention) {
                EXPECT_EQ(weights.size(), result.source_pieces.size() + 1);
                EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-4);
            }
            EXPECT_EQ(hypothesis.words, split(hypothesis.text, ' '));
            for (const auto& [source, target] : hypothesis.alignment) {
                const std::vector<float>& weights = hypothesis.attention.at(target);
                ASSERT_LT(source, result.source_pieces.size());
                EXPECT_EQ(weights[source], *std::max_element(weights.begin(), weights.end()));
            }
        }
    }
    expect_alignments_of_the_program(model_, translator.translate(model_sentences, options));
    Config config = small_model_config();
    config.model.attention.type = AttentionType::none;
    write_model(folder_.path("none"), config);
    const Translator without(folder_.path("none"));
    EXPECT_EQ(fault(Kind::options, [&] { without.translate({"a dog"}, options); }),
              "translation options: this model has no attention to give");
}

TEST_F(EmbeddedTranslator, HasModelsOfEveryKind) {
    const std::string model = folder_.path("kind");
    for (const EncoderType encoder : {EncoderType::transformer, EncoderType::convolutional, EncoderType::recurrent}) {
        for (const DecoderType decoder : {DecoderType::transformer, DecoderType::recurrent}) {
            Config config = small_model_config();
            config.model.encoder.type = encoder;
            config.model.decoder.type = decoder;
            config.model.transformer.heads = 2;
            config.model.transformer.groups = 1;
            config.model.transformer.feed_forward_size = 12;
            write_model(model, config);
            const LoadedModel loaded = load_model(model, at::kCPU);
            BatchTranslator inside(*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer,
                                   TranslateOptions{loaded.config.search});
            const auto expected = inside.translate(model_sentences);
            const Translator translator(model);
            Translator::Options options = n_best(2);
            options.attention = true;
            const Results results = translator.translate(model_sentences, options);
            ASSERT_EQ(results.size(), expected.size());
            for (std::size_t i = 0; i < results.size(); ++i) {
                EXPECT_EQ(results[i].best().text, expected[i].front().text);
                EXPECT_EQ(results[i].best().log_prob, expected[i].front().log_prob);
            }
            expect_alignments_of_the_program(model, results);
        }
    }
}

TEST_F(EmbeddedTranslator, AFileThatIsOverwrittenInPlaceDoesNoHarmWhereItWasRead) {
    Translator::Machine machine;
    machine.map_weights = false;
    const Results expected = Translator(model_).translate(model_sentences);
    const Translator translator(model_, machine);
    std::ofstream(weights_path(model_), std::ios::trunc) << "gone";
    expect_same(translator.translate(model_sentences), expected);
}

// A host's other threads keep the number of threads that it has chosen.
TEST_F(EmbeddedTranslator, LeavesTheThreadsOfTheHostAlone) {
    at::set_num_threads(3);
    Translator::Machine machine;
    machine.workers = 2;
    const Translator translator(model_, machine);
    translator.translate(std::vector<std::string>(100, model_sentences.front()), n_best(1));
    int threads = 0;
    std::thread([&threads] { threads = at::get_num_threads(); }).join();
    EXPECT_EQ(threads, 3);
    EXPECT_EQ(at::get_num_threads(), 3);
    at::set_num_threads(1);
}

TEST_F(EmbeddedTranslator, TellsOfCutSentencesAndPrintsNothing) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Translator::Options options;
    options.max_source_length = 2;
    const Results results = Translator(model_).translate({"a dog", "the cat sees the dog", ""}, options);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_FALSE(results[0].cut);
    EXPECT_TRUE(results[1].cut);
    EXPECT_EQ(results[1].source_pieces.size(), 2U);
    EXPECT_FALSE(results[2].cut);
}

TEST_F(EmbeddedTranslator, WhatIsWrongIsSaid) {
    EXPECT_NE(fault(Kind::model, [&] { Translator(folder_.path("nowhere")); }).find("no model directory"),
              std::string::npos);
    Translator::Machine machine;
    machine.weights = folder_.path("none.safetensors");
    EXPECT_NE(fault(Kind::model, [&] { Translator(model_, machine); }).find("none.safetensors"), std::string::npos);
    machine = {};
    machine.workers = -1;
    EXPECT_EQ(fault(Kind::options, [&] { Translator(model_, machine); }),
              "machine: the workers must be from 0 to 1024");

    const Translator translator(model_);
    Translator::Options options;
    options.beam = 0;
    EXPECT_NE(fault(Kind::options, [&] { translator.translate({"a dog"}, options); }).find("beam must be"),
              std::string::npos);
    EXPECT_NE(
        fault(Kind::options, [&] { translator.translate({"a dog"}, n_best(4)); }).find("beam must be at least n_best"),
        std::string::npos);
    EXPECT_EQ(fault(Kind::input,
                    [&] {
                        translator.translate({"a dog", "the \xFF cat"});
                    }),
              "text of sentence 2, byte 5: invalid UTF-8");
    EXPECT_FALSE(translator.translate({"a dog"}).empty());
}

TEST_F(EmbeddedTranslator, ADeviceThatIsNotThere) {
    if (torch::cuda::is_available()) {
        GTEST_SKIP() << "needs a machine without CUDA";
    }
    Translator::Machine machine;
    machine.device = Translator::Device::cuda;
    EXPECT_NE(fault(Kind::options, [&] { Translator(model_, machine); }).find("no CUDA device"), std::string::npos);
    machine.device = Translator::Device::automatic;
    EXPECT_FALSE(Translator(model_, machine).translate({"a dog"}).empty());
}

TEST_F(EmbeddedTranslator, SeveralThreadsShareOne) {
    std::vector<std::string> text;
    for (int i = 0; i < 8; ++i) {
        text.insert(text.end(), model_sentences.begin(), model_sentences.end());
    }
    const Results expected = Translator(model_).translate(text, n_best(2));
    for (const int workers : {1, 3}) {
        Translator::Machine machine;
        machine.workers = workers;
        const Translator translator(model_, machine);
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&, thread] {
                for (int call = 0; call < 3; ++call) {
                    Translator::Options options = n_best(2);
                    options.batch_size = 2 + 19 * (thread % 2);  // many batches, or few
                    expect_same(translator.translate(text, options), expected);
                    options.batch_size = 64;  // one
                    expect_same(translator.translate(text, options), expected);
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
}

TEST_F(EmbeddedTranslator, MovesAndTakesOtherWeights) {
    Translator first(model_);
    const Results expected = first.translate(model_sentences);
    Translator second(std::move(first));
    expect_same(second.translate(model_sentences), expected);
    Translator::Machine machine;
    machine.weights = model_ + "/other.safetensors";
    second = Translator(model_, machine);
    EXPECT_NE(second.translate(model_sentences)[0].best().score, expected[0].best().score);
    EXPECT_EQ(Translator::version(), version());
}

}  // namespace
}  // namespace softalign
