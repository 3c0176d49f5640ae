#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "data/batch_stream.h"
#include "data/corpus.h"
#include "text/fixtures.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/trained_vocabulary.h"

namespace softalign {
namespace {

// The whole path on a real corpus, where it lies beside the repository.
TEST(Multi30k, TrainsAVocabularyAndMakesBatches) {
    const std::filesystem::path data =
        std::filesystem::path(SOFTALIGN_SOURCE_DIR).parent_path() / "shared/data/multi30k";
    const std::string source = data / "lc_norm_tok.train.en.gz";
    const std::string target = data / "lc_norm_tok.train.de.gz";
    if (!std::filesystem::exists(source) || !std::filesystem::exists(target)) {
        GTEST_SKIP() << "the corpus is not at " << data;
    }
    const TemporaryFolder folder;
    VocabularyConfig config;
    config.type = VocabularyType::bpe;
    const auto vocabulary = train_vocabulary({source, target}, config, 10000, folder.path("joint.spm"));
    EXPECT_EQ(vocabulary.size, 10000);
    EXPECT_EQ(vocabulary.sentences, 58000);
    const SentencePieceTokenizer tokenizer(folder.path("joint.spm"), {0.1, -1});
    const auto corpus = load_corpus({source}, {target}, tokenizer, tokenizer, DataConfig(), {true, ""});
    EXPECT_EQ(corpus->report().lines, 29000);
    EXPECT_EQ(corpus->report().kept, 29000);
    EXPECT_EQ(tokenizer.decode(corpus->example(0, 0).source), read_lines(source).front());
    EXPECT_EQ(tokenizer.decode(corpus->example(28999, 9).target), read_lines(target).back());

    BatchPlanOptions options;
    options.unit = BatchUnit::tokens;
    options.batch_size = 2000;
    BatchStream stream(*corpus, options, {}, false, 0, 0, 4);
    std::set<std::int64_t> seen;
    std::int64_t padded = 0;
    std::int64_t tokens = 0;
    while (seen.size() < 29000) {
        const BatchStream::Item item = stream.next();
        ASSERT_EQ(item.epoch, 0);
        seen.insert(item.batch.ids.begin(), item.batch.ids.end());
        padded += item.batch.sentences * item.batch.target_width;
        tokens += item.batch.target_tokens();
        EXPECT_LE(item.batch.sentences * item.batch.target_width, 2000);
    }
    EXPECT_EQ(tokens, corpus->report().target_tokens);
    EXPECT_LT(static_cast<double>(padded), 1.1 * static_cast<double>(tokens));
}

}  // namespace
}  // namespace softalign
