#pragma once

#include <string>

namespace softalign {

// A new directory in the system's temporary directory (TMPDIR), removed with its contents by the destructor
// (and by signals: base/temporary_names.h).
class TemporaryDirectory {
public:
    // `purpose` becomes part of its name. Throws Error(output).
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
