#include "config/schema.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace softalign {

namespace {

template <typename Enum>
using Spellings = std::vector<std::pair<std::string, Enum>>;

Spellings<VocabularyType> spellings(VocabularyType) {
    return {{"unigram", VocabularyType::unigram},
            {"bpe", VocabularyType::bpe},
            {"word", VocabularyType::word},
            {"char", VocabularyType::character}};
}
Spellings<CellType> spellings(CellType) {
    return {{"gru", CellType::gru}, {"lstm", CellType::lstm}};
}
Spellings<AttentionType> spellings(AttentionType) {
    return {{"additive", AttentionType::additive},
            {"dot", AttentionType::dot},
            {"general", AttentionType::general},
            {"concat", AttentionType::concat},
            {"none", AttentionType::none}};
}
Spellings<AttendWhen> spellings(AttendWhen) {
    return {{"before", AttendWhen::before}, {"after", AttendWhen::after}};
}
Spellings<InitialState> spellings(InitialState) {
    return {{"last", InitialState::last}, {"mean", InitialState::mean}, {"zero", InitialState::zero}};
}
Spellings<TiedEmbeddings> spellings(TiedEmbeddings) {
    return {{"none", TiedEmbeddings::none}, {"target", TiedEmbeddings::target}, {"all", TiedEmbeddings::all}};
}
Spellings<Initializer> spellings(Initializer) {
    return {{"uniform", Initializer::uniform},
            {"normal", Initializer::normal},
            {"xavier_uniform", Initializer::xavier_uniform},
            {"xavier_normal", Initializer::xavier_normal}};
}
Spellings<RecurrentInitializer> spellings(RecurrentInitializer) {
    return {{"same", RecurrentInitializer::same}, {"orthogonal", RecurrentInitializer::orthogonal}};
}
Spellings<BatchUnit> spellings(BatchUnit) {
    return {{"sentences", BatchUnit::sentences}, {"tokens", BatchUnit::tokens}};
}
Spellings<OptimizerType> spellings(OptimizerType) {
    return {{"sgd", OptimizerType::sgd},
            {"adadelta", OptimizerType::adadelta},
            {"adam", OptimizerType::adam},
            {"adamw", OptimizerType::adamw}};
}
Spellings<ScheduleType> spellings(ScheduleType) {
    return {{"constant", ScheduleType::constant},
            {"inverse_sqrt", ScheduleType::inverse_sqrt},
            {"plateau", ScheduleType::plateau},
            {"halving", ScheduleType::halving}};
}
Spellings<LossNormalization> spellings(LossNormalization) {
    return {{"tokens", LossNormalization::tokens}, {"sentences", LossNormalization::sentences}};
}
Spellings<Metric> spellings(Metric) {
    return {{"bleu", Metric::bleu}, {"cross_entropy", Metric::cross_entropy}, {"perplexity", Metric::perplexity}};
}
Spellings<IntervalUnit> spellings(IntervalUnit) {
    return {{"updates", IntervalUnit::updates}, {"epochs", IntervalUnit::epochs}};
}
Spellings<BadLine> spellings(BadLine) {
    return {{"error", BadLine::error}, {"skip", BadLine::skip}};
}
Spellings<DeviceChoice> spellings(DeviceChoice) {
    return {{"auto", DeviceChoice::automatic}, {"cpu", DeviceChoice::cpu}, {"cuda", DeviceChoice::cuda}};
}
Spellings<LogLevel> spellings(LogLevel) {
    return {{"debug", LogLevel::debug},
            {"info", LogLevel::info},
            {"warning", LogLevel::warning},
            {"error", LogLevel::error}};
}

Allowed any() {
    return {};
}

Allowed at_least(double minimum) {
    Allowed allowed;
    allowed.minimum = minimum;
    return allowed;
}

Allowed above(double minimum) {
    Allowed allowed = at_least(minimum);
    allowed.above_minimum = true;
    return allowed;
}

Allowed between(double minimum, double maximum) {
    Allowed allowed = at_least(minimum);
    allowed.maximum = maximum;
    return allowed;
}

Allowed from_below(double minimum, double maximum) {
    Allowed allowed = between(minimum, maximum);
    allowed.below_maximum = true;
    return allowed;
}

Allowed strictly_between(double minimum, double maximum) {
    Allowed allowed = from_below(minimum, maximum);
    allowed.above_minimum = true;
    return allowed;
}

Allowed either(double special, Allowed allowed) {
    allowed.special = special;
    return allowed;
}

Allowed one_of(std::vector<std::string> choices) {
    Allowed allowed;
    allowed.choices = std::move(choices);
    return allowed;
}

template <typename Member>
constexpr ValueType type_of() {
    if constexpr (std::is_same_v<Member, bool>) {
        return ValueType::boolean;
    } else if constexpr (std::is_same_v<Member, std::int64_t>) {
        return ValueType::integer;
    } else if constexpr (std::is_same_v<Member, std::uint64_t>) {
        return ValueType::unsigned_integer;
    } else if constexpr (std::is_same_v<Member, double>) {
        return ValueType::number;
    } else if constexpr (std::is_enum_v<Member>) {
        return ValueType::choice;
    } else if constexpr (std::is_same_v<Member, std::string>) {
        return ValueType::path;
    } else {
        static_assert(std::is_same_v<Member, std::vector<std::string>>);
        return ValueType::paths;
    }
}

// A key from the member that `access` reaches in a Config, const or not.
template <typename Access>
Key make_key(const char* path, Access access, Allowed allowed, const char* meaning) {
    using Member = std::decay_t<decltype(access(std::declval<Config&>()))>;
    Key key;
    key.path = path;
    key.type = type_of<Member>();
    key.allowed = std::move(allowed);
    key.meaning = meaning;
    if constexpr (std::is_enum_v<Member>) {
        for (const auto& [name, value] : spellings(Member{})) {
            key.allowed.choices.push_back(name);
        }
        key.get = [access](const Config& config) -> Value {
            const Member value = access(config);
            const auto all = spellings(Member{});
            return std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.second == value; })->first;
        };
        key.set = [access](Config& config, const Value& value) {
            const auto& name = std::get<std::string>(value);
            const auto all = spellings(Member{});
            access(config) =
                std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.first == name; })->second;
        };
    } else {
        if (key.type == ValueType::path && !key.allowed.choices.empty()) {
            key.type = ValueType::choice;
        }
        key.get = [access](const Config& config) -> Value { return access(config); };
        key.set = [access](Config& config, const Value& value) { access(config) = std::get<Member>(value); };
    }
    return key;
}

// The path of a key is the path of its member, written once.
#define KEY(member)                      \
#member, [](auto& config) -> auto& { \
        return config.member;            \
    }

std::vector<Key> make_schema() {
    constexpr double max_width = 65536;
    constexpr double max_layers = 64;
    constexpr double max_pieces = 100000;
    std::vector<Key> keys;
    const auto add = [&keys](const char* path, auto access, Allowed allowed, const char* meaning) {
        keys.push_back(make_key(path, access, std::move(allowed), meaning));
    };

    add(KEY(data.train_source), any(),
        "Training text in the source language: UTF-8, one sentence a line, plain or gzip. Several files are read as "
        "one after the other. Training needs it.");
    add(KEY(data.train_target), any(),
        "Their translations, line by line; as many files, each with as many lines. Training needs it.");
    add(KEY(data.valid_source), any(),
        "Text to validate on, not part of the training text. Empty: no validation, so no best model and no early "
        "stopping.");
    add(KEY(data.valid_target), any(), "Its translation, line by line.");
    add(KEY(data.max_source_length), between(1, max_pieces),
        "Training pairs with a longer source side are dropped. In pieces, the end of sentence not counted.");
    add(KEY(data.max_target_length), between(1, max_pieces), "The same for the target side.");
    add(KEY(data.max_length_ratio), either(0, at_least(1)),
        "Training pairs are dropped where the longer side has more than this many times the pieces of the shorter. "
        "0: no limit.");
    add(KEY(data.on_bad_line), any(),
        "A line that is not UTF-8: `error` stops and names it, `skip` leaves the pair out and counts it.");

    add(KEY(vocabulary.type), any(),
        "Kind of pieces that SentencePiece cuts text into (Kudo and Richardson 2018): `unigram` (Kudo 2018), `bpe` "
        "(Sennrich et al. 2016), `word` (split at spaces, rare words unknown) or `char`.");
    add(KEY(vocabulary.size), between(8, 1000000),
        "Pieces of the joint vocabulary, or of each side where they are separate.");
    add(KEY(vocabulary.target_size), either(0, between(8, 1000000)),
        "Pieces of the target side where the vocabularies are separate. 0: as vocabulary.size.");
    add(KEY(vocabulary.joint), any(), "One vocabulary, trained on both sides together, for both.");
    add(KEY(vocabulary.source_model), any(),
        "A SentencePiece model (`.model`) to use as it is. Empty: one is trained on the training text. With a model "
        "given, the type and size above say nothing.");
    add(KEY(vocabulary.target_model), any(),
        "The same for the target side. Empty where vocabulary.source_model is given: that model serves both sides.");
    add(KEY(vocabulary.normalization), one_of({"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}),
        "What SentencePiece does to the text first: Unicode NFKC, with extra rules for spaces (`nmt_`), with lower "
        "casing (`_cf`), or nothing (`identity`).");
    add(KEY(vocabulary.character_coverage), between(0.98, 1.0),
        "Share of the characters of the text that get a piece; the rest are unknown. 0.9995 suits Chinese or "
        "Japanese.");
    add(KEY(vocabulary.byte_fallback), any(), "Write characters without a piece as UTF-8 bytes instead of unknown.");
    add(KEY(vocabulary.training_sentences), either(0, between(101, 100000000)),
        "Sentences sampled to train the vocabulary. 0: all.");
    add(KEY(vocabulary.sampling_alpha), between(0, 1),
        "Subword sampling while training: the smoothing of the sampled segmentation for `unigram` (Kudo 2018, 0.1 to "
        "0.5), the probability that a merge is left out for `bpe` (BPE-dropout, Provilkov et al. 2020, 0.1). 0: off.");
    add(KEY(vocabulary.sampling_nbest), either(-1, between(2, 512)),
        "Segmentations that `unigram` samples from. -1: all of them.");

    add(KEY(model.embedding_size), between(1, max_width), "Width of the word embeddings of both sides.");
    add(KEY(model.tied_embeddings), any(),
        "Weights that are one (Press and Wolf 2017): `target` embeddings and output projection, or `all` with the "
        "source embeddings.");
    add(KEY(model.layer_norm), any(), "Layer normalisation inside the recurrent units (Ba et al. 2016).");
    add(KEY(model.encoder.cell), any(),
        "Recurrent unit: GRU (Cho et al. 2014) or LSTM (Hochreiter and Schmidhuber 1997).");
    add(KEY(model.encoder.layers), between(1, max_layers), "Recurrent layers.");
    add(KEY(model.encoder.hidden_size), between(1, max_width), "Width of the state of a direction.");
    add(KEY(model.encoder.bidirectional), any(),
        "Read the sentence in both directions (Bahdanau et al. 2014); annotations are then twice as wide.");
    add(KEY(model.encoder.residual), any(),
        "Add the input of a layer to its output, from the second layer on (He et al. 2016).");
    add(KEY(model.decoder.cell), any(), "Recurrent unit, as for the encoder.");
    add(KEY(model.decoder.layers), between(1, max_layers), "Recurrent layers.");
    add(KEY(model.decoder.hidden_size), between(1, max_width), "Width of the state.");
    add(KEY(model.decoder.attend), any(),
        "When the decoder attends: `before` its update, with the previous state (Bahdanau et al. 2014), or `after` it, "
        "with the current one (Luong et al. 2015).");
    add(KEY(model.decoder.input_feeding), any(),
        "With attend `after`: the attentional state is input to the next step (Luong et al. 2015). With `before` it "
        "says nothing.");
    add(KEY(model.decoder.initial_state), any(),
        "Where the decoder starts: a projection of the encoder's `last` state, of the `mean` of its annotations, or "
        "`zero`.");
    add(KEY(model.decoder.readout_size), between(0, max_width),
        "Width of the layer before the output projection. 0: as model.embedding_size.");
    add(KEY(model.decoder.residual), any(), "Add the input of a layer to its output, from the second layer on.");
    add(KEY(model.attention.type), any(),
        "Score of a source position: `additive` (Bahdanau et al. 2014); `dot`, `general` or `concat` (Luong et al. "
        "2015); `none` gives every step the encoder's last state (Cho et al. 2014).");
    add(KEY(model.attention.size), between(1, max_width), "Width of the hidden layer of `additive` and `concat`.");
    add(KEY(model.dropout.source_embedding), from_below(0, 1),
        "Probability that an element of a source embedding is dropped while training.");
    add(KEY(model.dropout.target_embedding), from_below(0, 1), "The same for target embeddings.");
    add(KEY(model.dropout.context), from_below(0, 1), "The same for the annotations of the encoder.");
    add(KEY(model.dropout.output), from_below(0, 1), "The same for the layer before the output projection.");
    add(KEY(model.dropout.recurrent), from_below(0, 1),
        "The same for the recurrent states, one mask a sequence (Gal and Ghahramani 2016).");
    add(KEY(model.init.weights), any(),
        "Distribution of the initial weights; `xavier_` scales with the widths (Glorot and Bengio 2010).");
    add(KEY(model.init.scale), above(0),
        "`uniform`: half the width of the interval (0.1 is common); `normal`: the standard deviation (0.01); "
        "`xavier_`: a factor.");
    add(KEY(model.init.recurrent), any(),
        "Recurrent weights: the `same` distribution, or `orthogonal` matrices (Saxe et al. 2014).");

    add(KEY(training.seed), any(),
        "Where all randomness comes from. The same seed and configuration give the same run, whatever the number of "
        "workers.");
    add(KEY(training.max_epochs), at_least(0), "Passes over the training text. 0: no limit.");
    add(KEY(training.max_updates), at_least(0), "Updates of the weights. 0: no limit.");
    add(KEY(training.max_minutes), at_least(0), "Minutes by the clock that this run may take. 0: no limit.");
    add(KEY(training.batch_size), at_least(1), "Size of a batch, in training.batch_unit.");
    add(KEY(training.batch_unit), any(), "What batches are measured in: `sentences`, or target `tokens` with padding.");
    add(KEY(training.sort_window), at_least(1),
        "Batches read together and sorted by length, so that a batch holds sentences of like length. 1: no sorting "
        "beyond the batch.");
    add(KEY(training.shards), between(1, 1024),
        "Parts a batch is cut into, which the workers share. A part of the arithmetic: another number gives slightly "
        "other weights, another number of workers does not.");
    add(KEY(training.accumulate), at_least(1), "Batches whose gradients are added up for one update.");
    add(KEY(training.clip_norm), at_least(0),
        "Largest norm of the gradient over all weights (Pascanu et al. 2013). 0: no clipping.");
    add(KEY(training.label_smoothing), from_below(0, 1),
        "Probability moved from the right token to all tokens (Szegedy et al. 2016).");
    add(KEY(training.loss_normalization), any(),
        "The loss of a batch is divided by its target tokens or its sentences.");
    add(KEY(training.ema), from_below(0, 1),
        "Decay of the exponential moving average of the weights that validation and the saved model use, such as "
        "0.999. 0: off.");
    add(KEY(training.optimizer.type), any(),
        "`sgd`, `adadelta` (Zeiler 2012), `adam` (Kingma and Ba 2015) or `adamw` (Loshchilov and Hutter 2019).");
    add(KEY(training.optimizer.learning_rate), above(0), "Learning rate. 1 is usual for `adadelta` and for `sgd`.");
    add(KEY(training.optimizer.beta1), from_below(0, 1), "`adam`, `adamw`: decay of the mean of the gradient.");
    add(KEY(training.optimizer.beta2), from_below(0, 1), "`adam`, `adamw`: decay of the mean of its square.");
    add(KEY(training.optimizer.epsilon), above(0),
        "`adam`, `adamw`, `adadelta`: added where they divide. 1e-6 is usual for `adadelta`.");
    add(KEY(training.optimizer.rho), from_below(0, 1), "`adadelta`: decay of its two means.");
    add(KEY(training.optimizer.momentum), from_below(0, 1), "`sgd`: momentum.");
    add(KEY(training.optimizer.weight_decay), at_least(0),
        "`adamw`: decay of the weights, in units of the learning rate, apart from the gradient.");
    add(KEY(training.optimizer.l2), at_least(0), "Any: this times the weights is added to the gradient.");
    add(KEY(training.schedule.type), any(),
        "How the learning rate goes on: `constant`; `inverse_sqrt`, falling with the square root of the updates after "
        "the warm-up (Vaswani et al. 2017); `plateau`, reduced where validation no longer improves; `halving`, reduced "
        "every few epochs (Luong et al. 2015).");
    add(KEY(training.schedule.warmup), at_least(0),
        "Updates over which the learning rate rises from 0 in a line, with any schedule.");
    add(KEY(training.schedule.factor), strictly_between(0, 1),
        "`plateau`, `halving`: what the rate is multiplied by at a reduction.");
    add(KEY(training.schedule.patience), at_least(1), "`plateau`: validations without improvement before a reduction.");
    add(KEY(training.schedule.start_epoch), at_least(1), "`halving`: the first epoch after which the rate is reduced.");
    add(KEY(training.schedule.every_epochs), at_least(1), "`halving`: epochs between two reductions.");
    add(KEY(training.schedule.min_learning_rate), at_least(0), "No schedule goes below this rate after the warm-up.");

    add(KEY(search.beam), between(1, 1024), "Hypotheses kept at each step. 1: greedy.");
    add(KEY(search.length_alpha), between(0, 10),
        "A hypothesis scores log-probability / length^alpha. 0: no normalisation, which favours short output.");
    add(KEY(search.max_length_ratio), between(0, 100),
        "Longest output in pieces: this many times the pieces of the source, plus search.max_length_offset.");
    add(KEY(search.max_length_offset), between(0, max_pieces), "See search.max_length_ratio.");
    add(KEY(search.batch_size), at_least(1), "Sentences translated together.");
    add(KEY(search.forbid_unk), any(), "Never write the unknown piece; the next best ones take its place.");

    add(KEY(validation.every), at_least(1), "Validate every so many validation.unit.");
    add(KEY(validation.unit), any(), "What validation.every counts.");
    add(KEY(validation.metric), any(), "What decides the best model, early stopping and the schedule `plateau`.");
    add(KEY(validation.patience), at_least(0),
        "Validations without improvement after which training stops. 0: never for that reason.");
    add(KEY(validation.translate), any(),
        "Translate the validation text by beam search and measure BLEU, or measure the loss alone, which is faster.");
    add(KEY(validation.tokenize), one_of({"none", "13a", "intl", "zh", "char"}),
        "Tokenizer of BLEU, under the names of sacreBLEU (Post 2018). `none` for text that is tokenised already.");
    add(KEY(validation.lowercase), any(), "Measure BLEU on lower-cased text.");

    add(KEY(checkpoints.directory), any(), "The model directory that training writes. Training needs it.");
    add(KEY(checkpoints.every_updates), at_least(0),
        "Save for --resume every so many updates, besides after each validation. 0: only then.");
    add(KEY(checkpoints.keep_last), at_least(1), "How many of the latest checkpoints are kept.");
    add(KEY(checkpoints.keep_best), at_least(1), "How many of the best checkpoints are kept.");

    add(KEY(runtime.device), any(), "Where the model runs; `auto` is CUDA where there is one, else the CPU.");
    add(KEY(runtime.workers), between(0, 1024),
        "Threads that share the shards of a batch and the sentences to translate. 0: as many as physical cores.");
    add(KEY(runtime.prefetch), between(1, 1024), "Batches made ready ahead of the one in work.");
    add(KEY(runtime.log_every), at_least(1), "Updates between two progress lines where there is no terminal.");
    add(KEY(runtime.log_level), any(), "The least grave message that is written.");
    return keys;
}

#undef KEY

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
        {"model.decoder", "What writes the translation."},
        {"model.attention", "How the decoder looks at the source."},
        {"model.dropout", "Elements set to 0 at random while training (Srivastava et al. 2014)."},
        {"model.init", "The weights before training. Biases start at 0."},
        {"training", "How the weights are learnt, and when that ends: at the first limit that is reached."},
        {"training.optimizer", "How a gradient changes the weights."},
        {"training.schedule", "How the learning rate changes."},
        {"search", "Beam search, in validation and in translation."},
        {"validation", "What is measured on the validation text, and what follows from it."},
        {"checkpoints", "What is saved, and where."},
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
