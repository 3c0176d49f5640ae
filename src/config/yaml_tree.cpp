#include "config/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"

namespace softalign {

namespace {

constexpr std::size_t max_depth = 8;

// Refuses what the parser would take for something else: bytes that are not text, and tabs as indentation.
class TextCheck {
public:
    TextCheck(std::string_view text, const YamlSource& source) : text_(text), source_(source) {}

    void run() {
        while (at_ < text_.size()) {
            step();
        }
    }

private:
    void step() {
        const std::size_t length = utf8_sequence_length(text_.substr(at_));
        const auto byte = static_cast<unsigned char>(text_[at_]);
        if (length == 0) {
            fail("not valid UTF-8; save the file as UTF-8");
        }
        if (byte == '\t' && indentation_ && !blank_line()) {
            fail("a tab in the indentation; YAML allows spaces only");
        }
        if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
            fail("a control character, which has no place in a configuration");
        }
        indentation_ = byte == '\n' || (indentation_ && (byte == ' ' || byte == '\t'));
        column_ = byte == '\n' ? 1 : column_ + static_cast<int>(length);
        line_ += byte == '\n' ? 1 : 0;
        at_ += length;
    }

    bool blank_line() const {
        const std::size_t next = text_.find_first_not_of(" \t\r", at_);
        return next == std::string_view::npos || text_[next] == '\n' || text_[next] == '#';
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ExitCode::configuration, source_.place(line_, column_) + ": " + what);
    }

    std::string_view text_;
    const YamlSource& source_;
    std::size_t at_ = 0;
    int line_ = 1;
    int column_ = 1;
    bool indentation_ = true;
};

// Builds the tree from yaml-cpp's events, which carry marks and duplicate keys; its own node tree hides both.
class TreeBuilder : public YAML::EventHandler {
public:
    explicit TreeBuilder(const YamlSource& source) : source_(source) {}

    YamlNode take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (documents_++ > 0) {
            fail(mark, "a second YAML document starts here; a configuration is one");
        }
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        refuse_extras(mark, "?", anchor);
        attach(make_node(YamlNode::Kind::null, mark));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_extras(mark, "?", 1); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        refuse_extras(mark, tag, anchor);
        YamlNode node = make_node(YamlNode::Kind::scalar, mark);
        node.text = value;
        node.quoted = tag == "!";
        attach(std::move(node));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::sequence, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::map, mark, tag, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
        throw Error(ExitCode::configuration, source_.place(mark.line + 1, mark.column + 1) + ": " + what);
    }

    static YamlNode make_node(YamlNode::Kind kind, const YAML::Mark& mark) {
        YamlNode node;
        node.kind = kind;
        node.line = mark.line + 1;
        node.column = mark.column + 1;
        return node;
    }

    void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
        if (anchor != 0) {
            fail(mark,
                 "YAML anchors and aliases (& and *) are not used here; write the value out (quotes make it text)");
        }
        if (!tag.empty() && tag != "?" && tag != "!") {
            fail(mark, "YAML tags (!) are not used here; write the value alone (quotes make it text)");
        }
    }

    void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        refuse_extras(mark, tag, anchor);
        if (open_.size() == max_depth) {
            fail(mark, "nested deeper than " + std::to_string(max_depth) + " levels; no key is that deep");
        }
        if (expects_key()) {
            fail(mark, "a list or a map cannot be a key; is a bracket not closed?");
        }
        open_.push_back(make_node(kind, mark));
    }

    void close() {
        YamlNode node = std::move(open_.back());
        open_.pop_back();
        attach(std::move(node));
    }

    bool expects_key() const {
        return !open_.empty() && open_.back().kind == YamlNode::Kind::map &&
               open_.back().keys.size() == open_.back().items.size();
    }

    void attach(YamlNode node) {
        if (open_.empty()) {
            root_ = std::move(node);
        } else if (expects_key()) {
            if (node.kind == YamlNode::Kind::null) {
                throw Error(ExitCode::configuration, source_.place(node.line, node.column) + ": a key has no name");
            }
            open_.back().keys.push_back(std::move(node));
        } else {
            if (node.kind == YamlNode::Kind::null && open_.back().kind == YamlNode::Kind::map) {
                node.line = open_.back().keys.back().line;  // the parser marks what follows instead
                node.column = open_.back().keys.back().column;
            }
            open_.back().items.push_back(std::move(node));
        }
    }

    const YamlSource& source_;
    YamlNode root_;
    std::vector<YamlNode> open_;
    int documents_ = 0;
};

// yaml-cpp quotes a byte of the text, which may be the first of several of a character: without that.
std::string whole_characters(std::string message) {
    const std::size_t column = first_invalid_utf8(message);
    if (column != 0) {
        message.resize(column - 1);
        message.resize(message.find_last_not_of(": ") + 1);
    }
    return message;
}

}  // namespace

std::string YamlSource::place(int line, int column) const {
    if (!positions || line <= 0) {
        return name;
    }
    return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

YamlNode parse_yaml(const std::string& text, const YamlSource& source) {
    if (text.size() > max_yaml_size) {
        throw Error(ExitCode::configuration,
                    source.name + ": larger than 1 MiB, too large for a configuration; is it the right file?");
    }
    TextCheck(text, source).run();
    TreeBuilder builder(source);
    try {
        // Of a quotation mark that is not closed, yaml-cpp sees the end of the text only where no white space is.
        std::istringstream stream(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& error) {
        constexpr char end_of_text = '\x04';  // to yaml-cpp, as in "unknown escape character: \x04"
        const bool is_open =
            error.msg == YAML::ErrorMsg::EOF_IN_SCALAR || error.msg.find(end_of_text) != std::string::npos;
        throw Error(
            ExitCode::configuration,
            source.place(error.mark.line + 1, error.mark.column + 1) + ": not valid YAML: " +
                (is_open ? "illegal EOF in scalar; is a quotation mark not closed?" : whole_characters(error.msg)));
    }
    return builder.take();
}

}  // namespace softalign
