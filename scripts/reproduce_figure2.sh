#!/usr/bin/env bash
# Figure 2 of Bahdanau, Cho, Bengio 2014, scaled down: BLEU by sentence length for the model without attention (rnnenc)
# and with it (rnnsearch), each trained on sentences of up to 30 and of up to 50 words.
#
#   scripts/reproduce_figure2.sh --from DIR [option...]
#
#   --from DIR         a corpus with long sentences: train, dev and test in both languages, such as train.en.gz and
#                      train.fr.gz, plain or gzip. Required the first time, and when --limits changes
#   --languages S-T    its languages, source first (default: en-fr)
#   --updates N        updates of each model (default: 5000)
#   --minutes M        training time of each model instead; compare such models only if nothing else was running
#   --models LIST      any of rnnenc and rnnsearch (default: both)
#   --limits LIST      the longest training sentences, in words (default: 30,50)
#   --configs DIR      where the models' configurations are (default: configs/papers/scaled)
#   --set KEY=VALUE    overrides a key in all of them, such as larger sizes for a GPU; may be repeated
#   --data DIR         where the text goes (default: data/figure2)
#   --output DIR       where models and results go (default: runs/figure2)
#
# Results: bleu.tsv and bleu.svg in the output folder, and a table on the terminal. If interrupted, run the same command
# again to continue; finished parts are skipped. SOFTALIGN=PATH sets the program to run instead of
# build/release/bin/softalign.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/reproduce.sh
. "$ROOT/scripts/lib/reproduce.sh"

PIECES=4000 # of the vocabulary that all models share

from="" languages=en-fr updates=5000 minutes="" models=rnnenc,rnnsearch limits=30,50 overrides=()
configs=$ROOT/configs/papers/scaled data=$ROOT/data/figure2 output=$ROOT/runs/figure2
while (($# > 0)); do
    case $1 in
        --from | --languages | --updates | --minutes | --models | --limits | --configs | --set | --data | --output)
            need_value "$1" "${2:-}"
            case $1 in
                --from) from=$2 ;;
                --languages) languages=$2 ;;
                --updates) updates=$2 ;;
                --minutes) minutes=$2 ;;
                --models) models=$2 ;;
                --limits) limits=$2 ;;
                --configs) configs=$(absolute "$2") ;;
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

need_number --updates "$updates"
budget=("training.max_updates=$updates")
if [[ -n $minutes ]]; then
    need_number --minutes "$minutes"
    budget=(training.max_updates=0 "training.max_minutes=$minutes")
fi
[[ $languages =~ ^[^-]+-[^-]+$ ]] || die "--languages: '$languages' is not like en-fr"
source=${languages%-*} target=${languages#*-}
mapfile -t models < <(split_list "$models")
mapfile -t limits < <(split_list "$limits")
((${#models[@]} > 0 && ${#limits[@]} > 0)) || die "--models and --limits must name at least one each"
longest=0
for limit in "${limits[@]}"; do
    need_number --limits "$limit"
    ((limit > longest)) && longest=$limit
done
for model in "${models[@]}"; do
    [[ -f $configs/$model.yaml ]] || die "--models: there is no $configs/$model.yaml"
done
need_program

text_is_there() {
    local name
    for name in dev test "${limits[@]/#/train}"; do
        [[ -f $data/$name.$source && -f $data/$name.$target ]] || return 1
    done
}

if ! text_is_there; then
    [[ -n $from ]] || die "$data lacks the text: name a corpus with --from DIR"
    [[ -d $from ]] || die "--from $from: no such folder"
    step "Preparing the text ($data)" helper prepare_lengths --from "$from" --languages "$languages" \
        --limits "$(IFS=, && echo "${limits[*]}")" --output "$data"
fi
vocabulary=$data/bpe$PIECES.spm
make_vocabulary "$vocabulary" "$PIECES" nmt_nfkc "$data/train$longest.$source" "$data/train$longest.$target"

translate() { # MODEL-DIRECTORY
    "$PROGRAM" translate --model "$1" --input "$data/test.$source" --output "$1.test.$target"
}

translations=()
for limit in "${limits[@]}"; do
    for model in "${models[@]}"; do
        run=$output/$model$limit
        train_run "$run" "$configs/$model.yaml" "data.train_source=$data/train$limit.$source" \
            "data.train_target=$data/train$limit.$target" "data.valid_source=$data/dev.$source" \
            "data.valid_target=$data/dev.$target" "vocabulary.source_model=$vocabulary" \
            "${budget[@]}" "${overrides[@]}"
        [[ -e $run.test.$target ]] || step "Translating the test text with $model$limit" translate "$run"
        translations+=("$model$limit=$run.test.$target")
    done
done

step "Scoring the groups of length" helper bleu_by_length --program "$PROGRAM" --source "$data/test.$source" \
    --references "$data/test.$target" --output "$output/bleu.tsv" "${translations[@]}"
helper plot_lengths "$output/bleu.tsv" --svg "$output/bleu.svg" | tee -a "$LOG"
say "Table and picture: $output/bleu.tsv, $output/bleu.svg"
