"""The recurrent decoder: layers, attention and the readout, in the order that `attend` says."""
from attention import make_attention
from units import Layer
from vectors import add, tanh, times


class Readout:
    def __init__(self, parameters, config, context_size):
        decoder = config["decoder"]
        self.size = decoder["readout_size"] or config["embedding_size"]
        self.maxout = decoder["readout"] == "maxout"
        self.nothing = decoder["readout"] == "none"
        if self.nothing:
            self.size = decoder["hidden_size"]
            return
        rows = 2 * self.size if self.maxout else self.size
        self.w_s = parameters.matrix("decoder.readout.weight_state", rows, decoder["hidden_size"])
        self.w_c = self.w_y = None
        if decoder["attend"] != "never":
            self.w_c = parameters.matrix("decoder.readout.weight_context", rows, context_size)
        if decoder["attend"] not in ("after", "never"):
            self.w_y = parameters.matrix("decoder.readout.weight_word", rows, config["embedding_size"])
        self.b = parameters.vector("decoder.readout.bias", rows)

    def __call__(self, state, word, context):
        if self.nothing:
            return state
        total = add(times(self.w_s, state), self.b)
        if self.w_c:
            total = add(total, times(self.w_c, context))
        if self.w_y:
            total = add(total, times(self.w_y, word))
        if self.maxout:
            return [max(total[2 * i], total[2 * i + 1]) for i in range(self.size)]
        return tanh(total)


class RecurrentDecoder:
    def __init__(self, parameters, config, annotation_size):
        self.settings = config["decoder"]
        size, word_size = self.settings["hidden_size"], config["embedding_size"]
        self.attention = make_attention(parameters, config["attention"], size, annotation_size)
        context_size = self.attention.context_size
        self.readout = Readout(parameters, config, context_size)
        self.readout_size = self.readout.size
        order = self.settings["attend"]
        self.deep_context = self.settings.get("deep_context", False)
        self.feeding = order == "after" and self.settings["input_feeding"]
        second = {"between": 0, "never": 0, "after": self.readout.size if self.feeding else 0}.get(order, context_size)
        lowest = {**self.settings, "transition_depth": 1} if order == "between" else self.settings
        norm = config["layer_norm"] and self.settings.get("layer_norm", True)
        self.layers = [Layer(parameters, "decoder.layer0", lowest, norm, word_size, second)]
        for k in range(1, self.settings["layers"]):
            self.layers.append(Layer(parameters, f"decoder.layer{k}", self.settings, norm, size,
                                     context_size if self.deep_context else 0))
        self.conditional = None  # the upper half of the lowest layer
        if order == "between":
            self.conditional = Layer(parameters, "decoder.conditional", self.settings, norm, context_size)
        self.make_initial(parameters, annotation_size)
        self.step = {"before": self.before, "look_generate_update": self.look_generate_update,
                     "between": self.between, "after": self.after, "never": self.never}[order]

    def make_initial(self, parameters, annotation_size):
        kind, size = self.settings["initial_state"], self.settings["hidden_size"]
        self.initial = []
        if kind in ("zero", "copy"):
            return
        from_size = annotation_size // 2 if kind == "first_backward" else annotation_size
        for k, layer in enumerate(self.layers):
            rows = 2 * size if layer.has_memory else size
            self.initial.append((parameters.matrix(f"decoder.weight_init{k}", rows, from_size),
                                 parameters.vector(f"decoder.bias_init{k}", rows)))

    def initial_states(self, encoded):
        kind, size = self.settings["initial_state"], self.settings["hidden_size"]
        if kind == "zero":
            return [layer.zeros() for layer in self.layers]
        if kind == "copy":
            return list(encoded.final_states)
        x = encoded.mean if kind == "mean" else encoded.last
        if kind == "first_backward":
            x = x[len(x) // 2:]
        both = [tanh(add(times(weight, x), bias)) for weight, bias in self.initial]
        return [(v[:size], v[size:] if layer.has_memory else None) for v, layer in zip(both, self.layers)]

    def begin(self, encoded):
        """Before the first step of a sentence."""
        self.attention.begin(encoded)
        self.states = self.initial_states(encoded)
        self.output = self.states[-1][0]  # until a step was made, the state itself
        self.context = None
        self.fed = [0.0] * self.readout.size

    # One step: the embedding of the previous word -> the readout and the weights.

    def before(self, word):
        previous = self.states[-1][0]
        context, weights = self.attention.attend(previous)
        self.advance(word, context)
        shown = previous if self.settings["readout_state"] == "previous" else self.output
        return self.readout(shown, word, context), weights

    def look_generate_update(self, word):
        if self.context is not None:
            self.advance(word, self.context)
        self.context, weights = self.attention.attend(self.states[-1][0])
        return self.readout(self.output, word, self.context), weights

    def between(self, word):
        middle = self.layers[0].step(self.states[0], word)
        context, weights = self.attention.attend(middle[0])
        self.states[0] = self.conditional.step(middle, context)
        self.advance_above(context)
        return self.readout(self.output, word, context), weights

    def after(self, word):
        self.advance(word, self.fed if self.feeding else None)
        context, weights = self.attention.attend(self.output)
        self.fed = self.readout(self.output, None, context)
        return self.fed, weights

    def never(self, word):
        self.advance(word, None)
        return self.readout(self.output, None, None), None

    def advance(self, word, second):
        self.states[0] = self.layers[0].step(self.states[0], word, second)
        self.advance_above(second)

    def advance_above(self, context):
        """The layers above the lowest; `output` becomes that of the top one."""
        self.output = self.states[0][0]
        for k, layer in enumerate(self.layers[1:], start=1):
            self.states[k] = layer.step(self.states[k], self.output, context if self.deep_context else None)
            above = self.states[k][0]
            self.output = add(above, self.output) if self.settings["residual"] else above
