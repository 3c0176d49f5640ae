#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "data/corpus.h"
#include "text/words.h"

namespace softalign {

// One id a character ('a' is 10), spaces left out; samples by writing each character once or twice.
class LetterTokenizer : public Tokenizer {
public:
    std::int32_t size() const override { return 200; }
    SpecialIds special() const override { return {}; }

    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> ids;
        for (const char letter : text) {
            if (letter != ' ') {
                ids.push_back(static_cast<unsigned char>(letter) - 'a' + 10);
            }
        }
        return ids;
    }

    std::vector<std::int32_t> sample(std::string_view text, std::uint64_t key) const override {
        Random random(key);
        std::vector<std::int32_t> ids;
        for (const std::int32_t id : encode(text)) {
            ids.insert(ids.end(), 1 + random.below(2), id);
        }
        return ids;
    }

    std::string decode(const std::vector<std::int32_t>& ids) const override {
        std::string text;
        for (const std::int32_t id : ids) {
            text += static_cast<char>(id - 10 + 'a');
        }
        return text;
    }

    std::vector<std::int32_t> silent_ids() const override { return {special().pad, special().bos}; }
    std::string piece(std::int32_t id) const override { return decode({id}); }
};

// A corpus of random lengths: 1 to 40 pieces of source, and about as many of target.
class RandomCorpus : public Corpus {
public:
    RandomCorpus(std::int64_t size, std::uint64_t seed) {
        Random random(seed);
        for (std::int64_t i = 0; i < size; ++i) {
            Example example;
            example.id = i;
            example.source.assign(1 + random.below(40), static_cast<std::int32_t>(4 + i % 100));
            example.target.assign(1 + random.below(5) + example.source.size(), static_cast<std::int32_t>(4 + i % 100));
            examples_.push_back(example);
        }
        report_.lines = report_.kept = size;
    }

    std::int64_t size() const override { return static_cast<std::int64_t>(examples_.size()); }
    const CorpusReport& report() const override { return report_; }
    std::int64_t source_length(std::int64_t index) const override {
        return static_cast<std::int64_t>(at(index).source.size());
    }
    std::int64_t target_length(std::int64_t index) const override {
        return static_cast<std::int64_t>(at(index).target.size());
    }

    // A sampled segmentation shows its key.
    Example example(std::int64_t index, std::uint64_t key) const override {
        Example example = at(index);
        if (key != 0) {
            example.source.front() = static_cast<std::int32_t>(key % 1000000);
        }
        return example;
    }

private:
    const Example& at(std::int64_t index) const { return examples_[static_cast<std::size_t>(index)]; }

    std::vector<Example> examples_;

protected:
    CorpusReport report_;
};

}  // namespace softalign
