#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softalign {

// A file that grows by whole records, for the logs of long runs. Records that cannot be written, because the disk is
// full for example, are kept in memory and written first the next time, so that none is lost or split.
class AppendedFile {
public:
    // Opens the file for appending and creates it if needed. Throws Error(output) with path and reason.
    explicit AppendedFile(const std::string& path);
    ~AppendedFile();
    AppendedFile(const AppendedFile&) = delete;
    AppendedFile& operator=(const AppendedFile&) = delete;

    // Returns false if something is still unwritten; reason() says why.
    bool write(std::string_view record);

    // Writes what is kept back, and waits until all of it is on the disk. False as for write().
    bool sync();

    // All that was written, what is kept back included.
    std::string content() const;

    // Drops all but the first `size` bytes of content(). Needs no room, so it works on a full disk.
    // Throws Error(output).
    void cut(std::size_t size);

    const std::string& path() const { return path_; }
    const std::string& reason() const { return reason_; }

private:
    std::string path_;
    int descriptor_ = -1;
    std::string kept_;
    std::string reason_;
};

}  // namespace softalign
