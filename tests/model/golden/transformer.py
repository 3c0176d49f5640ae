"""The Transformer's encoder and decoder.

The decoder computes its whole stack anew at every step, from all the words so far: a cache is for those in a hurry.
"""
import math

from attention import Heads, HeadShape
from encoder import Encoded
from grids import Grid
from parameters import LayerNorm
from positions import PositionedInput
from vectors import add, sigmoid, times


def relu(x):
    return max(0.0, x)


def gelu(x):
    return 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0)))


def silu(x):
    return x * sigmoid(x)


class FeedForward:
    def __init__(self, parameters, name, size, settings):
        inner = settings["feed_forward_size"]
        self.activation = {"relu": relu, "gelu": gelu, "swiglu": silu}[settings["activation"]]

        def linear(number, rows, columns):
            return (parameters.matrix(f"{name}.weight{number}", rows, columns),
                    parameters.vector(f"{name}.bias{number}", rows))

        self.first, self.second = linear(1, inner, size), linear(2, size, inner)
        self.gate = linear(3, inner, size) if settings["activation"] == "swiglu" else None

    def __call__(self, x):
        inner = [self.activation(v) for v in self.apply(self.first, x)]
        if self.gate:
            inner = [a * b for a, b in zip(inner, self.apply(self.gate, x))]
        return self.apply(self.second, inner)

    @staticmethod
    def apply(linear, x):
        return add(times(linear[0], x), linear[1])


class Stack:
    """One side: its layers, and the norm that follows them."""

    def __init__(self, parameters, config, side, annotation_size=0):
        self.settings, self.size = config["transformer"], config[side]["hidden_size"]
        self.input = PositionedInput(parameters, config, side)
        self.pre = self.settings["norm"] == "pre"
        self.layers = [Layer(parameters, f"{side}.layer{k}", self.settings, self.size, annotation_size)
                       for k in range(config[side]["layers"])]
        self.last_norm = LayerNorm(parameters, f"{side}.norm", self.size) if self.pre else None

    def finish(self, x):
        return [self.last_norm(v) for v in x] if self.pre else x


class Layer:
    """Its sub-layers with their norms; one that attends to annotations unless their width is 0."""

    def __init__(self, parameters, name, settings, size, annotation_size):
        heads = settings["heads"]
        groups = settings["groups"] or heads
        self.pre = settings["norm"] == "pre"
        self.itself = Heads(parameters, f"{name}.self", HeadShape(size, size, size, heads, groups))
        self.norm_self = LayerNorm(parameters, f"{name}.norm_self", size)
        if annotation_size:
            self.cross = Heads(parameters, f"{name}.cross", HeadShape(size, annotation_size, size, heads, groups))
            self.norm_cross = LayerNorm(parameters, f"{name}.norm_cross", size)
        self.feed_forward = FeedForward(parameters, f"{name}.feed_forward", size, settings)
        self.norm_feed_forward = LayerNorm(parameters, f"{name}.norm_feed_forward", size)

    def around(self, function, norm, x):
        """The sub-layer `function`, from all positions to all positions."""
        if self.pre:
            return [add(v, change) for v, change in zip(x, function([norm(v) for v in x]))]
        return [norm(add(v, change)) for v, change in zip(x, function(x))]

    def attend_to_itself(self, x, causal):
        def function(z):
            return [self.itself.look(query, z[:p + 1] if causal else z)[0] for p, query in enumerate(z)]
        return self.around(function, self.norm_self, x)

    def attend_to(self, annotations, x):
        """Also the weights of every position."""
        all_weights = []

        def function(z):
            contexts = []
            for query in z:
                context, weights = self.cross.look(query, annotations)
                contexts.append(context)
                all_weights.append(weights)
            return contexts
        return self.around(function, self.norm_cross, x), all_weights

    def feed_on(self, x):
        return self.around(lambda z: [self.feed_forward(v) for v in z], self.norm_feed_forward, x)


class TransformerEncoder:
    def __init__(self, parameters, config):
        self.stack = Stack(parameters, config, "encoder")
        self.size = self.stack.size

    def encode(self, embedded):
        x = self.stack.input(embedded)
        for layer in self.stack.layers:
            x = layer.feed_on(layer.attend_to_itself(x, causal=False))
        return Encoded(self.stack.finish(x))


class TransformerDecoder:
    def __init__(self, parameters, config, annotation_size):
        self.stack = Stack(parameters, config, "decoder", annotation_size)
        self.readout_size = self.stack.size
        self.shown_layer = (config["transformer"]["alignment_layer"] or len(self.stack.layers)) - 1

    def begin(self, encoded):
        self.annotations, self.words = encoded.annotations, []

    def step(self, word):
        self.words.append(word)
        x, shown = self.stack.input(Grid(self.words)), None
        for k, layer in enumerate(self.stack.layers):
            x, weights = layer.attend_to(self.annotations, layer.attend_to_itself(x, causal=True))
            x = layer.feed_on(x)
            if k == self.shown_layer:
                shown = weights[-1]
        return self.stack.finish(x)[-1], shown
