#include "data/corpus_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/files.h"
#include "base/random.h"

namespace softalign {

namespace {

// In front of each part, whose bytes start at a multiple of 16 and are filled up to one.
struct PartHeader {
    std::uint64_t size;
    std::uint32_t checksum;
    std::uint32_t unused;
};
static_assert(sizeof(PartHeader) == 16);

constexpr std::size_t filled_up(std::size_t size) {
    return (size + 15) / 16 * 16;
}

// A file that is read from its beginning to its end.
class InputBytes {
public:
    // Throws Error(data), as all members do.
    explicit InputBytes(std::string path)
        : path_(std::move(path)),
          descriptor_(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)),
          buffer_(block) {
        struct stat status {};
        if (descriptor_ < 0) {
            fail();
        }
        if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
            ::close(descriptor_);
            throw Error(ExitCode::data, path_ + ": this is not a regular file");
        }
    }
    ~InputBytes() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    InputBytes(const InputBytes&) = delete;
    InputBytes& operator=(const InputBytes&) = delete;

    std::size_t place() const { return place_; }

    // At most so many bytes, which stay until the next call; less at the end of the file.
    std::string_view next(std::size_t most) {
        std::size_t size = 0;
        while (size < std::min(most, block)) {
            const ssize_t read = read_some(descriptor_, buffer_.data() + size, std::min(most, block) - size);
            if (read < 0) {
                fail();
            }
            if (read == 0) {
                break;
            }
            size += static_cast<std::size_t>(read);
        }
        place_ += size;
        return {buffer_.data(), size};
    }

    // The checksum of the next `size` bytes; of fewer where the file ends.
    std::uint32_t checksum(std::size_t size) {
        std::uint32_t sum = 0;
        for (std::string_view part; size > 0 && !(part = next(size)).empty(); size -= part.size()) {
            sum = crc32c(part.data(), part.size(), sum);
        }
        return sum;
    }

    std::shared_ptr<const char> map(std::size_t bytes) const {
        std::shared_ptr<const char> mapping = bytes > 0 ? map_file_to_read(descriptor_, bytes) : nullptr;
        if (bytes > 0 && mapping == nullptr) {
            fail();
        }
        return mapping;
    }

private:
    static constexpr std::size_t block = std::size_t{1} << 20;

    [[noreturn]] void fail() const { throw Error(ExitCode::data, path_ + ": " + errno_text(errno)); }

    std::string path_;
    int descriptor_;
    std::vector<char> buffer_;
    std::size_t place_ = 0;
};

}  // namespace

std::string digest_text(std::size_t bytes, std::uint32_t sum) {
    return std::to_string(bytes) + " bytes " + std::to_string(sum);
}

std::string digest_of_file(const std::string& path) {
    InputBytes file(path);
    const std::uint32_t checksum = file.checksum(std::numeric_limits<std::size_t>::max());
    return digest_text(file.place(), checksum);
}

std::string cache_path(const std::string& folder, std::string_view key) {
    const std::uint64_t hash = hash_text(std::string(key));
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "/%016llx.corpus", static_cast<unsigned long long>(hash));
    return folder + name.data();
}

CacheWriter::CacheWriter(const std::string& path, std::string_view key) : file_(path) {
    add(key.data(), key.size());
}

void CacheWriter::begin(std::size_t size, std::uint32_t checksum) {
    const PartHeader header{size, checksum, 0};
    file_.write(&header, sizeof header);
}

void CacheWriter::end(std::size_t size) {
    const std::array<char, 16> filling{};
    file_.write(filling.data(), filled_up(size) - size);
}

void CacheWriter::add(const void* data, std::size_t size) {
    begin(size, crc32c(data, size));
    file_.write(data, size);
    end(size);
}

void CacheWriter::add(const WrittenBytes& bytes) {
    std::uint32_t checksum = 0;
    bytes.read_through([&](const char* data, std::size_t size) { checksum = crc32c(data, size, checksum); });
    begin(bytes.size(), checksum);
    bytes.read_through([&](const char* data, std::size_t size) { file_.write(data, size); });
    end(bytes.size());
}

CacheReader::CacheReader(const std::string& path, std::string_view key) : path_(path) {
    InputBytes file(path);
    while (true) {
        PartHeader header{};
        const std::string_view bytes = file.next(sizeof header);
        if (bytes.empty()) {
            break;
        }
        bytes.copy(reinterpret_cast<char*>(&header), sizeof header);
        const std::size_t begin = file.place();
        const std::uint32_t checksum = file.checksum(header.size);
        const std::size_t filling = filled_up(header.size) - header.size;
        if (bytes.size() < sizeof header || file.place() - begin != header.size ||
            file.next(filling).size() != filling) {
            fail("it is cut off");
        }
        if (checksum != header.checksum) {
            fail("its checksum is wrong");
        }
        parts_.emplace_back(begin, header.size);
    }
    bytes_ = file.map(file.place());
    const auto [found, size] = next();
    if (std::string_view(found.get(), size) != key) {
        fail("it was made of something else");
    }
}

std::pair<std::shared_ptr<const char>, std::size_t> CacheReader::next() {
    if (next_ == parts_.size()) {
        fail("it has too few parts");
    }
    const auto [begin, size] = parts_[next_++];
    return {std::shared_ptr<const char>(bytes_, bytes_.get() + begin), size};
}

std::vector<std::int64_t> CacheReader::numbers() {
    const auto [bytes, size] = next();
    std::vector<std::int64_t> numbers(size / sizeof(std::int64_t));
    std::memcpy(numbers.data(), bytes.get(), numbers.size() * sizeof(std::int64_t));
    return numbers;
}

void CacheReader::fail(const std::string& what) const {
    throw Error(ExitCode::data, path_ + ": " + what);
}

}  // namespace softalign
