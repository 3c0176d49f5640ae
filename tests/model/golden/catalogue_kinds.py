"""More models that are computed: Transformer encoders and decoders, convolutional encoders, and each with others."""
from catalogue import TINY, merged

# The longest source has four positions, more than the table of positions.
KINDS = {
    **TINY,
    "embedding_size": 6,
    "encoder": {**TINY["encoder"], "type": "recurrent", "kernel_size": 3},
    "decoder": {**TINY["decoder"], "type": "recurrent", "hidden_size": 6},
    "positions": {"type": "sinusoidal", "size": 3},
    "transformer": {"heads": 2, "groups": 0, "feed_forward_size": 7, "activation": "relu", "norm": "pre",
                    "alignment_layer": 0},
}


def kind(encoder_type, decoder_type, **changes):
    types = merged(KINDS, {"encoder": {"type": encoder_type}, "decoder": {"type": decoder_type}})
    if encoder_type != "recurrent":
        types = merged(types, {"encoder": {"hidden_size": 6}})
    return merged(types, changes)


def transformer(**changes):
    return kind("transformer", "transformer", **changes)


TRANSFORMER = {
    "transformer_post_relu": transformer(
        tied_embeddings="all", encoder={"layers": 2}, decoder={"layers": 2}, transformer={"norm": "post"}),
    "transformer_pre_relu": transformer(encoder={"layers": 2}, decoder={"layers": 2}),
    "transformer_pre_gelu_learned": transformer(
        encoder={"layers": 2, "hidden_size": 8}, positions={"type": "learned"},
        transformer={"groups": 1, "activation": "gelu"}),
    "transformer_post_gelu_grouped": transformer(
        tied_embeddings="none", embedding_size=3, encoder={"hidden_size": 8}, decoder={"layers": 2, "hidden_size": 12},
        transformer={"heads": 4, "groups": 2, "activation": "gelu", "norm": "post"}),
    "transformer_pre_swiglu_grouped": transformer(
        tied_embeddings="none", embedding_size=3, encoder={"hidden_size": 8}, decoder={"layers": 3, "hidden_size": 4},
        transformer={"heads": 4, "groups": 2, "activation": "swiglu", "alignment_layer": 1}),
    "transformer_post_swiglu_learned": transformer(
        tied_embeddings="none", embedding_size=5, encoder={"hidden_size": 4}, decoder={"layers": 3},
        positions={"type": "learned", "size": 2},
        transformer={"groups": 1, "activation": "swiglu", "norm": "post", "alignment_layer": 2}),
    "transformer_one_head_odd_width": transformer(
        embedding_size=3, encoder={"hidden_size": 5}, decoder={"hidden_size": 3, "first_word": "zero"},
        transformer={"heads": 1}),
    "transformer_every_head_a_group": transformer(
        decoder={"layers": 2}, transformer={"heads": 3, "groups": 3, "feed_forward_size": 2, "alignment_layer": 2}),
    "transformer_one_position": transformer(
        positions={"type": "learned", "size": 1}, decoder={"first_word": "zero"},
        transformer={"heads": 6, "groups": 3, "norm": "post"}),
    "transformer_right_to_left": transformer(
        decoder={"layers": 2, "reverse_target": True, "first_word": "zero"}, positions={"type": "learned"},
        transformer={"groups": 2, "activation": "gelu"}),
    "transformer_ignoring_keys_of_others": transformer(
        layer_norm=True,
        encoder={"cell": "lstm", "transition_depth": 2, "residual": True},
        decoder={"attend": "after", "initial_state": "last", "readout": "maxout", "readout_size": 4,
                 "transition_depth": 2},
        attention={"type": "local_m"}, transformer={"activation": "swiglu"}),
}

MIXED = {
    "transformer_gru": kind("transformer", "recurrent", encoder={"layers": 2, "hidden_size": 4}),
    "transformer_post_conditional_gru": kind(
        "transformer", "recurrent", embedding_size=3, layer_norm=True,
        decoder={"layers": 2, "hidden_size": 5, "attend": "between"}, positions={"type": "learned"},
        transformer={"groups": 1, "activation": "swiglu", "norm": "post"}, attention={"type": "multi_head"}),
    "transformer_lstm_after": kind(
        "transformer", "recurrent", encoder={"layers": 2},
        decoder={"cell": "lstm", "attend": "after", "initial_state": "zero"}, transformer={"activation": "gelu"},
        attention={"type": "general"}),
    "transformer_gru_never": kind(
        "transformer", "recurrent", decoder={"attend": "never"}, attention={"type": "none"},
        transformer={"heads": 3, "norm": "post"}),
    "convolutional_gru": kind("convolutional", "recurrent", encoder={"layers": 2, "hidden_size": 4}),
    "convolutional_wide_gru": kind(
        "convolutional", "recurrent", encoder={"layers": 3, "kernel_size": 5}, decoder={"hidden_size": 5},
        positions={"type": "learned"}, attention={"coverage": "fertility"}),
    "convolutional_one_wide_lstm": kind(
        "convolutional", "recurrent", embedding_size=3, encoder={"kernel_size": 1, "hidden_size": 5},
        decoder={"cell": "lstm", "attend": "look_generate_update", "initial_state": "zero"},
        attention={"type": "local_p"}),
    "convolutional_reaching_beyond": kind(
        "convolutional", "recurrent", encoder={"layers": 2, "kernel_size": 11, "hidden_size": 2},
        decoder={"attend": "after"}),
    "gru_transformer": kind("recurrent", "transformer", decoder={"layers": 2}),
    "gru_transformer_post_learned": kind(
        "recurrent", "transformer", tied_embeddings="none", embedding_size=3, layer_norm=True,
        encoder={"layers": 2, "residual": True, "reverse_source": True},
        decoder={"layers": 2, "hidden_size": 4, "first_word": "zero"}, positions={"type": "learned"},
        transformer={"groups": 1, "activation": "swiglu", "norm": "post", "alignment_layer": 1}),
    "lstm_self_attention_transformer": kind(
        "recurrent", "transformer", encoder={"cell": "lstm", "bidirectional": False, "hidden_size": 4,
                                             "self_attention": {"layers": 1}},
        transformer={"heads": 6, "groups": 2, "activation": "gelu"}),
    "convolutional_transformer": kind(
        "convolutional", "transformer", encoder={"layers": 2, "hidden_size": 5}, decoder={"layers": 2}),
    "convolutional_transformer_post_learned": kind(
        "convolutional", "transformer", tied_embeddings="all", encoder={"kernel_size": 5},
        positions={"type": "learned"},
        transformer={"heads": 3, "groups": 1, "activation": "swiglu", "norm": "post"}),
    "no_encoder_gru": kind("none", "recurrent", decoder={"hidden_size": 5}),
    "no_encoder_transformer": kind("none", "transformer", decoder={"layers": 2}, transformer={"norm": "post"}),
}

MODELS_OF_KINDS = {**TRANSFORMER, **MIXED}
