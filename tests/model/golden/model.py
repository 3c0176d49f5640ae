"""The whole model: embeddings, encoder, decoder and output layer."""
from convolutional import ConvolutionalEncoder
from decoder import RecurrentDecoder
from encoder import NoEncoder, RecurrentEncoder
from grids import Features, Words
from lexical import LexicalModel
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
        if "source" in config:
            self.source = Features(self.parameters, config)
        else:
            source_table = matrix("source_embedding", source_size, width)
            self.source = Words(source_table, EOS)
        self.target_table = source_table if tied == "all" else matrix("target_embedding", target_size, width)
        self.encoder = ENCODERS[kind_of(config["encoder"])](self.parameters, config)
        self.decoder = DECODERS[kind_of(config["decoder"])](self.parameters, config, self.encoder.size)
        self.output = (matrix("output_weight", target_size, self.decoder.readout_size) if tied == "none"
                       else self.target_table)
        self.output_bias = self.parameters.vector("output_bias", target_size)
        self.lexical = LexicalModel(self.parameters, width, target_size) if config["decoder"].get("lexical") else None

    def previous_words(self, written):
        words = [self.target_table[i] for i in [BOS] + written]
        if self.zero_first:
            words[0] = [0.0] * len(words[0])
        return words

    def translate(self, source, target):
        """Everything the test compares, for one sentence pair; steps are in the order of writing.

        The target is given as pieces, the source as pieces or as a Grid of features.
        """
        written = target[::-1] if self.right_to_left else target
        embedded = self.source.embed(source)
        encoded = self.encoder.encode(embedded)
        self.decoder.begin(encoded)
        given = source if isinstance(source, list) else {"height": source.height, "vectors": source.vectors}
        result = {"source": given, "target": target, "annotations": encoded.annotations, "logits": []}
        all_weights, log_prob, objective = [], 0.0, 0.0
        for word, truth in zip(self.previous_words(written), written + [EOS]):
            readout, weights = self.decoder.step(word)
            logits = add(times(self.output, readout), self.output_bias)
            if self.lexical:
                logits = add(logits, self.lexical(weights, embedded.vectors))
            log_probs = log_softmax(logits)
            log_prob += log_probs[truth]
            objective -= (1.0 - SMOOTHING) * log_probs[truth] + SMOOTHING * sum(log_probs) / len(log_probs)
            result["logits"].append(logits)
            all_weights.append(weights)
        if all_weights[0] is not None:
            result["weights"] = all_weights
        result.update(log_prob=log_prob, objective=objective)
        return result
