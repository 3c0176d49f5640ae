#pragma once

#include <string>

namespace softalign {

// A new directory of its own where the system keeps such things (TMPDIR), gone with all in it when the object ends.
class TemporaryDirectory {
public:
    // `purpose` is a part of its name. Throws Error(output).
    explicit TemporaryDirectory(const std::string& purpose);
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::string& path() const { return path_; }
    std::string path(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace softalign
