#pragma once

#include <memory>
#include <string>

#include "text/line_reader.h"
#include "translate/batch_translator.h"

namespace softalign {

// The files with the sentences of a text and the constraints on their translations.
struct RequestFiles {
    std::string text = "-";
    std::string prefixes;  // one line per sentence: the start of its translation, or blank; empty = no such file
    std::string phrases;   // one line per sentence: phrases separated by tabs, or blank; empty = no such file
};

// Reads the files in parallel. They may be plain or gzip; "-" is standard input.
class RequestReader {
public:
    // Throws Error(data): missing, unreadable, a directory. Once `interrupt` is raised, the files end where they have
    // been read to. REQUIRES: it outlives this.
    explicit RequestReader(const RequestFiles& files, const Interrupt* interrupt = nullptr);

    // The next sentence; false after the last. Throws Error(data), naming file and line, for what cannot be read or is
    // not UTF-8, for an empty phrase between others, and where the files differ in their number of lines.
    bool next(TranslationRequest& request);

    // Whether all of them are regular files rather than pipes, terminals or other devices.
    bool is_regular() const;

private:
    LineReader text_;
    std::unique_ptr<LineReader> prefixes_;
    std::unique_ptr<LineReader> phrases_;
};

}  // namespace softalign
