#pragma once

#include <cstdint>

namespace softalign {

// Rows in ascending order that do not overlap; the memory is static.
template <class Row>
struct Table {
    const Row* first;
    const Row* last;

    const Row* begin() const { return first; }
    const Row* end() const { return last; }
};

struct CodePointRange {
    char32_t first;
    char32_t last;
};

// Every stride-th code point of first..last has the lower-case form code point + difference.
struct LowercaseRun {
    char32_t first;
    char32_t last;
    std::uint32_t stride;
    std::int32_t difference;
};

extern const Table<CodePointRange> number_ranges;          // general category N*
extern const Table<CodePointRange> punctuation_ranges;     // P*
extern const Table<CodePointRange> symbol_ranges;          // S*
extern const Table<CodePointRange> cased_ranges;           // property Cased
extern const Table<CodePointRange> case_ignorable_ranges;  // property Case_Ignorable
extern const Table<LowercaseRun> lowercase_runs;           // simple mappings

}  // namespace softalign
