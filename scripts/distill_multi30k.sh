#!/usr/bin/env bash
# Multi30k, English to German, distilled: models that learn from each other's translations of the training text.
#
#   scripts/distill_multi30k.sh [option...]
#
#   --raw              raw, cased text instead of lower-cased tokens
#   --seeds LIST       of the last two models (default: 1)
#   --set KEY=VALUE    overrides a key in all training runs; may be repeated
#   --data DIR         Multi30k's text (default: data/multi30k/tok or raw, from scripts/prepare_multi30k.sh)
#   --output DIR       where models and translations go (default: runs/distilled or runs/distilled_raw)
#
# A recurrent model (configs/multi30k_en_de.yaml, or with --raw multi30k_raw_en_de.yaml) translates the training text. From its
# translations and the references, a Transformer learns (configs/multi30k_transformer_en_de_distilled.yaml). It translates
# the text alone, and together with the recurrent model; from these translations and the references, the recurrent model
# learns more (configs/multi30k_en_de_distilled.yaml), and so does the Transformer, from those of both together and of the
# recurrent model alone (configs/multi30k_transformer_en_de_distilled_twice.yaml).
#
# Takes about 5 hours on two cores. If interrupted, run the same command again to continue; finished parts are
# skipped. SOFTALIGN=PATH sets the program to run instead of build/release/bin/softalign.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/reproduce.sh
. "$ROOT/scripts/lib/reproduce.sh"

text=tok config=multi30k_en_de tokenize=none suffix="" kind=() seed_list=1 overrides=() data="" output=""
while (($# > 0)); do
    case $1 in
        --raw)
            text=raw config=multi30k_raw_en_de tokenize=13a suffix=_raw
            kind=(vocabulary.normalization=nmt_nfkc validation.tokenize=13a)
            shift
            ;;
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
data=${data:-$ROOT/data/multi30k/$text}
output=${output:-$ROOT/runs/distilled$suffix}
read_seeds "$seed_list"
[[ $data$output != *[][{},]* ]] || die "the paths of --data and --output must not have commas, brackets or braces"
need_program
need_multi30k "$data"

train() { # NAME CONFIG [KEY=VALUE]...
    train_run "$output/$1" "$ROOT/configs/$2.yaml" "data.valid_source=$data/val.en" "data.valid_target=$data/val.de" \
        ${kind[@]+"${kind[@]}"} "${@:3}" ${overrides[@]+"${overrides[@]}"}
}

# Puts the models into the array `options`.
name_models() { # MODEL...
    local model
    options=()
    for model in "$@"; do
        options+=(--model "$output/$model")
    done
}

# Translates the training text, unless a file has the translations of these models. They appear complete or not at all.
translate() { # FILE MODEL...
    local model
    for model in "${@:2}"; do
        [[ $output/$model.trained -nt $output/$1 ]] && rm -f -- "$output/$1"
    done
    [[ -e $output/$1 ]] && return 0
    name_models "${@:2}"
    step "Translating with ${*:2}" \
        "$PROGRAM" translate "${options[@]}" --length-alpha 1.2 --input "$data/train.en" --output "$output/$1.new"
    mv -- "$output/$1.new" "$output/$1"
}

evaluate() { # MODEL...
    local name score
    name_models "$@"
    for name in val test_2016_flickr; do
        score=$("$PROGRAM" translate "${options[@]}" --input "$data/$name.en" --quiet |
            "$PROGRAM" evaluate --hypotheses - --references "$data/$name.de" --tokenize "$tokenize")
        say "$* on $name: $score"
    done
}

train recurrent "$config" "data.train_source=$data/train.en" "data.train_target=$data/train.de"
translate recurrent.de recurrent
train transformer multi30k_transformer_en_de_distilled "data.train_source=[$data/train.en,$data/train.en]" \
    "data.train_target=[$data/train.de,$output/recurrent.de]" \
    "vocabulary.source_model=$output/recurrent/source.spm" "vocabulary.target_model=$output/recurrent/target.spm"
evaluate transformer
translate transformer.de transformer
translate both.de recurrent transformer
for seed in "${seeds[@]}"; do
    train "student.seed$seed" multi30k_en_de_distilled "training.seed=$seed" "training.start_from=$output/recurrent" \
        "data.train_source=[$data/train.en,$data/train.en,$data/train.en]" \
        "data.train_target=[$data/train.de,$output/both.de,$output/transformer.de]"
    train "transformer_student.seed$seed" multi30k_transformer_en_de_distilled_twice "training.seed=$seed" \
        "training.start_from=$output/transformer" "data.train_source=[$data/train.en,$data/train.en,$data/train.en]" \
        "data.train_target=[$data/train.de,$output/both.de,$output/recurrent.de]"
    evaluate "student.seed$seed"
    evaluate "student.seed$seed" transformer
    evaluate "transformer_student.seed$seed"
    evaluate "student.seed$seed" "transformer_student.seed$seed"
done
