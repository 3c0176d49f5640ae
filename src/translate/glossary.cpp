#include "translate/glossary.h"

#include <unicode/unistr.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "document/word_tokens.h"
#include "text/line_reader.h"
#include "text/words.h"
#include "translate/target_constraints.h"

namespace softalign {

namespace {

std::string in_small_letters(const std::string& text) {
    std::string result;
    icu::UnicodeString::fromUTF8(text).foldCase().toUTF8String(result);
    return result;
}

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts;
    for (const WordToken& token : word_tokens(text)) {
        parts.emplace_back(token.range.of(text));
    }
    return parts;
}

}  // namespace

Glossary::Glossary(const std::string& path, const Tokenizer& target) {
    LineReader reader(path);
    for (std::string line; reader.next(line);) {
        reader.require_utf8(line);
        if (is_blank(line) || line.front() == '#') {
            continue;
        }
        const std::string place = reader.name() + ":" + std::to_string(reader.line_number()) + ": ";
        const std::size_t tab = line.find('\t');
        if (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos) {
            throw Error(ExitCode::data,
                        place + "not an entry of a glossary; write a term, one tab and its translation");
        }
        try {
            add(line.substr(0, tab), line.substr(tab + 1), target);
        } catch (const Error& error) {
            throw Error(error.code(), place + error.what());
        }
    }
}

void Glossary::add(const std::string& source, const std::string& target, const Tokenizer& vocabulary) {
    Words words = parts_of(source);
    if (words.empty()) {
        throw Error(ExitCode::data, "a term of the glossary is empty; write it in front of its translation");
    }
    phrase_pieces(target, vocabulary);  // throws where it cannot be written
    longest_ = std::max(longest_, words.size());
    terms_[std::move(words)] = target;
}

std::vector<std::string> Glossary::translations(std::string_view text) const {
    std::vector<std::string> found;
    if (terms_.empty()) {
        return found;
    }
    const Words words = parts_of(text);
    Words small;
    std::transform(words.begin(), words.end(), std::back_inserter(small), in_small_letters);
    for (std::size_t begin = 0; begin < words.size();) {
        std::size_t length = std::min(longest_, words.size() - begin);
        for (; length > 0; --length) {
            const auto part = [&](const Words& of) {
                return Words(of.begin() + static_cast<std::ptrdiff_t>(begin),
                             of.begin() + static_cast<std::ptrdiff_t>(begin + length));
            };
            auto term = terms_.find(part(words));
            term = term != terms_.end() ? term : terms_.find(part(small));
            if (term != terms_.end()) {
                found.push_back(term->second);
                break;
            }
        }
        begin += std::max<std::size_t>(length, 1);
    }
    return found;
}

}  // namespace softalign
