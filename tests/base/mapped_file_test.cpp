#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace softalign {
namespace {

class MappedFile : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "softalign_mapped_XXXXXX";
        descriptor_ = ::mkstemp(name.data());
        ASSERT_GE(descriptor_, 0);
        ::unlink(name.c_str());
        const std::string bytes(size(), 'a');
        ASSERT_EQ(::write(descriptor_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        mapping_ = map_file(descriptor_, size());
        ASSERT_NE(mapping_, nullptr);
    }
    void TearDown() override { ::close(descriptor_); }

    std::size_t page() const { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
    std::size_t size() const { return 4 * page(); }

    // What is written to a page and survives shows that the page was not given back.
    std::string marked_pages() {
        std::string pages;
        for (std::size_t i = 0; i < 4; ++i) {
            pages += mapping_.get()[i * page()];
        }
        return pages;
    }
    void mark() {
        for (std::size_t i = 0; i < 4; ++i) {
            mapping_.get()[i * page()] = 'b';
        }
    }

    int descriptor_ = -1;
    std::shared_ptr<char> mapping_;
};

TEST_F(MappedFile, WritingStaysInMemory) {
    mark();
    EXPECT_EQ(marked_pages(), "bbbb");
    char byte = 0;
    ASSERT_EQ(::pread(descriptor_, &byte, 1, 0), 1);
    EXPECT_EQ(byte, 'a');
}

TEST_F(MappedFile, WholePagesAreReadAgainAfterTheyWereLetGo) {
    mark();
    let_go_of_mapped(mapping_.get() + 1, 2 * page());  // holds one page as a whole
    EXPECT_EQ(marked_pages(), "babb");
    let_go_of_mapped(mapping_.get(), size());
    EXPECT_EQ(marked_pages(), "aaaa");
}

TEST_F(MappedFile, OtherMemoryIsLeftAlone) {
    mark();
    let_go_of_mapped(mapping_.get() + 2 * page(), 3 * page());  // goes beyond the mapping
    EXPECT_EQ(marked_pages(), "bbbb");
    std::vector<char> own(size(), 'c');
    let_go_of_mapped(own.data(), own.size());
    EXPECT_EQ(std::count(own.begin(), own.end(), 'c'), static_cast<std::ptrdiff_t>(own.size()));
    const auto* gone = mapping_.get();
    mapping_.reset();
    let_go_of_mapped(gone, size());  // no mapping any more
}

}  // namespace
}  // namespace softalign
