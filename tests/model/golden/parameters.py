"""The parameters of a model, and layer normalisation, which is little else."""
import math


class Parameters:
    """Parameters by name, made when first asked for; what was asked for is the model's table of tensors.

    Element i of parameter `name` is 0.6 sin(0.7 i + 0.1 (sum of the bytes of the name)), plus 1 for a gain.
    """

    def __init__(self):
        self.shapes = {}

    def _value(self, name, i):
        base = 1.0 if name.endswith(".gain") else 0.0
        return base + 0.6 * math.sin(0.7 * i + 0.1 * sum(name.encode()))

    def _declare(self, name, shape):
        assert self.shapes.setdefault(name, shape) == shape, name

    def vector(self, name, size):
        self._declare(name, [size])
        return [self._value(name, i) for i in range(size)]

    def matrix(self, name, rows, columns):
        self._declare(name, [rows, columns])
        return [[self._value(name, i * columns + j) for j in range(columns)] for i in range(rows)]


class LayerNorm:
    def __init__(self, parameters, name, size):
        self.gain = parameters.vector(f"{name}.gain", size)
        self.bias = parameters.vector(f"{name}.bias", size)

    def __call__(self, x):
        centre = sum(x) / len(x)
        variance = sum((v - centre) ** 2 for v in x) / len(x)
        return [g * (v - centre) / math.sqrt(variance + 1e-5) + b for g, v, b in zip(self.gain, x, self.bias)]
