#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "cli/fixtures.h"
#include "storage/model_directory.h"
#include "translate/shortlist.h"

namespace softalign {
namespace {

// Programs that embed the library (host.cpp) in processes of their own.
class EmbeddingProcess : public testing::Test {
protected:
    void SetUp() override { write_model(model_); }

    // That the program ends with status 0 each time. One that hangs is ended by SIGALRM.
    void expect_success(const char* scene, int times, const char* program = EMBED_HOST) const {
        for (int i = 0; i < times; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                ::alarm(120);
                ::execl(program, program, model_.c_str(), scene, nullptr);
                ::_exit(127);
            }
            int status = 0;
            ASSERT_EQ(::waitpid(child, &status, 0), child);
            ASSERT_TRUE(WIFEXITED(status)) << scene << ", signal " << WTERMSIG(status);
            ASSERT_EQ(WEXITSTATUS(status), 0) << scene;
        }
    }

    const TemporaryFolder folder_;
    const std::string model_ = folder_.path("model");
};

TEST_F(EmbeddingProcess, MainReturnsWhileThreadsTranslate) {
    expect_success("return_from_main", 3);
}

TEST_F(EmbeddingProcess, AThreadExitsWhileOthersTranslate) {
    expect_success("exit_from_a_thread", 3);
}

TEST_F(EmbeddingProcess, StaticObjectsAreDestroyedAtTheEnd) {
    expect_success("static_objects", 1);
}

TEST_F(EmbeddingProcess, AForkedProcessTranslatesWithWorkersOfItsOwn) {
    expect_success("fork_between_calls", 1);
}

TEST_F(EmbeddingProcess, AForkDuringACallIsRefusedInTheChild) {
    expect_success("fork_during_calls", 1);
}

TEST_F(EmbeddingProcess, AnotherSpdlogAndFmtInTheProcessAreNotCalled) {
    const Tokenizers tokenizers = load_tokenizers(model_);
    const std::vector<std::vector<Shortlist::Translation>> rows(static_cast<std::size_t>(tokenizers.source->size()));
    const Shortlist shortlist(rows, {tokenizers.target->special().eos, tokenizers.target->encode("dog").front()});
    std::ofstream(shortlist_path(model_)) << shortlist_text(shortlist, *tokenizers.source, *tokenizers.target);
    expect_success(nullptr, 1, INTERPOSING_HOST);
}

}  // namespace
}  // namespace softalign
