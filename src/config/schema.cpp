#include "config/schema.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/schema_builder.h"

namespace softalign {

namespace {

std::vector<Key> text_keys() {
    KeyList list;
    list.add(
        KEY(data.train_source), any(),
        "Training text in the source language: UTF-8, one sentence a line, plain or gzip. Several files are read as "
        "one after the other. Training needs it.");
    list.add(KEY(data.train_target), any(),
             "Their translations, line by line; as many files, each with as many lines. Training needs it.");
    list.add(KEY(data.valid_source), any(),
             "Text to validate on, not part of the training text. Empty: no validation, so no best model and no early "
             "stopping.");
    list.add(KEY(data.valid_target), any(), "Its translation, line by line.");
    list.add(KEY(data.max_source_length), between(1, max_pieces),
             "Training pairs with a longer source side are dropped. In pieces, the end of sentence not counted.");
    list.add(KEY(data.max_target_length), between(1, max_pieces), "The same for the target side.");
    list.add(
        KEY(data.max_length_ratio), either(0, at_least(1)),
        "Training pairs are dropped where the longer side has more than this many times the pieces of the shorter. "
        "0: no limit.");
    list.add(KEY(data.on_bad_line), any(),
             "A line that is not UTF-8: `error` stops and names it, `skip` leaves the pair out and counts it.");
    list.add(KEY(data.on_disk), any(),
             "Holds the training corpus in files without a name in checkpoints.directory instead of in memory, for one "
             "that is larger than that. The vocabulary is trained in memory: bound it by "
             "vocabulary.training_sentences.");

    list.add(
        KEY(vocabulary.type), any(),
        "Kind of pieces that SentencePiece cuts text into (Kudo and Richardson 2018): `unigram` (Kudo 2018), `bpe` "
        "(Sennrich et al. 2016), `word` (split at spaces, rare words unknown) or `char`.");
    list.add(KEY(vocabulary.size), between(8, 1000000),
             "Pieces of the joint vocabulary, or of each side where they are separate.");
    list.add(KEY(vocabulary.target_size), either(0, between(8, 1000000)),
             "Pieces of the target side where the vocabularies are separate. 0: as vocabulary.size.");
    list.add(KEY(vocabulary.joint), any(), "One vocabulary, trained on both sides together, for both.");
    list.add(
        KEY(vocabulary.source_model), any(),
        "A SentencePiece model (`.model`) to use as it is. Empty: one is trained on the training text. With a model "
        "given, the type and size above say nothing.");
    list.add(
        KEY(vocabulary.target_model), any(),
        "The same for the target side. Empty where vocabulary.source_model is given: that model serves both sides.");
    list.add(
        KEY(vocabulary.normalization), one_of({"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}),
        "What SentencePiece does to the text first: Unicode NFKC, with extra rules for spaces (`nmt_`), with lower "
        "casing (`_cf`), or nothing (`identity`).");
    list.add(KEY(vocabulary.character_coverage), between(0.98, 1.0),
             "Share of the characters of the text that get a piece; the rest are unknown. 0.9995 suits Chinese or "
             "Japanese.");
    list.add(KEY(vocabulary.byte_fallback), any(),
             "Write characters without a piece as UTF-8 bytes instead of unknown.");
    list.add(KEY(vocabulary.training_sentences), either(0, between(101, 100000000)),
             "Sentences sampled to train the vocabulary. 0: all.");
    list.add(
        KEY(vocabulary.sampling_alpha), between(0, 1),
        "Subword sampling while training: the smoothing of the sampled segmentation for `unigram` (Kudo 2018, 0.1 to "
        "0.5), the probability that a merge is left out for `bpe` (BPE-dropout, Provilkov et al. 2020, 0.1). 0: off.");
    list.add(KEY(vocabulary.sampling_nbest), either(-1, between(2, 512)),
             "Segmentations that `unigram` samples from. -1: all of them.");
    return std::move(list).keys();
}

std::vector<Key> run_keys() {
    KeyList list;
    list.add(
        KEY(training.seed), any(),
        "Where all randomness comes from. The same seed and configuration give the same run, whatever the number of "
        "workers.");
    list.add(KEY(training.max_epochs), at_least(0), "Passes over the training text. 0: no limit.");
    list.add(KEY(training.max_updates), at_least(0), "Updates of the weights. 0: no limit.");
    list.add(KEY(training.max_minutes), at_least(0), "Minutes by the clock that this run may take. 0: no limit.");
    list.add(KEY(training.batch_size), at_least(1), "Size of a batch, in training.batch_unit.");
    list.add(KEY(training.batch_unit), any(),
             "What batches are measured in: `sentences`, or target `tokens` with padding.");
    list.add(
        KEY(training.sort_window), at_least(1),
        "Batches read together and sorted by length, so that a batch holds sentences of like length. 1: no sorting "
        "beyond the batch.");
    list.add(
        KEY(training.shards), between(1, 1024),
        "Parts a batch is cut into, which the workers share. A part of the arithmetic: another number gives slightly "
        "other weights, another number of workers does not.");
    list.add(KEY(training.accumulate), at_least(1), "Batches whose gradients are added up for one update.");
    list.add(KEY(training.clip_norm), at_least(0),
             "Largest norm of the gradient over all weights (Pascanu et al. 2013). 0: no clipping.");
    list.add(KEY(training.label_smoothing), from_below(0, 1),
             "Probability moved from the right token to all tokens (Szegedy et al. 2016).");
    list.add(KEY(training.loss_normalization), any(),
             "The loss of a batch is divided by its target tokens or its sentences.");
    list.add(KEY(training.ema), from_below(0, 1),
             "Decay of the exponential moving average of the weights that validation and the saved model use, such as "
             "0.999. 0: off.");
    list.add(KEY(training.optimizer.type), any(),
             "`sgd`, `adadelta` (Zeiler 2012), `adam` (Kingma and Ba 2015) or `adamw` (Loshchilov and Hutter 2019).");
    list.add(KEY(training.optimizer.learning_rate), above(0),
             "Learning rate. 1 is usual for `adadelta` and for `sgd`.");
    list.add(KEY(training.optimizer.beta1), from_below(0, 1), "`adam`, `adamw`: decay of the mean of the gradient.");
    list.add(KEY(training.optimizer.beta2), from_below(0, 1), "`adam`, `adamw`: decay of the mean of its square.");
    list.add(KEY(training.optimizer.epsilon), above(0),
             "`adam`, `adamw`, `adadelta`: added where they divide. 1e-6 is usual for `adadelta`.");
    list.add(KEY(training.optimizer.rho), from_below(0, 1), "`adadelta`: decay of its two means.");
    list.add(KEY(training.optimizer.momentum), from_below(0, 1), "`sgd`: momentum.");
    list.add(KEY(training.optimizer.weight_decay), at_least(0),
             "`adamw`: decay of the weights, in units of the learning rate, apart from the gradient.");
    list.add(KEY(training.optimizer.l2), at_least(0), "Any: this times the weights is added to the gradient.");
    list.add(
        KEY(training.schedule.type), any(),
        "How the learning rate goes on: `constant`; `inverse_sqrt`, falling with the square root of the updates after "
        "the warm-up (Vaswani et al. 2017); `plateau`, reduced where validation no longer improves; `halving`, reduced "
        "every few epochs (Luong et al. 2015).");
    list.add(KEY(training.schedule.warmup), at_least(0),
             "Updates over which the learning rate rises from 0 in a line, with any schedule.");
    list.add(KEY(training.schedule.factor), strictly_between(0, 1),
             "`plateau`, `halving`: what the rate is multiplied by at a reduction.");
    list.add(KEY(training.schedule.patience), at_least(1),
             "`plateau`: validations without improvement before a reduction.");
    list.add(KEY(training.schedule.start_epoch), at_least(1),
             "`halving`: the first epoch after which the rate is reduced.");
    list.add(KEY(training.schedule.every_epochs), at_least(1), "`halving`: epochs between two reductions.");
    list.add(KEY(training.schedule.min_learning_rate), at_least(0),
             "No schedule goes below this rate after the warm-up.");
    list.add(
        KEY(training.divergence.updates), at_least(1),
        "An update whose loss or gradient is not finite leaves the weights as they are. So many in a row mean that "
        "the run has diverged.");
    list.add(
        KEY(training.divergence.action), any(),
        "What a run does that has diverged: `stop`, or `go_back` to the last checkpoint from before and go on with a "
        "lower learning rate.");
    list.add(KEY(training.divergence.rate_factor), strictly_between(0, 1),
             "What the learning rate is multiplied by each time the run goes back.");
    list.add(KEY(training.divergence.times), at_least(1), "How often it goes back before it stops.");

    list.add(KEY(search.beam), between(1, 1024), "Hypotheses kept at each step. 1: greedy.");
    list.add(KEY(search.patience), between(0, 1000),
             "A sentence is done once this times search.beam hypotheses are finished (Kasai et al. 2022). 0: only when "
             "no other hypothesis can come to score more.");
    list.add(KEY(search.length_norm), any(),
             "What the log-probability is divided by: `power`, length^alpha; `wu`, ((5 + length) / 6)^alpha (Wu et al. "
             "2016). The length counts pieces and the end of the sentence.");
    list.add(KEY(search.length_alpha), between(0, 10),
             "The alpha of search.length_norm. 0: no normalisation, which favours short output.");
    list.add(KEY(search.coverage_penalty), between(0, 100),
             "This times the sum over the source pieces of log(min(attention it got, 1)) is added to the score (Wu et "
             "al. 2016), which is below 0 where a piece got little.");
    list.add(KEY(search.word_penalty), between(-100, 100),
             "Subtracted from the score for each piece and for the end of the sentence. Below 0: a reward for length.");
    list.add(
        KEY(search.min_length_ratio), between(0, 100),
        "Shortest output in pieces: this many times the pieces of the source, but not less than search.min_length.");
    list.add(KEY(search.max_length_ratio), between(0, 100),
             "Longest output in pieces: this many times the pieces of the source, plus search.max_length_offset, but "
             "not more than search.max_length.");
    list.add(KEY(search.max_length_offset), between(0, max_pieces), "See search.max_length_ratio.");
    list.add(KEY(search.min_length), between(0, max_pieces), "Shortest output in pieces. The longest one goes before.");
    list.add(KEY(search.max_length), between(0, max_pieces),
             "Longest output in pieces, of any source. 0: no such limit.");
    list.add(KEY(search.no_repeat_ngram), between(0, 100),
             "No sequence of so many pieces occurs twice in an output. 0: any may.");
    list.add(KEY(search.forbid_unk), any(), "Never write the unknown piece; the next best ones take its place.");
    list.add(
        KEY(search.shortlist), any(),
        "Consider for a sentence only the pieces that the model directory's shortlist.txt, which `softalign shortlist` "
        "writes, has for it: faster with a large vocabulary. Validation while training considers all pieces.");
    list.add(KEY(search.batch_size), at_least(1),
             "Sentences translated together. A GPU wants more; on a CPU that is no faster and needs more memory.");

    list.add(KEY(validation.every), at_least(1), "Validate every so many validation.unit.");
    list.add(KEY(validation.unit), any(), "What validation.every counts.");
    list.add(KEY(validation.metric), any(),
             "What decides the best model, early stopping and the schedule `plateau`. BLEU, chrF and TER are "
             "sacreBLEU's; less "
             "is better of TER, the cross-entropy and the perplexity.");
    list.add(KEY(validation.patience), at_least(0),
             "Validations without improvement after which training stops. 0: never for that reason.");
    list.add(KEY(validation.translate), any(),
             "Translate the validation text by beam search and measure BLEU, chrF and TER, or measure the loss alone, "
             "which is "
             "faster.");
    list.add(KEY(validation.tokenize), one_of({"none", "13a", "intl", "zh", "char"}),
             "Tokenizer of BLEU, under the names of sacreBLEU (Post 2018). `none` for text that is tokenised already.");
    list.add(KEY(validation.lowercase), any(), "Measure BLEU and chrF on lower-cased text.");

    list.add(KEY(checkpoints.directory), any(), "The model directory that training writes. Training needs it.");
    list.add(KEY(checkpoints.every_updates), at_least(0),
             "Save for --resume every so many updates, besides after each validation. 0: only then.");
    list.add(KEY(checkpoints.keep_last), at_least(1),
             "How many of the latest checkpoints are kept. With 2 or more --resume has one to fall back to.");
    list.add(KEY(checkpoints.keep_best), at_least(1), "How many of the best checkpoints are kept.");

    list.add(KEY(report.html), any(),
             "Write `report.html` into the model directory when training ends: the curves, and the validation text as "
             "the best model translates it ([report](report.md)). The validation text is translated once more for it.");
    list.add(KEY(report.tensorboard), any(),
             "Write the curves and the configuration to event files for TensorBoard as well, in the model directory.");

    list.add(KEY(runtime.device), any(), "Where the model runs; `auto` is CUDA where there is one, else the CPU.");
    list.add(KEY(runtime.workers), between(0, 1024),
             "Threads that share the shards of a batch and the sentences to translate. 0: as many as physical cores.");
    list.add(
        KEY(runtime.precision), any(),
        "What the factors of large products are rounded to on the CPU; sums and weights are kept as float32. "
        "`bfloat16` is up to twice as fast on processors that have AVX512_BF16 (`softalign info`), slower on others.");
    list.add(KEY(runtime.prefetch), between(1, 1024), "Batches made ready ahead of the one in work.");
    list.add(KEY(runtime.log_every), at_least(1), "Updates between two progress lines where there is no terminal.");
    list.add(KEY(runtime.log_level), any(), "The least grave message that is written.");
    return std::move(list).keys();
}

std::vector<Key> make_schema() {
    std::vector<Key> keys;
    for (auto&& part : {text_keys(), model_keys(), run_keys()}) {
        keys.insert(keys.end(), part.begin(), part.end());
    }
    return keys;
}

}  // namespace

const std::vector<Key>& schema() {
    static const std::vector<Key> keys = make_schema();
    return keys;
}

const std::vector<Section>& sections() {
    static const std::vector<Section> all = {
        {"", ""},
        {"data", "The parallel text and what of it is used."},
        {"vocabulary", "How text becomes pieces with numbers."},
        {"model", "The network."},
        {"model.encoder", "What reads the source sentence."},
        {"model.encoder.self_attention", "Self-attention over the annotations."},
        {"model.decoder", "What writes the translation."},
        {"model.attention", "How the decoder looks at the source."},
        {"model.dropout", "Elements set to 0 at random while training (Srivastava et al. 2014)."},
        {"model.init", "The weights before training. Biases start at 0."},
        {"training", "How the weights are learnt, and when that ends: at the first limit that is reached."},
        {"training.optimizer", "How a gradient changes the weights."},
        {"training.schedule", "How the learning rate changes."},
        {"training.divergence", "What is done about losses and gradients that are not finite."},
        {"search", "Beam search, in validation and in translation."},
        {"validation", "What is measured on the validation text, and what follows from it."},
        {"checkpoints", "What is saved, and where."},
        {"report", "What shows how the run went."},
        {"runtime", "The machine and the messages."},
    };
    return all;
}

const Key* find_key(const std::string& path) {
    for (const Key& key : schema()) {
        if (key.path == path) {
            return &key;
        }
    }
    return nullptr;
}

bool is_section(const std::string& path) {
    const auto& all = sections();
    return std::any_of(all.begin(), all.end(), [&](const Section& section) { return section.path == path; });
}

std::vector<std::string> names_in(const std::string& section) {
    std::vector<std::string> names;
    for (const Key& key : schema()) {
        if (section_of(key.path) == section) {
            names.push_back(name_of(key.path));
        }
    }
    for (const Section& inner : sections()) {
        if (!inner.path.empty() && section_of(inner.path) == section) {
            names.push_back(name_of(inner.path));
        }
    }
    return names;
}

std::string section_of(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string name_of(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::string join_path(const std::string& section, const std::string& name) {
    return section.empty() ? name : section + "." + name;
}

}  // namespace softalign
