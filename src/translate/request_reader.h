#pragma once

#include <memory>
#include <string>

#include "text/line_reader.h"
#include "translate/batch_translator.h"

namespace softalign {

// Where the sentences of a text are read from, and what is asked of their translations.
struct RequestFiles {
    std::string text = "-";
    std::string prefixes;  // a line a sentence: the start of its translation, or nothing; empty = no such file
    std::string phrases;   // a line a sentence: phrases with tabs between them, or nothing; empty = no such file
};

// Reads them side by side. Files are plain or gzip, "-" is standard input.
class RequestReader {
public:
    // Throws Error(data): missing, unreadable, a directory. Once `interrupt` is raised, the files end where they have
    // been read to. REQUIRES: it outlives this.
    explicit RequestReader(const RequestFiles& files, const Interrupt* interrupt = nullptr);

    // The next sentence; false after the last. Throws Error(data), naming file and line, for what cannot be read or is
    // not UTF-8, for an empty phrase between others, and where the files differ in their number of lines.
    bool next(TranslationRequest& request);

    // Whether all of it is there: files, and no pipe, terminal or other device.
    bool is_regular() const;

private:
    LineReader text_;
    std::unique_ptr<LineReader> prefixes_;
    std::unique_ptr<LineReader> phrases_;
};

}  // namespace softalign
