"""The attention mechanisms. For each sentence `begin`, then `attend` once for each target step.

`attend` gives the context and the weights of all source positions; the weights are None for the mechanism `none`.
"""
import math

from vectors import add, dot, sigmoid, softmax, tanh, times, weighted_sum

NAME = "decoder.attention"


def make_score(parameters, name, kind, size, query_size, annotation_size):
    """s(q, h), a function of a query and an annotation, for `additive`, `dot`, `general` and `concat`."""
    if kind == "dot":
        return dot
    if kind == "general":
        matrix = parameters.matrix(f"{name}.weight", query_size, annotation_size)
        return lambda query, annotation: dot(query, times(matrix, annotation))
    v = parameters.matrix(f"{name}.weight_score", 1, size)[0]
    if kind == "concat":
        matrix = parameters.matrix(f"{name}.weight", size, query_size + annotation_size)
        return lambda query, annotation: dot(v, tanh(times(matrix, query + annotation)))
    w = parameters.matrix(f"{name}.weight_query", size, query_size)
    u = parameters.matrix(f"{name}.weight_key", size, annotation_size)
    return lambda query, annotation: dot(v, tanh(add(times(w, query), times(u, annotation))))


class Attention:
    """What the mechanisms share; context_size is the width of a context."""

    def __init__(self, context_size):
        self.context_size = context_size
        self.annotations, self.step = [], 0

    def begin(self, encoded):
        self.annotations, self.step = encoded.annotations, 0

    def attend(self, query):
        weights = self.weights(query)
        self.step += 1
        return weighted_sum(weights, self.annotations), weights

    def weights(self, query):
        raise NotImplementedError


class NoAttention(Attention):
    def begin(self, encoded):
        self.last = encoded.last

    def attend(self, query):
        return self.last, None


class Scored(Attention):
    def __init__(self, parameters, settings, query_size, annotation_size):
        super().__init__(annotation_size)
        self.score = make_score(parameters, NAME, settings["type"], settings["size"], query_size, annotation_size)

    def weights(self, query):
        return softmax([self.score(query, annotation) for annotation in self.annotations])


class Location(Attention):
    def __init__(self, parameters, settings, query_size, annotation_size):
        super().__init__(annotation_size)
        self.matrix = parameters.matrix(f"{NAME}.weight", settings["positions"], query_size)

    def weights(self, query):
        reached = min(len(self.annotations), len(self.matrix))
        scores = [dot(self.matrix[j], query) for j in range(reached)]
        return softmax(scores) + [0.0] * (len(self.annotations) - reached)


class Local(Attention):
    """A window around a centre, which is the target step (local_m) or predicted from the query (local_p)."""

    def __init__(self, parameters, settings, query_size, annotation_size):
        super().__init__(annotation_size)
        self.window = settings["window"]
        self.score = make_score(parameters, f"{NAME}.score", settings["score"], settings["size"], query_size,
                                annotation_size)
        self.predicted = settings["type"] == "local_p"
        if self.predicted:
            self.w_p = parameters.matrix(f"{NAME}.weight_position", query_size, query_size)
            self.v_p = parameters.matrix(f"{NAME}.weight_predict", 1, query_size)[0]

    def centre(self, query):
        if self.predicted:
            return len(self.annotations) * sigmoid(dot(self.v_p, tanh(times(self.w_p, query))))
        return min(self.step, len(self.annotations) - 1)

    def weights(self, query):
        centre = self.centre(query)
        inside = [s for s in range(len(self.annotations)) if abs(s - centre) <= self.window]
        result = [0.0] * len(self.annotations)
        for s, weight in zip(inside, softmax([self.score(query, self.annotations[s]) for s in inside])):
            deviation = self.window / 2
            nearness = math.exp(-(s - centre) ** 2 / (2 * deviation ** 2)) if self.predicted else 1.0
            result[s] = weight * nearness
        return result


class Coverage(Attention):
    def __init__(self, parameters, settings, query_size, annotation_size):
        super().__init__(annotation_size)
        size = settings["size"]
        self.v = parameters.matrix(f"{NAME}.weight_score", 1, size)[0]
        self.w = parameters.matrix(f"{NAME}.weight_query", size, query_size)
        self.u = parameters.matrix(f"{NAME}.weight_key", size, annotation_size)
        self.v_c = [row[0] for row in parameters.matrix(f"{NAME}.weight_coverage", size, 1)]
        self.u_f = None
        if settings["coverage"] == "fertility":
            self.u_f = parameters.matrix(f"{NAME}.weight_fertility", 1, annotation_size)[0]

    def begin(self, encoded):
        super().begin(encoded)
        self.covered = [0.0] * len(self.annotations)
        self.fertility = [2.0 * sigmoid(dot(self.u_f, h)) if self.u_f else 1.0 for h in self.annotations]

    def weights(self, query):
        result = softmax([
            dot(self.v, tanh(add(times(self.w, query), times(self.u, h), [v * covered for v in self.v_c])))
            for h, covered in zip(self.annotations, self.covered)])
        self.covered = [before + weight / fertility
                        for before, weight, fertility in zip(self.covered, result, self.fertility)]
        return result


class HeadShape:
    def __init__(self, query_size, annotation_size, size, heads, groups, has_output=True):
        self.query_size, self.annotation_size, self.size = query_size, annotation_size, size
        self.heads, self.groups, self.has_output = heads, groups, has_output
        self.width = size // heads


class Heads:
    """Scaled dot products in several heads. `look` gives the context and the mean of the heads' weights."""

    def __init__(self, parameters, name, shape):
        self.shape = shape
        shared_size = shape.groups * shape.width
        self.w_q = parameters.matrix(f"{name}.weight_query", shape.size, shape.query_size)
        self.w_k = parameters.matrix(f"{name}.weight_key", shared_size, shape.annotation_size)
        self.w_v = parameters.matrix(f"{name}.weight_value", shared_size, shape.annotation_size)
        self.w_o = parameters.matrix(f"{name}.weight_output", shape.size, shape.size) if shape.has_output else None

    def look(self, query, annotations):
        shape, joined, all_weights = self.shape, [], []
        for head in range(shape.heads):
            group = head // (shape.heads // shape.groups)
            q = times(self.part(self.w_q, head), query)
            keys = [times(self.part(self.w_k, group), h) for h in annotations]
            values = [times(self.part(self.w_v, group), h) for h in annotations]
            weights = softmax([dot(q, key) / math.sqrt(shape.width) for key in keys])
            joined += weighted_sum(weights, values)
            all_weights.append(weights)
        context = times(self.w_o, joined) if self.w_o else joined
        return context, weighted_sum([1.0 / shape.heads] * shape.heads, all_weights)

    def part(self, matrix, head):
        return matrix[head * self.shape.width:(head + 1) * self.shape.width]


class MultiHead(Attention):
    def __init__(self, parameters, settings, query_size, annotation_size):
        super().__init__(settings["size"])
        kind = settings["type"]
        heads = 1 if kind == "scaled_dot" else settings["heads"]
        groups = {"multi_head": heads, "grouped_query": settings["groups"]}.get(kind, 1)
        self.heads = Heads(parameters, NAME, HeadShape(query_size, annotation_size, settings["size"], heads, groups,
                                                       has_output=kind != "scaled_dot"))

    def attend(self, query):
        return self.heads.look(query, self.annotations)


def make_attention(parameters, settings, query_size, annotation_size):
    kind = settings["type"]
    if kind == "none":
        return NoAttention(annotation_size)
    if kind == "location":
        made = Location
    elif kind in ("local_m", "local_p"):
        made = Local
    elif kind in ("scaled_dot", "multi_head", "multi_query", "grouped_query"):
        made = MultiHead
    else:
        made = Scored if settings["coverage"] == "none" else Coverage
    return made(parameters, settings, query_size, annotation_size)
