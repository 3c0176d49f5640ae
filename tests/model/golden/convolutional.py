"""The convolutional encoder: gated convolutions over the source."""
import math

from encoder import Encoded
from grids import Grid
from positions import PositionedInput
from vectors import add, dot, sigmoid


class Convolution:
    def __init__(self, parameters, name, size, kernel_size):
        self.size, self.reach = size, (kernel_size - 1) // 2
        self.weight = parameters.matrix(f"{name}.weight", 2 * size, kernel_size * size)
        self.bias = parameters.vector(f"{name}.bias", 2 * size)

    def __call__(self, inputs):
        result = []
        for p, x in enumerate(inputs):
            gated = self.convolve(inputs, p)
            result.append([(gated[i] * sigmoid(gated[self.size + i]) + x[i]) * math.sqrt(0.5)
                           for i in range(self.size)])
        return result

    def convolve(self, inputs, p):
        total = self.bias
        for j in range(2 * self.reach + 1):
            q = p + j - self.reach
            if 0 <= q < len(inputs):
                block = [row[j * self.size:(j + 1) * self.size] for row in self.weight]
                total = add(total, [dot(row, inputs[q]) for row in block])
        return total


class ConvolutionalEncoder:
    def __init__(self, parameters, config):
        settings = config["encoder"]
        self.size = settings["hidden_size"]
        self.input = PositionedInput(parameters, config, "encoder")
        self.layers = [Convolution(parameters, f"encoder.layer{k}", self.size, settings["kernel_size"])
                       for k in range(settings["layers"])]

    def encode(self, embedded):
        annotations = []
        for x in Grid(self.input(embedded), embedded.height).lines():
            for layer in self.layers:
                x = layer(x)
            annotations += x
        return Encoded(annotations)
