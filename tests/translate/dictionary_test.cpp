#include "translate/unknown_words.h"

#include <gtest/gtest.h>

#include <string>

#include "text/fixtures.h"

namespace softalign {
namespace {

TEST(Dictionary, TranslatesWhatItHas) {
    const TemporaryFolder folder;
    const Dictionary dictionary(folder.write("words.gz", gzip("dog\tHund\r\ncat\tdie Katze\ndog\tTier\n"
                                                              "caf\xC3\xA9\tKaffeehaus")));
    EXPECT_EQ(dictionary.translate("dog"), "Hund");
    EXPECT_EQ(dictionary.translate("cat"), "die Katze");
    EXPECT_EQ(dictionary.translate("caf\xC3\xA9"), "Kaffeehaus");
    EXPECT_EQ(dictionary.translate("Dog"), "Dog");
    EXPECT_EQ(Dictionary().translate("dog"), "dog");
}

TEST(Dictionary, NamesTheLineThatIsNone) {
    const TemporaryFolder folder;
    for (const std::string line : {"dog", "dog Hund", "dog\t", "\tHund", "dog\tHund\t0.5", ""}) {
        const std::string path = folder.write("words", "cat\tKatze\n" + line + "\nend\tEnde\n");
        EXPECT_EQ(error_of(ExitCode::data, [&] { Dictionary dictionary(path); }),
                  path + ":2: not an entry of a dictionary; write a source word, one tab and its translation");
    }
    const std::string latin = folder.write("latin1", "B\xE4r\tbear\n");
    EXPECT_NE(error_of(ExitCode::data, [&] { Dictionary dictionary(latin); }).find(latin + ":1:2: invalid UTF-8"),
              std::string::npos);
    const std::string missing = folder.path("missing");
    EXPECT_NE(error_of(ExitCode::data, [&] { Dictionary dictionary(missing); }).find(missing), std::string::npos);
}

}  // namespace
}  // namespace softalign
