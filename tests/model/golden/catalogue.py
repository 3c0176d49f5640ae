"""The models that are computed: what each differs in from TINY, under the keys of the configuration."""
import copy

# The widths differ from one another, so that none can stand for another.
TINY = {
    "embedding_size": 3,
    "tied_embeddings": "target",
    "layer_norm": False,
    "encoder": {
        "cell": "gru", "layers": 1, "hidden_size": 2, "bidirectional": True, "residual": False,
        "reverse_source": False, "transition_depth": 1,
        "self_attention": {"layers": 0, "heads": 2, "groups": 0, "causal": False, "positions": True},
    },
    "decoder": {
        "cell": "gru", "layers": 1, "hidden_size": 5, "attend": "before", "input_feeding": True,
        "initial_state": "mean", "readout": "tanh", "readout_state": "current", "readout_size": 0,
        "first_word": "bos", "reverse_target": False, "residual": False, "transition_depth": 1,
    },
    "attention": {
        "type": "additive", "size": 6, "score": "general", "window": 1, "positions": 3, "heads": 3, "groups": 1,
        "coverage": "none",
    },
}


def merged(settings, changes):
    result = copy.deepcopy(settings)
    for key, value in changes.items():
        assert key in result, key
        result[key] = merged(result[key], value) if isinstance(value, dict) else value
    return result


def tiny(**changes):
    return merged(TINY, changes)


FOUNDATIONS = {
    "gru_before_additive": tiny(
        tied_embeddings="none",
        decoder={"hidden_size": 3, "readout_size": 4}, attention={"size": 3}),
    "lstm_after_general_feeding": tiny(
        encoder={"cell": "lstm", "layers": 2, "hidden_size": 3, "bidirectional": False},
        decoder={"cell": "lstm", "layers": 2, "hidden_size": 4, "attend": "after", "initial_state": "last"},
        attention={"type": "general", "size": 3}),
    "layer_norm_gru_before_concat": tiny(
        tied_embeddings="all", layer_norm=True,
        encoder={"layers": 2, "residual": True},
        decoder={"layers": 2, "hidden_size": 3, "residual": True}, attention={"type": "concat", "size": 3}),
    "layer_norm_lstm_after_dot": tiny(
        tied_embeddings="none", layer_norm=True,
        encoder={"cell": "lstm"},
        decoder={"cell": "lstm", "layers": 2, "hidden_size": 4, "attend": "after", "input_feeding": False,
                 "initial_state": "zero", "residual": True},
        attention={"type": "dot", "size": 3}),
    "gru_before_none": tiny(
        encoder={"hidden_size": 3, "bidirectional": False},
        decoder={"hidden_size": 3, "initial_state": "last"}, attention={"type": "none", "size": 3}),
}

# The first sentence has four positions, more than `location` reaches and than a window of one holds.
ATTENTION = {
    "location": tiny(attention={"type": "location"}),
    "location_after": tiny(decoder={"attend": "after"}, attention={"type": "location", "positions": 2}),
    "local_m_additive": tiny(attention={"type": "local_m", "score": "additive"}),
    "local_m_dot": tiny(decoder={"hidden_size": 4}, attention={"type": "local_m", "score": "dot"}),
    "local_m_general": tiny(decoder={"attend": "after"}, attention={"type": "local_m"}),
    "local_m_concat": tiny(decoder={"attend": "between"}, attention={"type": "local_m", "score": "concat"}),
    "local_m_without_feeding": tiny(
        decoder={"attend": "after", "input_feeding": False}, attention={"type": "local_m"}),
    "local_p_additive": tiny(decoder={"attend": "between"}, attention={"type": "local_p", "score": "additive"}),
    "local_p_dot": tiny(
        decoder={"hidden_size": 4, "attend": "after"}, attention={"type": "local_p", "score": "dot"}),
    "local_p_general": tiny(attention={"type": "local_p"}),
    "local_p_concat": tiny(
        decoder={"attend": "look_generate_update"}, attention={"type": "local_p", "score": "concat"}),
    "local_p_wider_window": tiny(
        decoder={"attend": "after", "input_feeding": False}, attention={"type": "local_p", "window": 2}),
    "scaled_dot": tiny(attention={"type": "scaled_dot"}),
    "scaled_dot_after": tiny(decoder={"attend": "after"}, attention={"type": "scaled_dot", "size": 3}),
    "multi_head": tiny(attention={"type": "multi_head"}),
    "multi_head_after": tiny(
        decoder={"attend": "after", "input_feeding": False}, attention={"type": "multi_head", "heads": 2}),
    "multi_query": tiny(attention={"type": "multi_query"}),
    "multi_query_between": tiny(decoder={"attend": "between"}, attention={"type": "multi_query", "heads": 6}),
    "grouped_query": tiny(attention={"type": "grouped_query", "size": 8, "heads": 4, "groups": 2}),
    "grouped_query_look_generate_update": tiny(
        decoder={"attend": "look_generate_update"},
        attention={"type": "grouped_query", "heads": 6, "groups": 3}),
    "coverage_sum": tiny(attention={"coverage": "sum"}),
    "coverage_sum_after": tiny(
        decoder={"attend": "after", "input_feeding": False}, attention={"coverage": "sum"}),
    "coverage_fertility": tiny(attention={"coverage": "fertility"}),
    "coverage_fertility_between": tiny(decoder={"attend": "between"}, attention={"coverage": "fertility"}),
}

ENCODER = {
    "gru_cho": tiny(encoder={"cell": "gru_cho"}, decoder={"cell": "gru_cho"}),
    "reversed": tiny(
        encoder={"reverse_source": True, "bidirectional": False}, decoder={"initial_state": "last"}),
    "reversed_both_directions": tiny(
        encoder={"reverse_source": True, "layers": 2, "residual": True},
        decoder={"initial_state": "last"}, attention={"type": "location"}),
    "reversed_first_backward": tiny(
        encoder={"reverse_source": True}, decoder={"initial_state": "first_backward"},
        attention={"type": "local_m"}),
    "deep_transition": tiny(
        encoder={"layers": 2, "transition_depth": 2}, decoder={"layers": 2, "transition_depth": 3}),
    "deep_transition_layer_norm": tiny(
        layer_norm=True,
        encoder={"transition_depth": 3},
        decoder={"transition_depth": 2, "attend": "after", "initial_state": "last"}),
    "deep_transition_gru_cho": tiny(
        encoder={"cell": "gru_cho", "transition_depth": 3},
        decoder={"cell": "gru_cho", "transition_depth": 2, "attend": "look_generate_update"}),
    "self_attention": tiny(encoder={"self_attention": {"layers": 2}}, decoder={"initial_state": "last"}),
    "self_attention_without_positions": tiny(
        layer_norm=True,
        encoder={"layers": 2, "residual": True, "self_attention": {"layers": 1, "heads": 4, "positions": False}},
        attention={"type": "multi_head"}),
    "self_attention_causal_grouped": tiny(
        encoder={"self_attention": {"layers": 2, "groups": 1, "causal": True}},
        decoder={"initial_state": "first_backward"}),
    "self_attention_reversed_odd_width": tiny(
        encoder={"hidden_size": 3, "bidirectional": False, "reverse_source": True,
                 "self_attention": {"layers": 1, "heads": 3, "causal": True}}),
    "self_attention_none": tiny(
        encoder={"self_attention": {"layers": 1}}, attention={"type": "none"}),
}

DECODER = {
    "look_generate_update": tiny(decoder={"attend": "look_generate_update"}),
    "look_generate_update_lstm": tiny(
        tied_embeddings="none",
        encoder={"cell": "lstm"},
        decoder={"cell": "lstm", "layers": 2, "attend": "look_generate_update", "residual": True, "readout_size": 4,
                 "first_word": "zero"}),
    "between_gru_cho": tiny(decoder={"cell": "gru_cho", "attend": "between", "readout": "maxout"}),
    "between_lstm": tiny(
        encoder={"cell": "lstm"},
        decoder={"cell": "lstm", "layers": 3, "attend": "between", "residual": True},
        attention={"type": "general"}),
    "between_deep": tiny(
        decoder={"layers": 2, "attend": "between", "transition_depth": 3, "residual": True, "first_word": "zero"}),
    "between_layer_norm": tiny(
        layer_norm=True,
        encoder={"transition_depth": 2},
        decoder={"attend": "between", "transition_depth": 2}, attention={"type": "multi_head"}),
    "between_layer_norm_lstm": tiny(
        layer_norm=True, decoder={"cell": "lstm", "attend": "between"}, attention={"type": "scaled_dot"}),
    "after_feeding_gru_cho": tiny(
        decoder={"cell": "gru_cho", "layers": 2, "attend": "after", "residual": True}),
    "after_maxout": tiny(
        tied_embeddings="none",
        decoder={"attend": "after", "readout": "maxout", "readout_size": 4, "first_word": "zero"}),
    "after_without_feeding_maxout": tiny(
        decoder={"layers": 2, "attend": "after", "input_feeding": False, "readout": "maxout"}),
    "maxout": tiny(decoder={"readout": "maxout"}),
    "previous_state": tiny(
        decoder={"layers": 2, "residual": True, "readout_state": "previous"}),
    "zero_first_word": tiny(decoder={"first_word": "zero"}),
    "right_to_left": tiny(decoder={"reverse_target": True}),
    "right_to_left_local": tiny(
        encoder={"reverse_source": True},
        decoder={"attend": "after", "reverse_target": True, "first_word": "zero"}, attention={"type": "local_m"}),
    "right_to_left_look_generate_update": tiny(
        decoder={"cell": "lstm", "layers": 2, "attend": "look_generate_update", "reverse_target": True},
        attention={"coverage": "sum"}),
    "first_backward": tiny(encoder={"layers": 2, "residual": True}, decoder={"initial_state": "first_backward"}),
    "first_backward_lstm": tiny(
        encoder={"cell": "gru_cho"},
        decoder={"cell": "lstm", "layers": 2, "initial_state": "first_backward"}),
    "copy": tiny(
        encoder={"layers": 2, "hidden_size": 5, "bidirectional": False, "residual": True},
        decoder={"layers": 2, "initial_state": "copy"}),
    "copy_lstm": tiny(
        layer_norm=True,
        encoder={"cell": "lstm", "layers": 2, "hidden_size": 5, "bidirectional": False, "residual": True},
        decoder={"cell": "lstm", "layers": 2, "attend": "between", "initial_state": "copy", "residual": True}),
}


def normalised_encoder(**changes):
    model = tiny(layer_norm=True, **changes)
    return {**model, "decoder": {**model["decoder"], "layer_norm": False}}


def luong(attention, **changes):
    return merged(tiny(
        encoder={"cell": "lstm", "layers": 2, "hidden_size": 5, "bidirectional": False, "reverse_source": True},
        decoder={"cell": "lstm", "layers": 2, "attend": "after", "initial_state": "copy"},
        attention=attention), changes)


RNNSEARCH = tiny(
    tied_embeddings="none",
    encoder={"cell": "gru_cho"},
    decoder={"cell": "gru_cho", "initial_state": "first_backward", "readout": "maxout", "readout_size": 4,
             "first_word": "zero"})

PAPERS = {
    "rnnenc": merged(RNNSEARCH, {
        "encoder": {"hidden_size": 5, "bidirectional": False},
        "decoder": {"attend": "look_generate_update", "initial_state": "last"}, "attention": {"type": "none"}}),
    "rnnsearch_printed": merged(RNNSEARCH, {"decoder": {"readout_state": "previous"}}),
    "rnnsearch_code": merged(RNNSEARCH, {"decoder": {"attend": "look_generate_update"}}),
    "rnnsearch_fertility": merged(RNNSEARCH, {
        "decoder": {"attend": "look_generate_update"}, "attention": {"coverage": "fertility"}}),
    "luong_base": luong({"type": "none"}, decoder={"attend": "never", "readout": "none"}, tied_embeddings="none"),
    "never_with_readout": tiny(decoder={"attend": "never", "readout": "maxout"}, attention={"type": "none"}),
    "luong_location": luong({"type": "location"}, decoder={"input_feeding": False}),
    "luong_local_m": luong({"type": "local_m"}),
    "luong_local_p": luong({"type": "local_p"}),
    "conditional_gru": tiny(layer_norm=True, decoder={"attend": "between"}),
    "conditional_gru_normalised_encoder": normalised_encoder(decoder={"attend": "between"}),
    "deep_conditional_gru": tiny(
        encoder={"layers": 2, "transition_depth": 2, "residual": True},
        decoder={"layers": 2, "attend": "between", "transition_depth": 2, "residual": True}),
}

MODELS = {**FOUNDATIONS, **ATTENTION, **ENCODER, **DECODER, **PAPERS}
