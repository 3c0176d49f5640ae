#include "translate/shortlist.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace softalign {

namespace {

std::vector<std::int32_t> always_allowed(const LexicalCounts& counts, const SpecialIds& special, std::int64_t count) {
    std::vector<std::int32_t> result = {special.eos};
    if (special.unk != special.eos) {
        result.push_back(special.unk);
    }
    const auto known = result.size();
    for (const std::int32_t target : counts.most_frequent(known + static_cast<std::size_t>(count))) {
        const bool there = target == special.eos || target == special.unk;
        if (!there && result.size() < known + static_cast<std::size_t>(count)) {
            result.push_back(target);
        }
    }
    return result;
}

bool is_special(std::int32_t id, const SpecialIds& special) {
    return id == special.pad || id == special.unk || id == special.bos || id == special.eos;
}

}  // namespace

Shortlist::Shortlist(const LexicalCounts& counts, const Tokenizer& source, const Tokenizer& target,
                     const ShortlistSizes& sizes)
    : rows_(static_cast<std::size_t>(source.size())),
      always_(always_allowed(counts, target.special(), sizes.frequent)) {
    const auto targets = ids_by_piece(target);
    for (std::int32_t id = 0; id < source.size(); ++id) {
        std::vector<Translation>& row = rows_[static_cast<std::size_t>(id)];
        row = counts.best(id, static_cast<std::size_t>(sizes.best));
        const auto same = is_special(id, source.special()) ? targets.end() : targets.find(source.piece(id));
        if (same != targets.end() && !is_special(same->second, target.special()) &&
            std::none_of(row.begin(), row.end(),
                         [&](const Translation& translation) { return translation.target == same->second; })) {
            row.push_back({same->second, counts.probability(id, same->second)});
        }
    }
}

void Shortlist::add_candidates(const std::vector<std::int32_t>& source_pieces,
                               std::vector<std::int32_t>& candidates) const {
    candidates.insert(candidates.end(), always_.begin(), always_.end());
    for (const std::int32_t piece : source_pieces) {
        for (const Translation& translation : rows_[static_cast<std::size_t>(piece)]) {
            candidates.push_back(translation.target);
        }
    }
}

}  // namespace softalign
