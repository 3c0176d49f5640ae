// Text of more than single sentences on the command line.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/has.h"
#include "cli/command_test.h"
#include "cli/program.h"
#include "document/html_text.h"
#include "text/placeholder_pieces.h"

namespace softalign {
namespace {

class TranslateDocuments : public CommandTest {
protected:
    void SetUp() override { write_model(model_); }

    std::string translated(const std::string& text, Arguments more) {
        CLI::App program;
        Action action;
        add_translate_command(program, action);
        Arguments arguments = {
            "translate", "--model",           model_,   "--device", "cpu", "--input", folder_.write("in", text),
            "--output",  folder_.path("out"), "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
        program.parse(arguments);
        EXPECT_EQ(action(), 0);
        return read_bytes(folder_.path("out"));
    }

    std::string fault(ExitCode code, const std::string& text, const Arguments& more) {
        try {
            translated(text, more);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code) << error.what();
            return error.what();
        }
        ADD_FAILURE() << "no error";
        return "";
    }

    const std::string model_ = folder_.path("model");
};

TEST_F(TranslateDocuments, OfHtmlOnlyTheTextIsTranslated) {
    const std::string html = "<!-- a dog -->\r\n<p class='a dog'>a <b>dog</b></p><pre>a dog</pre>";
    if (!reads_html()) {
        EXPECT_TRUE(has(fault(ExitCode::usage, html, {"--format", "html"}), "libgumbo"));
        return;
    }
    const std::string out = translated(html, {"--format", "html", "--json", folder_.path("json")});
    EXPECT_EQ(out.rfind("<!-- a dog -->\r\n<p class='a dog'>", 0), 0U) << out;
    EXPECT_TRUE(has(out, "</p><pre>a dog</pre>")) << out;
    EXPECT_TRUE(has(out, "<b>") && has(out, "</b>")) << out;
    EXPECT_EQ(nlohmann::json::parse(read_bytes(folder_.path("json")))["sentences"][0]["source"], "a dog");
    EXPECT_EQ(translated("", {"--format", "html"}), "");
    EXPECT_TRUE(has(fault(ExitCode::data, "<p>\xff", {"--format", "html"}), ":1:4: invalid UTF-8"));
    EXPECT_TRUE(has(fault(ExitCode::data, "<p>\na\n\n b\xff", {"--format", "html"}), ":4:3: invalid UTF-8"));
    EXPECT_TRUE(has(fault(ExitCode::usage, "", {"--format", "html", "--n-best", "2"}), "--format html"));
}

TEST_F(TranslateDocuments, SpansAreKept) {
    const std::string line = "a dog https://a.org/?x=1 the house %s AB-1 \xE2\x98\x83\n";
    const std::string out = translated(line, {"--keep-spans", "--keep", "[A-Z]+-[0-9]+"});
    for (const std::string span : {"https://a.org/?x=1", "%s", "AB-1", "\xE2\x98\x83"}) {
        ASSERT_TRUE(has(out, span)) << out;
        EXPECT_EQ(out.find(span), out.rfind(span)) << out;
    }
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1);
    EXPECT_TRUE(has(fault(ExitCode::usage, line, {"--keep", "a(b"}), "'a(b'"));
}

TEST_F(TranslateDocuments, TermsOfTheGlossaryAreUsed) {
    const std::string glossary = folder_.write("glossary", "dog\tthe house\n");
    EXPECT_TRUE(has(translated("a dog\n", {"--glossary", glossary}), "the house"));
    EXPECT_TRUE(has(fault(ExitCode::data, "a\n", {"--glossary", folder_.write("none", "dog\n")}), ":1: not an entry"));
    EXPECT_TRUE(has(fault(ExitCode::usage, "a\n", {"--glossary", glossary, "--sample"}), "--glossary cannot"));
}

// Whatever the model would like best.
TEST_F(TranslateDocuments, ModelsWithPlaceholdersKeepSpansByDefault) {
    write_model(model_, small_model_config(), {{12, 20.0}, {13, 20.0}}, 2);
    const std::string line = "a dog 5 the house https://a.org/?x=1\n";
    const std::string bracket = placeholder(0).substr(0, 3);
    const std::string json = folder_.path("json");
    const std::string out = translated(line, {"--json", json});
    for (const std::string span : {"5", "https://a.org/?x=1"}) {
        ASSERT_TRUE(has(out, span)) << out;
        EXPECT_EQ(out.find(span), out.rfind(span)) << out;
    }
    EXPECT_FALSE(has(out, bracket)) << out;
    const auto sentence = nlohmann::json::parse(read_bytes(json))["sentences"][0];
    EXPECT_EQ(sentence["spans"], (nlohmann::json{"5", "https://a.org/?x=1"}));
    EXPECT_TRUE(has(sentence["source"].get<std::string>(), placeholder(1)));
    for (const Arguments& more :
         {Arguments{"--keep-spans=false"}, Arguments{"--n-best", "2"}, Arguments{"--keep-spans=false", "--sample"}}) {
        const std::string without = translated(line, more);
        EXPECT_FALSE(has(without, bracket) || has(without, "https")) << without;
    }
    EXPECT_TRUE(has(log_.text(), "--n-best above 1 turns --keep-spans off")) << log_.text();
    // What the source or a phrase has may be written.
    EXPECT_TRUE(has(translated("a " + placeholder(1) + "\n", {"--keep-spans=false"}), placeholder(1)));
    const std::string phrases = folder_.write("phrases", placeholder(0) + "\n");
    EXPECT_TRUE(has(translated("a dog\n", {"--phrases", phrases}), placeholder(0)));
}

TEST_F(TranslateDocuments, EvaluateAndScoreKnowPlaceholders) {
    write_model(model_, small_model_config(), {}, 2);
    const std::string source = folder_.write("source", "a dog 5 the house\n");
    const std::string out = folder_.path("translation");
    output_of(&add_evaluate_command, {"evaluate", "--model", model_, "--device", "cpu", "--source", source,
                                      "--references", source, "--output", out});
    EXPECT_EQ(read_bytes(out), translated("a dog 5 the house\n", {}));
    EXPECT_TRUE(has(read_bytes(out), "5"));
    EXPECT_TRUE(has(output_of(&add_info_command, {"info", "--model", model_}), "(joint), 2 placeholders"));
    const auto scored = [&](const std::string& of_source, const std::string& of_target) {
        return output_of(&add_score_command,
                         {"score", "--model", model_, "--device", "cpu", "--source", folder_.write("s", of_source),
                          "--target", folder_.write("t", of_target)});
    };
    const std::string held = placeholder(0);
    const std::string expected = scored("a dog " + held + "\n", "the house " + held + "\n");
    EXPECT_EQ(scored("a dog 5\n", "the house 5\n"), expected);
    EXPECT_NE(scored("a dog 5\n", "the house 6\n"), expected);
    const auto rescored = [&](const std::string& of_source, const std::string& of_target) {
        const std::string list =
            output_of(&add_score_command,
                      {"score", "--model", model_, "--device", "cpu", "--source", folder_.write("s", of_source),
                       "--n-best", folder_.write("n", "0 ||| " + of_target + " ||| a= 1 ||| 1\n")});
        return list.substr(list.find("Rescore="));
    };
    EXPECT_EQ(rescored("a dog 5\n", "the house 5"), rescored("a dog " + held + "\n", "the house " + held));
}

TEST_F(TranslateDocuments, OptionsOfSentencesNeedThem) {
    EXPECT_TRUE(has(fault(ExitCode::usage, "a\n", {"--locale", "de"}), "--split or --format html"));
}

}  // namespace
}  // namespace softalign
