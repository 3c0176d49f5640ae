#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/precision.h"

namespace softalign {

// The configuration as plain structs with their defaults in place. The key of a member in YAML is its path:
// config.training.batch_size is training.batch_size. docs/configuration.md describes each; schema.cpp is the one place
// that says what each may be.

// What a source consists of: sentences, or arrays of numbers such as pictures (docs/features.md).
enum class SourceType { text, features };
enum class VocabularyType { unigram, bpe, word, character };
enum class EncoderType { recurrent, transformer, convolutional, none };
enum class DecoderType { recurrent, transformer };
enum class CellType { gru, gru_cho, lstm };
enum class AttentionType {
    additive,
    dot,
    general,
    concat,
    location,
    local_m,
    local_p,
    scaled_dot,
    multi_head,
    multi_query,
    grouped_query,
    none
};
enum class ScoreType { additive, dot, general, concat };
enum class CoverageType { none, sum, fertility };
// When the decoder attends: before its update with the previous state (Bahdanau et al. 2014, as printed), in the order
// look, generate, update of that paper's own code, between the two units of a conditional GRU (Sennrich et al. 2017),
// or after its update with the current state (Luong et al. 2015); or never, so that the source is known from the
// initial state alone (Sutskever et al. 2014).
enum class AttendWhen { before, look_generate_update, between, after, never };
enum class InitialState { last, mean, first_backward, copy, zero };
enum class ReadoutType { tanh, maxout, none };
enum class ReadoutState { current, previous };
enum class FirstWord { bos, zero };
enum class PositionType { sinusoidal, learned };
enum class Activation { relu, gelu, swiglu };
enum class NormPlace { pre, post };
enum class TiedEmbeddings { none, target, all };
enum class Initializer { uniform, normal, xavier_uniform, xavier_normal };
enum class RecurrentInitializer { same, orthogonal };
enum class AttentionInitializer { same, bahdanau };
enum class BatchUnit { sentences, tokens };
enum class AverageOf { best, last };
enum class SmoothingOver { target, all };
enum class OptimizerType { sgd, adadelta, adam, adamw };
enum class ScheduleType { constant, inverse_sqrt, cosine, plateau, halving };
// How far attention is from an alignment that is given (Chen et al. 2016).
enum class AlignmentCost { cross_entropy, squared_error };
// How the share of true words that a decoder reads in training falls (Bengio et al. 2015, section 2.4).
enum class SamplingDecay { none, linear, exponential, inverse_sigmoid };
// What minimum risk training wants more of.
enum class RiskMetric { bleu, chrf };
enum class LossNormalization { tokens, sentences };
// What log-probabilities are divided by where outputs of different length compete: |y|^alpha, or ((5 + |y|) / 6)^alpha
// (Wu et al. 2016, equation 14).
enum class LengthNorm { power, wu };
enum class Metric { bleu, chrf, chrf_plus_plus, ter, cer, wer, cross_entropy, perplexity };
enum class IntervalUnit { updates, epochs };
enum class BadLine { error, skip };
enum class DeviceChoice { automatic, cpu, cuda };
enum class LogLevel { debug, info, warning, error };

struct DataConfig {
    SourceType source_type = SourceType::text;
    std::vector<std::string> train_source;  // plain text or .gz; one sentence per line
    std::vector<std::string> train_target;
    std::vector<double> weights;          // of each pair of files: how often an epoch takes its sentences; none = once
    std::vector<std::string> tags;        // of each pair of files: put before its source sentences; empty = nothing
    std::vector<std::string> alignments;  // of each pair of files: links of their words; none = no guided alignment
    std::string valid_source;
    std::string valid_target;
    std::int64_t max_source_length = 100;  // pieces, end-of-sentence not counted; longer pairs are dropped
    std::int64_t max_target_length = 100;
    double max_length_ratio = 0.0;  // longer side over shorter side, in pieces; 0 = no limit
    BadLine on_bad_line = BadLine::error;
    bool on_disk = false;  // the training corpus in files instead of in memory
    std::string cache;     // a folder for encoded training corpora; empty = they are encoded by every run
};

struct VocabularyConfig {
    VocabularyType type = VocabularyType::unigram;
    std::int64_t size = 0;                   // of the joint vocabulary, or of each side; 0 = chosen from the text
    std::int64_t target_size = 0;            // of the target side when separate; 0 = size
    bool joint = true;                       // one vocabulary for both sides
    bool from_start_model = false;           // those of training.start_from, as they are
    std::string source_model;                // a given SentencePiece model; empty = train one
    std::string target_model;                // empty with a given source_model = the same file
    std::string normalization = "nmt_nfkc";  // SentencePiece's rule: nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity
    double character_coverage = 1.0;
    bool byte_fallback = false;
    std::int64_t training_sentences = 0;  // sentences sampled to train the vocabulary; 0 = all
    // Subword sampling while training the translation model (Kudo 2018; Provilkov et al. 2020): unigram's alpha, or
    // BPE's probability of dropping a merge. 0 = off.
    double sampling_alpha = 0.0;
    std::int64_t sampling_nbest = -1;  // unigram: candidates sampled from; -1 = all
    std::int64_t placeholders = 0;     // pieces that stand for spans that are kept (text/placeholder_pieces.h)

    std::int64_t size_of_target() const { return target_size > 0 ? target_size : size; }
};

// Of two dimensions, on a source of features, before its projection.
struct ConvolutionsConfig {
    std::vector<std::int64_t> channels;  // of each layer; none = no layers
    std::int64_t kernel_size = 3;
    std::vector<std::int64_t> row_strides = {2};  // of each layer, or one for all
    std::vector<std::int64_t> column_strides = {2};
    bool layer_norm = false;
};

struct SourceConfig {
    std::int64_t size = 0;  // D of a source of features; 0 = text, or before training: as the data have it
    ConvolutionsConfig convolutions;
    std::int64_t join_rows = 1;  // of each column, into one position
};

struct SelfAttentionConfig {
    std::int64_t layers = 0;
    std::int64_t heads = 8;
    std::int64_t groups = 0;  // key and value heads; 0 = heads
    bool causal = false;
    bool positions = true;  // sinusoids added to the annotations
};

struct EncoderConfig {
    EncoderType type = EncoderType::recurrent;
    std::int64_t layers = 1;
    std::int64_t hidden_size = 512;  // recurrent: per direction
    // recurrent
    CellType cell = CellType::gru;
    bool bidirectional = true;
    bool residual = false;
    bool reverse_source = false;
    std::int64_t transition_depth = 1;  // units per step
    bool alternating = false;           // layers change their direction from one to the next
    SelfAttentionConfig self_attention;
    // convolutional
    std::int64_t kernel_size = 3;  // positions that a convolution sees; odd
};

struct DecoderConfig {
    DecoderType type = DecoderType::recurrent;
    std::int64_t layers = 1;
    std::int64_t hidden_size = 512;
    FirstWord first_word = FirstWord::bos;
    bool reverse_target = false;  // from the last word to the first
    bool lexical = false;         // a lexical model beside it (Nguyen and Chiang 2018)
    // recurrent
    CellType cell = CellType::gru;
    AttendWhen attend = AttendWhen::before;
    bool input_feeding = true;  // attend: after only
    InitialState initial_state = InitialState::mean;
    ReadoutType readout = ReadoutType::tanh;
    ReadoutState readout_state = ReadoutState::current;  // attend: before only
    std::int64_t readout_size = 0;                       // 0 = embedding_size
    bool residual = false;
    std::int64_t transition_depth = 1;  // units per step, the conditional one not counted
    bool layer_norm = true;             // where model.layer_norm is
    bool deep_context = false;          // every layer reads the context, not the lowest alone
};

struct AttentionConfig {
    AttentionType type = AttentionType::additive;
    std::int64_t size = 512;  // width of the hidden layer (additive, concat), or of queries and keys over all heads
    ScoreType score = ScoreType::general;        // local_m, local_p
    std::int64_t window = 10;                    // local_m, local_p: D
    std::int64_t positions = 100;                // location: source positions that can get weight
    std::int64_t heads = 8;                      // multi_head, multi_query, grouped_query
    std::int64_t groups = 2;                     // grouped_query: key and value heads
    CoverageType coverage = CoverageType::none;  // additive
};

// Of Transformer and convolutional parts.
struct PositionsConfig {
    PositionType type = PositionType::sinusoidal;
    std::int64_t size = 1024;  // learned: positions of their own; those beyond share the last
};

// Of encoders and decoders of this type.
struct TransformerConfig {
    std::int64_t heads = 8;
    std::int64_t groups = 0;  // key and value heads; 0 = heads
    std::int64_t feed_forward_size = 1024;
    Activation activation = Activation::relu;
    NormPlace norm = NormPlace::pre;
    std::int64_t alignment_layer = 0;  // of the decoder, from 1: whose weights are the alignments; 0 = the last
};

struct DropoutConfig {
    double source_words = 0.0;
    double target_words = 0.0;
    double source_embedding = 0.0;
    double target_embedding = 0.0;
    double context = 0.0;    // on the encoder's annotations
    double output = 0.0;     // on the readout, before the output projection
    double layers = 0.0;     // between stacked layers (Zaremba et al. 2014)
    double recurrent = 0.0;  // variational: one mask per sequence on the recurrent state (Gal and Ghahramani 2016)
    // Transformer
    double attention = 0.0;     // on the weights
    double feed_forward = 0.0;  // after the activation
    double residual = 0.0;      // on what is added to the residual stream
};

struct InitConfig {
    Initializer weights = Initializer::xavier_uniform;
    double scale = 1.0;  // uniform: half width; normal: standard deviation; xavier: gain
    RecurrentInitializer recurrent = RecurrentInitializer::orthogonal;
    AttentionInitializer attention = AttentionInitializer::same;
    // Files of word vectors in fastText's text format; empty = none.
    std::string source_embeddings;
    std::string target_embeddings;
};

struct ModelConfig {
    std::int64_t embedding_size = 256;
    SourceConfig source;
    EncoderConfig encoder;
    DecoderConfig decoder;
    AttentionConfig attention;
    PositionsConfig positions;
    TransformerConfig transformer;
    TiedEmbeddings tied_embeddings = TiedEmbeddings::none;
    bool layer_norm = false;
    DropoutConfig dropout;
    InitConfig init;
};

struct OptimizerConfig {
    OptimizerType type = OptimizerType::adam;
    double learning_rate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double rho = 0.95;          // adadelta
    double momentum = 0.0;      // sgd
    double weight_decay = 0.0;  // adamw, decoupled
    double l2 = 0.0;            // added to the gradient
};

struct ScheduleConfig {
    ScheduleType type = ScheduleType::constant;
    std::int64_t warmup = 0;        // updates of linear warm-up, any schedule
    double factor = 0.5;            // plateau, halving: what the rate is multiplied by
    std::int64_t patience = 2;      // plateau: validations without improvement before a reduction
    std::int64_t start_epoch = 5;   // halving: the first epoch after which the rate is reduced
    std::int64_t every_epochs = 1;  // halving
    std::int64_t updates = 0;       // cosine: the update at which the rate reaches its minimum
    double min_learning_rate = 0.0;
};

enum class DivergenceAction { stop, go_back };

// What is done about losses or gradients that are not finite. Such an update leaves the weights as they are.
struct DivergenceConfig {
    std::int64_t updates = 20;  // this many in a row mean that the run has diverged
    DivergenceAction action = DivergenceAction::stop;
    double rate_factor = 0.5;  // of the learning rate after going back
    std::int64_t times = 3;    // the run goes back this many times, then stops
};

// Attention is trained to follow data.alignments.
struct GuidedAlignmentConfig {
    double weight = 0.1;  // of the cost of the attention, beside that of the words
    AlignmentCost cost = AlignmentCost::cross_entropy;
};

// In training, the decoder reads words of its own in place of some that precede in the translation.
struct ScheduledSamplingConfig {
    SamplingDecay decay = SamplingDecay::none;  // none: it reads the translation
    double k = 1.0;
    double slope = 0.0;    // linear
    double minimum = 0.0;  // of the share of true words
};

// The expected cost of translations drawn from the model is minimised (Shen et al. 2016).
struct MinimumRiskConfig {
    std::int64_t samples = 0;  // drawn for each sentence in each update; 0 = cross-entropy is minimised instead
    double alpha = 0.005;      // how sharp the distribution over them is
    RiskMetric metric = RiskMetric::bleu;
    bool reference = true;              // the reference is one of them
    double cross_entropy_weight = 0.0;  // of the reference's, beside the risk
};

struct TrainingConfig {
    std::uint64_t seed = 1;
    std::string start_from;           // a model directory whose weights a new run begins with; empty = none
    std::vector<std::string> freeze;  // names of tensors or parts that are not trained
    std::int64_t max_epochs = 0;      // 0 = no limit
    std::int64_t max_updates = 0;     // 0 = no limit
    double max_minutes = 0.0;         // wall clock of this run; 0 = no limit
    std::int64_t batch_size = 64;     // sentences or target tokens per update (before accumulation)
    BatchUnit batch_unit = BatchUnit::sentences;
    std::int64_t sort_window = 20;  // batches read together and sorted by length
    std::int64_t shards = 0;        // parts a batch is cut into; workers share them; 0 = chosen when a run starts
    std::int64_t accumulate = 1;    // batches per update
    OptimizerConfig optimizer;
    ScheduleConfig schedule;
    double clip_norm = 1.0;  // 0 = off
    double label_smoothing = 0.0;
    SmoothingOver label_smoothing_over = SmoothingOver::target;
    double r_drop = 0.0;  // weight of the divergence between two passes with other dropout; 0 = one pass
    GuidedAlignmentConfig guided_alignment;
    ScheduledSamplingConfig scheduled_sampling;
    MinimumRiskConfig minimum_risk;
    LossNormalization loss_normalization = LossNormalization::tokens;
    DivergenceConfig divergence;
    double ema = 0.0;  // decay of the exponential moving average of the weights; 0 = off
};

// Everything a user can set about a search. schema_search.cpp says what is a key of a configuration, and what only a
// request to translate sets.
struct SearchConfig {
    std::int64_t beam = 5;  // hypotheses kept per sentence at each step; 1 = greedy
    double patience = 1.0;  // a sentence is done with patience * beam finished hypotheses; 0 = when no other can win
    LengthNorm length_norm = LengthNorm::power;
    double length_alpha = 1.0;      // 0 = no normalisation
    double coverage_penalty = 0.0;  // beta of Wu et al. 2016, equation 14
    double word_penalty = 0.0;      // subtracted from the score for each piece; below 0 = a reward
    // The shortest and the longest output, in pieces: ratio * source pieces, + max_length_offset, and no less than
    // min_length, no more than max_length (0 = no such limit).
    double min_length_ratio = 0.0;
    double max_length_ratio = 2.0;
    std::int64_t max_length_offset = 10;
    std::int64_t min_length = 0;
    std::int64_t max_length = 0;
    std::int64_t no_repeat_ngram = 0;  // no sequence of this many pieces twice; 0 = no limit
    bool forbid_unk = false;           // never write the unknown piece
    bool shortlist = false;            // consider only the pieces that the model directory's shortlist.txt allows
    std::int64_t batch_size = 32;      // sentences; more would be no faster on a CPU and need more memory
    // Of a request only.
    std::int64_t n_best = 1;   // outputs per sentence
    std::int64_t groups = 1;   // of diverse beam search; divides the beam
    double diversity = 0.5;    // its lambda
    bool sampling = false;     // draws n_best outputs from the model's distribution p, without a beam
    double temperature = 1.0;  // from p^(1/temperature), normalised
    std::int64_t top_k = 0;    // then only from the most probable pieces; 0 = all (Fan et al. 2018)
    double top_p = 1.0;        // then only from the fewest that hold this probability (Holtzman et al. 2020)
    std::uint64_t seed = 1;
    std::int64_t max_source_length = 1000;  // pieces; longer sentences are cut, counted and warned of once
};

struct ValidationConfig {
    std::int64_t every = 1;
    IntervalUnit unit = IntervalUnit::epochs;
    std::int64_t min_updates = 0;  // epochs: from one validation to the next
    Metric metric = Metric::bleu;  // decides the best model and early stopping
    std::int64_t patience = 10;    // validations without improvement; 0 = never stop early
    bool translate = true;         // beam search and scores of the output, or the loss alone
    std::string tokenize = "13a";  // BLEU's tokenizer
    bool lowercase = false;        // BLEU, chrF, CER and WER on lower-cased text
};

struct CheckpointConfig {
    std::string directory;           // the model directory that training writes
    std::int64_t every_updates = 0;  // in addition to each validation; 0 = only then
    std::int64_t keep_last = 2;      // the older one is there where the newest is damaged
    std::int64_t keep_best = 1;
    std::int64_t average = 0;  // at the end, the mean of so many models is tried; 0 = none
    AverageOf average_of = AverageOf::best;
};

struct ReportConfig {
    bool html = true;          // report.html in the model directory at the end of training
    bool tensorboard = false;  // event files in the model directory while training
};

// How the processes of a run talk to each other. Nothing of it is used by a process alone.
// What moves tensors between the devices of processes: automatic = NCCL between GPUs where it is there, else Gloo.
enum class DistributedBackend { automatic, gloo, nccl };

struct DistributedConfig {
    std::string rendezvous;  // "tcp://HOST:PORT", "file:///PATH"; empty = where the launcher says
    std::string interface;   // of the network; empty = the one that leads to the rendezvous
    double timeout = 600.0;  // seconds
    DistributedBackend backend = DistributedBackend::automatic;
};

struct RuntimeConfig {
    DeviceChoice device = DeviceChoice::automatic;
    std::int64_t workers = 0;                  // threads, each with its own replica of the graph; 0 = physical cores
    Precision precision = Precision::float32;  // of the factors of products, on the CPU
    std::int64_t prefetch = 4;                 // batches made ready ahead
    std::int64_t log_every = 50;               // updates between two progress lines where there is no terminal
    LogLevel log_level = LogLevel::info;
    DistributedConfig distributed;
};

struct Config {
    DataConfig data;
    VocabularyConfig vocabulary;
    ModelConfig model;
    TrainingConfig training;
    SearchConfig search;
    ValidationConfig validation;
    CheckpointConfig checkpoints;
    ReportConfig report;
    RuntimeConfig runtime;
};

}  // namespace softalign
