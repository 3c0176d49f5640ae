"""Sources, and what enters the encoder of them: embedded words, or the projected vectors of a grid of features."""
from parameters import LayerNorm
from vectors import add, times


class Grid:
    """Vectors at the positions of `height` rows of equal length, row after row. A sentence has one row."""

    def __init__(self, vectors, height=1):
        self.vectors, self.height, self.width = vectors, height, len(vectors) // height

    def lines(self):
        return [self.vectors[y * self.width:(y + 1) * self.width] for y in range(self.height)]

    def at(self, y, x):
        return self.vectors[y * self.width + x] if 0 <= y < self.height and 0 <= x < self.width else None


class Words:
    """The embeddings of a list of pieces, and of the end of the sentence."""

    def __init__(self, table, end):
        self.table, self.end = table, end

    def embed(self, source):
        return Grid([self.table[i] for i in source + [self.end]])


class Features:
    """The projection of a Grid."""

    def __init__(self, parameters, config):
        settings = config["source"]
        self.join, form = settings["join_rows"], settings["convolutions"]
        depths = [settings["size"]] + form["channels"]
        self.convolutions = [Convolution(parameters, i, depths[i], depths[i + 1], form)
                             for i in range(len(form["channels"]))]
        width = config["embedding_size"]
        self.weight = parameters.matrix("source.weight", width, depths[-1] * self.join)
        self.bias = parameters.vector("source.bias", width)

    def embed(self, grid):
        for convolution in self.convolutions:
            grid = convolution(grid)
        grid = self.joined(grid)
        return Grid([add(times(self.weight, v), self.bias) for v in grid.vectors], grid.height)

    def joined(self, grid):
        height, nothing = -(-grid.height // self.join), [0.0] * len(grid.vectors[0])
        vectors = []
        for y in range(height):
            for x in range(grid.width):
                parts = [grid.at(self.join * y + i, x) or nothing for i in range(self.join)]
                vectors.append(sum(parts, []))
        return Grid(vectors, height)


def element(strides, i):
    return strides[i if len(strides) > 1 else 0]


class Convolution:
    def __init__(self, parameters, i, inputs, outputs, form):
        name = f"source.convolutions.layer{i}"
        self.inputs, self.size = inputs, form["kernel_size"]
        self.row_stride, self.column_stride = element(form["row_strides"], i), element(form["column_strides"], i)
        self.weight = parameters.matrix(f"{name}.weight", outputs, self.size * self.size * inputs)
        self.norm = LayerNorm(parameters, f"{name}.norm", outputs) if form["layer_norm"] else None
        self.bias = None if self.norm else parameters.vector(f"{name}.bias", outputs)

    def __call__(self, grid):
        height, width = -(-grid.height // self.row_stride), -(-grid.width // self.column_stride)
        return Grid([self.at(grid, y, x) for y in range(height) for x in range(width)], height)

    def at(self, grid, y, x):
        top = y * self.row_stride + (self.row_stride - self.size) // 2
        left = x * self.column_stride + (self.column_stride - self.size) // 2
        window = []
        for a in range(top, top + self.size):
            for b in range(left, left + self.size):
                window += grid.at(a, b) or [0.0] * self.inputs
        sums = times(self.weight, window)
        return [max(0.0, v) for v in (self.norm(sums) if self.norm else add(sums, self.bias))]
