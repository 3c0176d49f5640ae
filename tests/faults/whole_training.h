#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "faults/injection.h"
#include "faults/small_run.h"
#include "storage/temporary_directory.h"

namespace softalign::faults {

namespace fs = std::filesystem;

inline constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();

struct CountedCall {
    Call call;
    std::string path;
    std::string text;
};

// A whole training with faults. All that trains does so in processes of its own: this one starts no thread, so that it
// can be forked again and again.
class WholeTraining : public InTemporaryDirectory {
protected:
    void SetUp() override {
        InTemporaryDirectory::SetUp();
        run_ = make_run(directory_);
        const Ending whole = in_own_process([this] {
            run_->prepare();
            Injection::instance().start({run_->path("whole")}, log_);
            run_->finish("whole");
            return std::string();
        });
        ASSERT_TRUE(whole.exited_with(0)) << whole.text;
        ASSERT_LE(log_.count(), CallLog::most);
        for (std::int64_t n = 1; n <= log_.count(); ++n) {
            calls_.push_back({log_.call(n), log_.path(n), log_.text(n)});
            const std::int64_t files = unnamed_files_.empty() ? 0 : unnamed_files_.back();
            unnamed_files_.push_back(files + (is_unnamed(n) && calls_.back().call == Call::open ? 1 : 0));
            const bool renames = calls_.back().call == Call::rename;
            if (renames && calls_.back().path == "model.safetensors" && model_since_ == for_ever) {
                model_since_ = n;
            }
            if (renames && calls_.back().path.rfind("checkpoints/last-", 0) == 0) {
                last_save_ = n;
            }
        }
    }

    virtual std::unique_ptr<const SmallRun> make_run(const std::string& folder) const {
        return std::make_unique<const SmallRun>(folder);
    }

    // From 1.
    const CountedCall& at(std::int64_t n) const { return calls_[static_cast<std::size_t>(n - 1)]; }
    std::int64_t count() const { return static_cast<std::int64_t>(calls_.size()); }

    // A write between two others to the same file, where a failure does what it does at the first and at the last.
    bool in_a_row_of_writes(std::int64_t n) const {
        const auto same = [&](std::int64_t other) {
            return other >= 1 && other <= count() && at(other).call == Call::write && at(other).path == at(n).path;
        };
        return at(n).call == Call::write && same(n - 1) && same(n + 1);
    }

    // A call on a file that has no name yet: whoever ends there leaves all files as they were before it was opened.
    bool is_unnamed(std::int64_t n) const { return at(n).path.find("unnamed") != std::string::npos; }

    // Whether the files are the same before and after the call.
    bool leaves_nothing(std::int64_t n) const {
        return is_unnamed(n) || at(n).call == Call::fsync || at(n).call == Call::mmap;
    }

    // Of a file without a name, any of its calls that fails has the file missing: of each such file, one in turn.
    bool is_another_of_its_file(std::int64_t n) const {
        constexpr std::int64_t kinds = 3;
        const std::int64_t kind = at(n).call == Call::open ? 0 : at(n).call == Call::write ? 1 : 2;
        return is_unnamed(n) && kind != unnamed_files_[static_cast<std::size_t>(n - 1)] % kinds;
    }

    // A checkpoint that cannot be read is passed over, and the run goes on from the one before: to another end here,
    // where the learning rate is changed in between.
    bool reads_checkpoint(std::int64_t n) const {
        const bool reads = at(n).call == Call::mmap || at(n).call == Call::open;
        return reads && at(n).path.rfind("checkpoints/last-", 0) == 0 && at(n).path.find(".tmp") == std::string::npos;
    }

    // After the last save nothing removes the checkpoint that there is one too many then.
    SmallRun::Saves saves_if_killed_at(std::int64_t n) const {
        return n < last_save_ ? SmallRun::Saves::all_worked : SmallRun::Saves::some_failed;
    }

    // The run with faults, from its beginning or from where it stands.
    Ending with(Fault fault, std::int64_t first, std::int64_t last, bool allocations = false) {
        return in_own_process([&] {
            Injection::instance().start({run_->path("run"), fault, first, last, allocations}, log_);
            run_->finish("run");
            return std::string();
        });
    }

    // Resumed, it ends like the run that was left alone; and a model that was there has been one all the time.
    void expect_to_end_well(std::int64_t n, const std::string& what,
                            SmallRun::Saves saves = SmallRun::Saves::all_worked) {
        const bool has_model = fs::exists(path("run/model.safetensors"));
        EXPECT_TRUE(has_model || n == for_ever || n <= model_since_) << what << " the model is gone";
        const Ending resumed = in_own_process([&] {
            if (has_model) {
                run_->translate("run");
            }
            run_->finish("run");
            return run_->difference("run", "whole", saves);
        });
        EXPECT_TRUE(resumed.exited_with(0) && resumed.text.empty())
            << what << ": " << resumed.text << " (status " << resumed.status << ")";
        fs::remove_all(path("run"));
    }

    // At each call, in runs of their own.
    void expect_kills_to_lose_nothing() {
        for (std::int64_t n = 1; n <= count(); ++n) {
            if (leaves_nothing(n)) {
                continue;  // as at the call before
            }
            const Ending killed = with(Fault::kill, n, n);
            ASSERT_TRUE(killed.killed()) << n << ": " << killed.text;
            ASSERT_EQ(log_.text(n), at(n).text);
            expect_to_end_well(n, "killed at " + at(n).text, saves_if_killed_at(n));
        }
    }

    // It goes on, or ends with an error that says why.
    static void expect_no_crash(const Ending& ended, const std::string& what) {
        EXPECT_TRUE(WIFEXITED(ended.status) && !ended.exited_with(1))
            << what << ": " << ended.text << " (status " << ended.status << ")";
    }

    CallLog log_;

private:
    std::unique_ptr<const SmallRun> run_;
    std::vector<CountedCall> calls_;
    std::vector<std::int64_t> unnamed_files_;  // opened up to each call
    std::int64_t model_since_ = for_ever;
    std::int64_t last_save_ = 0;
};

}  // namespace softalign::faults
