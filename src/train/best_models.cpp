#include "train/best_models.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "train/validator.h"

namespace softalign {

bool add_to_best(std::vector<BestCheckpoint>& best, Metric metric, const BestCheckpoint& validation,
                 std::int64_t most) {
    const auto same = std::find_if(best.begin(), best.end(),
                                   [&](const BestCheckpoint& entry) { return entry.update == validation.update; });
    if (std::isnan(validation.score) || (same != best.end() && !is_better(metric, validation.score, same->score))) {
        return false;
    }
    if (same != best.end()) {
        best.erase(same);
    }
    const auto place = std::find_if(best.begin(), best.end(), [&](const BestCheckpoint& entry) {
        return is_better(metric, validation.score, entry.score);
    });
    const bool among_best = place - best.begin() < most;
    best.insert(place, validation);
    best.resize(std::min(best.size(), static_cast<std::size_t>(most)));
    return among_best;
}

void write_best_translations(const std::string& directory, const std::vector<std::string>& translations) {
    std::string text;
    for (const std::string& line : translations) {
        text += line + "\n";
    }
    write_file_atomically((std::filesystem::path(directory) / "validation.best.txt").string(), text,
                          AtomicFile::Link::replaced);
}

BestModels::BestModels(const Checkpoints& checkpoints, const FlatParameters& parameters, std::string directory)
    : checkpoints_(checkpoints), parameters_(parameters), directory_(std::move(directory)) {}

void BestModels::keep(BestCandidate candidate, const std::vector<BestCheckpoint>& best) {
    best_ = best;
    const std::int64_t update = candidate.update;
    const auto replaced = [&](const BestCandidate& other) { return other.update == update || !is_listed(other); };
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), replaced), waiting_.end());
    waiting_.push_back(std::move(candidate));
    if (!write()) {
        waiting_.back().weights = waiting_.back().weights.clone();
    }
}

bool BestModels::write() {
    return write_waiting(waiting_, [this](const BestCandidate& candidate) { write_one(candidate); });
}

bool BestModels::is_listed(const BestCandidate& candidate) const {
    return std::any_of(best_.begin(), best_.end(),
                       [&](const BestCheckpoint& entry) { return entry.update == candidate.update; });
}

void BestModels::write_one(const BestCandidate& candidate) const {
    const bool is_first = best_.front().update == candidate.update;
    checkpoints_.save_best({parameters_.parts(candidate.weights), candidate.metadata}, candidate.update, is_first);
    if (is_first && !candidate.translations.empty()) {
        write_best_translations(directory_, candidate.translations);
    }
}

}  // namespace softalign
