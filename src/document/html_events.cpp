#include "document/html_events.h"

#include <gumbo.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "document/html_markup.h"
#include "document/parser_memory.h"
#include "text/words.h"

namespace softalign {

namespace {

using Tags = std::set<GumboTag>;

// What may be inside a sentence.
const Tags& inline_tags() {
    static const Tags tags{GUMBO_TAG_A,    GUMBO_TAG_ABBR,   GUMBO_TAG_ACRONYM, GUMBO_TAG_B,    GUMBO_TAG_BDI,
                           GUMBO_TAG_BDO,  GUMBO_TAG_BIG,    GUMBO_TAG_CITE,    GUMBO_TAG_DATA, GUMBO_TAG_DEL,
                           GUMBO_TAG_DFN,  GUMBO_TAG_EM,     GUMBO_TAG_FONT,    GUMBO_TAG_I,    GUMBO_TAG_INS,
                           GUMBO_TAG_MARK, GUMBO_TAG_NOBR,   GUMBO_TAG_Q,       GUMBO_TAG_S,    GUMBO_TAG_SMALL,
                           GUMBO_TAG_SPAN, GUMBO_TAG_STRIKE, GUMBO_TAG_STRONG,  GUMBO_TAG_SUB,  GUMBO_TAG_SUP,
                           GUMBO_TAG_TIME, GUMBO_TAG_TT,     GUMBO_TAG_U,       GUMBO_TAG_VAR};
    return tags;
}

// What is copied where it is in a sentence.
const Tags& copied_tags() {
    static const Tags tags{GUMBO_TAG_CODE,   GUMBO_TAG_KBD, GUMBO_TAG_SAMP, GUMBO_TAG_IMG, GUMBO_TAG_WBR,
                           GUMBO_TAG_SCRIPT, GUMBO_TAG_SVG, GUMBO_TAG_MATH, GUMBO_TAG_RUBY};
    return tags;
}

// What ends a sentence and is not translated.
const Tags& untouched_tags() {
    static const Tags tags{GUMBO_TAG_STYLE,    GUMBO_TAG_PRE,     GUMBO_TAG_TEXTAREA,  GUMBO_TAG_IFRAME,
                           GUMBO_TAG_NOFRAMES, GUMBO_TAG_NOEMBED, GUMBO_TAG_PLAINTEXT, GUMBO_TAG_XMP,
                           GUMBO_TAG_OBJECT,   GUMBO_TAG_LISTING};
    return tags;
}

// What no reader sees.
const Tags& unseen_tags() {
    static const Tags tags{GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE, GUMBO_TAG_SVG};
    return tags;
}

std::string attribute_of(const GumboElement& element, const char* name) {
    const GumboAttribute* found = gumbo_get_attribute(&element.attributes, name);
    return lower_ascii(found == nullptr ? "" : found->value);
}

bool is_kept_by_author(const GumboElement& element) {
    const std::string classes = attribute_of(element, "class");
    const std::vector<std::string_view> names = words_of(classes);
    return attribute_of(element, "translate") == "no" ||
           std::find(names.begin(), names.end(), "notranslate") != names.end();
}

// Of a comment, or what a parser takes for one, at the end of a document.
bool is_closed(std::string_view comment) {
    const bool is_real = comment.substr(0, 4) == "<!--";
    return comment.back() == '>' && (!is_real || comment.substr(comment.size() - 3) == "-->");
}

const GumboVector* list_of(const GumboNode& node) {
    return node.type == GUMBO_NODE_DOCUMENT                                      ? &node.v.document.children
           : node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE ? &node.v.element.children
                                                                                 : nullptr;
}

std::vector<const GumboNode*> children_of(const GumboNode& node) {
    std::vector<const GumboNode*> children;
    const GumboVector* list = list_of(node);
    for (unsigned i = 0; list != nullptr && i < list->length; ++i) {
        children.push_back(static_cast<const GumboNode*>(list->data[i]));
    }
    return children;
}

// Visits nodes and all that is in them, in the order of the document, but nothing in a node for which `visit` is false.
void walk(const std::vector<const GumboNode*>& nodes, const std::function<bool(const GumboNode& node)>& visit) {
    std::vector<const GumboNode*> open(nodes.rbegin(), nodes.rend());
    while (!open.empty()) {
        const GumboNode& node = *open.back();
        open.pop_back();
        if (visit(node)) {
            const std::vector<const GumboNode*> children = children_of(node);
            open.insert(open.end(), children.rbegin(), children.rend());
        }
    }
}

class Parsed {
public:
    explicit Parsed(std::string_view html, GumboTag context = GUMBO_TAG_LAST)
        : memory_(least_memory + memory_for_byte * html.size()) {
        options_.allocator = &ParserMemory::allocate;
        options_.deallocator = &ParserMemory::free_block;
        options_.userdata = &memory_;
        options_.max_errors = 0;
        options_.fragment_context = context;
        if (!memory_.run([&] { output_ = gumbo_parse_with_options(&options_, html.data(), html.size()); })) {
            throw Error(ExitCode::data,
                        "too many tags of the HTML are not closed, such as <b> and <font>: it takes more "
                        "memory than " +
                            std::to_string(memory_for_byte) + " times its size to read it; close them, or divide it");
        }
    }
    Parsed(const Parsed&) = delete;
    Parsed& operator=(const Parsed&) = delete;

    // REQUIRES: this outlives their use.
    std::vector<const GumboNode*> nodes() const { return children_of(*output_->document); }

private:
    // A document of tags alone takes about 60 bytes for each of its own.
    static constexpr std::size_t least_memory = std::size_t{1} << 20;
    static constexpr std::size_t memory_for_byte = 400;

    ParserMemory memory_;  // also of output_
    GumboOptions options_ = kGumboDefaultOptions;
    GumboOutput* output_ = nullptr;
};

// Text without tags, as the parser reads it.
std::string parsed(std::string_view text) {
    std::vector<std::pair<const char*, std::string>> found;
    walk(Parsed(text, GUMBO_TAG_DIV).nodes(), [&](const GumboNode& node) {
        if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE) {
            found.emplace_back(node.v.text.original_text.data, node.v.text.text);
        }
        return true;
    });
    std::sort(found.begin(), found.end());
    std::string result;
    for (const auto& [place, part] : found) {
        result += part;
    }
    return result;
}

// Text without tags, with what its character references stand for.
std::string decoded(std::string_view text) {
    const bool is_plain = text.find_first_of(std::string_view("&\r\0", 3)) == std::string_view::npos;
    return is_plain ? std::string(text) : parsed(text);
}

// The text that a reader sees of an element.
std::string seen_of(const GumboNode& element) {
    std::string seen;
    walk({&element}, [&seen](const GumboNode& node) {
        if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE) {
            seen += node.v.text.text;
        }
        return node.type == GUMBO_NODE_ELEMENT && unseen_tags().count(node.v.element.tag) == 0;
    });
    return as_utf8(std::move(seen));
}

class Events {
public:
    explicit Events(const std::string& html) : html_(html) {
        walk(Parsed(html).nodes(), [this](const GumboNode& node) { return visit(node); });
    }

    std::vector<HtmlEvent> taken() {
        std::sort(events_.begin(), events_.end(),
                  [](const HtmlEvent& a, const HtmlEvent& b) { return a.range.begin < b.range.begin; });
        std::vector<HtmlEvent> in_order;
        for (HtmlEvent& event : events_) {
            const std::size_t free = in_order.empty() ? 0 : in_order.back().range.end;
            // The parser leaves the first half of a line end out.
            if (event.kind == HtmlEvent::Kind::text && event.range.begin > free &&
                html_[event.range.begin - 1] == '\r') {
                --event.range.begin;
            }
            if (event.range.size() > 0 && event.range.begin >= free) {
                in_order.push_back(std::move(event));
            }
        }
        return in_order;
    }

private:
    // Of what is not in the document: nothing.
    TextRange range_of(const GumboStringPiece& piece) const {
        if (piece.data == nullptr || piece.length == 0 || std::less<>()(piece.data, html_.data()) ||
            std::less<>()(html_.data() + html_.size(), piece.data + piece.length)) {
            return {};
        }
        const auto begin = static_cast<std::size_t>(piece.data - html_.data());
        return {begin, begin + piece.length};
    }

    bool visit(const GumboNode& node) {
        switch (node.type) {
            case GUMBO_NODE_TEXT:
            case GUMBO_NODE_WHITESPACE:
                add_text(node);
                return true;
            case GUMBO_NODE_COMMENT:
                if (const TextRange range = range_of(node.v.text.original_text);
                    range.size() > 0 && markup_length(range.of(html_)) == range.size() && is_closed(range.of(html_))) {
                    events_.push_back({HtmlEvent::Kind::atom, range});
                }
                return true;
            case GUMBO_NODE_ELEMENT:
                return visit_element(node);
            default:
                return true;
        }
    }

    bool visit_element(const GumboNode& node) {
        const GumboElement& element = node.v.element;
        const TextRange open = range_of(element.original_tag);
        const TextRange close = range_of(element.original_end_tag);
        const bool kept = is_kept_by_author(element);
        const bool is_inline = inline_tags().count(element.tag) > 0;
        const bool is_copied = copied_tags().count(element.tag) > 0;
        const bool is_empty = element.tag == GUMBO_TAG_IMG || element.tag == GUMBO_TAG_WBR;
        if (is_copied || (kept && is_inline)) {
            if (open.size() > 0 && (close.size() > 0 || is_empty)) {
                events_.push_back(
                    {HtmlEvent::Kind::atom, {open.begin, is_empty ? open.end : close.end}, seen_of(node)});
            }
            return false;
        }
        if (kept || untouched_tags().count(element.tag) > 0 || element.tag_namespace != GUMBO_NAMESPACE_HTML) {
            return false;
        }
        // A formatting element that is closed late has copies, with the same tags.
        if (is_inline && open.size() > 0 && close.size() > 0 && elements_.insert(open.begin).second) {
            events_.push_back({HtmlEvent::Kind::open, open, "", open.begin});
            events_.push_back({HtmlEvent::Kind::close, close, "", open.begin});
        }
        return true;
    }

    void add_text(const GumboNode& node) {
        const TextRange range = range_of(node.v.text.original_text);
        const std::string_view raw = range.of(html_);
        const bool is_raw = node.parent != nullptr && node.parent->type == GUMBO_NODE_ELEMENT &&
                            node.parent->v.element.tag == GUMBO_TAG_TITLE;
        // Tags that the parser ignored are between its text.
        std::size_t begin = 0;
        bool whole = true;
        for (std::size_t at = 0; !is_raw && at < raw.size();) {
            const std::size_t length = markup_length(raw.substr(at));
            if (length > 0) {
                add_part(range.begin, raw, {begin, at});
                begin = at + length;
                whole = false;
            }
            at += std::max<std::size_t>(length, 1);
        }
        if (whole) {
            // At the end of a comment that is not closed, the parser loses count.
            if (is_raw || raw == node.v.text.text || parsed(raw) == node.v.text.text) {
                add(range, is_raw ? node.v.text.text : decoded(raw));
            }
        } else {
            add_part(range.begin, raw, {begin, raw.size()});
        }
    }

    void add_part(std::size_t place, std::string_view raw, TextRange part) {
        if (part.size() > 0) {
            add({place + part.begin, place + part.end}, decoded(part.of(raw)));
        }
    }

    // The parser makes bytes that are not UTF-8 of a reference to a character beyond 32 bits (&#6666666616;).
    void add(TextRange range, std::string text) {
        events_.push_back({HtmlEvent::Kind::text, range, as_utf8(std::move(text))});
    }

    const std::string& html_;
    std::vector<HtmlEvent> events_;
    std::set<std::size_t> elements_;  // by the places of their tags
};

}  // namespace

std::vector<HtmlEvent> html_events(const std::string& html) {
    // The parser looks through all open elements for many a tag. Browsers nest no more than 512.
    constexpr std::size_t deepest = 5000;
    constexpr std::size_t most_attributes = 2000;  // which it compares with one another
    const HtmlExtent extent = extent_of(html);
    if (extent.attributes > most_attributes) {
        throw Error(ExitCode::data,
                    "a tag of the HTML has more than " + std::to_string(most_attributes) + " attributes; remove some");
    }
    if (extent.depth > deepest) {
        throw Error(ExitCode::data, "the HTML has more than " + std::to_string(deepest) +
                                        " nested elements, or as many that are not closed; divide it");
    }
    return Events(html).taken();
}

}  // namespace softalign
