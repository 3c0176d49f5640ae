#include "document/marked_text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "document/characters.h"
#include "document/sentences.h"
#include "text/words.h"

namespace softalign {

namespace {

// Whether there is anything besides white space and objects.
bool has_words(std::string_view text) {
    const std::vector<std::string_view> words = words_of(text, {object_mark});
    return !words.empty();
}

bool is_space_before(std::string_view text, std::size_t at) {
    return at > 0 && is_blank_at(text, at - 1);
}

// The part of a mark that is in a sentence.
TextRange clipped(TextRange range, TextRange sentence) {
    return {std::max(range.begin, sentence.begin), std::min(range.end, sentence.end)};
}

bool has_space_atom(const MarkedText& text, TextRange range) {
    const auto begin = first_atom_from(text, range.begin);
    return std::any_of(begin, first_atom_from(text, range.end), [](const Atom& atom) { return atom.is_space; });
}

// The atoms of a sentence, with marks that have no words in them as atoms too.
struct SentenceParts {
    std::vector<Atom> atoms;
    std::vector<const TagPair*> marks;
};

SentenceParts parts_of(const MarkedText& text, TextRange sentence) {
    SentenceParts parts;
    std::vector<TextRange> copied;  // in order and without overlaps
    for (const TagPair& mark : text.marks) {
        if (mark.range.begin >= sentence.end) {
            break;
        }
        const TextRange part = clipped(mark.range, sentence);
        const bool is_copied = !copied.empty() && copied.back().contains(mark.range);
        if (part.begin >= part.end || is_copied) {
            continue;
        }
        if (sentence.contains(mark.range) && !has_words(mark.range.of(text.text))) {
            copied.push_back(mark.range);
            parts.atoms.push_back({mark.range, text.written(mark.range, true), has_space_atom(text, mark.range)});
        } else {
            parts.marks.push_back(&mark);
        }
    }
    auto whole = copied.begin();
    for (auto place = first_atom_from(text, sentence.begin);
         place != text.atoms.end() && place->range.begin < sentence.end; ++place) {
        const Atom& atom = *place;
        whole = std::find_if(whole, copied.end(), [&](TextRange one) { return one.end >= atom.range.end; });
        const bool is_copied = whole != copied.end() && whole->contains(atom.range);
        if (sentence.contains(atom.range) && !is_copied) {
            parts.atoms.push_back(atom);
        }
    }
    std::sort(parts.atoms.begin(), parts.atoms.end(),
              [](const Atom& a, const Atom& b) { return a.range.begin < b.range.begin; });
    return parts;
}

}  // namespace

std::vector<Atom>::const_iterator first_atom_from(const MarkedText& text, std::size_t place) {
    return std::lower_bound(text.atoms.begin(), text.atoms.end(), place,
                            [](const Atom& atom, std::size_t at) { return atom.range.begin < at; });
}

std::string with_blanks(const MarkedText& text, TextRange range) {
    std::string part(range.of(text.text));
    for (auto atom = first_atom_from(text, range.begin); atom != text.atoms.end() && atom->range.end <= range.end;
         ++atom) {
        if (atom->is_space) {
            part.replace(atom->range.begin - range.begin, atom->range.size(), atom->range.size(), ' ');
        }
    }
    return part;
}

TextRange trimmed(const MarkedText& text, TextRange range) {
    const TextRange inner = trimmed(with_blanks(text, range), {0, range.size()});
    return {range.begin + inner.begin, range.begin + inner.end};
}

std::string encoded(std::string_view text, Markup markup) {
    if (markup == Markup::none) {
        return std::string(text);
    }
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\xC2' && at + 1 < text.size() && text[at + 1] == '\xA0') {
            result += "&nbsp;";
            ++at;
        } else {
            result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
        }
    }
    return result;
}

std::string MarkedText::written(TextRange range, bool inner) const {
    std::string result;
    std::size_t done = range.begin;
    const auto write_until = [&](std::size_t end) {
        if (end > done) {
            result += encoded(std::string_view(text).substr(done, end - done), markup);
            done = end;
        }
    };
    std::vector<const TagPair*> open;
    std::size_t next_mark = 0;
    auto next_atom = static_cast<std::size_t>(first_atom_from(*this, range.begin) - atoms.begin());
    const auto close_until = [&](std::size_t place) {
        while (!open.empty() && open.back()->range.end <= place) {
            write_until(open.back()->range.end);
            result += open.back()->close;
            open.pop_back();
        }
    };
    const auto opens_first = [&] {
        return next_atom == atoms.size() ||
               (next_mark < marks.size() && marks[next_mark].range.begin <= atoms[next_atom].range.begin);
    };
    const auto is_within = [&] {
        return (next_mark < marks.size() && marks[next_mark].range.begin < range.end) ||
               (next_atom < atoms.size() && atoms[next_atom].range.begin < range.end);
    };
    while (is_within()) {
        if (opens_first()) {
            const TagPair& mark = marks[next_mark++];
            if (mark.range.begin >= range.end || mark.range.end <= range.begin ||
                (inner && !range.contains(mark.range))) {
                continue;
            }
            if (mark.range.begin >= range.begin) {
                close_until(mark.range.begin);
                write_until(mark.range.begin);
                result += mark.open;
            }
            if (mark.range.end <= range.end) {
                open.push_back(&mark);
            }
        } else {
            const Atom& atom = atoms[next_atom++];
            if (!range.contains(atom.range)) {
                continue;
            }
            close_until(atom.range.begin);
            write_until(atom.range.begin);
            result += atom.text;
            done = std::max(done, atom.range.end);
        }
    }
    close_until(range.end);
    write_until(range.end);
    return result;
}

namespace {

// The innermost of the first `count` marks that a range is in.
std::size_t outer_of(const std::vector<const TagPair*>& marks, std::size_t count, TextRange range) {
    while (count > 0 && !marks[count - 1]->range.contains(range)) {
        --count;
    }
    return count > 0 ? count - 1 : MarkedSentence::nothing;
}

}  // namespace

bool has_content(const MarkedSentence::Copy& copy) {
    const std::string_view text = copy.text;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '<') {
            if (!is_blank_at(text, at)) {
                return true;
            }
            ++at;
            continue;
        }
        const bool is_comment = text.substr(at, 4) == "<!--";
        const std::size_t end = text.find(is_comment ? "-->" : ">", at);
        if (end == std::string_view::npos || lower_ascii(text.substr(at, 4)) == "<img") {
            return true;
        }
        at = end + (is_comment ? 3 : 1);
    }
    return false;
}

MarkedSentence marked_sentence(const MarkedText& text, TextRange sentence) {
    MarkedSentence result;
    result.markup = text.markup;
    const SentenceParts parts = parts_of(text, sentence);
    const std::string_view whole = text.text;
    std::vector<std::size_t> places(sentence.size() + 1);  // in result.text, of the bytes of the sentence
    std::size_t done = sentence.begin;
    const auto copy_until = [&](std::size_t end) {
        for (; done < end; ++done) {
            places[done - sentence.begin] = result.text.size();
            result.text += whole[done];
        }
    };
    for (const Atom& atom : parts.atoms) {
        copy_until(atom.range.begin);
        const bool behind = is_blank_at(whole, atom.range.end);
        result.copies.push_back({result.text.size(), outer_of(parts.marks, parts.marks.size(), atom.range),
                                 atom.range.begin, atom.text, is_space_before(whole, atom.range.begin), behind,
                                 atom.is_space});
        for (; done < atom.range.end; ++done) {
            places[done - sentence.begin] = result.text.size();
        }
        // One space is enough, and where there was something between two.
        const bool is_spaced = result.text.empty() || is_blank_at(result.text, result.text.size() - 1);
        if (behind && done < sentence.end && is_spaced) {
            places[done++ - sentence.begin] = result.text.size();
        }
        result.text += atom.is_space && !behind && !is_spaced ? " " : "";
    }
    copy_until(sentence.end);
    places.back() = result.text.size();
    for (const TagPair* mark : parts.marks) {
        const TextRange part = clipped(mark->range, sentence);
        result.tags.push_back({{places[part.begin - sentence.begin], places[part.end - sentence.begin]},
                               outer_of(parts.marks, result.tags.size(), mark->range),
                               mark->range.begin,
                               mark->open,
                               mark->close,
                               mark->range.begin<sentence.begin, mark->range.end> sentence.end});
    }
    return result;
}

}  // namespace softalign
