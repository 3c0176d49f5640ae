"""The lexical model beside a decoder."""
from vectors import add, tanh, times, weighted_sum


class LexicalModel:
    def __init__(self, parameters, width, target_size):
        self.weight = parameters.matrix("lexical.weight", width, width)
        self.output = parameters.matrix("lexical_output_weight", target_size, width)

    def __call__(self, weights, words):
        """What it adds to the logits of a step with these attention weights; words are the source's embeddings."""
        attended = tanh(weighted_sum(weights, words))
        return times(self.output, add(tanh(times(self.weight, attended)), attended))
