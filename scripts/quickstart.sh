#!/usr/bin/env bash
# From a fresh checkout to a trained model: installs what is missing, builds the program, makes the demo corpus
# (English to German, from a grammar), trains on it for at most three minutes, translates and evaluates sentences that were
# not in training. Run it again at any time: what is done already is not done twice.
#
#   scripts/quickstart.sh
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"

case ${1:-} in
    "") ;;
    -h | --help)
        sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *) die "unknown argument $1 (try --help)" ;;
esac

PROGRAM=$ROOT/build/release/bin/softalign
CORPUS=$ROOT/data/demo
MODEL=$ROOT/runs/demo

build_program() {
    configure release -DSOFTALIGN_BUILD_TESTS=OFF -DSOFTALIGN_BUILD_BENCHMARKS=OFF && build release softalign
}

# Training shows its own progress, so it keeps the terminal; its log is in the model directory.
train() {
    say "Training with configs/demo.yaml (at most 3 minutes; log: runs/demo/train.log)"
    local status=0
    "$PROGRAM" train "$ROOT/configs/demo.yaml" --resume || status=$?
    if ((status != 0)); then
        die "training ended with status $status; start afresh by removing $MODEL"
    fi
}

translate() {
    "$PROGRAM" translate --model "$MODEL" --input "$CORPUS/test.en" --output "$MODEL/test.de"
}

# A few translations from all over the test set.
show_samples() {
    local lines line
    lines=$(wc -l <"$CORPUS/test.en")
    for line in 1 $((lines / 4)) $((lines / 2)) $((lines * 3 / 4)) "$lines"; do
        printf '\n  source       %s\n' "$(sed -n "${line}p" "$CORPUS/test.en")"
        printf '  translation  %s\n' "$(sed -n "${line}p" "$MODEL/test.de")"
        printf '  reference    %s\n' "$(sed -n "${line}p" "$CORPUS/test.de")"
    done
    printf '\n'
}

"$ROOT/scripts/setup.sh"
step "Building the program (build/release)" build_program
step "Making the demo corpus (data/demo)" python3 "$ROOT/scripts/make_demo_corpus.py" --output "$CORPUS"
train
step "Translating the $(wc -l <"$CORPUS/test.en") test sentences (runs/demo/test.de)" translate
say "Score on the test set:"
"$PROGRAM" evaluate --hypotheses "$MODEL/test.de" --references "$CORPUS/test.de" | tee -a "$LOG"
show_samples
say "All done after $SECONDS s. Where to go from here:"
say "  translate a sentence   echo 'The old woman reads a book .' | build/release/bin/softalign translate --model runs/demo"
say "  train on your own text copy configs/template.yaml, which explains every key; docs/configuration.md has them all"
say "  a real corpus          scripts/prepare_multi30k.sh, then softalign train configs/multi30k_en_de.yaml"
say "  this machine           build/release/bin/softalign info"
