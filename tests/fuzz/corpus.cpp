// A parallel corpus: a line of letters that say how it is read, the source, a line "====", the target.
//   s  lines that are not UTF-8 are left out     l  limits of length and ratio     k  the text is kept
//   z  the source is compressed                  t  and cut short                  d  and damaged
//   f  the corpus is held in files
#include "data/corpus.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "text/gzip.h"
#include "text/line_reader.h"
#include "word_tokenizer.h"

namespace softalign {

namespace {

bool is_compressed(std::string_view text) {
    return text.substr(0, 2) == "\x1F\x8B";
}

// What LineReader should give, in the plainest way.
std::vector<std::string> lines_of(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    text.remove_prefix(text.substr(0, 3) == byte_order_mark ? 3 : 0);
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (end != std::string_view::npos && !line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        lines.emplace_back(line);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

void check_lines(const std::string& path, std::string_view text) {
    const std::vector<std::string> expected = lines_of(text);
    LineReader reader(path);
    std::size_t count = 0;
    for (std::string line; reader.next(line); ++count) {
        require(count < expected.size() && line == expected[count], "lines are read as they stand");
    }
    require(count == expected.size(), "no line is left out");
}

void check(const Corpus& corpus, bool keep_text) {
    const CorpusReport& report = corpus.report();
    require(corpus.size() > 0 && corpus.size() == report.kept, "the report counts the pairs");
    require(report.lines == report.kept + report.empty + report.too_long + report.ratio + report.bad_encoding,
            "every line is kept or left out for a reason");
    std::int64_t tokens = 0;
    std::int64_t line = 0;
    for (std::int64_t i = 0; i < corpus.size(); ++i) {
        const Example example = corpus.example(i, 0);
        require(example.id == i && static_cast<std::int64_t>(example.source.size()) == corpus.source_length(i) &&
                    static_cast<std::int64_t>(example.target.size()) == corpus.target_length(i),
                "an example is as long as the corpus says");
        tokens += corpus.source_length(i) + 1;
        require(corpus.line(i) > line && corpus.line(i) <= report.lines, "pairs are in the order of their lines");
        line = corpus.line(i);
        if (keep_text) {
            require(corpus.example(i, 7).source == example.source, "kept text is the text that was read");
        }
    }
    require(tokens == report.source_tokens, "the report counts the pieces");
}

void run(std::string_view input) {
    const std::size_t first = std::min(input.find('\n'), input.size());
    const std::string_view letters = input.substr(0, first);
    const auto says = [&](char letter) { return letters.find(letter) != std::string_view::npos; };
    const std::vector<std::string_view> sides = cut(input.substr(std::min(first + 1, input.size())), 2);
    std::string source(sides[0]);
    MemoryFile source_file;
    MemoryFile target_file;
    if (says('z')) {
        source = gzip(source);
        if (says('t')) {
            source.resize(source.size() - std::min(source.size(), sides[1].size() % 32));
        }
        if (says('d') && !source.empty()) {
            source[sides[1].size() % source.size()] ^= static_cast<char>(1 + sides[1].size() / 32);
        }
    }
    const std::string& source_path = source_file.hold(source);
    const std::string& target_path = target_file.hold(sides[1]);
    if (!is_compressed(source)) {
        check_lines(source_path, source);
    } else if (says('z') && !says('t') && !says('d')) {
        check_lines(source_path, sides[0]);
    }
    DataConfig limits;
    limits.on_bad_line = says('s') ? BadLine::skip : BadLine::error;
    limits.max_source_length = says('l') ? 5 : 0;
    limits.max_target_length = says('l') ? 6 : 0;
    limits.max_length_ratio = says('l') ? 2.5 : 0.0;
    CorpusStorage storage;
    storage.keep_text = says('k');
    storage.directory = says('f') ? std::filesystem::temp_directory_path().string() : "";
    const WordTokenizer tokenizer;
    accepts([&] {
        const auto corpus = load_corpus({source_path}, {target_path}, tokenizer, tokenizer, limits, storage);
        check(*corpus, says('k'));
    });
    // The same as two files behind each other.
    accepts([&] {
        load_corpus({source_path, target_path}, {source_path, target_path, source_path}, tokenizer, tokenizer, limits,
                    CorpusStorage());
    });
}

}  // namespace

}  // namespace softalign

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    softalign::run(softalign::text_of(data, size));
    return 0;
}
