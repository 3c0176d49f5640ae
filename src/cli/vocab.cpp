#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/strings.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/program.h"
#include "config/config.h"
#include "config/schema.h"
#include "text/line_reader.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/train_vocabulary.h"
#include "translate/text_output.h"

namespace softalign {

namespace {

// Lines on standard output, each at once where a person reads them.
class Output {
public:
    void line(const std::string& text) {
        lines_.write_line(text);
        if (terminal_) {
            lines_.flush();
        }
    }

    void finish() { lines_.close(); }

private:
    TextOutput lines_{"-"};
    bool terminal_ = ::isatty(STDOUT_FILENO) != 0;
};

struct VocabularyArguments {
    std::vector<std::string> inputs;
    std::string output;
    Config config;  // the sections vocabulary and data
};

struct CodeArguments {
    std::string model;
    std::string input = "-";
    bool ids = false;
};

// A fault of the configuration is one of the options here.
Error in_options(const Error& error) {
    if (error.code() != ExitCode::configuration) {
        return error;
    }
    std::string message = error.what();
    for (const auto& [key, option] : {std::pair<std::string, std::string>{"vocabulary.size", "--size"},
                                      {"vocabulary.character_coverage", "--character-coverage"}}) {
        replace_all(message, key, option);
    }
    return {ExitCode::usage, message};
}

void check_files(const VocabularyArguments& arguments) {
    FileNames names;
    for (const std::string& input : arguments.inputs) {
        names.reads("--input", input);
    }
    names.writes_file("--output", arguments.output, "a vocabulary is not text");
    names.check();
}

int train(const VocabularyArguments& arguments) {
    check_files(arguments);
    const VocabularyConfig& config = arguments.config.vocabulary;
    if (config.byte_fallback && config.type == VocabularyType::word) {
        throw Error(ExitCode::usage, "--byte-fallback needs a --type other than word, which leaves rare words unknown");
    }
    TextOutput output(arguments.output);  // its faults show before the work
    const TrainedVocabulary result = [&] {
        try {
            return make_vocabulary(arguments.inputs, config, config.size, arguments.config.data.on_bad_line);
        } catch (const Error& error) {
            throw in_options(error);
        }
    }();
    output.write(result.bytes);
    output.close();
    std::cerr << terminal_text(arguments.output) << ": " << result.size << " pieces from "
              << counted(result.sentences, "sentence");
    if (result.bad_encoding > 0) {
        std::cerr << " (" << counted(result.bad_encoding, "line") << " left out: not UTF-8)";
    }
    std::cerr << "\n";
    return static_cast<int>(ExitCode::success);
}

void check_files(const std::string& model, const std::string& input) {
    FileNames names;
    names.reads_file("--model", model, "a vocabulary is not text");
    names.reads("--input", input);
    names.writes("standard output", "-");
    names.check();
}

template <typename Convert>
int convert_lines(const std::string& input, Convert convert) {
    LineReader reader(input);
    Output output;
    std::string line;
    while (reader.next(line)) {
        reader.require_utf8(line);
        output.line(convert(line, reader));
    }
    output.finish();
    return static_cast<int>(ExitCode::success);
}

int encode(const CodeArguments& arguments) {
    check_files(arguments.model, arguments.input);
    const SentencePieceTokenizer tokenizer(arguments.model);
    return convert_lines(arguments.input, [&](const std::string& line, const LineReader&) {
        std::string text;
        for (const auto& [piece, id] : tokenizer.segment(line)) {
            text += (text.empty() ? "" : " ") + (arguments.ids ? std::to_string(id) : piece);
        }
        return text;
    });
}

std::vector<std::string> split_at_spaces(const std::string& line) {
    std::vector<std::string> words;
    for (std::size_t begin = line.find_first_not_of(' '); begin != std::string::npos;) {
        const std::size_t end = std::min(line.find(' ', begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(' ', end);
    }
    return words;
}

std::int32_t parse_id(const std::string& word, const SentencePieceTokenizer& tokenizer, const LineReader& reader) {
    std::int32_t id = -1;
    if (!read_number(word, id) || id < 0 || id >= tokenizer.size()) {
        throw Error(ExitCode::data, reader.place() + ": \"" + word +
                                        "\" is not an id of this vocabulary; allowed are 0 to " +
                                        std::to_string(tokenizer.size() - 1));
    }
    return id;
}

int decode(const CodeArguments& arguments) {
    check_files(arguments.model, arguments.input);
    const SentencePieceTokenizer tokenizer(arguments.model);
    return convert_lines(arguments.input, [&](const std::string& line, const LineReader& reader) {
        const std::vector<std::string> words = split_at_spaces(line);
        if (!arguments.ids) {
            return tokenizer.decode_pieces(words);
        }
        std::vector<std::int32_t> ids;
        ids.reserve(words.size());
        for (const std::string& word : words) {
            ids.push_back(parse_id(word, tokenizer, reader));
        }
        return tokenizer.decode(ids);
    });
}

int show(const std::string& path) {
    check_files(path, "");
    const SentencePieceTokenizer tokenizer(path);
    const SpecialIds special = tokenizer.special();
    std::cerr << terminal_text(path) << ": " << name_of(tokenizer.model()) << ", " << tokenizer.size()
              << " pieces; pad " << special.pad << ", unk " << special.unk << ", bos " << special.bos << ", eos "
              << special.eos << "\n";
    Output output;
    for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
        char score[32];
        std::snprintf(score, sizeof(score), "%g", static_cast<double>(tokenizer.score(id)));
        output.line(std::to_string(id) + "\t" + tokenizer.piece(id) + "\t" + score);
    }
    output.finish();
    return static_cast<int>(ExitCode::success);
}

// The option of a key of the configuration, in a vocabulary's own words.
void add_key(CLI::App& command, const std::string& name, const std::string& path, Config& config,
             const std::string& help) {
    const Key& key = *find_key(path);
    add_value(
        command, name, key.type, key.allowed, [&key, &config](const Value& value) { key.set(config, value); }, help);
}

void add_train(CLI::App& vocab, Action& action) {
    CLI::App* command = vocab.add_subcommand("train", "Train a vocabulary on text");
    const auto arguments = std::make_shared<VocabularyArguments>();
    Config& config = arguments->config;
    command->add_option("--input", arguments->inputs, "Text files, plain or .gz, one sentence per line")
        ->required()
        ->type_name("FILE|-");
    command->add_option("--output", arguments->output, "The vocabulary to write (SentencePiece's format)")
        ->required()
        ->type_name("FILE");
    add_key(*command, "--type", "vocabulary.type", config, "unigram, bpe, word or char (default: unigram)");
    add_key(*command, "--size", "vocabulary.size", config,
            "Number of pieces, including the 4 reserved ones; for word and char the maximum; 0 = chosen from the text "
            "(default: 0)");
    add_key(*command, "--normalization", "vocabulary.normalization", config,
            "nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf or identity (default: nmt_nfkc); _cf folds case");
    add_key(*command, "--character-coverage", "vocabulary.character_coverage", config,
            "Share of the characters to cover (default: 1)");
    command->add_flag("--byte-fallback", config.vocabulary.byte_fallback, "Write unknown characters as bytes");
    add_key(*command, "--sentences", "vocabulary.training_sentences", config,
            "Train on a sample of this many sentences; 0 = all (default: 0)");
    add_key(*command, "--on-bad-line", "data.on_bad_line", config,
            "What to do with lines that are not UTF-8: error or skip (default: error)");
    command->callback([arguments, &action] { action = [arguments] { return train(*arguments); }; });
}

void add_coder(CLI::App& vocab, Action& action, const std::string& name, const std::string& description,
               const std::string& ids, int (*run)(const CodeArguments&)) {
    CLI::App* command = vocab.add_subcommand(name, description);
    const auto arguments = std::make_shared<CodeArguments>();
    command->add_option("--model", arguments->model, "The vocabulary (.spm or .model)")->required()->type_name("FILE");
    command->add_option("--input", arguments->input, "Text file, plain or .gz; - is standard input (default -)")
        ->type_name("FILE|-");
    command->add_flag("--ids", arguments->ids, ids);
    command->callback([arguments, run, &action] { action = [arguments, run] { return run(*arguments); }; });
}

void add_show(CLI::App& vocab, Action& action) {
    CLI::App* command = vocab.add_subcommand("show", "List the pieces: id, piece, score");
    const auto model = std::make_shared<std::string>();
    command->add_option("--model", *model, "The vocabulary (.spm or .model)")->required()->type_name("FILE");
    command->callback([model, &action] { action = [model] { return show(*model); }; });
}

}  // namespace

void add_vocab_command(CLI::App& program, Action& action) {
    CLI::App* vocab = program.add_subcommand("vocab", "Train and inspect vocabularies, encode and decode text");
    vocab->require_subcommand(1);
    add_train(*vocab, action);
    add_coder(*vocab, action, "encode", "Turn text into pieces, separated by spaces", "Write ids instead of pieces",
              &encode);
    add_coder(*vocab, action, "decode", "Turn pieces into text", "Read ids instead of pieces", &decode);
    add_show(*vocab, action);
}

}  // namespace softalign
