#include <utility>
#include <vector>

#include "config/schema_builder.h"

namespace softalign {

namespace {

constexpr double max_beam = 1024;

// What only a request to translate sets.
void add_requests(KeyList& list) {
    const char* const sampling = "search.sampling";
    list.add_request(KEY(search.n_best), between(1, max_beam),
                     "Translations per sentence, at most the beam unless --sample draws them.");
    list.add_request(KEY(search.groups), between(1, max_beam),
                     "Divide the beam into groups that differ from each other.")
        .option = "--diverse-groups";
    list.add_request(KEY(search.diversity), between(0, 1000), "Penalty for a piece that an earlier group chose.")
        .needs = "search.groups";
    list.add_request(KEY(search.sampling), any(), "Draw --n-best translations instead of searching.").option =
        "--sample";
    list.add_request(KEY(search.temperature), between(0.001, 1000), "Draw from p^(1/temperature).").needs = sampling;
    list.add_request(KEY(search.top_k), between(0, 1e6), "Draw from this many of the most probable pieces; 0: all.")
        .needs = sampling;
    list.add_request(KEY(search.top_p), above(0, 1), "Draw from the smallest set of pieces with this probability.")
        .needs = sampling;
    list.add_request(KEY(search.seed), any(), "Seed; the same seed gives the same draws.").needs = sampling;
    list.add_request(KEY(search.max_source_length), between(1, 1e6),
                     "Maximum number of pieces read per sentence; the rest is cut off.");
}

}  // namespace

std::vector<Key> search_keys() {
    KeyList list;
    list.add(KEY(search.beam), between(1, max_beam), OnResume::may_change,
             "Number of hypotheses kept at each step. 1: greedy search.");
    list.add(
        KEY(search.patience), between(0, 1000), OnResume::may_change,
        "A sentence is done when this times search.beam hypotheses are finished (Kasai et al. 2022) and no "
        "unfinished one has a better score so far than the best of them. 0: only when no other hypothesis can reach "
        "a better score.");
    list.add(KEY(search.length_norm), any(), OnResume::may_change,
             "Divisor of the log-probability: `power`, length^alpha; `wu`, ((5 + length) / 6)^alpha (Wu et al. 2016). "
             "The length counts the pieces and the end of the sentence.");
    list.add(KEY(search.length_alpha), between(0, 10), OnResume::may_change,
             "The alpha of search.length_norm. 0: no normalisation, which prefers short output.");
    list.add(KEY(search.coverage_penalty), between(0, 100), OnResume::may_change,
             "Weight of the coverage penalty, the sum over the source pieces of log(min(total attention, 1)), which is "
             "added to the score (Wu et al. 2016). It is negative if a piece received little attention.");
    list.add(
        KEY(search.word_penalty), between(-100, 100), OnResume::may_change,
        "Subtracted from the score for each piece and for the end of the sentence. A negative value rewards length.");
    list.add(KEY(search.min_length_ratio), between(0, 100), OnResume::may_change,
             "Minimum length of the output in pieces: this many times the number of source pieces, but at least "
             "search.min_length.");
    list.add(KEY(search.max_length_ratio), between(0, 100), OnResume::may_change,
             "Maximum length of the output in pieces: this many times the number of source pieces, plus "
             "search.max_length_offset, but at most search.max_length.");
    list.add(KEY(search.max_length_offset), between(0, max_pieces), OnResume::may_change,
             "See search.max_length_ratio.");
    list.add(KEY(search.min_length), between(0, max_pieces), OnResume::may_change,
             "Minimum length of the output in pieces. The maximum length takes precedence.");
    list.add(KEY(search.max_length), between(0, max_pieces), OnResume::may_change,
             "Maximum length of the output in pieces for any source. 0: no such limit.");
    list.add(KEY(search.no_repeat_ngram), between(0, 100), OnResume::may_change,
             "No sequence of this many pieces occurs twice in an output. 0: no restriction.");
    list.add(KEY(search.forbid_unk), any(), OnResume::may_change,
             "Never write the unknown piece; the next best pieces take its place.");
    list.add(KEY(search.shortlist), any(), OnResume::may_change,
             "Consider only the pieces that the model directory's shortlist.txt, written by `softalign shortlist`, "
             "allows for a sentence. Faster with a large vocabulary. Validation during training considers all pieces.");
    list.add(KEY(search.batch_size), between(1, max_batches), OnResume::may_change,
             "Number of sentences translated together. On a GPU, use more; on a CPU, more is no faster and needs more "
             "memory.");
    add_requests(list);
    return std::move(list).keys();
}

}  // namespace softalign
