"""More models that are computed: decoders with a lexical model."""
from catalogue import TINY, merged
from catalogue_kinds import kind


def lexical(model, **changes):
    model = merged(model, changes)
    return {**model, "decoder": {**model["decoder"], "lexical": True}}


MODELS_WITH_LEXICAL = {
    "lexical_before_additive": lexical(TINY, tied_embeddings="none", decoder={"readout_size": 4}),
    "lexical_feeding_multi_head": lexical(
        TINY, encoder={"reverse_source": True}, decoder={"attend": "after", "layers": 2},
        attention={"type": "multi_head"}),
    "lexical_together_local_p": lexical(
        TINY, tied_embeddings="all", decoder={"attend": "after", "input_feeding": False}, attention={"type": "local_p"}),
    "lexical_conditional_coverage": lexical(
        TINY, layer_norm=True, decoder={"attend": "between"}, attention={"coverage": "sum"}),
    "lexical_right_to_left": lexical(
        TINY, decoder={"attend": "look_generate_update", "reverse_target": True, "first_word": "zero"}),
    "lexical_transformer": lexical(
        kind("transformer", "transformer"), tied_embeddings="all", encoder={"layers": 2}, decoder={"layers": 2},
        transformer={"alignment_layer": 1}),
    "lexical_convolutional_transformer": lexical(
        kind("convolutional", "transformer"), tied_embeddings="none", embedding_size=4, encoder={"hidden_size": 5},
        transformer={"groups": 1, "norm": "post"}),
}
