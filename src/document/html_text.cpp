#include "document/html_text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "document/html_events.h"
#include "document/sentence_text.h"
#include "document/sentences.h"
#include "text/words.h"

namespace softalign {

namespace {

using Row = std::vector<HtmlEvent>;
using Kind = HtmlEvent::Kind;

// The tags of a row of events that have no partner in it or cross others.
std::vector<std::size_t> lone_tags(const Row& events) {
    std::vector<std::size_t> lone;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events[i].kind == Kind::open) {
            open.push_back(i);
        } else if (events[i].kind == Kind::close) {
            const auto partner = std::find_if(
                open.rbegin(), open.rend(), [&](std::size_t tag) { return events[tag].element == events[i].element; });
            if (partner == open.rend()) {
                lone.push_back(i);
                continue;
            }
            lone.insert(lone.end(), open.end() - (partner - open.rbegin()), open.end());
            open.erase(open.end() - (partner - open.rbegin()) - 1, open.end());
        }
    }
    lone.insert(lone.end(), open.begin(), open.end());
    std::sort(lone.begin(), lone.end());
    return lone;
}

// Rows of events in which all tags are pairs that nest: what is between rows stays where it is.
std::vector<Row> rows_of(Row events) {
    std::vector<Row> done;
    std::vector<Row> waiting;
    Row row;
    const auto end_row = [&] {
        if (!row.empty()) {
            waiting.push_back(std::exchange(row, {}));
        }
    };
    for (HtmlEvent& event : events) {
        if (!row.empty() && row.back().range.end != event.range.begin) {
            end_row();
        }
        row.push_back(std::move(event));
    }
    end_row();
    while (!waiting.empty()) {
        Row next = std::move(waiting.back());
        waiting.pop_back();
        const std::vector<std::size_t> lone = lone_tags(next);
        if (lone.empty()) {
            done.push_back(std::move(next));
            continue;
        }
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= lone.size(); ++i) {
            const std::size_t end = i < lone.size() ? lone[i] : next.size();
            row.assign(next.begin() + static_cast<std::ptrdiff_t>(begin),
                       next.begin() + static_cast<std::ptrdiff_t>(end));
            end_row();
            begin = end + 1;
        }
    }
    std::sort(done.begin(), done.end(),
              [](const Row& a, const Row& b) { return a.front().range.begin < b.front().range.begin; });
    return done;
}

constexpr std::string_view white = " \t\r\n\f";

// From the first event to the last, without the white space at the ends of their texts as the document spells it.
TextRange range_of(const std::string& html, const Row& row) {
    TextRange first = row.front().range;
    TextRange last = row.back().range;
    while (row.front().kind == Kind::text && first.size() > 0 &&
           white.find(html[first.begin]) != std::string_view::npos) {
        ++first.begin;
    }
    while (row.back().kind == Kind::text && last.end > std::max(first.begin, last.begin) &&
           white.find(html[last.end - 1]) != std::string_view::npos) {
        --last.end;
    }
    return {first.begin, last.end};
}

// Whether an element is one such as <sup>[1]</sup>, with the mark of a note, which is no part of the sentence.
bool is_note(std::string_view tag, std::string_view text) {
    constexpr std::string_view name = "<sup";
    const std::size_t end = tag.find_first_of(" \t\r\n\f/>");
    return lower_ascii(tag.substr(0, end)) == name && !text.empty() && reference_size(text) == text.size();
}

class TextBuilder {
public:
    TextBuilder(const std::string& html, const Row& row) : html_(html) {
        result_.range = range_of(html, row);
        result_.text.markup = Markup::html;
        for (std::size_t i = 0; i < row.size(); ++i) {
            add(row, i);
        }
        std::stable_sort(result_.text.marks.begin(), result_.text.marks.end(), [](const TagPair& a, const TagPair& b) {
            return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.range.end > b.range.end;
        });
    }

    HtmlText taken() { return std::move(result_); }

private:
    struct Open {
        TextRange tag;          // of the document
        std::size_t begin = 0;  // of the text
        std::size_t marks = 0;  // how many there were
        std::size_t atoms = 0;
    };

    void add(const Row& row, std::size_t i) {
        const HtmlEvent& event = row[i];
        std::string& text = result_.text.text;
        switch (event.kind) {
            case Kind::text:
                add_text(event, i == 0, i + 1 == row.size());
                return;
            case Kind::atom:
                add_atom(event.range, event.text);
                return;
            case Kind::open:
                open_.push_back({event.range, text.size(), result_.text.marks.size(), result_.text.atoms.size()});
                return;
            case Kind::close:
                close(event.range);
                return;
        }
    }

    void add_text(const HtmlEvent& event, bool is_first, bool is_last) {
        // What is not part of result_.range.
        std::string_view text = event.text;
        while (is_first && !text.empty() && white.find(text.front()) != std::string_view::npos) {
            text.remove_prefix(1);
        }
        while (is_last && !text.empty() && white.find(text.back()) != std::string_view::npos) {
            text.remove_suffix(1);
        }
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t mark = std::min(text.find(object_mark, at), text.size());
            result_.text.text += text.substr(at, mark - at);
            at = mark;
            if (mark < text.size()) {
                add_atom_text(std::string(object_mark), "");  // which the document has itself
                at += object_mark.size();
            }
        }
    }

    void add_atom_text(std::string copied, std::string seen) {
        const std::size_t begin = result_.text.text.size();
        result_.text.text += object_mark;
        result_.text.atoms.push_back({{begin, result_.text.text.size()}, std::move(copied), false, std::move(seen)});
    }

    void add_atom(TextRange range, std::string seen) { add_atom_text(std::string(range.of(html_)), std::move(seen)); }

    void close(TextRange tag) {
        const Open open = open_.back();
        open_.pop_back();
        std::string& text = result_.text.text;
        const TextRange range = trimmed(result_.text, {open.begin, text.size()});
        if (range.size() == 0 || is_note(open.tag.of(html_), range.of(text))) {
            // An element without text, or with the mark of a note, is copied with all that is in it.
            const bool is_space = range.size() == 0 && text.size() > open.begin;
            text.resize(open.begin);
            result_.text.marks.resize(open.marks);
            result_.text.atoms.resize(open.atoms);
            add_atom({open.tag.begin, tag.end}, "");
            result_.text.atoms.back().is_space = is_space;
            return;
        }
        // An outer mark with the same range comes first.
        result_.text.marks.insert(result_.text.marks.begin() + static_cast<std::ptrdiff_t>(open.marks),
                                  {range, std::string(open.tag.of(html_)), std::string(tag.of(html_))});
    }

    const std::string& html_;
    HtmlText result_;
    std::vector<Open> open_;
};

}  // namespace

bool reads_html() {
    return true;
}

std::vector<HtmlText> html_texts(const std::string& html) {
    std::vector<HtmlText> texts;
    for (const Row& row : rows_of(html_events(html))) {
        HtmlText text = TextBuilder(html, row).taken();
        if (!words_of(text.text.text, {object_mark}).empty()) {
            texts.push_back(std::move(text));
        }
    }
    return texts;
}

}  // namespace softalign
