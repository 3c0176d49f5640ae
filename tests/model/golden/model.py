"""The whole model: embeddings, encoder, decoder and output layer."""
from convolutional import ConvolutionalEncoder
from decoder import RecurrentDecoder
from encoder import NoEncoder, RecurrentEncoder
from parameters import Parameters
from transformer import TransformerDecoder, TransformerEncoder
from vectors import add, log_softmax, times

BOS, EOS = 2, 3
SMOOTHING = 0.1

ENCODERS = {"recurrent": RecurrentEncoder, "transformer": TransformerEncoder, "convolutional": ConvolutionalEncoder,
            "none": NoEncoder}
DECODERS = {"recurrent": RecurrentDecoder, "transformer": TransformerDecoder}


def kind_of(settings):
    return settings.get("type", "recurrent")


class Model:
    def __init__(self, config, source_size, target_size):
        self.parameters = Parameters()
        matrix, width, tied = self.parameters.matrix, config["embedding_size"], config["tied_embeddings"]
        self.zero_first = config["decoder"]["first_word"] == "zero"
        self.right_to_left = config["decoder"]["reverse_target"]
        self.source_table = matrix("source_embedding", source_size, width)
        self.target_table = self.source_table if tied == "all" else matrix("target_embedding", target_size, width)
        self.encoder = ENCODERS[kind_of(config["encoder"])](self.parameters, config)
        self.decoder = DECODERS[kind_of(config["decoder"])](self.parameters, config, self.encoder.size)
        self.output = (matrix("output_weight", target_size, self.decoder.readout_size) if tied == "none"
                       else self.target_table)
        self.output_bias = self.parameters.vector("output_bias", target_size)

    def previous_words(self, written):
        words = [self.target_table[i] for i in [BOS] + written]
        if self.zero_first:
            words[0] = [0.0] * len(words[0])
        return words

    def translate(self, source, target):
        """Everything the test compares, for one sentence pair given as pieces; steps are in the order of writing."""
        written = target[::-1] if self.right_to_left else target
        encoded = self.encoder.encode([self.source_table[i] for i in source + [EOS]])
        self.decoder.begin(encoded)
        result = {"source": source, "target": target, "annotations": encoded.annotations, "logits": []}
        all_weights, log_prob, objective = [], 0.0, 0.0
        for word, truth in zip(self.previous_words(written), written + [EOS]):
            readout, weights = self.decoder.step(word)
            logits = add(times(self.output, readout), self.output_bias)
            log_probs = log_softmax(logits)
            log_prob += log_probs[truth]
            objective -= (1.0 - SMOOTHING) * log_probs[truth] + SMOOTHING * sum(log_probs) / len(log_probs)
            result["logits"].append(logits)
            all_weights.append(weights)
        if all_weights[0] is not None:
            result["weights"] = all_weights
        result.update(log_prob=log_prob, objective=objective)
        return result
