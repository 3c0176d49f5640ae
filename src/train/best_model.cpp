#include "train/best_model.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"

namespace softalign {

BestModel::BestModel(Checkpoints& checkpoints, const FlatParameters& parameters, std::string directory)
    : checkpoints_(checkpoints), parameters_(parameters), directory_(std::move(directory)) {}

void BestModel::keep(BestCandidate best) {
    if (!write() && waiting_->is_first && !best.is_first) {
        return;  // the better one waits
    }
    waiting_ = std::move(best);
    if (!write()) {
        waiting_->weights = waiting_->weights.clone();
    }
}

bool BestModel::write() {
    if (!waiting_) {
        return true;
    }
    try {
        checkpoints_.save_best(waiting_->state, parameters_, waiting_->weights, waiting_->is_first, waiting_->metadata);
        if (waiting_->is_first && !waiting_->translations.empty()) {
            std::string text;
            for (const std::string& line : waiting_->translations) {
                text += line + "\n";
            }
            write_file_atomically((std::filesystem::path(directory_) / "validation.best.txt").string(), text);
        }
    } catch (const Error& error) {
        spdlog::error("{}; the model is kept in memory and written with the next save", error.what());
        return false;
    }
    waiting_.reset();
    return true;
}

}  // namespace softalign
