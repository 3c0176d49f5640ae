#!/usr/bin/env bash
# Multi30k, English to German, distilled: three recurrent models and a Transformer translate the training text, and one
# recurrent model learns from these translations and the references (configs/multi30k_en_de_distilled.yaml).
#
#   scripts/distill_multi30k.sh [option...]
#
#   --seeds LIST       of the last model (default: 1)
#   --set KEY=VALUE    overrides a key in all training runs; may be repeated
#   --data DIR         Multi30k's tokenised text (default: data/multi30k/tok, from scripts/prepare_multi30k.sh)
#   --output DIR       where models and translations go (default: runs/distilled)
#
# Takes about 7 hours on two cores. If interrupted, run the same command again to continue; finished parts are
# skipped. SOFTALIGN=PATH sets the program to run instead of build/release/bin/softalign.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/reproduce.sh
. "$ROOT/scripts/lib/reproduce.sh"

# The teachers: a name, a configuration, and the keys that make it another model. The pieces of the first three are the
# same, so that they can translate together.
RECURRENT="\
wide multi30k_en_de
dropout multi30k_en_de model.dropout.source_embedding=0.4 model.dropout.target_embedding=0.2 \
model.dropout.context=0.4 model.dropout.output=0.4
narrow multi30k_en_de model.embedding_size=128 model.encoder.hidden_size=256 model.decoder.hidden_size=256"
TRANSFORMER="transformer multi30k_transformer_en_de training.r_drop=1"

seed_list=1 overrides=() data=$ROOT/data/multi30k/tok output=$ROOT/runs/distilled
while (($# > 0)); do
    case $1 in
        --seeds | --set | --data | --output)
            need_value "$1" "${2:-}"
            case $1 in
                --seeds) seed_list=$2 ;;
                --set) overrides+=("$2") ;;
                --data) data=$(absolute "$2") ;;
                --output) output=$(absolute "$2") ;;
            esac
            shift 2
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
read_seeds "$seed_list"
need_program
need_multi30k "$data"

train() { # NAME CONFIG [KEY=VALUE]...
    train_run "$output/$1" "$ROOT/configs/$2.yaml" "data.valid_source=$data/val.en" "data.valid_target=$data/val.de" \
        "${@:3}" ${overrides[@]+"${overrides[@]}"}
}

# The translations appear complete or not at all.
translate() { # FILE MODEL...
    local models=() model
    for model in "${@:2}"; do
        models+=(--model "$output/$model")
    done
    "$PROGRAM" translate "${models[@]}" --length-alpha 1.2 --input "$data/train.en" --output "$1.new" &&
        mv -- "$1.new" "$1"
}

evaluate() { # MODEL TEXT
    "$PROGRAM" evaluate --model "$output/$1" --source "$data/$2.en" --references "$data/$2.de" --tokenize none
}

while read -r -a teacher; do
    train "${teacher[@]}" "data.train_source=$data/train.en" "data.train_target=$data/train.de"
done <<<"$RECURRENT
$TRANSFORMER"
mapfile -t recurrent < <(cut -d' ' -f1 <<<"$RECURRENT")
[[ -e $output/ensemble.de ]] ||
    step "Translating with three recurrent models" translate "$output/ensemble.de" "${recurrent[@]}"
[[ -e $output/transformer.de ]] ||
    step "Translating with the Transformer" translate "$output/transformer.de" transformer
for seed in "${seeds[@]}"; do
    train "student.seed$seed" multi30k_en_de_distilled "training.seed=$seed" "training.start_from=$output/wide" \
        "data.train_source=[$data/train.en,$data/train.en,$data/train.en]" \
        "data.train_target=[$data/train.de,$output/ensemble.de,$output/transformer.de]"
    for text in val test_2016_flickr; do
        say "Seed $seed on $text: $(evaluate "student.seed$seed" "$text")"
    done
done
