"""The models of features that are computed, and the grids that they read."""
from catalogue import merged
from catalogue_kinds import KINDS
from grids import Grid

GRIDS = {
    **KINDS,
    "source": {"size": 2, "join_rows": 1,
               "convolutions": {"channels": [], "kernel_size": 3, "row_strides": [1], "column_strides": [1],
                                "layer_norm": False}},
}


def grid(encoder_type, decoder_type, **changes):
    types = merged(GRIDS, {"encoder": {"type": encoder_type}, "decoder": {"type": decoder_type}})
    if encoder_type in ("transformer", "convolutional"):
        types = merged(types, {"encoder": {"hidden_size": 6}})
    return merged(types, changes)


MODELS_OF_GRIDS = {
    "grid_gru": grid("none", "recurrent", decoder={"hidden_size": 5}),
    "grid_transformer": grid("none", "transformer", decoder={"layers": 2}),
    "grid_rows_gru": grid(
        "recurrent", "recurrent", encoder={"layers": 2, "residual": True},
        decoder={"initial_state": "first_backward"}),
    "grid_rows_lstm_copy": grid(
        "recurrent", "recurrent", encoder={"cell": "lstm", "hidden_size": 5, "bidirectional": False},
        decoder={"cell": "lstm", "hidden_size": 5, "initial_state": "copy", "attend": "after"},
        attention={"type": "local_m"}),
    "grid_rows_self_attention_gru": grid(
        "recurrent", "recurrent", encoder={"hidden_size": 5, "self_attention": {"layers": 1}},
        decoder={"initial_state": "last"}, attention={"type": "multi_head"}),
    "grid_transformer_gru": grid("transformer", "recurrent", encoder={"layers": 2}),
    "grid_transformer_transformer": grid(
        "transformer", "transformer", encoder={"layers": 2}, decoder={"layers": 2}, transformer={"groups": 1}),
    "grid_transformer_odd_halves": grid(
        "transformer", "transformer", encoder={"hidden_size": 9}, transformer={"heads": 3, "norm": "post"}),
    "grid_transformer_learned": grid(
        "transformer", "transformer", encoder={"hidden_size": 9}, transformer={"heads": 3},
        positions={"type": "learned", "size": 2}),
    "grid_convolutional_gru": grid("convolutional", "recurrent", encoder={"layers": 2}),
    "grid_convolutional_transformer": grid(
        "convolutional", "transformer", encoder={"kernel_size": 5}, positions={"type": "learned"}),
    "picture_transformer": grid(
        "transformer", "transformer",
        source={"convolutions": {"channels": [3, 4], "row_strides": [2, 1], "column_strides": [2]}}),
    "picture_joined_gru": grid(
        "recurrent", "recurrent",
        source={"join_rows": 2, "convolutions": {"channels": [3], "kernel_size": 2, "layer_norm": True}}),
}


def features(height, width, number):
    """Numbers that float32 holds exactly."""
    return Grid([[((37 * (2 * p + k) + 11 * number) % 97 - 48) / 32 for k in range(2)] for p in range(height * width)],
                height)


# Several rows, one row, one column, and more than the table of positions holds.
SENTENCES_OF_GRIDS = [(features(2, 3, 0), [5, 4]), (features(1, 4, 1), [6, 6, 4, 7]), (features(3, 1, 2), []),
                      (features(4, 5, 3), [8])]
