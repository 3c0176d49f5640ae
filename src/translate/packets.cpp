#include "translate/packets.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace softalign {

namespace {

void write_rows(const std::vector<std::vector<float>>& rows, PacketWriter& packet) {
    packet.number(rows.size());
    for (const std::vector<float>& row : rows) {
        packet.numbers(row);
    }
}

std::vector<std::vector<float>> read_rows(PacketReader& packet) {
    std::vector<std::vector<float>> rows(packet.count(sizeof(std::size_t)));
    for (std::vector<float>& row : rows) {
        row = packet.numbers<float>();
    }
    return rows;
}

}  // namespace

const char* PacketReader::next(std::size_t size) {
    if (size > bytes_.size() - place_) {
        throw Error(ExitCode::processes, "another process has sent too little; start all processes again");
    }
    const char* const data = bytes_.data() + place_;
    place_ += size;
    return data;
}

std::size_t PacketReader::count(std::size_t bytes_each) {
    const auto result = number<std::size_t>();
    if (result > (bytes_.size() - place_) / bytes_each) {
        next(bytes_.size());  // too few
    }
    return result;
}

std::string PacketReader::text() {
    const std::size_t size = count(1);
    return {next(size), size};
}

void write_request(std::int64_t number, const TranslationRequest& request, PacketWriter& packet) {
    packet.number(number);
    packet.text(request.text);
    packet.text(request.prefix);
    packet.number(request.phrases.size());
    for (const std::string& phrase : request.phrases) {
        packet.text(phrase);
    }
}

NumberedRequest read_request(PacketReader& packet) {
    NumberedRequest result;
    result.number = packet.number<std::int64_t>();
    result.request.text = packet.text();
    result.request.prefix = packet.text();
    result.request.phrases.resize(packet.count(sizeof(std::size_t)));
    for (std::string& phrase : result.request.phrases) {
        phrase = packet.text();
    }
    return result;
}

void write_hypotheses(const std::vector<Hypothesis>& hypotheses, PacketWriter& packet) {
    packet.number(hypotheses.size());
    for (const Hypothesis& hypothesis : hypotheses) {
        packet.numbers(hypothesis.ids);
        packet.numbers(hypothesis.token_log_probs);
        packet.number(hypothesis.log_prob);
        packet.number(hypothesis.score);
        packet.number(hypothesis.length_norm);
        packet.number(hypothesis.coverage);
        packet.number(static_cast<std::uint8_t>(hypothesis.fault));
        packet.number(hypothesis.repaired);
        write_rows(hypothesis.model_token_log_probs, packet);
        write_rows(hypothesis.attention, packet);
    }
}

std::vector<Hypothesis> read_hypotheses(PacketReader& packet) {
    std::vector<Hypothesis> hypotheses(packet.count(sizeof(std::size_t)));
    for (Hypothesis& hypothesis : hypotheses) {
        hypothesis.ids = packet.numbers<std::int32_t>();
        hypothesis.token_log_probs = packet.numbers<float>();
        hypothesis.log_prob = packet.number<double>();
        hypothesis.score = packet.number<double>();
        hypothesis.length_norm = packet.number<double>();
        hypothesis.coverage = packet.number<double>();
        hypothesis.fault = static_cast<OutputFault>(packet.number<std::uint8_t>());
        hypothesis.repaired = packet.number<bool>();
        hypothesis.model_token_log_probs = read_rows(packet);
        hypothesis.attention = read_rows(packet);
    }
    return hypotheses;
}

void write_score(const PairScore& score, PacketWriter& packet) {
    packet.number(score.log_prob);
    packet.numbers(score.ids);
    packet.numbers(score.token_log_probs);
}

PairScore read_score(PacketReader& packet) {
    PairScore score;
    score.log_prob = packet.number<double>();
    score.ids = packet.numbers<std::int32_t>();
    score.token_log_probs = packet.numbers<float>();
    return score;
}

}  // namespace softalign
