// data.alignments, from the texts to the model.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/has.h"
#include "storage/model_directory.h"
#include "train/trainer.h"
#include "train/training_test.h"

namespace softalign {
namespace {

class GuidedRuns : public Training {
protected:
    // The targets are the sources backwards; each word is linked to itself, or with `wrong` to the first source word.
    void write_alignments(const std::string& name, bool wrong = false) const {
        std::ifstream source(at("train.src"));
        std::ofstream links(at(name));
        for (std::string line; std::getline(source, line);) {
            std::istringstream words(line);
            std::vector<std::string> all;
            for (std::string word; words >> word;) {
                all.push_back(word);
            }
            for (std::size_t i = 0; i < all.size(); ++i) {
                links << (i > 0 ? " " : "") << (wrong ? 0 : i) << "-" << all.size() - 1 - i;
            }
            links << "\n";
        }
    }

    Config guided(const std::string& run) const {
        Config result = config(run);
        result.data.alignments = {at("train.align")};
        result.training.guided_alignment.weight = 0.5;
        return result;
    }

    void SetUp() override {
        Training::SetUp();
        write_alignments("train.align");
    }

    double last_cost(const std::string& run) const {
        double cost = -1.0;
        for (const nlohmann::json& record : metrics(run)) {
            if (record.at("type") == "train") {
                cost = record.at("alignment_loss").get<double>();
            }
        }
        return cost;
    }
};

TEST_F(GuidedRuns, EndWithTheSameBytesOnAnyNumberOfWorkersAndAfterAResume) {
    Config whole = guided("whole");
    whole.vocabulary.type = VocabularyType::bpe;
    whole.vocabulary.size = 30;
    whole.vocabulary.sampling_alpha = 0.3;
    whole.training.r_drop = 1.0;
    whole.runtime.log_every = 3;
    expect_same_bytes_in_parts(whole, {4, 17, 25});
    EXPECT_EQ(last_cost("whole"), last_cost("whole-parts"));
}

TEST_F(GuidedRuns, AttentionFollowsTheLinksWhateverTheyAre) {
    write_alignments("wrong.align", true);
    for (const DecoderType decoder : {DecoderType::recurrent, DecoderType::transformer}) {
        Config run = guided(decoder == DecoderType::recurrent ? "recurrent" : "transformer");
        run.model.decoder.type = decoder;
        run.data.alignments = {at("wrong.align")};
        run.data.valid_source.clear();
        run.data.valid_target.clear();
        run.training.guided_alignment.weight = 2.0;
        run.training.max_epochs = 10;
        train(run, false);
        EXPECT_LT(last_cost(decoder == DecoderType::recurrent ? "recurrent" : "transformer"), 0.2);
    }
}

TEST_F(GuidedRuns, AreNotResumedWithOtherLinks) {
    Config run = guided("run");
    run.training.max_updates = 2;
    train(run, false);
    run.training.max_updates = 4;
    const auto refusal = [&](const Config& changed) {
        return fault(ExitCode::configuration, [&] { train(changed, true); });
    };
    write_alignments("other.align", true);
    Config other = run;
    other.data.alignments = {at("other.align")};
    EXPECT_TRUE(has(refusal(other), "(300 sentences, CRC-32C ")) << refusal(other);
    other.data.alignments.clear();
    EXPECT_TRUE(has(refusal(other), "data.alignments: ")) << refusal(other);
    other = run;
    other.training.guided_alignment.weight = 0.25;
    EXPECT_TRUE(has(refusal(other), "training.guided_alignment.weight: 0.5 before, 0.25 now"));
    write_alignments("moved.align");
    other = run;
    other.data.alignments = {at("moved.align")};
    EXPECT_NO_THROW(train(other, true));
}

}  // namespace
}  // namespace softalign
