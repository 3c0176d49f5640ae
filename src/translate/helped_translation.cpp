// Batches that another process searches, from both sides.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "translate/batch_translator.h"
#include "translate/batching.h"
#include "translate/packets.h"
#include "translate/sentence_encoder.h"

namespace softalign {

BatchHelp BatchTranslator::help_with(const std::vector<EncodedSentence>& sentences,
                                     std::vector<std::vector<Translation>>& results) const {
    BatchHelp help;
    help.helpers = options_.helpers;
    help.pack = [&sentences](const std::vector<std::size_t>& batch) {
        PacketWriter packet;
        packet.number(batch.size());
        for (const std::size_t index : batch) {
            write_request(sentences[index].number, *sentences[index].request, packet);
        }
        return packet.bytes();
    };
    help.unpack = [this, &sentences, &results](const std::vector<std::size_t>& batch, const std::string& answer) {
        PacketReader packet(answer);
        std::vector<std::vector<Hypothesis>> found(batch.size());
        for (std::vector<Hypothesis>& hypotheses : found) {
            hypotheses = read_hypotheses(packet);
        }
        finish_batch(batch, sentences, std::move(found), results);
    };
    return help;
}

std::string BatchTranslator::answer(const std::string& request) {
    return answer_batches(request,
                          [this](const std::vector<std::string>& batches) { return answer_searches(batches); });
}

std::vector<std::string> BatchTranslator::answer_searches(const std::vector<std::string>& packed) {
    std::vector<NumberedRequest> requests;
    const auto batches =
        batches_of(packed, [&requests](PacketReader& packet) { requests.push_back(read_request(packet)); });
    std::vector<EncodedSentence> sentences;
    sentences.reserve(requests.size());
    for (const NumberedRequest& numbered : requests) {
        sentences.push_back(encoder_.encode(numbered.request, numbered.number));
    }
    std::vector<std::vector<Hypothesis>> found(requests.size());
    short_of_memory_ += run_batches(*pool_, batches, [&](const std::vector<std::size_t>& batch) {
        std::vector<std::vector<Hypothesis>> of_batch = search_batch(batch, sentences);
        for (std::size_t b = 0; b < batch.size(); ++b) {
            found[batch[b]] = std::move(of_batch[b]);
        }
    });
    return packets_of(batches,
                      [&](std::size_t index, PacketWriter& packet) { write_hypotheses(found[index], packet); });
}

}  // namespace softalign
