#include "journal/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace softalign {

namespace {

std::string format(const char* pattern, double value) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

std::string of(std::int64_t value, std::int64_t limit) {
    return limit > 0 ? std::to_string(value) + "/" + std::to_string(limit) : std::to_string(value);
}

double fraction_of_epoch(const ProgressState& state) {
    if (state.batches_in_epoch <= 0) {
        return 0.0;
    }
    return std::clamp(static_cast<double>(state.position) / static_cast<double>(state.batches_in_epoch), 0.0, 1.0);
}

std::string percent(const ProgressState& state) {
    return format("%3.0f%%", std::floor(100.0 * fraction_of_epoch(state)));
}

// The figures in the order they are shown. `rank` says which go first where there is no room: the highest.
struct Field {
    std::string text;
    int rank;
};

std::vector<Field> fields(const ProgressState& state) {
    std::vector<Field> result = {
        {"epoch " + of(state.epoch, state.max_epochs), 0},    {percent(state), 2},
        {"update " + of(state.update, state.max_updates), 3}, {"loss " + format("%.3f", state.loss), 1},
        {format_rate(state.tokens_per_second) + " tok/s", 4}, {format("%.0f%%", 100.0 * state.busy) + " busy", 6},
        {"lr " + format("%.2e", state.learning_rate), 5}};
    if (state.eta_seconds >= 0.0) {
        result.push_back({"ETA " + format_duration(state.eta_seconds), 2});
    }
    return result;
}

std::size_t joined_length(const std::vector<Field>& parts) {
    std::size_t length = 0;
    for (const Field& part : parts) {
        length += part.text.size() + 2;
    }
    return length - 2;
}

std::string bar(double fraction, std::size_t cells) {
    const auto full = static_cast<std::size_t>(std::floor(fraction * static_cast<double>(cells)));
    std::string text = "[" + std::string(full, '=');
    if (full < cells) {
        text += ">" + std::string(cells - full - 1, ' ');
    }
    return text + "]";
}

std::string join(const std::vector<Field>& parts) {
    std::string line;
    for (const Field& part : parts) {
        line += (line.empty() ? "" : "  ") + part.text;
    }
    return line;
}

}  // namespace

std::string format_duration(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0.0) {
        return "?";
    }
    const auto total = static_cast<long long>(std::llround(std::min(seconds, 1e12)));
    char text[64];
    if (total >= 3600) {
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", total / 3600, total / 60 % 60, total % 60);
    } else {
        std::snprintf(text, sizeof text, "%lld:%02lld", total / 60, total % 60);
    }
    return text;
}

std::string format_rate(double per_second) {
    if (per_second < 999.5) {
        return format("%.0f", per_second);
    }
    return per_second < 999950.0 ? format("%.1fk", per_second / 1e3) : format("%.1fM", per_second / 1e6);
}

std::string progress_bar_line(const ProgressState& state, int width) {
    const auto room = static_cast<std::size_t>(std::max(width, 1));
    std::vector<Field> parts = fields(state);
    while (parts.size() > 1 && joined_length(parts) > room) {
        parts.erase(std::max_element(parts.begin(), parts.end(),
                                     [](const Field& a, const Field& b) { return a.rank < b.rank; }));
    }
    // What is left over is the bar's: two brackets, a space beside them, and enough cells to be worth looking at.
    constexpr std::size_t frame = 4;
    constexpr std::size_t fewest_cells = 8;
    constexpr std::size_t most_cells = 40;
    const std::size_t used = joined_length(parts);
    if (room >= used + frame + fewest_cells) {
        const std::size_t cells = std::min(room - used - frame, most_cells);
        parts.insert(parts.begin() + 1, {bar(fraction_of_epoch(state), cells), 0});
    }
    return join(parts).substr(0, room);
}

std::string progress_plain_line(const ProgressState& state) {
    return join(fields(state));
}

}  // namespace softalign
