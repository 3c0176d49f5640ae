#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace softalign {

// A file that grows by whole records, for logs of long runs: what cannot be written now, as on a full disk, is kept in
// memory and written first the next time, so that no record is lost or torn because of it.
class AppendedFile {
public:
    // Opens the file at its end, made where there is none. Throws Error(output) with path and reason.
    explicit AppendedFile(const std::string& path);
    ~AppendedFile();
    AppendedFile(const AppendedFile&) = delete;
    AppendedFile& operator=(const AppendedFile&) = delete;

    // False where something is kept back; reason() says why then.
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
