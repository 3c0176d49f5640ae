"""Arithmetic on lists of numbers. A vector is a list, a matrix a list of its rows."""
import math


def dot(a, b):
    assert len(a) == len(b)
    return sum(x * y for x, y in zip(a, b))


def times(matrix, vector):
    return [dot(row, vector) for row in matrix]


def add(*vectors):
    assert len({len(v) for v in vectors}) == 1
    return [sum(column) for column in zip(*vectors)]


def weighted_sum(weights, vectors):
    assert len(weights) == len(vectors)
    return [dot(weights, column) for column in zip(*vectors)]


def mean(vectors):
    return [sum(column) / len(vectors) for column in zip(*vectors)]


def tanh(vector):
    return [math.tanh(x) for x in vector]


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
