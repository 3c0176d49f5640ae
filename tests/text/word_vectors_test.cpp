#include "text/word_vectors.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "text/gzip.h"

namespace softalign {

namespace {

using Entries = std::vector<std::pair<std::string, std::vector<float>>>;

class WordVectorsTest : public testing::Test {
protected:
    Entries read(const std::string& bytes) const {
        WordVectors vectors(folder_.write("vectors.vec", bytes));
        Entries entries;
        while (vectors.next()) {
            entries.emplace_back(vectors.word(), vectors.vector());
        }
        return entries;
    }

    // After the path of the file.
    std::string refusal(const std::string& bytes) const {
        try {
            read(bytes);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::data);
            const std::string message = error.what();
            const std::string path = folder_.path("vectors.vec");
            EXPECT_EQ(message.rfind(path, 0), 0U) << message;
            return message.substr(path.size());
        }
        return "no error";
    }

    TemporaryFolder folder_;
};

// fastText ends its lines with a space, and its first word is the end of the sentence.
TEST_F(WordVectorsTest, AreReadAsFastTextWritesThem) {
    const std::string text =
        "3 2\n</s> 0.0031 -1.5e-05 \nHaus 1 2\n\xE2\x96\x81"
        "der\t-.5  7\r\n";
    const Entries expected{{"</s>", {0.0031F, -1.5e-05F}},
                           {"Haus", {1, 2}},
                           {"\xE2\x96\x81"
                            "der",
                            {-0.5F, 7}}};
    EXPECT_EQ(read(text), expected);
    EXPECT_EQ(read(gzip(text)), expected);
}

TEST_F(WordVectorsTest, KnowTheirNumberAndWidth) {
    const WordVectors vectors(folder_.write("some.vec", "20000 300\n"));
    EXPECT_EQ(vectors.count(), 20000);
    EXPECT_EQ(vectors.width(), 300);
}

TEST_F(WordVectorsTest, AFaultIsNamedWithItsLine) {
    EXPECT_EQ(refusal("").substr(0, 19), ": the file is empty");
    EXPECT_EQ(refusal("Haus 1 2\n").substr(0, 4), ":1: ");
    EXPECT_NE(refusal("Haus 1 2\n").find("found \"Haus 1 2\""), std::string::npos);
    for (const char* header : {"2\n", "2 3 4\n", "0 3\n", "2 0\n", "-1 3\n", "2 65537\n", "2.0 3\n", "x 3\n"}) {
        EXPECT_EQ(refusal(header).substr(0, 4), ":1: ") << header;
    }
    EXPECT_EQ(refusal("2 2\na 1 2\nb 1\n"), ":3: the word \"b\" has 1 numbers; the first line says 2");
    EXPECT_EQ(refusal("1 2\na 1 2 3\n"), ":2: the word \"a\" has 3 numbers; the first line says 2");
    EXPECT_EQ(refusal("1 2\na 1 two\n"), ":2: number 2 of the word \"a\" is \"two\"; expected a finite number");
    EXPECT_EQ(refusal("1 2\na 1 1,5\n"), ":2: number 2 of the word \"a\" is \"1,5\"; expected a finite number");
    for (const char* number : {"nan", "inf", "-inf", "1e39", "1e999", "0x1"}) {
        EXPECT_NE(refusal("1 1\na " + std::string(number) + "\n").find("expected a finite number"), std::string::npos)
            << number;
    }
    EXPECT_EQ(refusal("1 2\n 1 2\n"), ":2: the line does not begin with a word");
    EXPECT_EQ(refusal("1 2\na 1 2\n\n"), ":3: more lines than the 1 words that the first line says");
    EXPECT_EQ(refusal("3 2\na 1 2\n"), ": its first line says 3 words, and there are 1; is the file cut off?");
    EXPECT_NE(refusal("1 1\n" + std::string(300, 'a') + " x\n").find(std::string(40, 'a') + "…\""), std::string::npos);
}

}  // namespace

}  // namespace softalign
