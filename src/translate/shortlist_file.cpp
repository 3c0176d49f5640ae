#include "translate/shortlist.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "storage/model_directory.h"
#include "text/line_reader.h"
#include "text/vocabulary_file.h"

namespace softalign {

namespace {

const std::string first_line = "softalign shortlist 1";
const std::string last_line = "end";

// The name of a piece as one word: without the characters that separate words and lines.
std::string escaped(const std::string& piece) {
    std::string result;
    for (const char c : piece) {
        switch (c) {
            case '\\':
                result += "\\\\";
                break;
            case ' ':
                result += "\\s";
                break;
            case '\t':
                result += "\\t";
                break;
            case '\n':
                result += "\\n";
                break;
            case '\r':
                result += "\\r";
                break;
            default:
                result += c;
        }
    }
    return result.empty() ? "\\e" : result;
}

std::vector<std::string> names_of(const Tokenizer& tokenizer) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(tokenizer.size()));
    for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
        names.push_back(escaped(tokenizer.piece(id)));
    }
    return names;
}

std::string vocabulary_line(const char* side, const Tokenizer& tokenizer) {
    return fmt::format("{} {} {:016x}", side, tokenizer.size(), vocabulary_checksum(tokenizer));
}

// Reads the file line by line and each line word by word, and knows where it is.
class ShortlistReader {
public:
    ShortlistReader(const std::string& path, const Tokenizer& source, const Tokenizer& target)
        : lines_(path),
          source_(source),
          target_(target),
          source_names_(names_of(source)),
          target_names_(names_of(target)) {}

    Shortlist read() {
        next_line();
        if (line_ != first_line) {
            position_ = 0;
            fail("not a shortlist of this version, which begins with \"" + first_line +
                 "\"; softalign shortlist makes one");
        }
        check_vocabulary("source", source_);
        check_vocabulary("target", target_);
        std::vector<std::int32_t> always = read_always();
        std::vector<std::vector<Shortlist::Translation>> rows(source_names_.size());
        read_rows(rows);
        return {std::move(rows), std::move(always)};
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ExitCode::data, fmt::format("{}:{}: {}", lines_.place(), position_ + 1, what));
    }

    void next_line() {
        begin_ = position_ = 0;
        if (!lines_.next(line_)) {
            line_.clear();
            throw Error(ExitCode::data, fmt::format("{}: the file ends after line {}, before its last line \"{}\"; it "
                                                    "is truncated: copy it again, or make a new one with softalign "
                                                    "shortlist",
                                                    lines_.name(), lines_.line_number(), last_line));
        }
        lines_.require_utf8(line_);
    }

    bool at_end() const { return begin_ > line_.size(); }

    // The next word of the line; position_ is where it begins.
    std::string_view word(const char* what) {
        position_ = std::min(begin_, line_.size());
        if (position_ == line_.size()) {
            fail(std::string("the line ends where ") + what + " should be");
        }
        const std::size_t end = std::min(line_.find(' ', begin_), line_.size());
        begin_ = end + 1;
        if (end == position_) {
            fail(std::string("a space where ") + what + " should be");
        }
        return std::string_view(line_).substr(position_, end - position_);
    }

    template <typename Number>
    Number number(const char* what) {
        const std::string_view text = word(what);
        Number value{};
        if (!read_number(text, value)) {
            fail(fmt::format("\"{}\" is not {}", text, what));
        }
        return value;
    }

    // An id and the name of its piece.
    std::int32_t piece(const char* what, const std::vector<std::string>& names) {
        const auto id = number<std::int32_t>(what);
        if (id < 0 || id >= static_cast<std::int32_t>(names.size())) {
            fail(fmt::format("{} is not {}: the vocabulary has {} pieces", id, what, names.size()));
        }
        const std::size_t place = position_;
        const std::string& name = names[static_cast<std::size_t>(id)];
        const std::string_view given = word("the name of the piece");
        if (given != name) {
            fail(fmt::format("piece {} is \"{}\" in the vocabulary, not \"{}\"", id, name, given));
        }
        position_ = place;  // what is wrong with the piece besides is wrong with its id
        return id;
    }

    void check_vocabulary(const std::string& side, const Tokenizer& tokenizer) {
        next_line();
        if (!starts_with(line_, side + " ")) {
            fail("the line of the " + side + " vocabulary should be here");
        }
        if (line_ != vocabulary_line(side.c_str(), tokenizer)) {
            throw Error(ExitCode::model,
                        fmt::format("{}: made for another {} vocabulary than the model's; make one for "
                                    "this model with softalign shortlist",
                                    lines_.name(), side));
        }
    }

    std::vector<std::int32_t> read_always() {
        next_line();
        if (word("\"always\"") != "always") {
            fail("the line of the pieces that are always allowed, \"always\", should be here");
        }
        std::vector<bool> seen(target_names_.size());
        std::vector<std::int32_t> always;
        while (!at_end()) {
            always.push_back(once(piece("the id of a target piece", target_names_), seen));
        }
        if (!seen[static_cast<std::size_t>(target_.special().eos)]) {
            fail("the end of the sentence is not among the pieces that are always allowed");
        }
        return always;
    }

    void read_rows(std::vector<std::vector<Shortlist::Translation>>& rows) {
        std::int32_t before = -1;
        std::vector<bool> seen(target_names_.size());
        for (next_line(); line_ != last_line; next_line()) {
            const std::int32_t source = piece("the id of a source piece", source_names_);
            if (source <= before) {
                position_ = 0;
                fail(fmt::format("source piece {} comes after {}; ids must be in ascending order", source, before));
            }
            before = source;
            std::vector<Shortlist::Translation>& row = rows[static_cast<std::size_t>(source)];
            while (!at_end()) {
                const std::int32_t target = once(piece("the id of a target piece", target_names_), seen);
                row.push_back({target, probability()});
            }
            for (const Shortlist::Translation& translation : row) {
                seen[static_cast<std::size_t>(translation.target)] = false;
            }
        }
        if (lines_.next(line_)) {
            begin_ = position_ = 0;
            fail("text after the last line \"" + last_line + "\"");
        }
    }

    double probability() {
        const auto value = number<double>("a probability");
        if (!(value >= 0.0 && value <= 1.0)) {
            fail(fmt::format("{} is not a probability", value));
        }
        return value;
    }

    std::int32_t once(std::int32_t target, std::vector<bool>& seen) const {
        if (seen[static_cast<std::size_t>(target)]) {
            fail(fmt::format("piece {} is listed twice", target));
        }
        seen[static_cast<std::size_t>(target)] = true;
        return target;
    }

    LineReader lines_;
    const Tokenizer& source_;
    const Tokenizer& target_;
    std::vector<std::string> source_names_;
    std::vector<std::string> target_names_;
    std::string line_;
    std::size_t begin_ = 0;     // of the next word
    std::size_t position_ = 0;  // of what a fault is about
};

}  // namespace

std::string shortlist_text(const Shortlist& shortlist, const Tokenizer& source, const Tokenizer& target) {
    const std::vector<std::string> source_names = names_of(source);
    const std::vector<std::string> target_names = names_of(target);
    const auto name = [](const std::vector<std::string>& names, std::int32_t id) -> const std::string& {
        return names[static_cast<std::size_t>(id)];
    };
    std::string text =
        first_line + "\n" + vocabulary_line("source", source) + "\n" + vocabulary_line("target", target) + "\nalways";
    for (const std::int32_t id : shortlist.always()) {
        text += fmt::format(" {} {}", id, name(target_names, id));
    }
    text += "\n";
    for (std::int32_t id = 0; id < source.size(); ++id) {
        const auto& row = shortlist.rows()[static_cast<std::size_t>(id)];
        if (row.empty()) {
            continue;
        }
        text += fmt::format("{} {}", id, name(source_names, id));
        for (const Shortlist::Translation& translation : row) {
            text += fmt::format(" {} {} {:.4g}", translation.target, name(target_names, translation.target),
                                translation.probability);
        }
        text += "\n";
    }
    return text + last_line + "\n";
}

Shortlist read_shortlist(const std::string& path, const Tokenizer& source, const Tokenizer& target) {
    return ShortlistReader(path, source, target).read();
}

Shortlist read_shortlist_of(const std::string& directory, const Tokenizer& source, const Tokenizer& target) {
    const std::string path = shortlist_path(directory);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        throw Error(ExitCode::model, "model directory " + directory +
                                         " has no shortlist.txt; make one with: softalign shortlist --model " +
                                         directory + " --source FILE --target FILE");
    }
    require_part(directory, path);
    try {
        return read_shortlist(path, source, target);
    } catch (const Error& error) {
        throw Error(ExitCode::model, error.what());
    }
}

}  // namespace softalign
