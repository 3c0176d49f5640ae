#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/ngrams.h"
#include "metrics/numpy_random.h"
#include "metrics/ter_bits.h"

namespace softalign {

// Counts the edits that turn hypotheses into one reference, as sacreBLEU does: a greedy search for shifts, using an
// edit distance that is limited to a beam around the diagonal.
class TerEdits {
public:
    // Symbols of the reference are from 1 to `symbols`.
    void set_reference(const std::vector<Symbol>& reference, std::size_t symbols);
    // Symbols that are not in the reference may be 0. REQUIRES: a reference has been set.
    std::int64_t count(const std::vector<Symbol>& hypothesis);

private:
    enum class Operation : std::uint8_t { none, match, substitute, remove, insert };

    struct Shift {
        std::int64_t gain = 0;  // edits saved; 0 = no shift saves any
        std::size_t length = 0;
        std::size_t start = 0;
        std::size_t target = 0;

        bool beats(const Shift& other) const;
    };

    // How the current words correspond to the reference.
    struct Alignment {
        std::vector<std::ptrdiff_t>
            position;  // by word of the reference: the position in the hypothesis; -1 = before the first word
        std::vector<std::size_t> reference_errors;  // in the first n words
        std::vector<std::size_t> hypothesis_errors;
    };

    void prepare_beam(std::size_t length);
    void bound_distances(std::size_t length);
    std::size_t cell(std::size_t i, std::size_t j) const { return i * stride_ + 1 + j - beam_begin_[i]; }
    std::int64_t fill_rows(const std::vector<Symbol>& words);
    void align(std::size_t length);
    void remember_prefixes();
    Shift best_shift(std::int64_t distance);
    void try_shifts(std::size_t start, std::size_t reference_start, std::size_t length, std::int64_t distance,
                    Shift& best);
    std::int64_t distance_after(const Shift& shift);
    std::optional<std::int64_t> bit_distance(std::size_t known) const;

    std::vector<Symbol> reference_;

    std::vector<Symbol> words_;    // the hypothesis after the shifts so far
    std::vector<Symbol> shifted_;  // the same with the shift being tried
    std::size_t tried_ = 0;

    std::vector<std::size_t> beam_begin_;  // by row
    std::vector<std::size_t> beam_end_;
    std::int64_t beam_bound_ = 0;  // distances below it do not depend on the beam
    std::size_t stride_ = 0;       // stored cells per row: those of the beam, and a few around it
    std::vector<std::int32_t> costs_;
    std::vector<Operation> operations_;
    Alignment alignment_;

    // Distances of shifted words, for short and for longer references; not used for the longest ones.
    BitDistance<std::uint64_t> short_distance_;
    BitDistance<Uint128> long_distance_;
};

}  // namespace softalign
