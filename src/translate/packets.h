#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "search/scoring.h"
#include "translate/scorer.h"
#include "translate/sentence_encoder.h"

namespace softalign {

// Values as bytes, for another process of the same build on the same kind of machine.
class PacketWriter {
public:
    template <typename Number>
    void number(Number value) {
        static_assert(std::is_arithmetic_v<Number>);
        add(&value, sizeof value);
    }
    void text(const std::string& value) {
        number(value.size());
        bytes_ += value;
    }
    template <typename Number>
    void numbers(const std::vector<Number>& values) {
        number(values.size());
        add(values.data(), values.size() * sizeof(Number));
    }

    const std::string& bytes() const { return bytes_; }

private:
    void add(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

    std::string bytes_;
};

// A packet for each batch: what `write(index, packet)` writes of each of its indices.
template <typename Write>
std::vector<std::string> packets_of(const std::vector<std::vector<std::size_t>>& batches, const Write& write) {
    std::vector<std::string> packets;
    for (const std::vector<std::size_t>& batch : batches) {
        PacketWriter packet;
        for (const std::size_t index : batch) {
            write(index, packet);
        }
        packets.push_back(packet.bytes());
    }
    return packets;
}

// Reads them in the same order. Throws Error(processes) where there are too few.
class PacketReader {
public:
    // REQUIRES: `bytes` outlives this.
    explicit PacketReader(const std::string& bytes) : bytes_(bytes) {}

    template <typename Number>
    Number number() {
        Number value{};
        std::memcpy(&value, next(sizeof value), sizeof value);
        return value;
    }
    // Of things of at least so many bytes each.
    std::size_t count(std::size_t bytes_each);
    std::string text();
    template <typename Number>
    std::vector<Number> numbers() {
        std::vector<Number> values(count(sizeof(Number)));
        if (!values.empty()) {
            std::memcpy(values.data(), next(values.size() * sizeof(Number)), values.size() * sizeof(Number));
        }
        return values;
    }

private:
    const char* next(std::size_t size);

    const std::string& bytes_;
    std::size_t place_ = 0;
};

// Of packets that begin with the number of their entries, each of which `read(packet)` reads: the batch of each, whose
// indices number the entries of all packets from 0.
template <typename Read>
std::vector<std::vector<std::size_t>> batches_of(const std::vector<std::string>& packed, const Read& read) {
    std::vector<std::vector<std::size_t>> batches;
    std::size_t entries = 0;
    for (const std::string& bytes : packed) {
        PacketReader packet(bytes);
        std::vector<std::size_t>& batch = batches.emplace_back(packet.count(sizeof(std::int64_t)));
        for (std::size_t& index : batch) {
            index = entries++;
            read(packet);
        }
    }
    return batches;
}

// A sentence of another process, and its number there.
struct NumberedRequest {
    std::int64_t number = 0;
    TranslationRequest request;
};

// REQUIRES: the request has no array of its own (TranslationRequest::features).
void write_request(std::int64_t number, const TranslationRequest& request, PacketWriter& packet);
NumberedRequest read_request(PacketReader& packet);

void write_hypotheses(const std::vector<Hypothesis>& hypotheses, PacketWriter& packet);
std::vector<Hypothesis> read_hypotheses(PacketReader& packet);

void write_score(const PairScore& score, PacketWriter& packet);
PairScore read_score(PacketReader& packet);

}  // namespace softalign
