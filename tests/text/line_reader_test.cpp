#include "text/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/full_pipe.h"
#include "text/fixtures.h"

namespace softalign {
namespace {

using Lines = std::vector<std::string>;
using namespace std::string_literals;

Lines lines_of(const std::string& path) {
    LineReader reader(path);
    Lines lines;
    std::string line;
    while (reader.next(line)) {
        lines.push_back(line);
    }
    EXPECT_EQ(reader.line_number(), static_cast<std::int64_t>(lines.size()));
    EXPECT_FALSE(reader.next(line));
    return lines;
}

class LineReaderTest : public testing::Test {
protected:
    Lines lines_of_text(const std::string& text) {
        const Lines plain = lines_of(folder_.write("plain", text));
        EXPECT_EQ(plain, lines_of(folder_.write("packed", gzip(text))));
        return plain;
    }

    TemporaryFolder folder_;
};

TEST_F(LineReaderTest, EndsLinesAtLineFeedsOnly) {
    EXPECT_EQ(lines_of_text(""), Lines());
    EXPECT_EQ(lines_of_text("\n"), Lines({""}));
    EXPECT_EQ(lines_of_text("a\nb"), Lines({"a", "b"}));
    EXPECT_EQ(lines_of_text("a\n\nb\n"), Lines({"a", "", "b"}));
    EXPECT_EQ(lines_of_text("a\r\nb\r\n\r\n"), Lines({"a", "b", ""}));
    EXPECT_EQ(lines_of_text("a\r\nb\r"), Lines({"a", "b"}));
    EXPECT_EQ(lines_of_text("a\rb\xE2\x80\xA8"
                            "c\x0B\x0C\xC2\x85\n"),
              Lines({"a\rb\xE2\x80\xA8"
                     "c\x0B\x0C\xC2\x85"}));
    EXPECT_EQ(lines_of_text("a\0b\n\0\n"s), Lines({"a\0b"s, "\0"s}));
}

TEST_F(LineReaderTest, LeavesOutAByteOrderMarkAtTheStart) {
    EXPECT_EQ(lines_of_text("\xEF\xBB\xBF"
                            "a\n\xEF\xBB\xBF"
                            "b\n"),
              Lines({"a",
                     "\xEF\xBB\xBF"
                     "b"}));
    EXPECT_EQ(lines_of_text("\xEF\xBB\xBF\n"), Lines({""}));
    EXPECT_EQ(lines_of_text("\xEF\xBB\xBF"), Lines());
}

TEST_F(LineReaderTest, KeepsAByteOrderMarkWhereItIsAskedTo) {
    const auto kept = [this](const std::string& text) {
        LineReader reader(folder_.write("marked", text), nullptr, ByteOrderMark::keep);
        Lines lines;
        for (std::string line; reader.next(line);) {
            lines.push_back(line);
        }
        return lines;
    };
    const std::string mark(byte_order_mark);
    EXPECT_EQ(kept(mark + "a\n" + mark + "b\n"), Lines({mark + "a", mark + "b"}));
    EXPECT_EQ(kept(gzip(mark + "a\n")), Lines({mark + "a"}));
    EXPECT_EQ(kept(mark), Lines({mark}));
}

TEST_F(LineReaderTest, ReadsLinesLongerThanItsBuffers) {
    const std::string longer(1000003, 'x');
    EXPECT_EQ(lines_of_text(longer + "\nshort\n" + longer), Lines({longer, "short", longer}));
}

TEST_F(LineReaderTest, JoinsGzipMembersAndIgnoresPaddingBehindThem) {
    EXPECT_EQ(lines_of(folder_.write("two", gzip("a\nb") + gzip("c\n"))), Lines({"a", "bc"}));
    EXPECT_EQ(lines_of(folder_.write("padded", gzip("a\n") + std::string(512, '\0'))), Lines({"a"}));
}

TEST_F(LineReaderTest, TellsGzipByItsContent) {
    EXPECT_EQ(lines_of(folder_.write("text.gz", "plain\n")), Lines({"plain"}));
    EXPECT_EQ(lines_of(folder_.write("half", "\x1F")), Lines({"\x1F"}));
}

TEST_F(LineReaderTest, RefusesDamagedGzip) {
    std::string text;
    for (int i = 0; i < 30000; ++i) {
        text += "line " + std::to_string(i * 7919) + "\n";
    }
    const std::string packed = gzip(text);
    const std::string cut = folder_.write("cut.gz", packed.substr(0, packed.size() / 2));
    const std::string message = error_of(ExitCode::data, [&] { lines_of(cut); });
    EXPECT_NE(message.find(cut + ": the gzip data ends early"), std::string::npos) << message;
    EXPECT_NE(message.find("after line 1"), std::string::npos) << message;

    EXPECT_NE(error_of(ExitCode::data, [&] { lines_of(folder_.write("nocrc", packed.substr(0, packed.size() - 3))); })
                  .find("ends early"),
              std::string::npos);
    std::string flipped = packed;
    flipped[packed.size() - 6] ^= 1;  // in the check sum
    EXPECT_NE(error_of(ExitCode::data, [&] { lines_of(folder_.write("flip", flipped)); }).find("damaged"),
              std::string::npos);
    EXPECT_NE(error_of(ExitCode::data, [&] { lines_of(folder_.write("tail", packed + "tail")); }).find("not gzip"),
              std::string::npos);
}

TEST_F(LineReaderTest, NamesWhatCannotBeOpened) {
    const std::string missing = folder_.path("missing");
    EXPECT_EQ(error_of(ExitCode::data, [&] { lines_of(missing); }),
              missing + ": cannot open the file: No such file or directory");
    const std::string directory = folder_.path("");
    EXPECT_EQ(error_of(ExitCode::data, [&] { lines_of(directory); }), directory + ": is a directory; give a text file");
    if (::geteuid() != 0) {
        const std::string locked = folder_.write("locked", "a\n");
        ::chmod(locked.c_str(), 0);
        EXPECT_EQ(error_of(ExitCode::data, [&] { lines_of(locked); }),
                  locked + ": cannot open the file: Permission denied");
    }
}

TEST_F(LineReaderTest, NamesFileLineAndColumnOfInvalidUtf8) {
    const std::string path = folder_.write("latin1",
                                           "fine\ngr\xC3\xBC\xDF"
                                           "e\n");
    LineReader reader(path);
    std::string line;
    ASSERT_TRUE(reader.next(line));
    reader.require_utf8(line);
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(error_of(ExitCode::data, [&] { reader.require_utf8(line); }),
              path + ":2:5: invalid UTF-8 (byte 0xDF); convert the file to UTF-8, for example with iconv");
}

// Byte by byte, so that every place where a read can end is passed.
TEST_F(LineReaderTest, ReadsFifosHoweverTheyAreFed) {
    for (const std::string& bytes : {"a\r\n\nb"s, gzip("a\r\n\nb")}) {
        const std::string path = folder_.path("fifo");
        ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
        std::thread writer([&] {
            std::ofstream fifo(path, std::ios::binary);
            for (const char byte : bytes) {
                fifo << byte << std::flush;
            }
        });
        EXPECT_EQ(lines_of(path), Lines({"a", "", "b"}));
        writer.join();
        ::unlink(path.c_str());
    }
}

// A person who types a line must be answered before the next.
TEST_F(LineReaderTest, HandsOverALineBeforeTheNextIsThere) {
    const std::string path = folder_.path("fifo");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::ofstream fifo;
    std::thread opener([&] { fifo.open(path, std::ios::binary); });
    LineReader reader(path);
    opener.join();
    std::string line;
    for (const std::string& text : {"first"s, "second"s}) {
        fifo << text << std::endl;
        ASSERT_TRUE(reader.next(line));
        EXPECT_EQ(line, text);
    }
    fifo.close();
    EXPECT_FALSE(reader.next(line));
}

// As a parent that serves many pipes leaves it.
TEST_F(LineReaderTest, WaitsForStandardInputThatDoesNotBlock) {
    for (const bool interruptible : {false, true}) {
        NonBlockingPipe pipe;
        const int saved = ::dup(STDIN_FILENO);
        ASSERT_GE(::dup2(pipe.to_read(), STDIN_FILENO), 0);
        std::thread writer([&] {
            EXPECT_TRUE(write_all(pipe.to_write(), "one\ntwo", 7));
            pipe.close_to_write();
        });
        const Interrupt interrupt;
        LineReader reader("-", interruptible ? &interrupt : nullptr);
        Lines lines;
        for (std::string line; reader.next(line);) {
            lines.push_back(line);
        }
        writer.join();
        ::dup2(saved, STDIN_FILENO);
        ::close(saved);
        EXPECT_EQ(lines, Lines({"one", "two"}));
    }
}

TEST_F(LineReaderTest, AnInterruptEndsATextThatIsWaitedFor) {
    const std::string fifo = folder_.path("fifo");
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const int held_open = ::open(fifo.c_str(), O_RDWR);
    ASSERT_EQ(::write(held_open, "a\nb", 3), 3);
    Interrupt interrupt;
    LineReader reader(fifo, &interrupt);
    EXPECT_FALSE(reader.is_regular_file());
    std::string line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "a");
    std::thread other([&] { interrupt.raise(); });  // while the end of the second line is waited for, or before
    EXPECT_TRUE(reader.next(line));
    EXPECT_EQ(line, "b");
    other.join();
    ASSERT_EQ(::write(held_open, "c\n", 2), 2);
    EXPECT_FALSE(reader.next(line));
    ::close(held_open);
}

}  // namespace
}  // namespace softalign
