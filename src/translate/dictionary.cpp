#include "translate/dictionary.h"

#include <cstddef>
#include <string>

#include "base/error.h"
#include "text/line_reader.h"

namespace softalign {

Dictionary::Dictionary(const std::string& path) {
    LineReader reader(path);
    std::string line;
    while (reader.next(line)) {
        reader.require_utf8(line);
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos || tab == 0 || tab + 1 == line.size() ||
            line.find('\t', tab + 1) != std::string::npos) {
            throw Error(ExitCode::data, reader.name() + ":" + std::to_string(reader.line_number()) +
                                            ": not an entry of a dictionary; write a source word, one tab and its "
                                            "translation");
        }
        translations_.emplace(line.substr(0, tab), line.substr(tab + 1));
    }
}

const std::string& Dictionary::translate(const std::string& word) const {
    const auto found = translations_.find(word);
    return found == translations_.end() ? word : found->second;
}

}  // namespace softalign
