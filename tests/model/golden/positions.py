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


def grid_encoding(grid, position, size, encode=None):
    """In a grid of several rows the row's encoding of the lower half of the width, then the column's of the rest.

    encode(position, begin, end) gives these elements of an encoding; without it sinusoids of width end - begin.
    """
    encode = encode or (lambda p, begin, end: sinusoid(p, end - begin))
    if grid.height == 1:
        return encode(position, 0, size)
    half = size // 2
    return encode(position // grid.width, 0, half) + encode(position % grid.width, half, size)


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
        learned = self.learned if self.table else None
        for position, word in enumerate(embedded.vectors):
            projected = times(self.projection, word) if self.projection else word
            result.append(add([self.scale * v for v in projected],
                              grid_encoding(embedded, position, self.size, learned)))
        return result

    def learned(self, position, begin, end):
        return self.table[min(position, len(self.table) - 1)][begin:end]
