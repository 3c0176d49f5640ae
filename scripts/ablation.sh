#!/usr/bin/env bash
# Measures what each technique for small data gains on Multi30k (English to German): the base configuration without its
# lexical model, each single technique added to it, and all that gain, together, over several seeds.
#
#   scripts/ablation.sh [option...]
#
#   --jobs N           runs at the same time, each with one worker (default: 1, with the configuration's workers)
#   --seeds LIST       (default: 1,2)
#   --epochs E         at most this many epochs each (default: until validation stops improving)
#   --only LIST        only these techniques and what they start from; --list shows them
#   --set KEY=VALUE    overrides a key in all of them; may be repeated
#   --config FILE      the base (default: configs/multi30k_en_de.yaml)
#   --data DIR         Multi30k's tokenised text (default: data/multi30k/tok, from scripts/prepare_multi30k.sh)
#   --output DIR       where runs and tables go (default: runs/ablation)
#   --list             list the techniques and what each sets
#
# Results: table.md and table.tsv in the output folder, updated after each run: BLEU on the validation text and on
# test_2016_flickr, and the length of the outputs divided by that of the references. If interrupted, run the same command
# again to continue; finished runs are skipped. Choose by the validation text. SOFTALIGN=PATH sets the program to run
# instead of build/release/bin/softalign.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/reproduce.sh
. "$ROOT/scripts/lib/reproduce.sh"

BIDEEP="model.encoder.layers=2 model.encoder.alternating=true model.encoder.transition_depth=2 \
model.encoder.residual=true model.decoder.layers=2 model.decoder.transition_depth=2 model.decoder.deep_context=true \
model.decoder.residual=true"
MINIMUM_RISK="vocabulary.from_start_model=true training.minimum_risk.samples=16 training.optimizer.learning_rate=0.0001 \
training.optimizer.l2=0 training.r_drop=0 checkpoints.average=0 training.schedule.type=constant \
training.schedule.warmup=0 training.max_epochs=1 validation.unit=updates validation.every=200"
GAINING="model.decoder.lexical=true model.layer_norm=true"
# Set in all runs, before the keys of a technique: the configuration has a lexical model, which is one of them.
BASE=model.decoder.lexical=false

# The techniques: a name, and the keys that make it. @NAME: it starts from the model of that name and seed.
TECHNIQUES="\
base
word_dropout model.dropout.source_words=0.1 model.dropout.target_words=0.1
bpe_dropout vocabulary.sampling_alpha=0.1
small_vocabulary vocabulary.size=3000
small_batches training.batch_size=32
layer_norm model.layer_norm=true
bideep $BIDEEP
lexical model.decoder.lexical=true
no_r_drop training.r_drop=0
more_dropout training.r_drop=0 model.dropout.context=0.5 model.dropout.output=0.5
more_r_drop training.r_drop=3
scheduled_sampling training.scheduled_sampling.decay=inverse_sigmoid training.scheduled_sampling.k=2000 \
training.scheduled_sampling.minimum=0.75
no_average checkpoints.average=0
minimum_risk @base $MINIMUM_RISK
all $GAINING
all_bideep $GAINING $BIDEEP
all_minimum_risk @all $GAINING $MINIMUM_RISK"

jobs=1 seed_list=1,2 epochs="" only="" overrides=() config=$ROOT/configs/multi30k_en_de.yaml
data=$ROOT/data/multi30k/tok output=$ROOT/runs/ablation
while (($# > 0)); do
    case $1 in
        --jobs | --seeds | --epochs | --only | --set | --config | --data | --output)
            need_value "$1" "${2:-}"
            case $1 in
                --jobs) jobs=$2 ;;
                --seeds) seed_list=$2 ;;
                --epochs) epochs=$2 ;;
                --only) only=$2 ;;
                --set) overrides+=("$2") ;;
                --config) config=$(absolute "$2") ;;
                --data) data=$(absolute "$2") ;;
                --output) output=$(absolute "$2") ;;
            esac
            shift 2
            ;;
        --list)
            echo "$TECHNIQUES"
            exit 0
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done

need_number --jobs "$jobs"
budget=()
if [[ -n $epochs ]]; then
    need_number --epochs "$epochs"
    budget=("training.max_epochs=$epochs")
fi
if ((jobs > 1)); then
    budget+=(runtime.workers=1)
fi
read_seeds "$seed_list"

# The keys of a technique, and what it starts from (nothing for most).
keys_of() { sed -n "s/^$1\( \|$\)//p" <<<"$TECHNIQUES"; }
start_of() { keys_of "$1" | sed -n 's/^@\([^ ]*\).*/\1/p'; }

mapfile -t all_names < <(cut -d' ' -f1 <<<"$TECHNIQUES")
names=("${all_names[@]}")
if [[ -n $only ]]; then
    read_names "$only" technique "${all_names[@]}"
    asked=("${names[@]}")
    names=()
    for name in "${asked[@]}"; do
        start=$(start_of "$name")
        for needed in ${start:+"$start"} "$name"; do
            [[ " ${names[*]} " == *" $needed "* ]] || names+=("$needed")
        done
    done
fi
need_program
need_multi30k "$data"

# The score files appear complete or not at all.
evaluate() { # MODEL-DIRECTORY TEXT
    "$PROGRAM" evaluate --model "$1" --source "$data/$2.en" --references "$data/$2.de" --output "$1.$2.de" \
        --tokenize none --format json >"$1.$2.json.new" && mv -- "$1.$2.json.new" "$1.$2.json"
}

write_tables() {
    helper technique_table --runs "$output" --seeds "$(IFS=, && echo "${seeds[*]}")" --output "$output/table" \
        "${all_names[@]}"
}

# Trains a technique and scores it.
run_one() { # NAME SEED
    local name=$1 seed=$2 run=$output/$1.seed$2 start keys text
    read -r -a keys <<<"$(keys_of "$name" | sed 's/^@[^ ]* *//')"
    start=$(start_of "$name")
    train_run "$run" "$config" ${budget[@]+"${budget[@]}"} "$BASE" ${keys[@]+"${keys[@]}"} "training.seed=$seed" \
        ${start:+"training.start_from=$output/$start.seed$seed"} "data.train_source=$data/train.en" \
        "data.train_target=$data/train.de" "data.valid_source=$data/val.en" "data.valid_target=$data/val.de" \
        ${overrides[@]+"${overrides[@]}"}
    for text in val test_2016_flickr; do
        [[ -e $run.$text.json ]] || step "Scoring $name, seed $seed, on $text" evaluate "$run" "$text"
    done
}

# Waits for one of the runs in the background. One that failed ends the script once the others have ended.
failed=0
running=0
wait_for_one() {
    wait -n || failed=$?
    running=$((running - 1))
    write_tables >>"$LOG"
}

# start_run NAME SEED: in the background, with its progress in a file, where there are several at once.
start_run() {
    if ((jobs == 1)); then
        run_one "$@"
        write_tables >>"$LOG"
        return
    fi
    while ((running >= jobs)); do
        wait_for_one
    done
    ((failed == 0)) || return 0
    say "Running $1, seed $2 (progress: $output/$1.seed$2.log)"
    mkdir -p -- "$output"
    set -m # a process group each, for end_background
    run_one "$@" >"$output/$1.seed$2.log" 2>&1 </dev/null &
    set +m
    running=$((running + 1))
}

if ((jobs > 1)); then
    end_background_on_signals
fi

finish_runs() {
    while ((running > 0)); do
        wait_for_one
    done
    ((failed == 0)) || die "a run ended with status $failed; its log in $output says why. Run the same command again to continue"
}

# Seed by seed, so that a first table of all techniques is available early; what starts from a model comes after it.
for seed in "${seeds[@]}"; do
    later=()
    for name in "${names[@]}"; do
        if [[ -n $(start_of "$name") ]]; then
            later+=("$name")
        else
            start_run "$name" "$seed"
        fi
    done
    finish_runs
    for name in ${later[@]+"${later[@]}"}; do
        start_run "$name" "$seed"
    done
    finish_runs
done
write_tables | tee -a "$LOG"
say "Tables: $output/table.md, $output/table.tsv"
