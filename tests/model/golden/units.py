"""Recurrent units, and layers of them. A state is a pair (hidden, memory); only an LSTM has a memory."""
import math

from parameters import LayerNorm
from vectors import add, dot, sigmoid, times

GATES = {"gru": 3, "gru_cho": 3, "lstm": 4}


class Unit:
    """One unit with an input x, unless input_size is 0, and a second input q, unless context_size is 0."""

    def __init__(self, parameters, name, kind, hidden_size, layer_norm, input_size=0, context_size=0):
        self.kind, self.hidden_size = kind, hidden_size
        width = GATES[kind] * hidden_size
        self.w = parameters.matrix(f"{name}.weight_ih", width, input_size) if input_size else None
        self.c = parameters.matrix(f"{name}.weight_ch", width, context_size) if context_size else None
        self.u = parameters.matrix(f"{name}.weight_hh", width, hidden_size)

        def norm(which, size):
            return LayerNorm(parameters, f"{name}.{which}", size) if layer_norm else None

        self.norm_w = norm("norm_ih", width) if input_size else None
        self.norm_c = norm("norm_ch", width) if context_size else None
        self.norm_u = norm("norm_hh", width)
        self.norm_cell = norm("norm_cell", hidden_size) if kind == "lstm" else None
        self.bias_ih = None if self.norm_w else parameters.vector(f"{name}.bias_ih", width)
        self.bias_hh = None if layer_norm or kind == "gru_cho" else parameters.vector(f"{name}.bias_hh", width)

    def step(self, state, x=None, q=None):
        hidden, memory = state
        outer = self.outer(x, q)
        if self.kind == "gru_cho":
            return self.gru_cho(outer, hidden)
        inner = times(self.u, hidden)
        inner = self.norm_u(inner) if self.norm_u else add(inner, self.bias_hh)
        return self.gru(outer, inner, hidden) if self.kind == "gru" else self.lstm(outer, inner, memory)

    def outer(self, x, q):
        """What the inputs and the first bias give, for all gates."""
        parts = [self.bias_ih] if self.bias_ih else []
        for matrix, norm, value in ((self.w, self.norm_w, x), (self.c, self.norm_c, q)):
            assert (matrix is None) == (value is None)
            if matrix:
                product = times(matrix, value)
                parts.append(norm(product) if norm else product)
        return add(*parts)

    def gru(self, outer, inner, hidden):
        size, result = self.hidden_size, []
        for k in range(size):
            r = sigmoid(outer[k] + inner[k])
            z = sigmoid(outer[size + k] + inner[size + k])
            n = math.tanh(outer[2 * size + k] + r * inner[2 * size + k])
            result.append((1.0 - z) * n + z * hidden[k])
        return result, None

    def gru_cho(self, outer, hidden):
        size, result = self.hidden_size, []
        reset = [sigmoid(outer[k] + dot(self.u[k], hidden)) * hidden[k] for k in range(size)]
        for k in range(size):
            z = sigmoid(outer[size + k] + dot(self.u[size + k], hidden))
            n = math.tanh(outer[2 * size + k] + dot(self.u[2 * size + k], reset))
            result.append((1.0 - z) * hidden[k] + z * n)
        return result, None

    def lstm(self, outer, inner, memory):
        size, gates = self.hidden_size, add(outer, inner)
        new = []
        for k in range(size):
            i, f, g = sigmoid(gates[k]), sigmoid(gates[size + k]), math.tanh(gates[2 * size + k])
            new.append(f * memory[k] + i * g)
        shown = self.norm_cell(new) if self.norm_cell else new
        return [sigmoid(gates[3 * size + k]) * math.tanh(shown[k]) for k in range(size)], new


class Layer:
    """The units of one step: the first sees the inputs, the others only the state that the one before leaves."""

    def __init__(self, parameters, name, settings, layer_norm, input_size, context_size=0):
        kind, self.hidden_size = settings["cell"], settings["hidden_size"]
        self.first = Unit(parameters, name, kind, self.hidden_size, layer_norm, input_size, context_size)
        self.deeper = [Unit(parameters, f"{name}.deep{i}", kind, self.hidden_size, layer_norm)
                       for i in range(1, settings["transition_depth"])]
        self.has_memory = kind == "lstm"

    def zeros(self):
        return [0.0] * self.hidden_size, [0.0] * self.hidden_size if self.has_memory else None

    def step(self, state, x, q=None):
        state = self.first.step(state, x, q)
        for unit in self.deeper:
            state = unit.step(state)
        return state
