#!/usr/bin/env bash
# From a fresh checkout to a trained model: installs what is missing, builds the program, makes the demo corpus
# (English to German, from a grammar), trains on it for at most three minutes, and translates and evaluates sentences that were
# not in training. You can run it again at any time: finished steps are skipped.
#
#   scripts/quickstart.sh [--minutes N]
#
#   --minutes N   train for at most N minutes, for example 0.5
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"

limit="at most 3 minutes" options=()
while (($# > 0)); do
    case $1 in
        --minutes)
            [[ ${2:-} =~ ^[0-9]+([.][0-9]+)?$ ]] || die "--minutes needs a number (try --help)"
            limit="at most $2 minutes" options=(--set "training.max_minutes=$2")
            shift 2
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done

PROGRAM=$ROOT/build/release/bin/softalign
CORPUS=$ROOT/data/demo
MODEL=$ROOT/runs/demo
INTERRUPTED=75 # exit status of a training that was stopped by a signal

build_program() {
    configure release "$TOGETHER" -DSOFTALIGN_BUILD_TESTS=OFF -DSOFTALIGN_BUILD_BENCHMARKS=OFF && build release softalign
}

# Training shows its own progress, so it keeps the terminal; its log is in the model directory.
train() {
    say "Training with configs/demo.yaml ($limit; log: runs/demo/train.log)"
    local status=0
    "$PROGRAM" train "$ROOT/configs/demo.yaml" --resume "${options[@]}" || status=$?
    if ((status == INTERRUPTED)); then
        warn "training was interrupted; its state is saved: run scripts/quickstart.sh again to resume it"
        exit "$status"
    elif ((status != 0)); then
        die "training ended with status $status; the message above says why. Fix the cause and run scripts/quickstart.sh
again to resume. To start over, remove $MODEL first."
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
