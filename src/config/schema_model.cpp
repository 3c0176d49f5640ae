#include <utility>
#include <vector>

#include "config/schema_builder.h"

namespace softalign {

std::vector<Key> model_keys() {
    KeyList list;
    list.add(KEY(model.embedding_size), between(1, max_width), OnResume::fixed,
             "Width of the embeddings of both sides.");
    list.add(KEY(model.source.size), between(0, max_width), OnResume::fixed,
             "`features`: number of values at each position, the last dimension of an array's shape. 0: taken from "
             "the training data.");
    list.add(KEY(model.source.join_rows), between(1, max_kernel), OnResume::fixed,
             "`features`: join this many rows into one, after any convolutions: the values of a column one after "
             "another. With as many as there are rows, the columns of a picture become a sequence.");
    list.add(KEY(model.source.convolutions.channels), between(1, max_width), OnResume::fixed,
             "Number of output channels of each layer, such as `[16, 32, 64]`.");
    list.add(KEY(model.source.convolutions.kernel_size), between(1, max_kernel), OnResume::fixed,
             "Number of rows and of columns that a convolution sees.");
    list.add(KEY(model.source.convolutions.row_strides), between(1, max_kernel), OnResume::fixed,
             "Rows for each row of the output, in each layer, or one number for all layers. At most kernel_size.");
    list.add(KEY(model.source.convolutions.column_strides), between(1, max_kernel), OnResume::fixed,
             "The same for columns.");
    list.add(KEY(model.source.convolutions.layer_norm), any(), OnResume::fixed,
             "Layer normalisation over the channels of each position, before the activation (Ba et al. 2016).");
    list.add(KEY(model.tied_embeddings), any(), OnResume::fixed,
             "Tied weights (Press and Wolf 2017): `target` ties the target embeddings and the output projection, `all` "
             "ties the source embeddings as well.");
    list.add(KEY(model.layer_norm), any(), OnResume::fixed,
             "Layer normalisation inside the recurrent units (Ba et al. 2016). Transformers always normalise.");
    list.add(
        KEY(model.encoder.type), any(), OnResume::fixed,
        "`recurrent`; `transformer`, layers of self-attention (Vaswani et al. 2017); `convolutional`, layers of gated "
        "convolutions (Gehring et al. 2017); or `none`: the decoder attends to the embeddings themselves (Xu et al. "
        "2015). Any encoder goes with any decoder.");
    list.add(KEY(model.encoder.layers), between(1, max_layers), OnResume::fixed, "Number of layers.");
    list.add(KEY(model.encoder.hidden_size), between(1, max_width), OnResume::fixed,
             "Recurrent: width of the state of each direction; otherwise: width of the layers and of the annotations.");
    list.add(KEY(model.encoder.cell), any(), OnResume::fixed,
             "Recurrent unit: `gru` as in LibTorch and cuDNN, where the reset gate acts on the product; `gru_cho`, the "
             "gated unit of Cho et al. 2014 and Bahdanau et al. 2014, where it acts on the state; `lstm` (Hochreiter "
             "and Schmidhuber 1997). Recurrent encoders only, like the keys that follow.");
    list.add(KEY(model.encoder.bidirectional), any(), OnResume::fixed,
             "Read the sentence in both directions (Bahdanau et al. 2014). Annotations are then twice as wide.");
    list.add(KEY(model.encoder.residual), any(), OnResume::fixed,
             "Add the input of a layer to its output, from the second layer on (He et al. 2016).");
    list.add(KEY(model.encoder.reverse_source), any(), OnResume::fixed,
             "Read the words from last to first, with the end of the sentence still last (Sutskever et al. 2014). "
             "Alignments and positions keep the order of the text.");
    list.add(KEY(model.encoder.transition_depth), between(1, max_layers), OnResume::fixed,
             "Number of units per step of every layer; units after the first see only the state (deep transition, "
             "Pascanu et al. 2014). GRUs only.");
    list.add(KEY(model.encoder.alternating), any(), OnResume::fixed,
             "Two stacks of layers, one beginning forwards and one backwards, whose layers alternate in direction "
             "(Zhou et al. 2016; Miceli Barone et al. 2017). Otherwise, each layer reads both directions of the one "
             "below. Needs `bidirectional` and two layers or more.");
    list.add(KEY(model.encoder.self_attention.layers), between(0, max_layers), OnResume::fixed,
             "Number of multi-head self-attention layers over the annotations, each with a residual sum and layer "
             "normalisation (Vaswani et al. 2017). 0: none.");
    list.add(KEY(model.encoder.self_attention.heads), between(1, max_width), OnResume::fixed,
             "Number of heads, which share the width of an annotation evenly.");
    list.add(KEY(model.encoder.self_attention.groups), between(0, max_width), OnResume::fixed,
             "Number of key and value heads, each shared by the same number of query heads (Ainslie et al. 2023). 0: "
             "one per query head.");
    list.add(KEY(model.encoder.self_attention.causal), any(), OnResume::fixed,
             "Each position attends only to itself and earlier positions.");
    list.add(KEY(model.encoder.self_attention.positions), any(), OnResume::fixed,
             "First add sinusoidal position encodings to the annotations (Vaswani et al. 2017, section 3.5).");
    list.add(
        KEY(model.encoder.kernel_size), between(1, max_kernel), OnResume::fixed,
        "Convolutional encoders: number of positions that a convolution sees, around its own. If it is even, it sees "
        "one more before than after.");
    list.add(KEY(model.decoder.type), any(), OnResume::fixed,
             "`recurrent`, with the attention of model.attention; or `transformer`, with causal self-attention and "
             "attention to the annotations in every layer, as model.transformer says (Vaswani et al. 2017).");
    list.add(KEY(model.decoder.layers), between(1, max_layers), OnResume::fixed, "Number of layers.");
    list.add(KEY(model.decoder.hidden_size), between(1, max_width), OnResume::fixed,
             "Width of the state of a recurrent decoder, or of the layers of a Transformer.");
    list.add(KEY(model.decoder.first_word), any(), OnResume::fixed,
             "What precedes the first word: the embedding of the begin-of-sentence piece (`bos`) or `zero`.");
    list.add(KEY(model.decoder.reverse_target), any(), OnResume::fixed,
             "Write the target from its last word to its first. Such a right-to-left model is useful for rescoring.");
    list.add(KEY(model.decoder.lexical), any(), OnResume::fixed,
             "Add a lexical model (Nguyen and Chiang 2018), which proposes translations of the source words that the "
             "decoder attends to, from their embeddings alone. It helps with rare words, but not with only a thousand "
             "sentences.");
    list.add(KEY(model.decoder.cell), any(), OnResume::fixed,
             "Recurrent unit, as for the encoder. Recurrent decoders only, like the keys that follow and "
             "model.attention.");
    list.add(KEY(model.decoder.attend), any(), OnResume::fixed,
             "When the decoder attends: `before` its update, with the previous state (Bahdanau et al. 2014 as "
             "printed); `look_generate_update`, with the current state and before the new word enters it (the code of "
             "that paper); `between` the two units of a conditional GRU (Nematus, Sennrich et al. 2017); `after` the "
             "update, with the current state (Luong et al. 2015); or `never`: the decoder sees the source only through "
             "its initial state (Sutskever et al. 2014), which requires model.attention.type: none.");
    list.add(KEY(model.decoder.input_feeding), any(), OnResume::fixed,
             "With attend `after`: feed the attentional state to the next step (Luong et al. 2015). Ignored with other "
             "values of attend.");
    list.add(KEY(model.decoder.initial_state), any(), OnResume::fixed,
             "Initial state of the decoder: a projection of the encoder's `last` state, of the `mean` of its "
             "annotations, or of the `first_backward` state (Bahdanau et al. 2014); a `copy` of the encoder's final "
             "states, layer by layer (Luong et al. 2015); or `zero`.");
    list.add(KEY(model.decoder.readout), any(), OnResume::fixed,
             "The layer before the output projection: `tanh`, `maxout` of pairs (Goodfellow et al. 2013; Bahdanau et "
             "al. 2014, appendix A.2.2), or, with attend `never`, `none`: the state itself.");
    list.add(KEY(model.decoder.readout_state), any(), OnResume::fixed,
             "With attend `before`: the readout uses the `current` state (Bahdanau et al. 2014, equation 4) or the "
             "`previous` one (the same, appendix A.2.2). With other values of attend it must be `current`.");
    list.add(KEY(model.decoder.readout_size), between(0, max_width), OnResume::fixed,
             "Width of the layer before the output projection. 0: as model.embedding_size.");
    list.add(KEY(model.decoder.residual), any(), OnResume::fixed,
             "Add the input of a layer to its output, from the second layer on.");
    list.add(KEY(model.decoder.transition_depth), between(1, max_layers), OnResume::fixed,
             "Number of units per step of every layer, as for the encoder. With attend `between`, the conditional "
             "unit is additional.");
    list.add(KEY(model.decoder.layer_norm), any(), OnResume::fixed,
             "With model.layer_norm: normalise the units of the decoder too, not just those of the encoder.");
    list.add(
        KEY(model.decoder.deep_context), any(), OnResume::fixed,
        "Give the context to every layer, not just the lowest (Miceli Barone et al. 2017). Needs two layers or more, "
        "and attend `before`, `look_generate_update` or `between`.");
    list.add(
        KEY(model.attention.type), any(), OnResume::fixed,
        "How source positions are weighted: `additive` (Bahdanau et al. 2014); `dot`, `general`, `concat` or "
        "`location` (Luong et al. 2015); `local_m` or `local_p`, a window that moves with the target or is predicted "
        "(the same); `scaled_dot`, `multi_head` (Vaswani et al. 2017), `multi_query` (Shazeer 2019), `grouped_query` "
        "(Ainslie et al. 2023); `none` gives every step the encoder's last state (Cho et al. 2014).");
    list.add(KEY(model.attention.size), between(1, max_width), OnResume::fixed,
             "Width of the hidden layer of `additive` and `concat`; total width of queries, keys and values over all "
             "heads for `scaled_dot` and the three multi-head types.");
    list.add(KEY(model.attention.score), any(), OnResume::fixed, "`local_m`, `local_p`: the score inside the window.");
    list.add(KEY(model.attention.window), between(1, max_pieces), OnResume::fixed,
             "`local_m`, `local_p`: number of positions on either side of the centre that can get weight (D).");
    list.add(KEY(model.attention.positions), between(1, max_pieces), OnResume::fixed,
             "`location`: number of source positions that can get weight; positions beyond get none.");
    list.add(KEY(model.attention.heads), between(1, max_width), OnResume::fixed,
             "`multi_head`, `multi_query`, `grouped_query`: number of heads, which share model.attention.size evenly.");
    list.add(KEY(model.attention.groups), between(1, max_width), OnResume::fixed,
             "`grouped_query`: number of key and value heads, each shared by the same number of heads.");
    list.add(KEY(model.attention.coverage), any(), OnResume::fixed,
             "`additive`: the score also depends on how much attention a position has received (Tu et al. 2016): the "
             "`sum` of its weights, or the sum divided by a predicted `fertility`.");
    list.add(KEY(model.positions.type), any(), OnResume::fixed,
             "How Transformer and convolutional parts know the positions of words: `sinusoidal` encodings (Vaswani et "
             "al. 2017, section 3.5), or `learned` embeddings.");
    list.add(KEY(model.positions.size), between(1, max_pieces), OnResume::fixed,
             "`learned`: number of positions with an embedding of their own. Positions beyond share the last one.");
    list.add(KEY(model.transformer.heads), between(1, max_width), OnResume::fixed,
             "Transformer: number of attention heads, which share the width of the layers evenly.");
    list.add(KEY(model.transformer.groups), between(0, max_width), OnResume::fixed,
             "Transformer: number of key and value heads, each shared by the same number of heads: 1 is multi-query "
             "attention (Shazeer 2019), more are grouped-query attention (Ainslie et al. 2023). 0: one per head.");
    list.add(KEY(model.transformer.feed_forward_size), between(1, max_width), OnResume::fixed,
             "Transformer: width of the hidden layer of the feed-forward networks.");
    list.add(KEY(model.transformer.activation), any(), OnResume::fixed,
             "Transformer: `relu`, `gelu` (Hendrycks and Gimpel 2016), or `swiglu`, which multiplies the hidden layer "
             "by a second one (Shazeer 2020).");
    list.add(KEY(model.transformer.norm), any(), OnResume::fixed,
             "Transformer: layer normalisation before each sub-layer and at the end (`pre`, Xiong et al. 2020), or "
             "after each residual sum (`post`, Vaswani et al. 2017).");
    list.add(KEY(model.transformer.alignment_layer), between(0, max_layers), OnResume::fixed,
             "Transformer: the decoder layer, counted from 1, whose attention to the source, averaged over the heads, "
             "gives the alignments. 0: the last.");
    list.add(KEY(model.dropout.source_words), from_below(0, 1), OnResume::fixed,
             "Probability in training that a source word, or a position of features, is dropped: its whole embedding "
             "is 0 (Sennrich et al. 2016, Edinburgh Neural Machine Translation Systems for WMT 16).");
    list.add(KEY(model.dropout.target_words), from_below(0, 1), OnResume::fixed,
             "The same for the words that the decoder reads.");
    list.add(KEY(model.dropout.source_embedding), from_below(0, 1), OnResume::fixed,
             "Dropout probability of the elements of source embeddings, or of projected features, in training.");
    list.add(KEY(model.dropout.target_embedding), from_below(0, 1), OnResume::fixed, "The same for target embeddings.");
    list.add(KEY(model.dropout.context), from_below(0, 1), OnResume::fixed,
             "The same for the annotations of the encoder, and so for their mean.");
    list.add(KEY(model.dropout.output), from_below(0, 1), OnResume::fixed,
             "The same for the layer before the output projection.");
    list.add(KEY(model.dropout.layers), from_below(0, 1), OnResume::fixed,
             "The same for the inputs of all recurrent layers except the lowest (Zaremba et al. 2014), and of all "
             "convolutions.");
    list.add(KEY(model.dropout.recurrent), from_below(0, 1), OnResume::fixed,
             "The same for the recurrent states, with one mask per sequence (Gal and Ghahramani 2016).");
    list.add(KEY(model.dropout.attention), from_below(0, 1), OnResume::fixed,
             "The same for the attention weights of Transformer layers.");
    list.add(KEY(model.dropout.feed_forward), from_below(0, 1), OnResume::fixed,
             "The same for the hidden layers of their feed-forward networks.");
    list.add(KEY(model.dropout.residual), from_below(0, 1), OnResume::fixed,
             "The same for the output of every sub-layer of a Transformer, and for the sum of embeddings and positions "
             "(Vaswani et al. 2017, section 5.4); of convolutional encoders for that sum.");
    list.add(KEY(model.init.weights), any(), OnResume::fixed,
             "Distribution of the initial weights; `xavier_` scales it with the widths (Glorot and Bengio 2010).");
    list.add(KEY(model.init.scale), above(0, max_factor), OnResume::fixed,
             "`uniform`: half the width of the interval (0.1 is common); `normal`: the standard deviation (0.01); "
             "`xavier_`: a factor.");
    list.add(KEY(model.init.recurrent), any(), OnResume::fixed,
             "Recurrent weights: the `same` distribution, or `orthogonal` matrices (Saxe et al. 2014).");
    list.add(KEY(model.init.attention), any(), OnResume::fixed,
             "Attention weights: the `same` distribution, or as in `bahdanau` et al. 2014, appendix B.1: matrices from "
             "N(0, 0.001^2), and 0 for the vector of the score.");
    list.add(
        KEY(model.init.source_embeddings), any(), OnResume::fixed,
        "A file of word vectors in fastText's text format, plain or gzip, from which pieces of the source get their "
        "embeddings: the line `N D`, then a word and its D numbers on each line. A piece such as `▁house` takes the "
        "vector of `house`; pieces without one are drawn ([small data](small_data.md#pretrained-embeddings)). "
        "--resume does not need the file. Empty: all are drawn.");
    list.add(KEY(model.init.target_embeddings), any(), OnResume::fixed,
             "The same for the pieces of the target. With tied_embeddings: all, for those that the source's file "
             "lacks.");
    return std::move(list).keys();
}

}  // namespace softalign
