#include "data/corpus.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/version.h"
#include "data/corpus_cache.h"
#include "data/file_chain.h"
#include "data/flat_corpus.h"
#include "text/line_reader.h"

namespace softalign {

namespace {

// Everything that a stored corpus depends on.
std::string key_of(const std::vector<std::string>& source_files, const std::vector<std::string>& target_files,
                   const DataConfig& limits, const CorpusStorage& storage) {
    std::ostringstream key;
    key.precision(17);
    key << version() << '\n'
        << storage.made_with << '\n'
        << storage.keep_text << ' ' << limits.max_source_length << ' ' << limits.max_target_length << ' '
        << limits.max_length_ratio << ' ' << static_cast<int>(limits.on_bad_line) << '\n';
    for (const std::vector<std::string>* files : {&source_files, &target_files}) {
        key << files->size() << '\n';
        for (const std::string& file : *files) {
            key << digest_of_file(file) << '\n';
        }
    }
    for (const std::string& tag : limits.tags) {
        key << tag << '\n';
    }
    return key.str();
}

// As its cache has it; null where that does not.
template <typename Make>
std::unique_ptr<FlatCorpus> cached(const std::string& path, const std::string& key, std::size_t parts, Make make) {
    if (::access(path.c_str(), F_OK) != 0) {
        return nullptr;
    }
    try {
        CacheReader reader(path, key);
        std::unique_ptr<FlatCorpus> corpus = make();
        corpus->load(reader, parts);
        return corpus;
    } catch (const Error& error) {
        warn(std::string(error.what()) + "; the text is encoded again");
        return nullptr;
    }
}

// A cache that cannot be written is done without.
void write_cache(const FlatCorpus& corpus, const std::string& path, const std::string& key) {
    try {
        std::error_code ignored;  // what cannot be made cannot be written to either
        std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
        CacheWriter writer(path, key);
        corpus.write(writer);
        writer.commit();
    } catch (const Error& error) {
        warn(std::string("data.cache: ") + error.what());
    }
}

}  // namespace

std::unique_ptr<Corpus> load_corpus(const std::vector<std::string>& source_files,
                                    const std::vector<std::string>& target_files, const Tokenizer& source_tokenizer,
                                    const Tokenizer& target_tokenizer, const DataConfig& limits,
                                    const CorpusStorage& storage, std::int64_t depth) {
    if (source_files.empty() || target_files.empty()) {
        throw Error(ExitCode::data, "a parallel corpus needs at least one file on each side");
    }
    CorpusStorage stored = storage;
    stored.keep_words = !limits.alignments.empty();
    const auto make = [&] {
        return std::make_unique<FlatCorpus>(source_tokenizer, target_tokenizer, limits, stored, depth);
    };
    const bool has_cache = !stored.cache.empty() && limits.source_type == SourceType::text && limits.alignments.empty();
    const std::string key = has_cache ? key_of(source_files, target_files, limits, stored) : "";
    const std::string path = has_cache ? cache_path(stored.cache, key) : "";
    const std::vector<FilePair> parts = parts_of(source_files, target_files);
    if (has_cache) {
        if (std::unique_ptr<FlatCorpus> found = cached(path, key, parts.size(), make)) {
            return found;
        }
    }
    std::unique_ptr<FlatCorpus> corpus = make();
    for (const auto& [source, target] : parts) {
        corpus->read(FileChain(source, limits.source_type), FileChain(target));
    }
    corpus->finish(source_files.front() + ", " + target_files.front());
    if (has_cache) {
        write_cache(*corpus, path, key);
    }
    return corpus;
}

SpecialIdPair special_ids(const Tokenizer& source, const Tokenizer& target) {
    return {source.special().pad, source.special().eos, target.special().pad, target.special().bos,
            target.special().eos};
}

std::vector<std::string> read_lines(const std::string& path, ByteOrderMark mark) {
    LineReader reader(path, nullptr, mark);
    std::vector<std::string> lines;
    std::string line;
    while (reader.next(line)) {
        reader.require_utf8(line);
        lines.push_back(line);
    }
    return lines;
}

}  // namespace softalign
