# shellcheck shell=bash
# A small model that has learned a little, in seconds. Source it after common.sh and toy_corpus.sh.

# toy_model SOFTALIGN FOLDER [option...]: trains on a made-up corpus, with options of `softalign train`; the model is in
# FOLDER/model, the corpus is FOLDER/train.a and train.b.
toy_model() {
    mkdir -p -- "$2"
    toy_corpus "$2" 240 7
    cat >"$2/config.yaml" <<YAML
data: {train_source: train.a, train_target: train.b, valid_source: valid.a, valid_target: valid.b}
vocabulary: {type: unigram, size: 30}
model:
  embedding_size: 16
  encoder: {hidden_size: 16}
  decoder: {hidden_size: 16, readout: maxout}
  attention: {size: 16}
training: {batch_size: 16, max_epochs: 10, optimizer: {type: adamw, learning_rate: 0.01}}
validation: {every: 1000, patience: 0}
checkpoints: {directory: model}
search: {beam: 5}
report: {html: false}
runtime: {log_level: error, workers: 1}
YAML
    "$1" train "$2/config.yaml" "${@:3}"
}
