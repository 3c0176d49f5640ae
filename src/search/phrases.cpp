#include "search/phrases.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace softalign {

Phrases::Phrases(std::vector<std::vector<std::int32_t>> phrases) : phrases_(std::move(phrases)) {
    for (const std::vector<std::int32_t>& phrase : phrases_) {
        tokens_ += static_cast<std::int64_t>(phrase.size());
    }
}

bool Phrases::missing(const PhraseProgress& progress, std::size_t phrase) const {
    return (progress.done >> phrase & 1U) == 0;
}

bool Phrases::fits(const PhraseProgress& progress, std::size_t phrase) const {
    if (progress.phrase < 0 || !missing(progress, phrase)) {
        return false;
    }
    const std::vector<std::int32_t>& begun = phrases_[static_cast<std::size_t>(progress.phrase)];
    const std::vector<std::int32_t>& other = phrases_[phrase];
    return other.size() > static_cast<std::size_t>(progress.position) &&
           std::equal(begun.begin(), begun.begin() + progress.position, other.begin());
}

PhraseProgress Phrases::advance(const PhraseProgress& progress, std::int32_t token) const {
    std::vector<std::int32_t> written;
    if (progress.phrase >= 0) {
        const std::vector<std::int32_t>& begun = phrases_[static_cast<std::size_t>(progress.phrase)];
        written.assign(begun.begin(), begun.begin() + progress.position);
    }
    written.push_back(token);
    // The longest end of what is written with which a missing phrase begins.
    for (auto first = written.begin(); first != written.end(); ++first) {
        for (std::size_t p = 0; p < phrases_.size(); ++p) {
            const std::vector<std::int32_t>& phrase = phrases_[p];
            const auto length = static_cast<std::size_t>(written.end() - first);
            if (missing(progress, p) && length <= phrase.size() && std::equal(first, written.end(), phrase.begin())) {
                if (length == phrase.size()) {
                    return {progress.done | std::uint64_t{1} << p, -1, 0};
                }
                return {progress.done, static_cast<std::int32_t>(p), static_cast<std::int32_t>(length)};
            }
        }
    }
    return {progress.done, -1, 0};
}

std::int64_t Phrases::met(const PhraseProgress& progress) const {
    std::int64_t tokens = progress.position;
    for (std::size_t p = 0; p < phrases_.size(); ++p) {
        tokens += missing(progress, p) ? 0 : static_cast<std::int64_t>(phrases_[p].size());
    }
    return tokens;
}

bool Phrases::complete(const PhraseProgress& progress) const {
    return met(progress) == tokens_;
}

std::vector<std::int32_t> Phrases::wanted(const PhraseProgress& progress) const {
    std::vector<std::int32_t> tokens;
    for (std::size_t p = 0; p < phrases_.size(); ++p) {
        const bool begun = progress.phrase >= 0;
        if (begun ? fits(progress, p) : missing(progress, p)) {
            const std::int32_t token = phrases_[p][begun ? static_cast<std::size_t>(progress.position) : 0];
            if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) {
                tokens.push_back(token);
            }
        }
    }
    return tokens;
}

std::vector<std::int64_t> share_beam(std::int64_t width, const std::vector<std::int64_t>& available) {
    const auto banks = static_cast<std::int64_t>(available.size());
    std::vector<std::int64_t> shares(available.size());
    std::int64_t left = width;
    for (std::size_t bank = 0; bank < available.size(); ++bank) {
        shares[bank] = std::min(width / banks, available[bank]);
        left -= shares[bank];
    }
    for (std::size_t bank = available.size(); bank-- > 0;) {
        const std::int64_t more = std::min(left, available[bank] - shares[bank]);
        shares[bank] += more;
        left -= more;
    }
    return shares;
}

}  // namespace softalign
