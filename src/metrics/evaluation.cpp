#include "metrics/evaluation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "metrics/format.h"
#include "metrics/significance.h"
#include "metrics/tokenizers.h"

namespace softalign {

namespace {

using nlohmann::ordered_json;

void strip_lines(NamedLines& text) {
    for (std::string& line : text.lines) {
        line.resize(strip_right(line).size());
    }
}

std::vector<std::vector<std::string>> streams_of(std::vector<NamedLines>& references) {
    std::vector<std::vector<std::string>> streams;
    for (NamedLines& reference : references) {
        strip_lines(reference);
        streams.push_back(std::move(reference.lines));
    }
    return streams;
}

// An evaluation's data while it is under way.
class Evaluation {
public:
    Evaluation(EvaluationTexts texts, const EvaluationRequest& request)
        : request_(request),
          texts_(std::move(texts)),
          streams_(streams_of(texts_.references)),
          references_(streams_, request.empty_references),
          metrics_(make_metrics(request)),
          digits_(static_cast<int>(request.width)) {
        std::vector<const std::vector<std::string>*> systems;
        for (NamedLines& system : texts_.systems) {
            strip_lines(system);
            systems.push_back(&system.lines);
        }
        for (const std::unique_ptr<TextMetric>& metric : metrics_) {
            statistics_.push_back(collect_statistics(*metric, references_, systems));
        }
    }

    std::string report() const {
        if (request_.sentence_level) {
            return sentences();
        }
        const bool json = request_.format == "json";
        const bool parts = !request_.breakdowns.empty() || request_.changes > 0;
        if (json) {
            ordered_json scores = texts_.systems.size() == 1 ? single_json() : several_json();
            if (parts) {
                scores = {{"scores", scores}};
                add_evaluation_parts(scored(), scores);
            }
            return json_text(scores, 1);
        }
        return (texts_.systems.size() == 1 ? single_text() : several_text()) +
               (parts ? "\n\n" + evaluation_parts(scored()) : "");
    }

private:
    ScoredTexts scored() const { return {request_, texts_, streams_, references_, metrics_, statistics_}; }

    ScoreReport single_score(std::size_t m) const {
        SignatureFacts facts{references_.count(), {}, {}, {}};
        const Statistics& statistics = statistics_[m].front();
        if (request_.confidence) {
            facts.bootstraps = request_.confidence_samples;
            facts.seed = request_.seed;
        }
        ScoreReport score = report_score(*metrics_[m], statistics.sums(), facts);
        if (request_.confidence) {
            score.confidence =
                bootstrap_confidence(*metrics_[m], statistics, {request_.confidence_samples, request_.seed, 0});
        }
        return score;
    }

    ordered_json single_json() const {
        ordered_json list = ordered_json::array();
        for (std::size_t m = 0; m < metrics_.size(); ++m) {
            list.push_back(as_json(single_score(m), digits_));
        }
        return list.size() == 1 ? list.front() : list;
    }

    // Several lines have their equals signs one below the other.
    std::string single_text() const {
        std::vector<std::string> lines;
        std::size_t widest = 0;
        for (std::size_t m = 0; m < metrics_.size(); ++m) {
            const ScoreReport score = single_score(m);
            lines.push_back(request_.quiet ? format_number(score, digits_) : format_text(score, digits_));
            widest = std::max(widest, request_.quiet ? 0 : lines.back().find(" = "));
        }
        for (std::string& line : lines) {
            const std::size_t left = request_.quiet ? 0 : line.find(" = ");
            line.insert(0, widest - left, ' ');
        }
        return join(lines, "\n");
    }

    // A line for each sentence.
    std::string sentences() const {
        std::vector<std::string> lines;
        EvaluationRequest request = request_;
        request.effective_order = true;
        const auto metrics = make_metrics(request);
        for (std::size_t i = 0; i < references_.size(); ++i) {
            const SignatureFacts facts{static_cast<std::int64_t>(references_.sentence(i).size()), {}, {}, {}};
            std::vector<std::string> parts;
            ordered_json scores = ordered_json::array();
            for (std::size_t m = 0; m < metrics.size(); ++m) {
                const ScoreReport score = report_score(*metrics[m], statistics_[m].front().sums({i}), facts);
                parts.push_back(request_.quiet ? format_number(score, digits_) : format_text(score, digits_));
                scores.push_back(as_json(score, digits_));
            }
            lines.push_back(request_.format == "json" ? json_text(scores.size() == 1 ? scores.front() : scores)
                                                      : join(parts, "\t"));
        }
        return join(lines, "\n");
    }

    bool is_paired() const { return request_.paired_bootstrap || request_.paired_randomization; }

    std::vector<TestResult> results(std::size_t m) const {
        const TextMetric& metric = *metrics_[m];
        if (request_.paired_bootstrap) {
            return paired_bootstrap(metric, statistics_[m], {request_.bootstrap_samples, request_.seed, 0});
        }
        if (request_.paired_randomization) {
            return paired_randomization(metric, statistics_[m], {request_.trials, request_.seed, 0},
                                        request_.trial_confidence_samples);
        }
        std::vector<TestResult> scores;
        for (const Statistics& statistics : statistics_[m]) {
            scores.push_back({metric.score(statistics.sums().data()), {}, {}});
        }
        return scores;
    }

    std::string signature(std::size_t m) const {
        SignatureFacts facts{references_.count(), {}, {}, {}};
        if (is_paired()) {
            facts.seed = request_.seed;
        }
        if (request_.paired_bootstrap) {
            facts.bootstraps = request_.bootstrap_samples;
        } else if (request_.paired_randomization) {
            facts.trials = request_.trials;
            if (request_.trial_confidence_samples > 0) {
                facts.bootstraps = request_.trial_confidence_samples;
            }
        }
        return metrics_[m]->signature(facts);
    }

    // The keys are sacreBLEU's, and the signature.
    ordered_json several_json() const {
        ordered_json list = ordered_json::array();
        for (const NamedLines& system : texts_.systems) {
            list.push_back({{"system", system.name}});
        }
        for (std::size_t m = 0; m < metrics_.size(); ++m) {
            const std::vector<TestResult> tested = results(m);
            for (std::size_t i = 0; i < tested.size(); ++i) {
                ordered_json entry{
                    {"score", tested[i].score}, {"p_value", nullptr}, {"mean", nullptr}, {"ci", nullptr}};
                if (tested[i].p_value) {
                    entry["p_value"] = *tested[i].p_value;
                }
                if (tested[i].confidence) {
                    entry["mean"] = tested[i].confidence->mean;
                    entry["ci"] = tested[i].confidence->interval;
                }
                entry["signature"] = signature(m);
                list[i][metrics_[m]->name()] = entry;
            }
        }
        return list;
    }

    std::string shown(const TestResult& result) const {
        constexpr double significant = 0.05;
        std::string text = fixed(result.score, digits_);
        if (result.confidence) {
            text += " (" + fixed(result.confidence->mean, digits_) + " ± " +
                    fixed(result.confidence->interval, digits_) + ")";
        }
        if (result.p_value) {
            text += " (p = " + fixed(*result.p_value, 4) + ")" + (*result.p_value < significant ? "*" : " ");
        }
        return text + (is_paired() && !result.p_value ? std::string(std::string(" (p = 0.0000)*").size(), ' ') : "");
    }

    std::string several_text() const {
        Table table;
        table.columns = {"system"};
        for (std::size_t i = 0; i < texts_.systems.size(); ++i) {
            table.rows.push_back({(is_paired() && i == 0 ? "baseline: " : "") + texts_.systems[i].name});
        }
        std::string signatures;
        for (std::size_t m = 0; m < metrics_.size(); ++m) {
            const std::vector<TestResult> tested = results(m);
            table.columns.push_back(metrics_[m]->name() + (tested.front().confidence ? " (μ ± 95% CI)" : ""));
            for (std::size_t i = 0; i < tested.size(); ++i) {
                table.rows[i].emplace_back(request_.quiet ? fixed(tested[i].score, digits_) : shown(tested[i]));
            }
            signatures += "\n" + metrics_[m]->name() + "|" + signature(m);
        }
        if (request_.quiet) {
            return numbers_of(table);
        }
        return format_table(table, digits_) + signatures + (is_paired() ? explanation() : "");
    }

    // A line for each system, the metrics' numbers with tabs between.
    static std::string numbers_of(const Table& table) {
        std::vector<std::string> lines;
        for (const auto& row : table.rows) {
            std::vector<std::string> numbers;
            for (std::size_t i = 1; i < row.size(); ++i) {
                numbers.push_back(row[i].get<std::string>());
            }
            lines.push_back(join(numbers, "\t"));
        }
        return join(lines, "\n");
    }

    std::string explanation() const {
        const std::string test =
            request_.paired_bootstrap
                ? "Paired bootstrap resampling, " + std::to_string(request_.bootstrap_samples) + " resamples"
                : "Paired approximate randomisation, " + std::to_string(request_.trials) + " trials";
        return "\n\n" + test +
               ". p estimates the probability of a difference from the\nbaseline this large or larger, if both outputs "
               "came from the same system. * marks p < "
               "0.05.";
    }

    const EvaluationRequest& request_;
    EvaluationTexts texts_;
    const std::vector<std::vector<std::string>> streams_;
    const ReferenceSet references_;
    const std::vector<std::unique_ptr<TextMetric>> metrics_;
    const int digits_;
    std::vector<std::vector<Statistics>> statistics_;  // by metric and system
};

}  // namespace

std::string evaluate(EvaluationTexts texts, const EvaluationRequest& request) {
    check_request(request);
    check_texts(texts, request);
    return Evaluation(std::move(texts), request).report();
}

}  // namespace softalign
