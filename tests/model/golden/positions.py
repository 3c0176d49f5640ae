"""What enters the lowest layer of a Transformer or of a convolutional encoder: scaled embeddings and positions."""
import math

from vectors import add, times


def sinusoid(position, size):
    """PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i + 1) the cosine of the same."""
    result = []
    for k in range(size):
        angle = position / 10000.0 ** ((k - k % 2) / size)
        result.append(math.sin(angle) if k % 2 == 0 else math.cos(angle))
    return result


class PositionedInput:
    """side is `encoder` or `decoder`."""

    def __init__(self, parameters, config, side):
        word_size, self.size = config["embedding_size"], config[side]["hidden_size"]
        self.scale = math.sqrt(word_size)
        self.projection = None
        if word_size != self.size:
            self.projection = parameters.matrix(f"{side}.weight_in", self.size, word_size)
        self.table = None
        if config["positions"]["type"] == "learned":
            self.table = parameters.matrix(f"{side}.positions", config["positions"]["size"], self.size)

    def __call__(self, embedded):
        result = []
        for position, word in enumerate(embedded):
            projected = times(self.projection, word) if self.projection else word
            result.append(add([self.scale * v for v in projected], self.at(position)))
        return result

    def at(self, position):
        if self.table is None:
            return sinusoid(position, self.size)
        return self.table[min(position, len(self.table) - 1)]
