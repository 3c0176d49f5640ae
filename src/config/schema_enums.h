#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.h"

namespace softalign {

// How the values of an enumeration are written in a configuration.
template <typename Enum>
using Spellings = std::vector<std::pair<std::string, Enum>>;

inline Spellings<SourceType> spellings(SourceType) {
    return {{"text", SourceType::text}, {"features", SourceType::features}};
}
inline Spellings<VocabularyType> spellings(VocabularyType) {
    return {{"unigram", VocabularyType::unigram},
            {"bpe", VocabularyType::bpe},
            {"word", VocabularyType::word},
            {"char", VocabularyType::character}};
}
inline Spellings<EncoderType> spellings(EncoderType) {
    return {{"recurrent", EncoderType::recurrent},
            {"transformer", EncoderType::transformer},
            {"convolutional", EncoderType::convolutional},
            {"none", EncoderType::none}};
}
inline Spellings<DecoderType> spellings(DecoderType) {
    return {{"recurrent", DecoderType::recurrent}, {"transformer", DecoderType::transformer}};
}
inline Spellings<PositionType> spellings(PositionType) {
    return {{"sinusoidal", PositionType::sinusoidal}, {"learned", PositionType::learned}};
}
inline Spellings<Activation> spellings(Activation) {
    return {{"relu", Activation::relu}, {"gelu", Activation::gelu}, {"swiglu", Activation::swiglu}};
}
inline Spellings<NormPlace> spellings(NormPlace) {
    return {{"pre", NormPlace::pre}, {"post", NormPlace::post}};
}
inline Spellings<CellType> spellings(CellType) {
    return {{"gru", CellType::gru}, {"gru_cho", CellType::gru_cho}, {"lstm", CellType::lstm}};
}
inline Spellings<AttentionType> spellings(AttentionType) {
    return {{"additive", AttentionType::additive},
            {"dot", AttentionType::dot},
            {"general", AttentionType::general},
            {"concat", AttentionType::concat},
            {"location", AttentionType::location},
            {"local_m", AttentionType::local_m},
            {"local_p", AttentionType::local_p},
            {"scaled_dot", AttentionType::scaled_dot},
            {"multi_head", AttentionType::multi_head},
            {"multi_query", AttentionType::multi_query},
            {"grouped_query", AttentionType::grouped_query},
            {"none", AttentionType::none}};
}
inline Spellings<ScoreType> spellings(ScoreType) {
    return {{"additive", ScoreType::additive},
            {"dot", ScoreType::dot},
            {"general", ScoreType::general},
            {"concat", ScoreType::concat}};
}
inline Spellings<CoverageType> spellings(CoverageType) {
    return {{"none", CoverageType::none}, {"sum", CoverageType::sum}, {"fertility", CoverageType::fertility}};
}
inline Spellings<AttendWhen> spellings(AttendWhen) {
    return {{"before", AttendWhen::before},
            {"look_generate_update", AttendWhen::look_generate_update},
            {"between", AttendWhen::between},
            {"after", AttendWhen::after},
            {"never", AttendWhen::never}};
}
inline Spellings<InitialState> spellings(InitialState) {
    return {{"last", InitialState::last},
            {"mean", InitialState::mean},
            {"first_backward", InitialState::first_backward},
            {"copy", InitialState::copy},
            {"zero", InitialState::zero}};
}
inline Spellings<ReadoutType> spellings(ReadoutType) {
    return {{"tanh", ReadoutType::tanh}, {"maxout", ReadoutType::maxout}, {"none", ReadoutType::none}};
}
inline Spellings<ReadoutState> spellings(ReadoutState) {
    return {{"current", ReadoutState::current}, {"previous", ReadoutState::previous}};
}
inline Spellings<FirstWord> spellings(FirstWord) {
    return {{"bos", FirstWord::bos}, {"zero", FirstWord::zero}};
}
inline Spellings<TiedEmbeddings> spellings(TiedEmbeddings) {
    return {{"none", TiedEmbeddings::none}, {"target", TiedEmbeddings::target}, {"all", TiedEmbeddings::all}};
}
inline Spellings<Initializer> spellings(Initializer) {
    return {{"uniform", Initializer::uniform},
            {"normal", Initializer::normal},
            {"xavier_uniform", Initializer::xavier_uniform},
            {"xavier_normal", Initializer::xavier_normal}};
}
inline Spellings<RecurrentInitializer> spellings(RecurrentInitializer) {
    return {{"same", RecurrentInitializer::same}, {"orthogonal", RecurrentInitializer::orthogonal}};
}
inline Spellings<AttentionInitializer> spellings(AttentionInitializer) {
    return {{"same", AttentionInitializer::same}, {"bahdanau", AttentionInitializer::bahdanau}};
}
inline Spellings<SmoothingOver> spellings(SmoothingOver) {
    return {{"target", SmoothingOver::target}, {"all", SmoothingOver::all}};
}

inline Spellings<BatchUnit> spellings(BatchUnit) {
    return {{"sentences", BatchUnit::sentences}, {"tokens", BatchUnit::tokens}};
}
inline Spellings<AverageOf> spellings(AverageOf) {
    return {{"best", AverageOf::best}, {"last", AverageOf::last}};
}
inline Spellings<OptimizerType> spellings(OptimizerType) {
    return {{"sgd", OptimizerType::sgd},
            {"adadelta", OptimizerType::adadelta},
            {"adam", OptimizerType::adam},
            {"adamw", OptimizerType::adamw}};
}
inline Spellings<ScheduleType> spellings(ScheduleType) {
    return {{"constant", ScheduleType::constant},
            {"inverse_sqrt", ScheduleType::inverse_sqrt},
            {"cosine", ScheduleType::cosine},
            {"plateau", ScheduleType::plateau},
            {"halving", ScheduleType::halving}};
}
inline Spellings<AlignmentCost> spellings(AlignmentCost) {
    return {{"cross_entropy", AlignmentCost::cross_entropy}, {"squared_error", AlignmentCost::squared_error}};
}
inline Spellings<RiskMetric> spellings(RiskMetric) {
    return {{"bleu", RiskMetric::bleu}, {"chrf", RiskMetric::chrf}};
}
inline Spellings<SamplingDecay> spellings(SamplingDecay) {
    return {{"none", SamplingDecay::none},
            {"linear", SamplingDecay::linear},
            {"exponential", SamplingDecay::exponential},
            {"inverse_sigmoid", SamplingDecay::inverse_sigmoid}};
}
inline Spellings<LossNormalization> spellings(LossNormalization) {
    return {{"tokens", LossNormalization::tokens}, {"sentences", LossNormalization::sentences}};
}
inline Spellings<LengthNorm> spellings(LengthNorm) {
    return {{"power", LengthNorm::power}, {"wu", LengthNorm::wu}};
}
inline Spellings<Metric> spellings(Metric) {
    return {{"bleu", Metric::bleu},
            {"chrf", Metric::chrf},
            {"chrf++", Metric::chrf_plus_plus},
            {"ter", Metric::ter},
            {"cer", Metric::cer},
            {"wer", Metric::wer},
            {"cross_entropy", Metric::cross_entropy},
            {"perplexity", Metric::perplexity}};
}
inline Spellings<IntervalUnit> spellings(IntervalUnit) {
    return {{"updates", IntervalUnit::updates}, {"epochs", IntervalUnit::epochs}};
}
inline Spellings<BadLine> spellings(BadLine) {
    return {{"error", BadLine::error}, {"skip", BadLine::skip}};
}
inline Spellings<DivergenceAction> spellings(DivergenceAction) {
    return {{"stop", DivergenceAction::stop}, {"go_back", DivergenceAction::go_back}};
}
inline Spellings<Precision> spellings(Precision) {
    return {{"float32", Precision::float32}, {"bfloat16", Precision::bfloat16}, {"int8", Precision::int8}};
}
inline Spellings<DeviceChoice> spellings(DeviceChoice) {
    return {{"auto", DeviceChoice::automatic}, {"cpu", DeviceChoice::cpu}, {"cuda", DeviceChoice::cuda}};
}
inline Spellings<DistributedBackend> spellings(DistributedBackend) {
    return {{"auto", DistributedBackend::automatic},
            {"gloo", DistributedBackend::gloo},
            {"nccl", DistributedBackend::nccl}};
}
inline Spellings<LogLevel> spellings(LogLevel) {
    return {{"debug", LogLevel::debug},
            {"info", LogLevel::info},
            {"warning", LogLevel::warning},
            {"error", LogLevel::error}};
}

}  // namespace softalign
