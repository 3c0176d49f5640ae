#include "document/html_markup.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "document/characters.h"

namespace softalign {

namespace {

using Names = std::set<std::string_view>;

// Elements that are empty, or that end where the next of their kind begins.
const Names& uncounted() {
    static const Names names{"a",       "area",  "base",     "basefont", "bgsound", "body",  "br",       "button",
                             "caption", "col",   "colgroup", "dd",       "dt",      "embed", "frame",    "h1",
                             "h2",      "h3",    "h4",       "h5",       "h6",      "head",  "hr",       "html",
                             "img",     "input", "li",       "link",     "meta",    "nobr",  "optgroup", "option",
                             "p",       "param", "rb",       "rp",       "rt",      "rtc",   "select",   "source",
                             "tbody",   "td",    "tfoot",    "th",       "thead",   "tr",    "track",    "wbr"};
    return names;
}

// Whose text has no tags.
const Names& raw() {
    static const Names names{"iframe", "noembed",  "noframes", "plaintext", "script",
                             "style",  "textarea", "title",    "xmp"};
    return names;
}

// What such an element is in, and whose other contents it ends.
Names containers_of(std::string_view name) {
    static const Names of_table{"caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"};
    return of_table.count(name) > 0       ? Names{"table"}
           : name == "li"                 ? Names{"ul", "ol", "menu", "dir"}
           : name == "dt" || name == "dd" ? Names{"dl"}
           : name == "option"             ? Names{"select"}
                                          : Names{};
}

std::string name_of(std::string_view tag) {
    tag.remove_prefix(tag.size() > 1 && tag[1] == '/' ? 2 : 1);
    return lower_ascii(tag.substr(0, tag.find_first_of(" \t\r\n\f/>")));
}

// Where the closing tag of a raw element begins.
std::size_t end_of_raw(std::string_view html, std::size_t at, const std::string& name) {
    for (at = html.find("</", at); at != std::string_view::npos; at = html.find("</", at + 1)) {
        if (name_of(html.substr(at, name.size() + 3)) == name) {
            return at;
        }
    }
    return html.size();
}

// The elements that are open at a place of a document.
class OpenElements {
public:
    void open(const std::string& name) {
        names_.push_back(name);
        ++counts_[name];
    }
    void close(const std::string& name) {
        if (has(name)) {
            back_to({name});
            pop();
        }
    }
    // Closes what is in the innermost of these, if there is one.
    void back_to(const Names& containers) {
        if (std::any_of(containers.begin(), containers.end(), [this](auto name) { return has(std::string(name)); })) {
            while (containers.count(names_.back()) == 0) {
                pop();
            }
        }
    }
    bool has(const std::string& name) const {
        const auto found = counts_.find(name);
        return found != counts_.end() && found->second > 0;
    }
    std::size_t size() const { return names_.size(); }

private:
    void pop() {
        --counts_[names_.back()];
        names_.pop_back();
    }

    std::vector<std::string> names_;
    std::map<std::string, std::size_t> counts_;
};

}  // namespace

std::size_t markup_length(std::string_view text) {
    const bool begins = text.size() > 1 && text[0] == '<' &&
                        (text[1] == '/' || text[1] == '!' || text[1] == '?' || (text[1] >= 'a' && text[1] <= 'z') ||
                         (text[1] >= 'A' && text[1] <= 'Z'));
    if (!begins) {
        return 0;
    }
    if (text.substr(0, 4) == "<!--") {
        const std::size_t end = text.find("-->", 4);
        return end == std::string_view::npos ? text.size() : end + 3;
    }
    char quote = 0;
    char last = '<';  // that is no white space
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (quote != 0) {
            quote = text[at] == quote ? '\0' : quote;
        } else if ((text[at] == '"' || text[at] == '\'') && last == '=') {
            quote = text[at];
        } else if (text[at] == '>') {
            return at + 1;
        }
        last = is_blank_at(text, at) ? last : text[at];
    }
    return text.size();
}

namespace {

// What a tag has behind its name that may be attributes: what begins behind a blank, a slash or a quoted value.
std::size_t count_attributes(std::string_view tag) {
    std::size_t count = 0;
    char quote = 0;
    bool begins = false;
    for (std::size_t at = 1; at + 1 < tag.size(); ++at) {
        const char c = tag[at];
        if (quote != 0) {
            begins = c == quote;
            quote = begins ? '\0' : quote;
        } else if (c == '/' || is_blank_at(tag, at)) {
            begins = true;
        } else {
            count += begins ? 1 : 0;
            begins = false;
            quote = (c == '"' || c == '\'') && tag[at - 1] == '=' ? c : '\0';
        }
    }
    return count;
}

}  // namespace

HtmlExtent extent_of(std::string_view html) {
    OpenElements open;
    HtmlExtent extent;
    for (std::size_t at = html.find('<'); at < html.size(); at = html.find('<', at)) {
        const std::size_t length = markup_length(html.substr(at));
        const std::string_view tag = html.substr(at, length);
        at += std::max<std::size_t>(length, 1);
        if (length < 3 || tag[1] == '!' || tag[1] == '?') {
            continue;
        }
        extent.attributes = std::max(extent.attributes, count_attributes(tag));
        const std::string name = name_of(tag);
        open.back_to(containers_of(name));
        if (tag[1] == '/') {
            open.close(name);
        } else if (raw().count(name) > 0) {
            at = end_of_raw(html, at, name);
        } else if (uncounted().count(name) == 0 &&
                   !(tag[tag.size() - 2] == '/' && (open.has("svg") || open.has("math")))) {
            open.open(name);
            extent.depth = std::max(extent.depth, open.size());
        }
    }
    return extent;
}

}  // namespace softalign
