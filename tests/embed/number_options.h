#pragma once

#include <softalign/translator.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softalign {

// A number of the options, by what the header calls it.
template <typename Number>
struct NumberOption {
    std::string name;
    std::function<void(Translator::Options&, Number)> set;
};

template <typename Number>
NumberOption<Number> option(const char* name, Number Translator::Options::*member) {
    return {name, [member](Translator::Options& options, Number value) { options.*member = value; }};
}

template <typename Number>
NumberOption<Number> option(const char* name, std::optional<Number> Translator::Options::*member) {
    return {name, [member](Translator::Options& options, Number value) { options.*member = value; }};
}

template <typename Number>
NumberOption<Number> drawing(const char* name, Number Translator::Sampling::*member) {
    return {name, [member](Translator::Options& options, Number value) {
                options.sampling = options.sampling.value_or(Translator::Sampling());
                (*options.sampling).*member = value;
            }};
}

inline std::vector<NumberOption<std::int64_t>> whole_numbers() {
    return {option("n_best", &Translator::Options::n_best),
            {"n_best with sampling",
             [](Translator::Options& options, std::int64_t value) {
                 options.sampling = Translator::Sampling();
                 options.n_best = value;
             }},
            option("beam", &Translator::Options::beam),
            {"beam and n_best",
             [](Translator::Options& options, std::int64_t value) {
                 options.beam = value;
                 options.n_best = value;
             }},
            option("max_length_offset", &Translator::Options::max_length_offset),
            option("min_length", &Translator::Options::min_length),
            option("max_length", &Translator::Options::max_length),
            option("no_repeat_ngram", &Translator::Options::no_repeat_ngram),
            drawing("top_k", &Translator::Sampling::top_k),
            option("groups", &Translator::Options::groups),
            {"groups and beam",
             [](Translator::Options& options, std::int64_t value) {
                 options.beam = value;
                 options.groups = value;
             }},
            option("batch_size", &Translator::Options::batch_size),
            option("max_source_length", &Translator::Options::max_source_length)};
}

inline std::vector<NumberOption<double>> real_numbers() {
    return {option("patience", &Translator::Options::patience),
            option("length_alpha", &Translator::Options::length_alpha),
            option("coverage_penalty", &Translator::Options::coverage_penalty),
            option("word_penalty", &Translator::Options::word_penalty),
            option("min_length_ratio", &Translator::Options::min_length_ratio),
            option("max_length_ratio", &Translator::Options::max_length_ratio),
            drawing("temperature", &Translator::Sampling::temperature),
            drawing("top_p", &Translator::Sampling::top_p),
            {"diversity", [](Translator::Options& options, double value) {
                 options.beam = 4;
                 options.groups = 2;
                 options.diversity = value;
             }}};
}

}  // namespace softalign
