#!/usr/bin/env bash
# Kills a training run at random moments, resumes it each time, and compares the result with an uninterrupted run.
#
#   scripts/soak_resume.sh [--kills N] [--epochs N] [--processes N] [--softalign FILE] [--keep]
#
#   --kills N         number of kills (default: 100)
#   --processes N     the killed run has this many processes; a random one of them, or the launcher, is killed
#                     (default: 1); the uninterrupted run has one process
#   --epochs N        length of the run (default: 200, of 15 updates each)
#   --softalign FILE  the program to run (default: build/release/bin/softalign)
#   --keep            keep the runs in runs/soak
#
# The text is generated and the model is small, because the test is about saving. Subword sampling, dropout, accumulation,
# a moving average and best models are on, so that all their state has to be restored. Halfway, the learning rate is
# set far too high, so that the run diverges and goes back to a checkpoint. Ends with status 1 if a file differs.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/toy_corpus.sh
. "$ROOT/scripts/lib/toy_corpus.sh"

kills=100 epochs=200 processes=1 keep=0 softalign=$ROOT/build/release/bin/softalign
while (($# > 0)); do
    case $1 in
        --kills) kills=${2:?--kills needs a number} && shift 2 ;;
        --epochs) epochs=${2:?--epochs needs a number} && shift 2 ;;
        --processes) processes=${2:?--processes needs a number} && shift 2 ;;
        --softalign) softalign=${2:?--softalign needs a file} && shift 2 ;;
        --keep) keep=1 && shift ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *)
            echo "soak_resume.sh: $1: unknown option; see --help" >&2
            exit 2
            ;;
    esac
done

folder=$ROOT/runs/soak
rm -rf "$folder"
mkdir -p "$folder"
toy_corpus "$folder" 240 7
cat > "$folder/config.yaml" <<YAML
data: {train_source: train.a, train_target: train.b, valid_source: valid.a, valid_target: valid.b}
vocabulary: {type: unigram, size: 30, sampling_alpha: 0.5}
model:
  embedding_size: 16
  encoder: {hidden_size: 16}
  decoder: {hidden_size: 16, readout: maxout}
  attention: {size: 16}
  dropout: {output: 0.2, recurrent: 0.1}
training:
  batch_size: 8
  accumulate: 2
  shards: 8
  max_epochs: $epochs
  ema: 0.9
  optimizer: {type: adamw, learning_rate: 0.01, weight_decay: 1}
  divergence: {action: go_back, updates: 40, rate_factor: 1e-8}
validation: {every: 5, patience: 0}
checkpoints: {directory: whole, every_updates: 11, keep_best: 2}
report: {html: false}
runtime: {log_every: 7, log_level: error, workers: 1}
YAML

# The update of the newest checkpoint of run $1, 0 where there is none.
newest() {
    find "$folder/$1/checkpoints" -name 'last-*.safetensors' 2> /dev/null |
        sed -E 's/.*last-([0-9]+)\.safetensors/\1/' | sort -n | tail -n 1 | grep . || echo 0
}

half=$((epochs * 15 / 2))

# Up to the middle with a good learning rate, from there on with one that it has to go back from.
run() {
    local part launcher=()
    if [[ $1 == parts ]] && ((processes > 1)); then
        launcher=(launch --processes "$processes" --)
    fi
    if (($(newest "$1") < half)); then
        part=training.max_updates=$half
    else
        part=training.optimizer.learning_rate=1e6
    fi
    exec "$softalign" "${launcher[@]}" train "$folder/config.yaml" --resume --set "checkpoints.directory=$folder/$1" --set "$part"
}

# Runs `run $1` and prints the seconds that it took.
timed_run() {
    local begin
    begin=$(date +%s.%N)
    (run "$1" >&2)
    awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }'
}

first_half=$(timed_run whole)
second_half=$(timed_run whole)
start=$(timed_run whole) # nothing is left to do
if ((processes > 1)); then
    first_half=$(timed_run parts)
    second_half=$(timed_run parts)
    start=$(timed_run parts)
    rm -rf "$folder/parts"
fi
echo "uninterrupted run: $first_half s and $second_half s; a start takes $start s"
done_kills=0 with_progress=0 early=0 ended=0
while ((done_kills < kills)); do
    before=$(newest parts)
    (run parts) &
    process=$!
    # From the middle of a start to a small part of the run behind it, so that there is room for all kills.
    sleep "$(awk -v start="$start" -v whole="$first_half" -v kills="$kills" -v seed="$RANDOM$done_kills" \
        'BEGIN { srand(seed); print start / 2 + rand() * (start + 2 * whole / kills) }')"
    read -ra victims < <(echo "$process" && cat "/proc/$process/task/$process/children" 2> /dev/null) || true
    victim=${victims[RANDOM % ${#victims[@]}]}
    if kill -KILL "$victim" 2> /dev/null; then
        wait "$process" 2> /dev/null || true
        for victim in "${victims[@]}"; do # where the launcher was killed, the others save before they end
            while kill -0 "$victim" 2> /dev/null; do sleep 0.05; done
        done
        ((++done_kills))
        (($(newest parts) == before)) || ((++with_progress))
    else
        wait "$process"
        ((before >= half)) && early=1 && break
    fi
done
while ((ended == 0)); do
    ended=$(($(newest parts) >= half))
    (run parts)
done
status=0
for file in model.safetensors validation.best.txt joint.spm; do
    cmp "$folder/whole/$file" "$folder/parts/$file" || status=1
done
# The same records, except times and memory.
for name in whole parts; do
    sed -E 's/"(minutes|seconds|tokens_per_second|busy|peak_memory)":[^,}]*//g' "$folder/$name/metrics.jsonl" > "$folder/$name.records"
done
cmp "$folder/whole.records" "$folder/parts.records" || status=1
echo "$done_kills kills, $with_progress of them after new checkpoints;" \
    "the results are $( ((status == 0)) && echo the same || echo DIFFERENT)"
((early)) && echo "the run ended before all kills: use more --epochs" >&2
((keep)) || rm -rf "$folder"
exit "$status"
