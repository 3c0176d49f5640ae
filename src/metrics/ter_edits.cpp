#include "metrics/ter_edits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

namespace softalign {

namespace {

// The limits of tercom, and of sacreBLEU.
constexpr std::size_t longest_shift = 10;
constexpr std::size_t farthest_shift = 50;
constexpr std::size_t most_tries = 1000;
constexpr double beam_width = 25.0;

constexpr std::int32_t unreached = std::numeric_limits<std::int32_t>::max() / 2;

std::ptrdiff_t as_signed(std::size_t value) {
    return static_cast<std::ptrdiff_t>(value);
}

std::size_t distance_between(std::size_t a, std::size_t b) {
    return a > b ? a - b : b - a;
}

// Moves `length` words from `start` to before the word at `target`. A target within the words that are moved, or at
// their end, means as many words behind them.
void move_words(const std::vector<Symbol>& words, std::size_t start, std::size_t length, std::size_t target,
                std::vector<Symbol>& moved) {
    moved = words;
    const auto at = [&moved](std::size_t index) { return moved.begin() + as_signed(std::min(index, moved.size())); };
    if (target < start) {
        std::rotate(at(target), at(start), at(start + length));
    } else if (target > start + length) {
        std::rotate(at(start), at(start + length), at(target));
    } else {
        std::rotate(at(start), at(start + length), at(target + length));
    }
}

}  // namespace

bool TerEdits::Shift::beats(const Shift& other) const {
    if (gain != other.gain) {
        return gain > other.gain;
    }
    if (length != other.length) {
        return length > other.length;
    }
    return start != other.start ? start < other.start : target < other.target;
}

void TerEdits::set_reference(const std::vector<Symbol>& reference, std::size_t symbols) {
    reference_ = reference;
    if (reference.empty()) {
        return;
    }
    if (reference.size() <= short_distance_.longest) {
        short_distance_.set_reference(reference, symbols);
    } else if (reference.size() <= long_distance_.longest) {
        long_distance_.set_reference(reference, symbols);
    }
}

std::int64_t TerEdits::count(const std::vector<Symbol>& hypothesis) {
    if (reference_.empty()) {
        return static_cast<std::int64_t>(hypothesis.size());
    }
    words_ = hypothesis;
    tried_ = 0;
    prepare_beam(hypothesis.size());
    std::int64_t shifts = 0;
    while (true) {
        const std::int64_t distance = fill_rows(words_);
        if (distance == 0) {
            return shifts;
        }
        align(words_.size());
        remember_prefixes();
        const Shift shift = best_shift(distance);
        if (tried_ >= most_tries || shift.gain <= 0) {
            return shifts + distance;
        }
        ++shifts;
        move_words(words_, shift.start, shift.length, shift.target, shifted_);
        words_.swap(shifted_);
    }
}

// Row i of the matrix of edit distances, for the first i words of the hypothesis, has the columns beam_begin_[i] to
// beam_end_[i] alone. All hypotheses that shifts lead to are of the same length, so the beam is the same for them.
void TerEdits::prepare_beam(std::size_t length) {
    const std::size_t columns = reference_.size() + 1;
    beam_begin_.assign(length + 1, 0);
    beam_end_.assign(length + 1, columns);
    const double ratio = static_cast<double>(reference_.size()) / static_cast<double>(std::max<std::size_t>(length, 1));
    const double width = beam_width < ratio / 2 ? std::ceil(ratio / 2 + beam_width) : beam_width;
    for (std::size_t i = 1; i <= length; ++i) {
        const double diagonal = std::floor(static_cast<double>(i) * ratio);
        beam_begin_[i] = static_cast<std::size_t>(std::max(0.0, diagonal - width));
        if (i < length) {
            beam_end_[i] = static_cast<std::size_t>(std::min(static_cast<double>(columns), diagonal + width));
        }
    }
    bound_distances(length);
    // Rows overlap: a cell looks at those above it and to the left of that, which may lie outside the row above.
    stride_ = length == 0 ? columns + 1 : 0;
    for (std::size_t i = 1; i <= length; ++i) {
        stride_ = std::max(stride_, beam_end_[i] - beam_begin_[i - 1] + 1);
    }
    costs_.resize((length + 1) * stride_);
    operations_.resize((length + 1) * stride_);
}

// No path through a cell outside the beam is shorter than the way to it and on from it, and of the cells of a row those
// beside the beam have the least: the sum is convex in the column, and the beam is around where it is least.
void TerEdits::bound_distances(std::size_t length) {
    beam_bound_ = std::numeric_limits<std::int64_t>::max();
    const auto consider = [&](std::size_t i, std::size_t j) {
        const std::size_t least = distance_between(i, j) + distance_between(length - i, reference_.size() - j);
        beam_bound_ = std::min(beam_bound_, static_cast<std::int64_t>(least));
    };
    for (std::size_t i = 1; i <= length; ++i) {
        if (beam_begin_[i] > 0) {
            consider(i, beam_begin_[i] - 1);
        }
        if (beam_end_[i] <= reference_.size()) {
            consider(i, beam_end_[i]);
        }
    }
}

// Of steps that cost the same, tercom takes a match or substitution before a removal, and that before an insertion.
std::int64_t TerEdits::fill_rows(const std::vector<Symbol>& words) {
    std::fill(costs_.begin(), costs_.begin() + as_signed(stride_), unreached);
    for (std::size_t j = 0; j < std::min(reference_.size() + 1, stride_ - 1); ++j) {
        costs_[cell(0, j)] = static_cast<std::int32_t>(j);
    }
    for (std::size_t i = 1; i <= words.size(); ++i) {
        std::fill_n(costs_.begin() + as_signed(i * stride_), stride_, unreached);
        // Of column j at [j - beam_begin_[i]].
        const std::int32_t* above = costs_.data() + cell(i - 1, beam_begin_[i]);
        std::int32_t* row = costs_.data() + cell(i, beam_begin_[i]);
        Operation* operations = operations_.data() + cell(i, beam_begin_[i]);
        const Symbol word = words[i - 1];
        for (std::size_t j = beam_begin_[i]; j < beam_end_[i]; ++j, ++above, ++row, ++operations) {
            std::int32_t best = *above + 1;
            Operation operation = Operation::remove;
            if (j > 0) {
                const bool equal = word == reference_[j - 1];
                const std::int32_t replaced = above[-1] + (equal ? 0 : 1);
                if (replaced <= best) {
                    best = replaced;
                    operation = equal ? Operation::match : Operation::substitute;
                }
                if (row[-1] + 1 < best) {
                    best = row[-1] + 1;
                    operation = Operation::insert;
                }
            }
            *row = std::min(best, unreached);
            *operations = operation;
        }
    }
    return costs_[cell(words.size(), reference_.size())];
}

// Follows the cheapest path back.
void TerEdits::align(std::size_t length) {
    const std::size_t columns = reference_.size() + 1;
    alignment_.position.assign(reference_.size(), 0);
    alignment_.reference_errors.assign(columns, 0);
    alignment_.hypothesis_errors.assign(length + 1, 0);
    std::size_t i = length;
    std::size_t j = reference_.size();
    while (i > 0 || j > 0) {
        const Operation operation = i == 0 ? Operation::insert : operations_[cell(i, j)];
        const std::size_t error = operation == Operation::match ? 0 : 1;
        if (operation != Operation::remove) {
            alignment_.position[j - 1] = as_signed(i) - 1;
            alignment_.reference_errors[j] = error;
        }
        if (operation != Operation::insert) {
            alignment_.hypothesis_errors[i] = error;
        }
        i -= operation == Operation::insert ? 0 : 1;
        j -= operation == Operation::remove ? 0 : 1;
    }
    for (std::size_t k = 1; k < columns; ++k) {
        alignment_.reference_errors[k] += alignment_.reference_errors[k - 1];
    }
    for (std::size_t k = 1; k <= length; ++k) {
        alignment_.hypothesis_errors[k] += alignment_.hypothesis_errors[k - 1];
    }
}

// Sequences that hypothesis and reference share, in the order in which sacreBLEU looks at them: the order decides which
// are looked at before the limit of tries is reached.
TerEdits::Shift TerEdits::best_shift(std::int64_t distance) {
    Shift best;
    for (std::size_t start = 0; start < words_.size(); ++start) {
        const std::size_t nearest = start - std::min(start, farthest_shift);
        const std::size_t end = std::min(reference_.size(), start + farthest_shift + 1);
        for (std::size_t reference_start = nearest; reference_start < end; ++reference_start) {
            if (words_[start] != reference_[reference_start]) {
                continue;
            }
            std::size_t length = 0;
            while (length < longest_shift && start + length < words_.size() &&
                   reference_start + length < reference_.size() &&
                   words_[start + length] == reference_[reference_start + length]) {
                ++length;
                try_shifts(start, reference_start, length, distance, best);
                if (tried_ >= most_tries) {
                    return best;
                }
            }
        }
    }
    return best;
}

void TerEdits::try_shifts(std::size_t start, std::size_t reference_start, std::size_t length, std::int64_t distance,
                          Shift& best) {
    const std::vector<std::size_t>& wrong = alignment_.hypothesis_errors;
    const std::vector<std::size_t>& missing = alignment_.reference_errors;
    // Words that are right already, or whose place in the reference is filled, stay where they are.
    if (wrong[start + length] == wrong[start] || missing[reference_start + length] == missing[reference_start]) {
        return;
    }
    const std::ptrdiff_t place = alignment_.position[reference_start];
    if (place >= as_signed(start) && place < as_signed(start + length)) {
        return;
    }
    std::ptrdiff_t last = -1;
    for (std::size_t offset = 0; offset <= length; ++offset) {
        const std::size_t next = reference_start + offset;  // behind the word before it
        const std::ptrdiff_t target = next == 0 ? 0 : alignment_.position[next - 1] + 1;
        if (target == last) {
            continue;
        }
        last = target;
        Shift shift{0, length, start, static_cast<std::size_t>(target)};
        shift.gain = distance - distance_after(shift);
        ++tried_;
        if (shift.gain > 0 && shift.beats(best)) {
            best = shift;
        }
    }
}

std::int64_t TerEdits::distance_after(const Shift& shift) {
    move_words(words_, shift.start, shift.length, shift.target, shifted_);
    const std::optional<std::int64_t> distance = bit_distance(std::min(shift.start, shift.target));
    if (distance && *distance < beam_bound_) {
        return *distance;
    }
    // The rows of words_ are no longer needed: the alignment has been read from them.
    return fill_rows(shifted_);
}

void TerEdits::remember_prefixes() {
    if (reference_.size() <= short_distance_.longest) {
        short_distance_.remember(words_);
    } else if (reference_.size() <= long_distance_.longest) {
        long_distance_.remember(words_);
    }
}

// Of shifted_, whose first `known` words are those of words_; without a beam.
std::optional<std::int64_t> TerEdits::bit_distance(std::size_t known) const {
    if (reference_.size() <= short_distance_.longest) {
        return short_distance_.distance(shifted_, known);
    }
    if (reference_.size() <= long_distance_.longest) {
        return long_distance_.distance(shifted_, known);
    }
    return std::nullopt;
}

}  // namespace softalign
