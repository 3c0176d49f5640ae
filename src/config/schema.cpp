#include "config/schema.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/schema_builder.h"

namespace softalign {

namespace {

std::vector<Key> text_keys() {
    KeyList list;
    list.add(
        KEY(data.source_type), any(), OnResume::fixed,
        "What the source files hold: `text`, or `features`: an array of numbers for each sentence, such as a "
        "picture ([features](features.md)). Features have no vocabulary, so the vocabulary is the target's alone.");
    list.add(KEY(data.train_source), any(), OnResume::fixed,
             "Training text in the source language: UTF-8, one sentence per line, plain or gzip. Several files are "
             "read as if concatenated. With features: a `.npy` file, or a list of such files. Required for training.");
    list.add(KEY(data.train_target), any(), OnResume::fixed,
             "The translations, line by line, in as many files with as many lines each. Required for training.");
    list.add(KEY(data.weights), above(0, 1000), OnResume::fixed,
             "With several training files: for each pair, how often an epoch takes its sentences. With `[1, 0.25]`, "
             "every epoch takes the first text once and another quarter of the second one; with `[3, 1]`, the first "
             "three times ([small data](small_data.md#several-corpora)). Empty: all once.");
    list.add(
        KEY(data.tags), any_text(), OnResume::fixed,
        "With several training files: for each pair, a tag such as `<bt>` that is put before its source sentences, "
        "or `\"\"` for none (Caswell et al. 2019). A tag becomes a piece of the source vocabulary (even of a given "
        "one), in addition to those of vocabulary.size. Empty: no tags.");
    list.add(KEY(data.alignments), any(), OnResume::fixed,
             "Guided alignment: for each pair of training files, a file, plain or gzip, with a line of links `i-j` "
             "(Pharaoh format) for each sentence pair: source word i is translated by target word j, counted from 0; "
             "words are separated by white space. Attention is trained to follow the links "
             "([small data](small_data.md#guided-alignment)). Empty: it is not.");
    list.add(KEY(data.valid_source), any(), OnResume::rescores,
             "Validation text, which must not be part of the training text. Empty: no validation, so no best model and "
             "no early stopping.");
    list.add(KEY(data.valid_target), any(), OnResume::rescores,
             "The translation of the validation text, line by line.");
    list.add(KEY(data.max_source_length), between(1, max_pieces), OnResume::fixed,
             "Drop training pairs with more source pieces than this, not counting the end of the sentence; with "
             "features, with more positions.");
    list.add(KEY(data.max_target_length), between(1, max_pieces), OnResume::fixed,
             "Drop training pairs with more target pieces than this, not counting the end of the sentence.");
    list.add(KEY(data.max_length_ratio), either(0, at_least(1)), OnResume::fixed,
             "Drop training pairs whose longer side has more than this many times the pieces of the shorter one. 0: no "
             "limit.");
    list.add(KEY(data.on_bad_line), any(), OnResume::may_change,
             "What to do with a line of the training text that is not valid UTF-8: `error` stops and names it, `skip` "
             "drops the pair and counts it.");
    list.add(
        KEY(data.on_disk), any(), OnResume::may_change,
        "Hold the training corpus in temporary files in checkpoints.directory instead of in memory, for corpora larger "
        "than memory. The vocabulary is still trained in memory; limit it with vocabulary.training_sentences.");
    list.add(
        KEY(data.cache), any(), OnResume::may_change,
        "A folder that keeps the encoded training corpus, so that the next run with the same text and vocabulary, "
        "or a resumed one, need not encode it again: it reads the corpus from there instead of holding it in memory. "
        "Removing the folder or its files is safe. No effect with features or alignments. Empty: none is kept.");

    list.add(KEY(vocabulary.type), any(), OnResume::fixed,
             "Segmentation by SentencePiece (Kudo and Richardson 2018): `unigram` (Kudo 2018), `bpe` (Sennrich et al. "
             "2016), `word` (split at spaces) or `char`. With `word`, each word without a piece is one `<unk>`, "
             "where SentencePiece's own tools join a run of such words.");
    list.add(
        KEY(vocabulary.size), either(0, between(8, 1000000)), OnResume::fixed,
        "Number of pieces of the joint vocabulary, or of each side if the vocabularies are separate. 0: chosen from "
        "the text ([vocabularies](vocabulary.md#the-size)).");
    list.add(KEY(vocabulary.target_size), either(0, between(8, 1000000)), OnResume::fixed,
             "Number of pieces of the target side if the vocabularies are separate. 0: as vocabulary.size.");
    list.add(KEY(vocabulary.joint), any(), OnResume::fixed,
             "Train one vocabulary on both sides together and use it for both. No effect with features.");
    list.add(KEY(vocabulary.from_start_model), any(), OnResume::fixed,
             "Use the vocabularies of the model that training.start_from names as they are; the keys that say how a "
             "vocabulary is made are then ignored. The way to fine-tune: every piece keeps its embedding.");
    list.add(KEY(vocabulary.source_model), any(), OnResume::fixed,
             "Use this SentencePiece model (`.model`) as it is. Empty: train one on the training text. If a model is "
             "given, vocabulary.type and vocabulary.size are ignored.");
    list.add(KEY(vocabulary.target_model), any(), OnResume::fixed,
             "The same for the target side. If only vocabulary.source_model is given, that model serves both sides. "
             "With features, give this one alone.");
    list.add(KEY(vocabulary.normalization), one_of({"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}),
             OnResume::fixed,
             "How SentencePiece normalises text: Unicode NFKC, with additional rules for spaces (`nmt_`), with case "
             "folding (`_cf`), or not at all (`identity`).");
    list.add(KEY(vocabulary.character_coverage), between(0.98, 1.0), OnResume::fixed,
             "Share of the characters in the text that the vocabulary covers; the rest are unknown. Use 0.9995 for "
             "Chinese or Japanese.");
    list.add(KEY(vocabulary.byte_fallback), any(), OnResume::fixed,
             "Write characters that are not in the vocabulary as UTF-8 bytes instead of as unknown.");
    list.add(KEY(vocabulary.training_sentences), either(0, between(101, 100000000)), OnResume::fixed,
             "Number of sentences sampled to train the vocabulary. 0: all.");
    list.add(
        KEY(vocabulary.sampling_alpha), between(0, 1), OnResume::fixed,
        "Subword sampling in training: for `unigram`, the smoothing of the sampled segmentation (Kudo 2018; 0.1 to "
        "0.5); for `bpe`, the probability of dropping a merge (BPE-dropout, Provilkov et al. 2020; 0.1). 0: off.");
    list.add(KEY(vocabulary.sampling_nbest), either(-1, between(2, 512)), OnResume::fixed,
             "`unigram`: number of best segmentations to sample from. -1: all segmentations.");
    list.add(KEY(vocabulary.placeholders), between(0, 64), OnResume::fixed,
             "Number of pieces that stand for spans that are kept: URLs, numbers, placeholders, emoji. In the "
             "training text, they replace such spans where both sides have the same; in the text to translate, "
             "`translate` does so ([documents](documents.md#placeholders-in-the-vocabulary)). They are added to "
             "those of vocabulary.size, even to a given vocabulary. 0: none.");
    return std::move(list).keys();
}

std::vector<Key> training_keys() {
    KeyList list;
    list.add(KEY(training.seed), any(), OnResume::fixed,
             "Seed of all random numbers. The same seed and configuration give the same run, whatever the number of "
             "workers.");
    list.add(
        KEY(training.start_from), any(), OnResume::fixed,
        "A model directory: a new run begins with its weights, to fine-tune it or to adapt it to other text "
        "([small data](small_data.md#fine-tuning)). The model must be the same except for its vocabularies; pieces "
        "with the same text keep their embeddings. --resume does not need the directory. Empty: weights drawn from "
        "the seed.");
    list.add(KEY(training.freeze), any_text(), OnResume::may_change,
             "Tensors that keep their weights: names of tensors or of parts of the model, such as `[source_embedding, "
             "encoder]`, where `*` stands for any characters. `--dry-run` lists all names.");
    list.add(KEY(training.max_epochs), between(0, max_count), OnResume::may_change,
             "Maximum number of passes over the training text. 0: no limit.");
    list.add(KEY(training.max_updates), between(0, max_updates), OnResume::may_change,
             "Maximum number of updates. 0: no limit.");
    list.add(KEY(training.max_minutes), at_least(0), OnResume::may_change,
             "Maximum wall-clock time of the run in minutes. 0: no limit.");
    list.add(KEY(training.batch_size), between(1, max_batch), OnResume::fixed,
             "Size of a batch, in training.batch_unit. The last batches of an epoch may be smaller.");
    list.add(KEY(training.batch_unit), any(), OnResume::fixed,
             "Unit of training.batch_size: `sentences`, or target `tokens` including padding.");
    list.add(KEY(training.sort_window), between(1, max_batches), OnResume::fixed,
             "Number of full batches whose sentences are read together and sorted by length, so that sentences in a "
             "batch have similar lengths. 1: no sorting across batches.");
    list.add(KEY(training.shards), between(0, 1024), OnResume::fixed,
             "Number of parts that a batch is split into; workers share them. Changing it changes the weights "
             "slightly; changing the number of workers does not. 0: chosen from the processor's cores and the batch "
             "when a run starts, and kept when it is resumed ([scale](scale.md)).");
    list.add(KEY(training.accumulate), between(1, max_batches), OnResume::fixed,
             "Number of batches whose gradients are added up for one update.");
    list.add(KEY(training.clip_norm), at_least(0), OnResume::may_change,
             "Maximum norm of the gradient over all weights (Pascanu et al. 2013). 0: no clipping.");
    list.add(KEY(training.label_smoothing), from_below(0, 1), OnResume::fixed,
             "Probability moved from the correct token to others (Szegedy et al. 2016).");
    list.add(KEY(training.label_smoothing_over), any(), OnResume::fixed,
             "Which tokens share it: those that occur in the training translations (`target`), or the whole "
             "vocabulary (`all`), which, if joint, has pieces that only the other language uses.");
    list.add(
        KEY(training.r_drop), between(0, max_factor), OnResume::fixed,
        "R-Drop (Liang et al. 2021): every sentence goes through the model twice with different dropout, and the "
        "divergence of the two predictions, times this number, is added to the loss; the paper has 5, the Multi30k "
        "recipes 1. An update takes about twice as long ([models](models.md#loss)). 0: off.");
    list.add(KEY(training.loss_normalization), any(), OnResume::fixed,
             "Divide the loss of a batch by its number of target tokens or of sentences.");
    list.add(KEY(training.ema), from_below(0, 1), OnResume::fixed,
             "Decay of the exponential moving average of the weights, for example 0.999. Validation and the saved "
             "model use the average. In the first updates the decay is smaller "
             "([models](models.md#moving-average-of-the-weights)). 0: off.");
    list.add(KEY(training.guided_alignment.weight), above(0, max_factor), OnResume::fixed,
             "What to multiply the cost of the attention by before adding it to the loss.");
    list.add(KEY(training.guided_alignment.cost), any(), OnResume::fixed,
             "How far attention is from the links: `cross_entropy`, or `squared_error`, the sum of the squared "
             "differences ([models](models.md#loss)).");
    list.add(KEY(training.scheduled_sampling.decay), any(), OnResume::fixed,
             "How the share of true words that the decoder reads falls from update to update i = 0, 1, …: to "
             "`linear` max(minimum, k - slope i), `exponential` k^i or `inverse_sigmoid` k / (k + exp(i / k)), and "
             "never below the minimum. An update takes up to a third longer ([models](models.md#loss)). `none`: all "
             "are true.");
    list.add(KEY(training.scheduled_sampling.k), above(0, max_factor), OnResume::fixed,
             "`linear`: the share in the first update, at most 1. `exponential`: what it is multiplied by in each, "
             "below 1; half are true after ln 0.5 / ln k updates. `inverse_sigmoid`: above 1; half are true after "
             "k ln k updates, 6908 for 1000.");
    list.add(KEY(training.scheduled_sampling.slope), between(0, 1), OnResume::fixed,
             "`linear`: by how much the share falls in each update.");
    list.add(KEY(training.scheduled_sampling.minimum), from_below(0, 1), OnResume::fixed,
             "Lower limit of the share, with any decay.");
    list.add(KEY(training.minimum_risk.samples), either(0, between(2, 1000)), OnResume::fixed,
             "Number of translations that are drawn from the model for each sentence in each update. The time of an "
             "update grows in proportion; 10 to 100 are common. 0: off, training minimises the cross-entropy.");
    list.add(KEY(training.minimum_risk.alpha), above(0, max_factor), OnResume::fixed,
             "How strongly the probabilities of the model tell its translations apart: each counts in proportion to "
             "its probability to this power.");
    list.add(
        KEY(training.minimum_risk.metric), any(), OnResume::fixed,
        "The risk of a translation is 1 minus its smoothed sentence `bleu` (Lin and Och 2004) or its `chrf`, from 0 "
        "to 1; validation.tokenize and validation.lowercase apply, and changing them with --resume changes the risk.");
    list.add(KEY(training.minimum_risk.reference), any(), OnResume::fixed,
             "Count the reference among the translations that are drawn.");
    list.add(KEY(training.minimum_risk.cross_entropy_weight), between(0, max_factor), OnResume::fixed,
             "What to multiply the cross-entropy of the reference by before adding it to the risk of a sentence.");
    list.add(KEY(training.optimizer.type), any(), OnResume::fixed,
             "`sgd`, `adadelta` (Zeiler 2012), `adam` (Kingma and Ba 2015) or `adamw` (Loshchilov and Hutter 2019).");
    list.add(KEY(training.optimizer.learning_rate), above(0, max_factor), OnResume::may_change,
             "Learning rate. 1 is common for `adadelta` and `sgd`.");
    list.add(KEY(training.optimizer.beta1), from_below(0, 1), OnResume::fixed,
             "`adam`, `adamw`: decay of the mean of the gradient.");
    list.add(KEY(training.optimizer.beta2), from_below(0, 1), OnResume::fixed,
             "`adam`, `adamw`: decay of the mean of the squared gradient.");
    list.add(KEY(training.optimizer.epsilon), between(1e-30, 1), OnResume::fixed,
             "`adam`, `adamw`, `adadelta`: added to the denominator. 1e-6 is common for `adadelta`.");
    list.add(KEY(training.optimizer.rho), from_below(0, 1), OnResume::fixed, "`adadelta`: decay of its two means.");
    list.add(KEY(training.optimizer.momentum), from_below(0, 1), OnResume::fixed, "`sgd`: momentum.");
    list.add(KEY(training.optimizer.weight_decay), between(0, max_factor), OnResume::fixed,
             "`adamw`: weight decay, decoupled from the gradient and multiplied by the learning rate.");
    list.add(KEY(training.optimizer.l2), between(0, max_factor), OnResume::fixed,
             "Any optimiser: this times the weights is added to the gradient.");
    list.add(
        KEY(training.schedule.type), any(), OnResume::fixed,
        "How the learning rate changes: `constant`; `inverse_sqrt`, proportional to the inverse square root of "
        "the number of updates after the warm-up (Vaswani et al. 2017); `cosine`, half a cosine down to the minimum at "
        "training.schedule.updates (Loshchilov and Hutter 2017); `plateau`, reduced when validation stops "
        "improving; `halving`, reduced every few epochs (Luong et al. 2015).");
    list.add(KEY(training.schedule.warmup), between(0, max_updates), OnResume::fixed,
             "Number of updates over which the learning rate rises linearly from 0, with any schedule.");
    list.add(KEY(training.schedule.factor), strictly_between(0, 1), OnResume::fixed,
             "`plateau`, `halving`: factor of each reduction.");
    list.add(KEY(training.schedule.patience), between(1, max_count), OnResume::fixed,
             "`plateau`: number of validations without improvement before a reduction.");
    list.add(KEY(training.schedule.start_epoch), between(1, max_count), OnResume::fixed,
             "`halving`: first epoch after which the rate is reduced.");
    list.add(KEY(training.schedule.every_epochs), between(1, max_count), OnResume::fixed,
             "`halving`: number of epochs between reductions.");
    list.add(KEY(training.schedule.updates), between(0, max_updates), OnResume::fixed,
             "`cosine`: the update at which the rate reaches its minimum, where it stays.");
    list.add(KEY(training.schedule.min_learning_rate), between(0, max_factor), OnResume::may_change,
             "Lower limit of the learning rate after the warm-up, with any schedule.");
    list.add(KEY(training.divergence.updates), between(1, max_count), OnResume::may_change,
             "An update whose loss or gradient is not finite leaves the weights unchanged. After this many such "
             "updates in a row, or when the weights are not finite, the run counts as diverged.");
    list.add(KEY(training.divergence.action), any(), OnResume::may_change,
             "What a diverged run does: `stop`, or `go_back` to the last checkpoint before these updates and continue "
             "with a lower learning rate.");
    list.add(KEY(training.divergence.rate_factor), strictly_between(0, 1), OnResume::may_change,
             "Factor applied to the learning rate each time the run goes back.");
    list.add(KEY(training.divergence.times), between(1, max_count), OnResume::may_change,
             "How often a run goes back before it stops.");

    return std::move(list).keys();
}

std::vector<Key> run_keys() {
    KeyList list;
    list.add(KEY(validation.every), between(1, max_updates), OnResume::may_change,
             "Number of updates or epochs (validation.unit) between validations.");
    list.add(KEY(validation.unit), any(), OnResume::may_change, "Unit of validation.every.");
    list.add(KEY(validation.min_updates), between(0, max_updates), OnResume::may_change,
             "Epochs: no validation until this many updates after the last one. For small corpora, whose epochs are "
             "too short for one of them to judge progress, and so the end of training. 0: no such limit.");
    list.add(KEY(validation.metric), any(), OnResume::rescores,
             "Metric that decides the best model, early stopping and the `plateau` schedule. BLEU, chrF and TER are "
             "sacreBLEU's; CER and WER are the character and the word error rate. Lower is better for TER, CER, WER, "
             "cross-entropy and perplexity.");
    list.add(KEY(validation.patience), between(0, max_count), OnResume::may_change,
             "Stop after this many validations without improvement. 0: never.");
    list.add(KEY(validation.translate), any(), OnResume::may_change,
             "Translate the validation text by beam search and compute BLEU, chrF, TER, CER and WER. If false, compute "
             "only the loss, which is faster.");
    list.add(KEY(validation.tokenize), one_of({"none", "13a", "intl", "zh", "char"}), OnResume::rescores,
             "Tokenizer of BLEU, under sacreBLEU's names (Post 2018). Use `none` for tokenised text.");
    list.add(KEY(validation.lowercase), any(), OnResume::rescores,
             "Compute BLEU, chrF, CER and WER on lower-cased text.");

    list.add(KEY(checkpoints.directory), any(), OnResume::may_change,
             "The model directory that training writes. Required for training.");
    list.add(KEY(checkpoints.every_updates), between(0, max_updates), OnResume::may_change,
             "Save for --resume after this many updates, in addition to each validation. 0: only at validations.");
    list.add(KEY(checkpoints.keep_last), between(1, max_files), OnResume::may_change,
             "Number of latest checkpoints to keep. With 2 or more, --resume can fall back to an earlier one. One from "
             "before the last change of the weights is always kept, in case the run diverges.");
    list.add(KEY(checkpoints.keep_best), between(1, max_files), OnResume::may_change,
             "Number of best checkpoints to keep.");
    list.add(KEY(checkpoints.average), either(0, between(2, 1000)), OnResume::may_change,
             "At the end of training, validate the mean of the weights of this many models once, and keep it as the "
             "model if it is not worse than the best one. 0: no mean.");
    list.add(KEY(checkpoints.average_of), any(), OnResume::may_change,
             "Which models: those of the `best` validations, or of the `last` ones, which are then kept as "
             "`checkpoints/recent-UPDATE.safetensors`.");

    list.add(
        KEY(report.html), any(), OnResume::may_change,
        "Write `report.html` into the model directory at the end of training: the curves, and the best model's "
        "translations of the validation text ([report](report.md)). This translates the validation text once more.");
    list.add(KEY(report.tensorboard), any(), OnResume::may_change,
             "Also write the curves and the configuration to TensorBoard event files in the model directory.");

    list.add(KEY(runtime.device), any(), OnResume::may_change,
             "Where the model runs; `auto` uses CUDA if available, else the CPU.");
    list.add(
        KEY(runtime.workers), between(0, 1024), OnResume::may_change,
        "Number of threads that share the shards of a batch and the sentences to translate. 0: one per physical core.");
    list.add(
        KEY(runtime.precision), any(), OnResume::may_change,
        "Precision of the factors of large matrix products on the CPU, in training, validation, translation and "
        "scoring; sums and weights stay in float32. `bfloat16` is up to twice as fast on Intel's processors with AMX "
        "and on AMD's with AVX512_BF16 (`softalign info` shows this), and slower on others. `int8` is for translation "
        "and scoring only; training refuses it. On CUDA, `bfloat16` allows TF32 (factors of 10 bits), and `int8` is "
        "`float32`.");
    list.add(KEY(runtime.prefetch), between(1, 1024), OnResume::may_change, "Number of batches prepared ahead.");
    list.add(KEY(runtime.log_every), between(1, max_updates), OnResume::may_change,
             "Number of updates between progress lines if the output is not a terminal.");
    list.add(KEY(runtime.log_level), any(), OnResume::may_change, "Least severe messages to write.");
    list.add(
        KEY(runtime.distributed.rendezvous), any_text(), OnResume::may_change,
        "Where the processes of a run meet: `tcp://HOST:PORT` of the first one, or `file:///PATH`, a new file that "
        "all can reach. Empty: where the launcher says.");
    list.add(KEY(runtime.distributed.interface), any_text(), OnResume::may_change,
             "Network interface for the traffic between processes, such as `eth0`. Empty: the one that leads to the "
             "rendezvous.");
    list.add(KEY(runtime.distributed.timeout), between(1, 86400), OnResume::may_change,
             "Seconds that a process waits for another one before the run ends with an error.");
    list.add(
        KEY(runtime.distributed.backend), any(), OnResume::may_change,
        "What exchanges gradients and weights between the devices of processes. `nccl`: NCCL, from GPU to GPU. "
        "`gloo`: Gloo; data on a GPU goes through the host. `auto`: NCCL if the device is CUDA and the program was "
        "built with it, else Gloo.");
    return std::move(list).keys();
}

using Keys = std::vector<Key>;

// Never destroyed: threads of a program that embeds softalign may be using it when the process ends.
const Keys* kept(Keys keys) {
    return new Keys(std::move(keys));
}

const Key* find_in(const Keys& keys, const std::string& path) {
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.path == path; });
    return found == keys.end() ? nullptr : &*found;
}

Keys make_schema() {
    Keys keys;
    for (auto&& part : {text_keys(), model_keys(), training_keys(), search_keys(), run_keys()}) {
        std::copy_if(part.begin(), part.end(), std::back_inserter(keys),
                     [](const Key& key) { return !key.of_request; });
    }
    return keys;
}

}  // namespace

bool allows(const Allowed& allowed, double value) {
    if (allowed.special && value == *allowed.special) {
        return true;
    }
    const bool low = allowed.above_minimum ? value > allowed.minimum : value >= allowed.minimum;
    const bool high = allowed.below_maximum ? value < allowed.maximum : value <= allowed.maximum;
    return low && high;
}

bool allows(const Key& key, const Value& value) {
    const auto* const whole = std::get_if<std::int64_t>(&value);
    const auto* const number = std::get_if<double>(&value);
    const auto* const list = std::get_if<std::vector<std::int64_t>>(&value);
    const auto* const numbers = std::get_if<std::vector<double>>(&value);
    if (list != nullptr) {
        return std::all_of(list->begin(), list->end(),
                           [&](std::int64_t item) { return allows(key.allowed, static_cast<double>(item)); });
    }
    if (numbers != nullptr) {
        return std::all_of(numbers->begin(), numbers->end(), [&](double item) { return allows(key.allowed, item); });
    }
    return (whole == nullptr || allows(key.allowed, static_cast<double>(*whole))) &&
           (number == nullptr || allows(key.allowed, *number));
}

const std::vector<Key>& schema() {
    static const Keys* const keys = kept(make_schema());
    return *keys;
}

const std::vector<Key>& search_schema() {
    static const Keys* const keys = kept(search_keys());
    return *keys;
}

const std::vector<Section>& sections() {
    static const std::vector<Section> all = {
        {"", ""},
        {"data", "The parallel text, and which parts of it are used."},
        {"vocabulary", "How text is segmented into pieces."},
        {"model", "The network."},
        {"model.source", "What the encoder reads in place of words."},
        {"model.source.convolutions",
         "Two-dimensional convolutions over the features, before their projection. If `channels` is empty, there are "
         "none and the other keys have no effect."},
        {"model.encoder", "The encoder reads the source sentence."},
        {"model.encoder.self_attention",
         "Self-attention over the annotations. If `layers` is 0, the other keys have no effect."},
        {"model.decoder", "The decoder writes the translation."},
        {"model.attention", "How a recurrent decoder attends to the source."},
        {"model.positions", "How Transformer and convolutional parts know the order of words."},
        {"model.transformer", "The layers of Transformer encoders and decoders (Vaswani et al. 2017)."},
        {"model.dropout", "Elements set to 0 at random in training (Srivastava et al. 2014)."},
        {"model.init", "Initial weights. Biases start at 0."},
        {"training", "How the weights are trained, and when training ends: at the first limit reached."},
        {"training.guided_alignment",
         "How attention is trained to follow data.alignments (Chen et al. 2016). No effect without them."},
        {"training.scheduled_sampling",
         "In training, the decoder reads some of its own words in place of the translation's (Bengio et al. 2015)."},
        {"training.minimum_risk",
         "Minimum risk training (Shen et al. 2016): translations are drawn from the model, and the expected value of "
         "their risk is minimised. For fine-tuning a trained model ([small "
         "data](small_data.md#minimum-risk-training))."},
        {"training.optimizer", "How a gradient changes the weights."},
        {"training.schedule", "How the learning rate changes."},
        {"training.divergence", "What to do about losses and gradients that are not finite."},
        {"search", "Beam search, in validation and in translation."},
        {"validation", "What is measured on the validation text, and what depends on it."},
        {"checkpoints", "What is saved, and where."},
        {"report", "How a run is presented."},
        {"runtime", "The machine and the log."},
        {"runtime.distributed", "How the processes of a run talk to each other, if there is more than one."},
    };
    return all;
}

const Key* find_key(const std::string& path) {
    return find_in(schema(), path);
}

const Key* find_request_key(const std::string& path) {
    const Key* const key = find_in(search_schema(), path);
    return key != nullptr && key->of_request ? key : nullptr;
}

const Key& key_at(const std::string& path) {
    const Key* const key = find_key(path);
    return key != nullptr ? *key : *find_request_key(path);
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
