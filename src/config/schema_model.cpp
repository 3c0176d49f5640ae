#include <utility>
#include <vector>

#include "config/schema_builder.h"

namespace softalign {

std::vector<Key> model_keys() {
    KeyList list;
    list.add(KEY(model.embedding_size), between(1, max_width), "Width of the word embeddings of both sides.");
    list.add(KEY(model.tied_embeddings), any(),
             "Weights that are one (Press and Wolf 2017): `target` embeddings and output projection, or `all` with the "
             "source embeddings.");
    list.add(KEY(model.layer_norm), any(), "Layer normalisation inside the recurrent units (Ba et al. 2016).");
    list.add(
        KEY(model.encoder.cell), any(),
        "Recurrent unit: `gru` as in LibTorch and cuDNN, whose reset gate acts on the product; `gru_cho`, the gated "
        "unit "
        "of Cho et al. 2014 and Bahdanau et al. 2014, whose reset gate acts on the state; `lstm` (Hochreiter and "
        "Schmidhuber 1997).");
    list.add(KEY(model.encoder.layers), between(1, max_layers), "Recurrent layers.");
    list.add(KEY(model.encoder.hidden_size), between(1, max_width), "Width of the state of a direction.");
    list.add(KEY(model.encoder.bidirectional), any(),
             "Read the sentence in both directions (Bahdanau et al. 2014); annotations are then twice as wide.");
    list.add(KEY(model.encoder.residual), any(),
             "Add the input of a layer to its output, from the second layer on (He et al. 2016).");
    list.add(
        KEY(model.encoder.reverse_source), any(),
        "Read the words from the last to the first, the end of sentence still last (Sutskever et al. 2014). Alignments "
        "and positions keep the order of the text.");
    list.add(KEY(model.encoder.transition_depth), between(1, max_layers),
             "Units a step of every layer; those after the first see the state alone (deep transition, Pascanu et al. "
             "2014). "
             "GRUs only.");
    list.add(
        KEY(model.encoder.self_attention.layers), between(0, max_layers),
        "Layers of multi-head self-attention over the annotations, each with a residual sum and layer normalisation "
        "(Vaswani et al. 2017). 0: none.");
    list.add(KEY(model.encoder.self_attention.heads), between(1, max_width),
             "Heads; they share the width of an annotation evenly.");
    list.add(KEY(model.encoder.self_attention.groups), between(0, max_width),
             "Key and value heads, each shared by as many query heads (Ainslie et al. 2023). 0: one for each head.");
    list.add(KEY(model.encoder.self_attention.causal), any(), "A position sees only itself and those before it.");
    list.add(KEY(model.encoder.self_attention.positions), any(),
             "Add sinusoids of the position to the annotations first (Vaswani et al. 2017, section 3.5).");
    list.add(KEY(model.decoder.cell), any(), "Recurrent unit, as for the encoder.");
    list.add(KEY(model.decoder.layers), between(1, max_layers), "Recurrent layers.");
    list.add(KEY(model.decoder.hidden_size), between(1, max_width), "Width of the state.");
    list.add(
        KEY(model.decoder.attend), any(),
        "When the decoder attends: `before` its update, with the previous state (Bahdanau et al. 2014 as printed); "
        "`look_generate_update`, with the current state and before the new word enters it (the code of that paper); "
        "`between` the two units of a conditional GRU (Nematus, Sennrich et al. 2017); `after` the update, with the "
        "current state (Luong et al. 2015); or `never`: the source is known from the initial state alone (Sutskever et "
        "al. 2014), which needs model.attention.type: none.");
    list.add(
        KEY(model.decoder.input_feeding), any(),
        "With attend `after`: the attentional state is input to the next step (Luong et al. 2015). With the others it "
        "says nothing.");
    list.add(
        KEY(model.decoder.initial_state), any(),
        "Where the decoder starts: a projection of the encoder's `last` state, of the `mean` of its annotations, or of "
        "the `first_backward` annotation (Bahdanau et al. 2014); a `copy` of the encoder's last states layer by layer "
        "(Luong et al. 2015); or `zero`.");
    list.add(
        KEY(model.decoder.readout), any(),
        "The layer before the output projection: `tanh`, `maxout` of pairs (Goodfellow et al. 2013; Bahdanau et al. "
        "2014, appendix A.2.2), or `none`: the state itself, with attend `never`.");
    list.add(KEY(model.decoder.readout_state), any(),
             "With attend `before`: the readout sees the `current` state (Bahdanau et al. 2014, equation 4) or the "
             "`previous` one (the same, appendix A.2.2). With the others it must be `current`.");
    list.add(KEY(model.decoder.readout_size), between(0, max_width),
             "Width of the layer before the output projection. 0: as model.embedding_size.");
    list.add(
        KEY(model.decoder.first_word), any(),
        "What stands for the word before the first: the embedding of the begin-of-sentence piece (`bos`) or `zero`.");
    list.add(KEY(model.decoder.reverse_target), any(),
             "Write the target from its last word to its first: a right-to-left model, which is good for rescoring.");
    list.add(KEY(model.decoder.residual), any(), "Add the input of a layer to its output, from the second layer on.");
    list.add(
        KEY(model.decoder.transition_depth), between(1, max_layers),
        "Units a step of every layer, as for the encoder. With attend `between` the conditional unit comes on top.");
    list.add(
        KEY(model.attention.type), any(),
        "How source positions get their weights: `additive` (Bahdanau et al. 2014); `dot`, `general`, `concat` or "
        "`location` (Luong et al. 2015); `local_m` or `local_p`, a window that moves with the target or is predicted "
        "(the same); `scaled_dot`, `multi_head` (Vaswani et al. 2017), `multi_query` (Shazeer 2019), `grouped_query` "
        "(Ainslie et al. 2023); `none` gives every step the encoder's last state (Cho et al. 2014).");
    list.add(
        KEY(model.attention.size), between(1, max_width),
        "Width of the hidden layer of `additive` and `concat`; of queries, keys and values, all heads together, of "
        "`scaled_dot` and the three with heads.");
    list.add(KEY(model.attention.score), any(), "`local_m`, `local_p`: the score inside the window.");
    list.add(KEY(model.attention.window), between(1, max_pieces),
             "`local_m`, `local_p`: positions on either side of the centre that can get weight (D).");
    list.add(KEY(model.attention.positions), between(1, max_pieces),
             "`location`: source positions that can get weight; those beyond get none.");
    list.add(KEY(model.attention.heads), between(1, max_width),
             "`multi_head`, `multi_query`, `grouped_query`: heads; they share model.attention.size evenly.");
    list.add(KEY(model.attention.groups), between(1, max_width),
             "`grouped_query`: key and value heads, each shared by as many heads.");
    list.add(
        KEY(model.attention.coverage), any(),
        "`additive`: the score also sees how much a position was attended before (Tu et al. 2016): the `sum` of its "
        "weights, or the sum over a predicted `fertility`.");
    list.add(KEY(model.dropout.source_embedding), from_below(0, 1),
             "Probability that an element of a source embedding is dropped while training.");
    list.add(KEY(model.dropout.target_embedding), from_below(0, 1), "The same for target embeddings.");
    list.add(KEY(model.dropout.context), from_below(0, 1), "The same for the annotations of the encoder.");
    list.add(KEY(model.dropout.output), from_below(0, 1), "The same for the layer before the output projection.");
    list.add(KEY(model.dropout.layers), from_below(0, 1),
             "The same for what a recurrent layer hands to the next (Zaremba et al. 2014).");
    list.add(KEY(model.dropout.recurrent), from_below(0, 1),
             "The same for the recurrent states, one mask a sequence (Gal and Ghahramani 2016).");
    list.add(KEY(model.init.weights), any(),
             "Distribution of the initial weights; `xavier_` scales with the widths (Glorot and Bengio 2010).");
    list.add(KEY(model.init.scale), above(0),
             "`uniform`: half the width of the interval (0.1 is common); `normal`: the standard deviation (0.01); "
             "`xavier_`: a factor.");
    list.add(KEY(model.init.recurrent), any(),
             "Recurrent weights: the `same` distribution, or `orthogonal` matrices (Saxe et al. 2014).");
    list.add(
        KEY(model.init.attention), any(),
        "Weights of the attention: the `same` distribution, or as in `bahdanau` et al. 2014, appendix B.1: matrices "
        "from "
        "N(0, 0.001^2), the vector of the score 0.");
    return std::move(list).keys();
}

}  // namespace softalign
