#include "translate/request_queue.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/phrases.h"

namespace softalign {

namespace {

std::unique_ptr<LineReader> open(const std::string& path, const Interrupt* interrupt) {
    return path.empty() ? nullptr : std::make_unique<LineReader>(path, interrupt);
}

// The line of a second file that belongs to the one just read of the text, or to its end.
void next_beside(LineReader& reader, bool more, const SourceLines& text, std::string& line) {
    const bool there = reader.next(line);
    if (there != more) {
        throw Error(ExitCode::data, reader.name() +
                                        (there ? " has more lines than the " : " has fewer lines than the ") +
                                        std::to_string(there ? text.line_number() : reader.line_number() + 1) +
                                        (there ? " of " : " read so far of ") + text.name() +
                                        "; give one line for each sentence, an empty one where you ask for nothing");
    }
    reader.require_utf8(line);
}

// With those that are too many only the first of these, which is enough to refuse them.
std::vector<std::string> phrases_of(const std::string& line, const LineReader& reader) {
    std::vector<std::string> phrases;
    for (std::size_t begin = 0; !line.empty() && begin <= line.size() && phrases.size() <= Phrases::most;) {
        const std::size_t end = std::min(line.find('\t', begin), line.size());
        if (end == begin) {
            throw Error(ExitCode::data, reader.place() + ":" + std::to_string(begin + 1) +
                                            ": an empty phrase; write phrases with one tab between two of them");
        }
        phrases.push_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    return phrases;
}

}  // namespace

RequestReader::RequestReader(const RequestFiles& files, const Interrupt* interrupt)
    : text_(files.text, files.type, interrupt),
      prefixes_(open(files.prefixes, interrupt)),
      phrases_(open(files.phrases, interrupt)) {}

bool RequestReader::is_regular() const {
    return text_.is_regular_file() && (!prefixes_ || prefixes_->is_regular_file()) &&
           (!phrases_ || phrases_->is_regular_file());
}

bool RequestReader::next(TranslationRequest& request) {
    const bool more = text_.next(request.text);
    text_.require_utf8(request.text);
    if (prefixes_) {
        next_beside(*prefixes_, more, text_, request.prefix);
    }
    if (phrases_) {
        std::string line;
        next_beside(*phrases_, more, text_, line);
        request.phrases = more ? phrases_of(line, *phrases_) : std::vector<std::string>();
    }
    return more;
}

}  // namespace softalign
