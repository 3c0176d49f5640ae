#include "document/mark_writing.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/placeholders.h"
#include "document/span_neighbours.h"
#include "document/text_units.h"
#include "text/placeholder_pieces.h"

namespace softalign {

std::string written_part(std::string_view text, const MarkedSentence& source) {
    std::string result;
    std::size_t done = 0;
    for (const TextRange& range : source.held.empty() ? std::vector<TextRange>() : placeholders_in(text)) {
        if (const MarkedSentence::Copy* const held = held_copy(source, range.of(text))) {
            result += encoded(text.substr(done, range.begin - done), source.markup) + held->text;
            done = range.end;
        }
    }
    return result + encoded(text.substr(done), source.markup);
}

namespace {

// A node that is being written: its tokens and children up to here are.
struct Writing {
    std::size_t node;
    std::size_t token;
    std::size_t child = 0;
};

constexpr std::size_t no_tag = 0;  // the number of the sentence itself, which is no child

class Writer {
public:
    Writer(const MarkedSentence& source, std::string_view translation, const std::vector<WordToken>& tokens,
           const std::vector<MarkNode>& nodes)
        : source_(source), translation_(translation), tokens_(tokens), nodes_(nodes), pending_(gap_before(0)) {}

    std::string written() {
        write();
        return std::move(out_);
    }

private:
    std::string gap_before(std::size_t token) const;
    void write();
    std::size_t write_up_to_tag(Writing& writing);
    void write_tokens(std::size_t begin, std::size_t end);
    void open(const MarkNode& node);
    const MarkNode* first_child(const MarkNode& node) const;
    const MarkedSentence::Copy* first_copy(const MarkNode& node);
    void write_copy(const MarkedSentence::Copy& copy, std::size_t next_token);
    void end_span(const MarkedSentence::Copy* span);
    void join_span(const MarkedSentence::Copy& copy);
    void write_tags(std::string_view tags);
    std::size_t seen_end() const { return out_.size() == tags_end_ ? tags_begin_ : out_.size(); }
    bool is_at_start() const;
    bool needs_space(const MarkedSentence::Copy& copy) const;

    const MarkedSentence& source_;
    const std::string_view translation_;
    const std::vector<WordToken>& tokens_;
    const std::vector<MarkNode>& nodes_;
    std::string out_;
    std::string pending_;       // white space that is written in front of what comes next
    std::size_t span_end_ = 0;  // of the last span in `out_`
    const MarkedSentence::Copy* last_span_ = nullptr;
    bool span_spaced_ = false;     // `pending_` is only there because the last span touches no word
    std::size_t token_end_ = 0;    // of the last token in `out_`
    std::string_view last_token_;  // as it is in the translation
    std::size_t space_end_ = 0;    // of the last copy that is a space
    std::size_t tags_begin_ = 0;   // of the tags and unseen copies that were written last, in `out_`
    std::size_t tags_end_ = 0;
    const MarkNode* known_ = nullptr;  // which begins as the tag that was opened last, with this copy
    const MarkedSentence::Copy* known_copy_ = nullptr;
};

std::string Writer::gap_before(std::size_t token) const {
    const std::size_t begin = token == 0 ? 0 : tokens_[token - 1].range.end;
    const std::size_t end = token < tokens_.size() ? tokens_[token].range.begin : translation_.size();
    return std::string(translation_.substr(begin, end - begin));
}

void Writer::write_tokens(std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
        out_ += pending_;
        span_spaced_ = false;
        const std::string_view token = tokens_[t].range.of(translation_);
        out_ += written_part(token, source_);
        if (is_placeholder(token)) {
            end_span(held_copy(source_, token));
        }
        last_token_ = token;
        token_end_ = out_.size();
        pending_ = gap_before(t + 1);
    }
}

void Writer::end_span(const MarkedSentence::Copy* span) {
    span_end_ = out_.size();
    last_span_ = span;
    span_spaced_ = false;
}

void Writer::write_tags(std::string_view tags) {
    tags_begin_ = seen_end();
    out_ += tags;
    tags_end_ = out_.size();
}

// What a tag begins with; null if that is a word.
const MarkNode* Writer::first_child(const MarkNode& node) const {
    const MarkNode* const child = node.children.empty() ? nullptr : &nodes_[node.children.front()];
    return child != nullptr && child->target.begin == node.target.begin ? child : nullptr;
}

// What a tag begins with, in whatever tags; null if that is a word.
const MarkedSentence::Copy* Writer::first_copy(const MarkNode& node) {
    if (&node != known_) {
        const MarkNode* first = &node;
        while (first != nullptr && first->tag != nullptr) {
            first = first_child(*first);
        }
        known_copy_ = first == nullptr ? nullptr : first->copy;
    }
    known_ = first_child(node);
    return known_copy_;
}

// The space in front of a copy that the tag begins with is in front of the tag.
void Writer::open(const MarkNode& node) {
    if (node.tag->from_before) {
        return;
    }
    const MarkedSentence::Copy* const copy = first_copy(node);
    if (copy != nullptr) {
        join_span(*copy);
        pending_ = pending_.empty() && needs_space(*copy) ? " " : pending_;
    }
    out_ += std::exchange(pending_, "");
    write_tags(node.tag->open);
}

// Whether nothing or white space is in front, but for tags.
bool Writer::is_at_start() const {
    const std::size_t end = seen_end();
    return end == 0 || out_[end - 1] == ' ' || end == space_end_;
}

// Whether a space has to be put in front of the copy. One that touches no letter in the source touches none here, such
// as that of the word that it comes to stand beside, and it stands behind no comma that it did not stand behind.
bool Writer::needs_space(const MarkedSentence::Copy& copy) const {
    const std::size_t end = seen_end();
    const std::string_view seen = std::string_view(out_).substr(0, end);
    const std::string_view before = std::string_view(source_.text).substr(0, copy.at);
    const std::string_view sign = end == token_end_ ? last_token_ : seen;  // not the ';' of "&amp;"
    const bool is_behind_span = end > 0 && end == span_end_;
    const bool is_apart = is_behind_span         ? last_span_ == nullptr || !touches(source_, copy, false, last_span_)
                          : ends_with_word(seen) ? !touches(source_, copy, false, nullptr)
                                                 : allows_space_behind(sign) && !ends_wide(sign) &&
                                                       (before.empty() || before.back() != sign.back());
    return !is_at_start() && (copy.spaced_before || (is_apart && is_seen(copy)));
}

// Takes back the space that is between a span and the next word, in front of another span that touches it.
void Writer::join_span(const MarkedSentence::Copy& copy) {
    if (span_spaced_ && is_seen(copy) && touches(source_, copy, false, last_span_)) {
        pending_ = "";
    }
}

void Writer::write_copy(const MarkedSentence::Copy& copy, std::size_t next_token) {
    join_span(copy);
    if (copy.is_space) {
        if (copy.spaced_before) {
            out_ += pending_.empty() && !is_at_start() ? " " : pending_;
        }
        write_tags(copy.text);
        space_end_ = seen_end();
        pending_ = copy.spaced_behind ? " " : "";
        return;
    }
    const bool is_span = is_seen(copy);  // else tags, which may touch any
    if (!is_span && !copy.spaced_before && seen_end() == span_end_ && span_end_ > 0) {
        write_tags(copy.text);  // the space between the span and the next word is behind them
        pending_ = copy.spaced_behind ? " " : pending_;
        return;
    }
    if (copy.spaced_before) {
        out_ += pending_.empty() && needs_space(copy) ? " " : pending_;
        pending_ = copy.spaced_behind ? " " : "";
    } else if (!copy.spaced_behind) {
        out_ += std::exchange(pending_, "");
    } else if (pending_.empty()) {
        pending_ = " ";
    }
    out_ += needs_space(copy) ? " " : "";
    if (!is_span) {
        write_tags(copy.text);
        return;
    }
    out_ += copy.text;
    end_span(&copy);
    const std::string_view next =
        next_token < tokens_.size() ? tokens_[next_token].range.of(translation_) : std::string_view();
    if (pending_.empty() && (begins_with_word(next) || is_placeholder(next)) &&
        !touches(source_, copy, true, held_copy(source_, next))) {
        pending_ = " ";
        span_spaced_ = true;
    }
}

// Writes a node up to the next tag in it, which it returns, or to its end.
std::size_t Writer::write_up_to_tag(Writing& writing) {
    const MarkNode& node = nodes_[writing.node];
    while (writing.child < node.children.size()) {
        const std::size_t child = node.children[writing.child++];
        write_tokens(writing.token, nodes_[child].target.begin);
        writing.token = nodes_[child].target.end;
        if (nodes_[child].tag != nullptr) {
            return child;
        }
        write_copy(*nodes_[child].copy, writing.token);
    }
    write_tokens(writing.token, node.target.end);
    return no_tag;
}

void Writer::write() {
    std::vector<Writing> open{{0, nodes_.front().target.begin}};
    while (!open.empty()) {
        if (const std::size_t child = write_up_to_tag(open.back()); child != no_tag) {
            this->open(nodes_[child]);
            open.push_back({child, nodes_[child].target.begin});
            continue;
        }
        if (open.size() > 1) {
            const MarkedSentence::Tag& tag = *nodes_[open.back().node].tag;
            write_tags(tag.into_next ? "" : tag.close);
        }
        open.pop_back();
    }
}

}  // namespace

std::string written_marks(const MarkedSentence& source, std::string_view translation,
                          const std::vector<WordToken>& tokens, const std::vector<MarkNode>& nodes) {
    return Writer(source, translation, tokens, nodes).written();
}

}  // namespace softalign
