#include "config/metric.h"

namespace softalign {

const char* metric_key(Metric metric) {
    switch (metric) {
        case Metric::bleu:
            return "bleu";
        case Metric::chrf:
            return "chrf";
        case Metric::chrf_plus_plus:
            return "chrf++";
        case Metric::ter:
            return "ter";
        case Metric::cer:
            return "cer";
        case Metric::wer:
            return "wer";
        case Metric::cross_entropy:
            return "cross_entropy";
        case Metric::perplexity:
            break;
    }
    return "perplexity";
}

const char* metric_name(Metric metric) {
    switch (metric) {
        case Metric::bleu:
            return "BLEU";
        case Metric::chrf:
            return "chrF2";
        case Metric::chrf_plus_plus:
            return "chrF2++";
        case Metric::ter:
            return "TER";
        case Metric::cer:
            return "CER";
        case Metric::wer:
            return "WER";
        case Metric::cross_entropy:
            return "cross-entropy";
        case Metric::perplexity:
            break;
    }
    return "perplexity";
}

bool scores_translations(Metric metric) {
    return metric != Metric::cross_entropy && metric != Metric::perplexity;
}

bool higher_is_better(Metric metric) {
    return metric == Metric::bleu || metric == Metric::chrf || metric == Metric::chrf_plus_plus;
}

}  // namespace softalign
