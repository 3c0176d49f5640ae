"""More models that are computed: stacks that alternate, and decoders whose layers all read the context."""
from catalogue import TINY, merged


def bideep(alternating, deep_context, **changes):
    model = merged(TINY, changes)
    return {**model, "encoder": {**model["encoder"], "alternating": alternating},
            "decoder": {**model["decoder"], "deep_context": deep_context}}


BOTH = {"layers": 2, "transition_depth": 2, "residual": True}

BIDEEP_MODELS = {
    "bideep": bideep(True, True, encoder=BOTH, decoder={**BOTH, "attend": "between"}),
    "bideep_layer_norm": bideep(
        True, True, layer_norm=True, encoder={"layers": 2}, decoder={"layers": 3, "initial_state": "last"}),
    "alternating_three_layers": bideep(
        True, False, encoder={"layers": 3, "residual": True, "reverse_source": True},
        decoder={"initial_state": "last"}),
    "alternating_lstm": bideep(
        True, False, encoder={"cell": "lstm", "layers": 2}, decoder={"initial_state": "last", "attend": "after"},
        attention={"type": "general"}),
    "deep_context_look_generate_update": bideep(
        False, True, encoder={"layers": 2},
        decoder={"cell": "lstm", "layers": 2, "attend": "look_generate_update", "residual": True}),
    "deep_context_without_attention": bideep(
        False, True, decoder={"cell": "gru_cho", "layers": 2}, attention={"type": "none"}),
}
