"""The recurrent encoder: layers in one direction or two, then layers of self-attention."""
from attention import Heads, HeadShape
from parameters import LayerNorm
from grids import Grid
from positions import grid_encoding
from units import Layer
from vectors import add, mean


class Encoded:
    """What the decoder gets of a sentence. Only a recurrent encoder has last states."""

    def __init__(self, annotations, last=None, final_states=None):
        self.annotations = annotations    # a source position, in the order of the text
        self.last = last                  # both directions of the top layer
        self.final_states = final_states  # of the forward direction, a layer
        self.mean = mean(annotations)


class SelfAttention:
    def __init__(self, parameters, name, size, settings):
        heads = settings["heads"]
        shape = HeadShape(size, size, size, heads, settings["groups"] or heads)
        self.heads = Heads(parameters, f"{name}.attention", shape)
        self.norm = LayerNorm(parameters, f"{name}.norm", size)
        self.causal = settings["causal"]

    def __call__(self, inputs):
        result = []
        for i, x in enumerate(inputs):
            context, _ = self.heads.look(x, inputs[:i + 1] if self.causal else inputs)
            result.append(self.norm(add(x, context)))
        return result


class NoEncoder:
    """The embeddings are the annotations."""

    def __init__(self, _, config):
        self.size = config["embedding_size"]

    def encode(self, embedded):
        return Encoded(embedded.vectors)


class RecurrentEncoder:
    def __init__(self, parameters, config):
        self.settings = config["encoder"]
        directions = ["forward", "backward"] if self.settings["bidirectional"] else ["forward"]
        self.size = self.settings["hidden_size"] * len(directions)
        self.alternating = self.settings.get("alternating", False)
        self.layers = []
        for k in range(self.settings["layers"]):
            below = self.settings["hidden_size"] if self.alternating else self.size
            width = config["embedding_size"] if k == 0 else below
            self.layers.append([Layer(parameters, f"encoder.layer{k}_{direction}", self.settings, config["layer_norm"],
                                      width) for direction in directions])
        own = self.settings["self_attention"]
        self.self_attention = [SelfAttention(parameters, f"encoder.self{k}", self.size, own)
                               for k in range(own["layers"])]

    def reading_order(self, length):
        """Source positions in the order in which the forward direction reads them."""
        words, end = list(range(length - 1)), length - 1
        return (words[::-1] if self.settings["reverse_source"] else words) + [end]

    def encode(self, embedded):
        """Every row is read by itself; the last states are those of the bottom row."""
        annotations = []
        for line in embedded.lines():
            outputs, last, final_states = self.read(line)
            annotations += outputs
        return Encoded(self.attend_to_itself(Grid(annotations, embedded.height)), last, final_states)

    def read_alternating(self, line):
        """The two stacks: that of the forward layers, which begins in reading order, then the other."""
        order, tops, ends = self.reading_order(len(line)), [[] for _ in line], []
        for stack in (0, 1):
            inputs = line
            for k, directions in enumerate(self.layers):
                backwards = (stack + k) % 2 == 1
                state, states = directions[stack].zeros(), {}
                for j in (reversed(order) if backwards else order):
                    state = directions[stack].step(state, inputs[j])
                    states[j] = state[0]
                outputs = [states[j] for j in range(len(line))]
                if self.settings["residual"] and k > 0:
                    outputs = [add(x, y) for x, y in zip(inputs, outputs)]
                inputs = outputs
            tops = [top + h for top, h in zip(tops, inputs)]
            ends += state[0]
        return tops, ends, None

    def read(self, line):
        if self.alternating:
            return self.read_alternating(line)
        order, inputs, final_states = self.reading_order(len(line)), line, []
        for k, directions in enumerate(self.layers):
            outputs, ends = [[] for _ in inputs], []
            for layer, path in zip(directions, (order, order[::-1])):
                state, states = layer.zeros(), {}
                for j in path:
                    state = layer.step(state, inputs[j])
                    states[j] = state[0]
                outputs = [left + states[j] for j, left in enumerate(outputs)]
                ends.append(state)
            final_states.append(ends[0])
            if self.settings["residual"] and k > 0:
                outputs = [add(x, y) for x, y in zip(inputs, outputs)]
            inputs = outputs
        return inputs, sum((hidden for hidden, _ in ends), []), final_states

    def attend_to_itself(self, grid):
        annotations = grid.vectors
        if self.self_attention and self.settings["self_attention"]["positions"]:
            annotations = [add(h, grid_encoding(grid, j, self.size)) for j, h in enumerate(annotations)]
        for layer in self.self_attention:
            annotations = layer(annotations)
        return annotations
