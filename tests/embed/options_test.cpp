#include <gtest/gtest.h>
#include <softalign/translator.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <limits>
#include <locale>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/has.h"
#include "cli/fixtures.h"
#include "embed/fault.h"
#include "embed/number_options.h"
#include "storage/model_directory.h"
#include "translate/shortlist.h"

namespace softalign {
namespace {

using Kind = TranslatorError::Kind;
using Options = Translator::Options;

class TranslatorOptions : public testing::Test {
protected:
    void SetUp() override {
        write_model(model_);
        translator_.emplace(model_);
    }

    // Translations of finite scores, or an error that puts it down to the options.
    void expect_answer(const Options& options, const std::string& what) const {
        try {
            for (const Translator::Result& result : translator_->translate(model_sentences, options)) {
                EXPECT_FALSE(result.hypotheses.empty()) << what;
            }
        } catch (const TranslatorError& error) {
            EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(Kind::options)) << what << ": " << error.what();
            EXPECT_TRUE(has(error.what(), "translation options: ")) << what << ": " << error.what();
        } catch (const std::exception& error) {
            ADD_FAILURE() << what << ": " << error.what();
        }
    }

    const TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
    std::optional<Translator> translator_;
};

TEST_F(TranslatorOptions, WholeNumbersBeyondAllUseAreTheOptionsFault) {
    using Limits = std::numeric_limits<std::int64_t>;
    for (const NumberOption<std::int64_t>& option : whole_numbers()) {
        for (const std::int64_t value :
             {Limits::min(), Limits::min() + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
              std::int64_t{1} << 31, std::int64_t{1} << 32, std::int64_t{1} << 53, Limits::max() - 1, Limits::max()}) {
            Options options;
            option.set(options, value);
            expect_answer(options, option.name + " = " + std::to_string(value));
        }
    }
}

TEST_F(TranslatorOptions, RealNumbersBeyondAllUseAreTheOptionsFault) {
    using Limits = std::numeric_limits<double>;
    for (const NumberOption<double>& option : real_numbers()) {
        for (const double value :
             {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::max(), Limits::lowest(),
              Limits::min(), Limits::denorm_min(), -Limits::denorm_min(), 1e10, -1e10, -1.0, -0.0, 0.0, 1.0}) {
            Options options;
            option.set(options, value);
            expect_answer(options, option.name + " = " + std::to_string(value));
        }
    }
}

TEST_F(TranslatorOptions, SeedsMayBeAnyNumber) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        Options options;
        options.sampling = Translator::Sampling();
        options.sampling->seed = seed;
        EXPECT_EQ(translator_->translate(model_sentences, options).size(), model_sentences.size());
    }
}

TEST_F(TranslatorOptions, ValuesThatAreNoneOfAnEnumerationAreTheOptionsFault) {
    Options options;
    options.length_norm = static_cast<Translator::LengthNorm>(7);
    EXPECT_TRUE(has(fault(Kind::options, [&] { translator_->translate({"a dog"}, options); }), "length_norm"));
    Translator::Machine machine;
    machine.device = static_cast<Translator::Device>(7);
    EXPECT_TRUE(has(fault(Kind::options, [&] { Translator(model_, machine); }), "device"));
    machine = {};
    machine.precision = static_cast<Translator::Precision>(-1);
    EXPECT_TRUE(has(fault(Kind::options, [&] { Translator(model_, machine); }), "precision"));
    for (const int workers : {std::numeric_limits<int>::min(), -1, 1025, std::numeric_limits<int>::max()}) {
        machine = {};
        machine.workers = workers;
        EXPECT_TRUE(has(fault(Kind::options, [&] { Translator(model_, machine); }), "workers")) << workers;
    }
}

TEST_F(TranslatorOptions, PathsThatCannotBeAreTheModelsFault) {
    for (const std::string& path : {std::string(), std::string("\0x", 2), std::string(100000, 'x'), std::string("/")}) {
        fault(Kind::model, [&] { Translator translator(path); });
    }
    Translator::Machine machine;
    for (const std::string& path : {std::string("\0x", 2), std::string(100000, 'x'), std::string("/")}) {
        machine.weights = path;
        fault(Kind::model, [&] { Translator translator(model_, machine); });
    }
}

// A host may write 1234.5 as "1.234,5", in C++'s streams.
class GermanNumbers : public std::numpunct<char> {
protected:
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
};

TEST_F(TranslatorOptions, TheLocaleOfTheHostChangesNothing) {
    const Tokenizers tokenizers = load_tokenizers(model_);
    const std::int32_t dog = tokenizers.target->encode("dog").front();
    std::vector<std::vector<Shortlist::Translation>> rows(static_cast<std::size_t>(tokenizers.source->size()));
    rows.back() = {{dog, 0.125}};
    const Shortlist shortlist(rows, {tokenizers.target->special().eos});
    std::ofstream(shortlist_path(model_)) << shortlist_text(shortlist, *tokenizers.source, *tokenizers.target);
    Options options;
    options.shortlist = true;
    options.beam = 12;
    options.n_best = 12;
    const auto found = [&] {
        std::vector<std::pair<std::string, double>> all;
        for (const Translator::Result& result : Translator(model_).translate(model_sentences, options)) {
            for (const Translator::Hypothesis& hypothesis : result.hypotheses) {
                all.emplace_back(hypothesis.text, hypothesis.score);
            }
        }
        return all;
    };
    const auto expected = found();
    const std::locale before = std::locale::global(std::locale(std::locale(), new GermanNumbers));
    const auto other = found();
    std::string message;
    try {
        options.batch_size = std::numeric_limits<std::int64_t>::max();
        found();
    } catch (const TranslatorError& error) {
        message = error.what();
    }
    std::locale::global(before);
    EXPECT_EQ(other, expected);
    EXPECT_TRUE(has(message, "1000000")) << message;
}

TEST_F(TranslatorOptions, ConstraintsBeyondAllUseAreTheInputsFault) {
    const std::string huge(200000, 'x');
    const std::vector<std::string> many(1000, "dog");
    const std::vector<Translator::Request> requests = {
        {"a dog", huge, {}}, {"a dog", "", {huge}},       {"a dog", "", many},
        {"a dog", "", {""}}, {"a dog", "", {" ", "dog"}}, {"a dog", std::string(1, '\0'), {}},
        {huge, "", {}},      {std::string(3, '\0')},      {"", "the", {"dog"}}};
    for (std::size_t i = 0; i < requests.size(); ++i) {
        try {
            EXPECT_EQ(translator_->translate_requests({requests[i]}, {}).size(), 1U) << i;
        } catch (const TranslatorError& error) {
            EXPECT_TRUE(error.kind() == Kind::input || error.kind() == Kind::options) << i << ": " << error.what();
            EXPECT_LT(std::string(error.what()).size(), 2000U) << i;
        }
    }
}

}  // namespace
}  // namespace softalign
