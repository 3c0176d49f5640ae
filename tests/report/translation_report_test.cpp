#include "report/translation_report.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "base/has.h"
#include "cli/fixtures.h"
#include "report/sentences.h"
#include "text/fixtures.h"
#include "translate/sample_translation.h"

namespace softalign {
namespace {

constexpr int sentences = 5;

class TranslationReportTest : public testing::Test {
protected:
    void SetUp() override { write_model(folder_.path("model")); }

    // The page about some sentences, of which so many bytes may be kept.
    std::string page_within(std::size_t bytes) const {
        const std::string path = folder_.path("page.html");
        TranslationReport report(path, "", folder_.path("text"), SourceType::text, bytes);
        for (int i = 0; i < sentences; ++i) {
            report.add(sample_translation(), tokenizers_.pair);
        }
        report.finish("model", load_ensemble({{folder_.path("model")}}, at::kCPU, {}));
        return read_bytes(path);
    }

    TemporaryFolder folder_;
    const SampleTokenizers tokenizers_;
};

TEST_F(TranslationReportTest, KeepsSentencesUntilTheyHaveSoManyBytes) {
    const Translation translation = sample_translation();
    const ReviewedTranslation kept(translation, tokenizers_.pair);
    ASSERT_TRUE(kept.picture.has_value());
    const std::size_t bytes = sizeof(kept) + kept.text.size() + translation.source.size() + bytes_of(*kept.picture);
    const std::string text = folder_.path("text");
    EXPECT_TRUE(has(page_within(1), "The first 1 of 5 sentences of " + text));
    EXPECT_TRUE(has(page_within(2 * bytes), "The first 2 of 5 sentences of " + text));
    EXPECT_TRUE(has(page_within(2 * bytes + 1), "The first 3 of 5 sentences of " + text));
    EXPECT_FALSE(has(page_within(5 * bytes), "The first "));
}

}  // namespace
}  // namespace softalign
