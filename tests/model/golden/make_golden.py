#!/usr/bin/env python3
"""Writes figures.json: tiny models computed from the equations of docs/models.md, independently of src/model.

usage: make_golden.py > figures.json

Standard library only, one number at a time, one sentence at a time. Vectors are lists, matrices lists of rows.
Element i of parameter `name` is 0.6 sin(0.7 i + 0.1 (sum of the bytes of the name)), plus 1 for a gain.
"""
import json
import math

BOS, EOS = 2, 3
SMOOTHING = 0.1


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def times(matrix, vector):
    assert len(matrix[0]) == len(vector)
    return [dot(row, vector) for row in matrix]


def add(*vectors):
    assert len({len(v) for v in vectors}) == 1
    return [sum(column) for column in zip(*vectors)]


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


def softmax(scores):
    top = max(scores)
    powers = [math.exp(s - top) for s in scores]
    return [p / sum(powers) for p in powers]


def log_softmax(scores):
    top = max(scores)
    normalizer = top + math.log(sum(math.exp(s - top) for s in scores))
    return [s - normalizer for s in scores]


class Parameters:
    """Parameters by name, made when first asked for; what was asked for is the model's table of tensors."""

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


class Cell:
    """A gated recurrent unit or an LSTM with an input x and, where context_size > 0, a second input c."""

    def __init__(self, parameters, name, kind, input_size, hidden_size, layer_norm, context_size=0):
        self.parameters, self.name, self.kind = parameters, name, kind
        self.hidden_size, self.layer_norm = hidden_size, layer_norm
        self.width = (3 if kind == "gru" else 4) * hidden_size
        self.w = parameters.matrix(f"{name}.weight_ih", self.width, input_size)
        self.u = parameters.matrix(f"{name}.weight_hh", self.width, hidden_size)
        self.c = parameters.matrix(f"{name}.weight_ch", self.width, context_size) if context_size else None
        if not layer_norm:
            self.b = parameters.vector(f"{name}.bias_ih", self.width)
            self.d = parameters.vector(f"{name}.bias_hh", self.width)

    def normalize(self, name, x):
        gain = self.parameters.vector(f"{self.name}.{name}.gain", len(x))
        bias = self.parameters.vector(f"{self.name}.{name}.bias", len(x))
        mean = sum(x) / len(x)
        variance = sum((v - mean) ** 2 for v in x) / len(x)
        return [g * (v - mean) / math.sqrt(variance + 1e-5) + b for g, v, b in zip(gain, x, bias)]

    def start(self):
        return [0.0] * self.hidden_size, [0.0] * self.hidden_size

    def step(self, x, state, context=None):
        hidden, memory = state
        if self.layer_norm:
            outer = self.normalize("norm_ih", times(self.w, x))
            inner = self.normalize("norm_hh", times(self.u, hidden))
            if self.c:
                outer = add(outer, self.normalize("norm_ch", times(self.c, context)))
        else:
            outer = add(times(self.w, x), self.b)
            inner = add(times(self.u, hidden), self.d)
            if self.c:
                outer = add(outer, times(self.c, context))
        return self.gru(outer, inner, hidden) if self.kind == "gru" else self.lstm(outer, inner, memory)

    def gru(self, outer, inner, hidden):
        size, result = self.hidden_size, []
        for k in range(size):
            r = sigmoid(outer[k] + inner[k])
            z = sigmoid(outer[size + k] + inner[size + k])
            n = math.tanh(outer[2 * size + k] + r * inner[2 * size + k])
            result.append((1.0 - z) * n + z * hidden[k])
        return result, [0.0] * size

    def lstm(self, outer, inner, memory):
        size, gates = self.hidden_size, add(outer, inner)
        new = []
        for k in range(size):
            i, f, g = sigmoid(gates[k]), sigmoid(gates[size + k]), math.tanh(gates[2 * size + k])
            new.append(f * memory[k] + i * g)
        shown = self.normalize("norm_cell", new) if self.layer_norm else new
        return [sigmoid(gates[3 * size + k]) * math.tanh(shown[k]) for k in range(size)], new


class Model:
    def __init__(self, config, source_size, target_size):
        self.config, self.p = config, Parameters()
        encoder, decoder = config["encoder"], config["decoder"]
        self.e = config["embedding_size"]
        self.d = encoder["hidden_size"] * (2 if encoder["bidirectional"] else 1)
        self.h = decoder["hidden_size"]
        self.r = decoder["readout_size"] or self.e
        self.before = decoder["attend"] == "before"
        self.feeding = not self.before and decoder["input_feeding"]
        tied = config["tied_embeddings"]
        self.source_table = self.p.matrix("source_embedding", source_size, self.e)
        self.target_table = (self.source_table if tied == "all"
                             else self.p.matrix("target_embedding", target_size, self.e))
        self.output = self.p.matrix("output_weight", target_size, self.r) if tied == "none" else self.target_table
        self.output_bias = self.p.vector("output_bias", target_size)
        self.make_cells()
        self.make_readout()

    def cell(self, name, kind, input_size, hidden_size, context_size=0):
        return Cell(self.p, name, kind, input_size, hidden_size, self.config["layer_norm"], context_size)

    def make_cells(self):
        encoder, decoder = self.config["encoder"], self.config["decoder"]
        self.encoder_layers = []
        for k in range(encoder["layers"]):
            width = self.e if k == 0 else self.d
            directions = ["forward"] + (["backward"] if encoder["bidirectional"] else [])
            self.encoder_layers.append([self.cell(f"encoder.layer{k}_{direction}", encoder["cell"], width,
                                                  encoder["hidden_size"]) for direction in directions])
        self.decoder_layers = []
        for k in range(decoder["layers"]):
            context = (self.d if self.before else self.r if self.feeding else 0) if k == 0 else 0
            self.decoder_layers.append(self.cell(f"decoder.layer{k}", decoder["cell"], self.e if k == 0 else self.h,
                                                 self.h, context))

    def make_readout(self):
        self.readout_state = self.p.matrix("decoder.readout.weight_state", self.r, self.h)
        self.readout_word = self.p.matrix("decoder.readout.weight_word", self.r, self.e) if self.before else None
        self.readout_context = self.p.matrix("decoder.readout.weight_context", self.r, self.d)
        self.readout_bias = self.p.vector("decoder.readout.bias", self.r)

    def encode(self, ids):
        """Annotations, the last states of the top layer, the mean annotation."""
        layer_input = [self.source_table[i] for i in ids]
        for k, cells in enumerate(self.encoder_layers):
            columns, ends = [], []
            for direction, cell in enumerate(cells):
                state, states = cell.start(), [None] * len(ids)
                order = range(len(ids)) if direction == 0 else reversed(range(len(ids)))
                for t in order:
                    state = cell.step(layer_input[t], state)
                    states[t] = state[0]
                columns.append(states)
                ends += state[0]
            output = [sum((states[t] for states in columns), []) for t in range(len(ids))]
            if self.config["encoder"]["residual"] and k > 0:
                output = [add(below, above) for below, above in zip(layer_input, output)]
            layer_input = output
        mean = [sum(column) / len(ids) for column in zip(*layer_input)]
        return layer_input, ends, mean

    def start(self, last, mean):
        kind, states = self.config["decoder"]["initial_state"], []
        for k, cell in enumerate(self.decoder_layers):
            if kind == "zero":
                states.append(cell.start())
                continue
            width = self.h * (2 if cell.kind == "lstm" else 1)
            weight = self.p.matrix(f"decoder.weight_init{k}", width, self.d)
            bias = self.p.vector(f"decoder.bias_init{k}", width)
            both = [math.tanh(v) for v in add(times(weight, last if kind == "last" else mean), bias)]
            states.append((both[:self.h], both[self.h:] or [0.0] * self.h))
        return states

    def score(self, query, annotation):
        kind, size = self.config["attention"]["type"], self.config["attention"]["size"]
        if kind == "dot":
            return dot(query, annotation)
        if kind == "general":
            return dot(query, times(self.p.matrix("decoder.attention.weight", self.h, self.d), annotation))
        v = self.p.matrix("decoder.attention.weight_score", 1, size)[0]
        if kind == "additive":
            hidden = add(times(self.p.matrix("decoder.attention.weight_query", size, self.h), query),
                         times(self.p.matrix("decoder.attention.weight_key", size, self.d), annotation))
        else:
            hidden = times(self.p.matrix("decoder.attention.weight", size, self.h + self.d), query + annotation)
        return dot(v, [math.tanh(x) for x in hidden])

    def attend(self, query, annotations, last):
        if self.config["attention"]["type"] == "none":
            return last, None
        weights = softmax([self.score(query, annotation) for annotation in annotations])
        return [dot(weights, column) for column in zip(*annotations)], weights

    def advance(self, word, context, states):
        output = None
        for k, cell in enumerate(self.decoder_layers):
            states[k] = cell.step(word, states[k], context) if k == 0 else cell.step(output, states[k])
            above = states[k][0]
            output = add(above, output) if k > 0 and self.config["decoder"]["residual"] else above
        return output

    def translate(self, source, target):
        """Everything the test compares, for one sentence pair given as pieces."""
        annotations, last, mean = self.encode(source + [EOS])
        states, feed = self.start(last, mean), [0.0] * self.r
        result = {"source": source, "target": target, "annotations": annotations, "logits": []}
        all_weights, log_prob, objective = [], 0.0, 0.0
        for previous, truth in zip([BOS] + target, target + [EOS]):
            word = self.target_table[previous]
            if self.before:
                context, weights = self.attend(states[-1][0], annotations, last)
                output = self.advance(word, context, states)
                readout = add(times(self.readout_state, output), times(self.readout_word, word),
                              times(self.readout_context, context), self.readout_bias)
            else:
                output = self.advance(word, feed if self.feeding else None, states)
                context, weights = self.attend(output, annotations, last)
                readout = add(times(self.readout_context, context), times(self.readout_state, output),
                              self.readout_bias)
            readout = [math.tanh(x) for x in readout]
            feed = readout
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


def config(encoder, decoder, attention, tied, layer_norm):
    return {
        "embedding_size": 3,
        "encoder": dict(zip(("cell", "layers", "hidden_size", "bidirectional", "residual"), encoder)),
        "decoder": dict(zip(("cell", "layers", "hidden_size", "attend", "input_feeding", "initial_state",
                             "readout_size", "residual"), decoder)),
        "attention": {"type": attention, "size": 3},
        "tied_embeddings": tied,
        "layer_norm": layer_norm,
    }


MODELS = {
    "gru_before_additive": config(("gru", 1, 2, True, False),
                                  ("gru", 1, 3, "before", True, "mean", 4, False), "additive", "none", False),
    "lstm_after_general_feeding": config(("lstm", 2, 3, False, False),
                                         ("lstm", 2, 4, "after", True, "last", 0, False), "general", "target", False),
    "layer_norm_gru_before_concat": config(("gru", 2, 2, True, True),
                                           ("gru", 2, 3, "before", True, "mean", 0, True), "concat", "all", True),
    "layer_norm_lstm_after_dot": config(("lstm", 1, 2, True, False),
                                        ("lstm", 2, 4, "after", False, "zero", 0, True), "dot", "none", True),
    "gru_before_none": config(("gru", 1, 3, False, False),
                              ("gru", 1, 3, "before", True, "last", 0, False), "none", "target", False),
}
SENTENCES = [([4, 6, 5], [5, 4]), ([7], [6, 6, 4, 7]), ([], [])]


def main():
    figures = {}
    for name, settings in MODELS.items():
        source_size, target_size = 8, 8 if settings["tied_embeddings"] == "all" else 9
        model = Model(settings, source_size, target_size)
        sentences = [model.translate(source, target) for source, target in SENTENCES]
        figures[name] = {"config": settings, "source_size": source_size, "target_size": target_size,
                         "parameters": model.p.shapes, "sentences": sentences}
    lines = [f"{json.dumps(name)}: {json.dumps(model)}" for name, model in figures.items()]
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main()
