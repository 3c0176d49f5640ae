#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "config/config.h"

namespace softalign::faults {

// A whole training, as small as can be, in which everything happens that is saved: dropout, subword sampling,
// accumulation, the moving average, validations with best models, a divergence that it goes back from, and a validation
// at the end. It takes a few hundredths of a second.
class SmallRun {
public:
    explicit SmallRun(std::string folder) : folder_(std::move(folder)) {}
    virtual ~SmallRun() = default;
    SmallRun(const SmallRun&) = delete;
    SmallRun& operator=(const SmallRun&) = delete;

    // Writes its texts and a vocabulary.
    virtual void prepare() const;

    std::string path(const std::string& name) const { return folder_ + "/" + name; }

    // Trains in folder/NAME to the end, from wherever the run there stands.
    virtual void finish(const std::string& name) const;

    // Translates with the model that is there. Throws Error where it cannot be loaded.
    virtual void translate(const std::string& name) const;

    // What two runs that have ended differ in, clocks and memory left out; empty where nothing does.
    // Where saves failed, other older checkpoints than the newest may be there.
    enum class Saves { all_worked, some_failed };
    std::string difference(const std::string& run, const std::string& whole, Saves saves) const;

protected:
    virtual Config config(const std::string& name) const;

private:
    std::string folder_;
};

// A Transformer on arrays, with three updates and two validations: what is saved and read of features.
class SmallFeatureRun : public SmallRun {
public:
    using SmallRun::SmallRun;

    void prepare() const override;
    void finish(const std::string& name) const override;
    void translate(const std::string& name) const override;

protected:
    Config config(const std::string& name) const override;
};

// How a process ended.
struct Ending {
    int status = 0;    // as waitpid gives it
    std::string text;  // what its body returned, or the message of what it threw

    bool killed() const;
    bool exited_with(int code) const;
};

// Calls `body` in a process forked from this one, which has LibTorch loaded and no threads yet. The status is that of
// an Error that it throws, or 1 for other exceptions.
Ending in_own_process(const std::function<std::string()>& body);

}  // namespace softalign::faults
