#!/usr/bin/env bash
# Luong, Pham, Manning 2015, scaled down to Multi30k: every attention mechanism in the same model with the same budget,
# over several seeds. It covers the paper's own mechanisms and later ones, with and without input feeding and reversal.
#
#   scripts/reproduce_luong.sh [option...]
#
#   --epochs E         epochs of each run (default: 5)
#   --minutes M        training time of each run instead; compare such runs only if nothing else was running
#   --seeds LIST       (default: 1,2)
#   --only LIST        only these variants; --list shows them
#   --set KEY=VALUE    overrides a key in all of them; may be repeated
#   --data DIR         Multi30k's tokenised text (default: data/multi30k/tok, from scripts/prepare_multi30k.sh)
#   --output DIR       where runs and tables go (default: runs/luong)
#   --list             list the variants and what each sets
#
# Results: table.md and table.tsv in the output folder, updated after each run, with BLEU on test_2016_flickr. If
# interrupted, run the same command again to continue; finished runs are skipped. SOFTALIGN=PATH sets the program to run
# instead of build/release/bin/softalign.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/reproduce.sh
. "$ROOT/scripts/lib/reproduce.sh"

CONFIG=$ROOT/configs/papers/scaled/luong.yaml
PIECES=4000 # of the vocabulary that all runs share

# The variants: a name, and the keys that make it. All but the first read the source from its end, and all but the first
# three have input feeding. The first two are the paper's model without attention, which knows the source by its initial
# state alone.
VARIANTS="\
none_forward model.attention.type=none model.decoder.attend=never model.decoder.readout=none \
model.encoder.reverse_source=false
none model.attention.type=none model.decoder.attend=never model.decoder.readout=none
location_nofeed model.attention.type=location model.decoder.input_feeding=false
location model.attention.type=location
dot model.attention.type=dot
general model.attention.type=general
concat model.attention.type=concat
local_m_dot model.attention.type=local_m model.attention.score=dot
local_m_general model.attention.type=local_m model.attention.score=general
local_p_dot model.attention.type=local_p model.attention.score=dot
local_p_general model.attention.type=local_p model.attention.score=general
additive model.attention.type=additive
additive_coverage model.attention.type=additive model.attention.coverage=sum
additive_fertility model.attention.type=additive model.attention.coverage=fertility
scaled_dot model.attention.type=scaled_dot
multi_head model.attention.type=multi_head
multi_query model.attention.type=multi_query
grouped_query model.attention.type=grouped_query"

epochs=5 minutes="" seed_list=1,2 only="" overrides=() data=$ROOT/data/multi30k/tok output=$ROOT/runs/luong
while (($# > 0)); do
    case $1 in
        --epochs | --minutes | --seeds | --only | --set | --data | --output)
            need_value "$1" "${2:-}"
            case $1 in
                --epochs) epochs=$2 ;;
                --minutes) minutes=$2 ;;
                --seeds) seed_list=$2 ;;
                --only) only=$2 ;;
                --set) overrides+=("$2") ;;
                --data) data=$(absolute "$2") ;;
                --output) output=$(absolute "$2") ;;
            esac
            shift 2
            ;;
        --list)
            echo "$VARIANTS"
            exit 0
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done

need_number --epochs "$epochs"
budget=("training.max_epochs=$epochs")
if [[ -n $minutes ]]; then
    need_number --minutes "$minutes"
    budget=(training.max_epochs=0 "training.max_minutes=$minutes")
fi
read_seeds "$seed_list"
mapfile -t all_names < <(cut -d' ' -f1 <<<"$VARIANTS")
names=("${all_names[@]}")
if [[ -n $only ]]; then
    read_names "$only" variant "${all_names[@]}"
fi
need_program
need_multi30k "$data"
vocabulary=$output/bpe$PIECES.spm
make_vocabulary "$vocabulary" "$PIECES" identity "$data/train.en" "$data/train.de"

# The score file appears complete or not at all.
evaluate() { # MODEL-DIRECTORY
    "$PROGRAM" evaluate --model "$1" --source "$data/test_2016_flickr.en" --references "$data/test_2016_flickr.de" \
        --output "$1.test.de" --tokenize none --format json >"$1.json.new" && mv -- "$1.json.new" "$1.json"
}

write_tables() { # NAME...
    helper ablation_table --runs "$output" --seeds "$(IFS=, && echo "${seeds[*]}")" --output "$output/table" "$@"
}

# Seed by seed, so that a first table of all variants is available early.
for seed in "${seeds[@]}"; do
    for name in "${names[@]}"; do
        run=$output/$name.seed$seed
        read -r -a keys <<<"$(grep "^$name " <<<"$VARIANTS")"
        train_run "$run" "$CONFIG" "${keys[@]:1}" "training.seed=$seed" "${budget[@]}" \
            "data.train_source=$data/train.en" "data.train_target=$data/train.de" "data.valid_source=$data/val.en" \
            "data.valid_target=$data/val.de" "vocabulary.source_model=$vocabulary" "${overrides[@]}"
        [[ -e $run.json ]] || step "Scoring $name, seed $seed" evaluate "$run"
        write_tables "${all_names[@]}" >>"$LOG"
    done
done
write_tables "${all_names[@]}" | tee -a "$LOG"
say "Tables: $output/table.md, $output/table.tsv"
