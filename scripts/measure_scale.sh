#!/usr/bin/env bash
# Measures the speed of training in one process and in several on this machine, over loopback and over slower networks, and
# compares it with the predictions of the cost model in docs/scale.md.
#
#   scripts/measure_scale.sh --config FILE [--rounds N] [--updates N] [--shapes "1x2 2x1"]
#                            [--cables "10000 1000 1000:50"] [--accumulate "1 4"] [--predict]
#
#   --config FILE          what to train; its texts must be there
#   --rounds N             runs of each case, taken in turn (default: 3)
#   --updates N            updates of each run (default: 40)
#   --shapes "PxW ..."     processes x workers, over loopback (default: "1x2 2x1"); the first is what others are compared with
#   --cables "MBIT[:MS]…"  the last shape again on two machines (network namespaces) with a cable of this many megabits
#                          per second and a delay of this many milliseconds in each direction (default: none)
#   --accumulate "N ..."   batches per update (training.accumulate), each with every shape and cable (default: 1)
#   --predict              then print what the model predicts for 8, 64 and 512 devices
#
# All runs have as many shards as the shape that needs most of them, so that they train the same weights. The first tenth of
# a run does not count. SOFTALIGN=PATH sets the program to run instead of build/release/bin/softalign.
set -euo pipefail
arguments=("$@")
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/two_machines.sh
. "$ROOT/scripts/lib/two_machines.sh"

config="" rounds=3 updates=40 shapes="1x2 2x1" cables="" accumulate=1 predict=0
while (($#)); do
    case $1 in
        --config | --rounds | --updates | --shapes | --cables | --accumulate)
            (($# > 1)) || die "$1 needs a value (try --help)"
            printf -v "${1#--}" '%s' "$2"
            shift 2
            ;;
        --predict) predict=1 && shift ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
[[ -n $config ]] || die "--config is required (try --help)"
read -ra shapes_list <<<"$shapes"
read -ra cables_list <<<"$cables"
read -ra accumulate_list <<<"$accumulate"
program=${SOFTALIGN:-$ROOT/build/release/bin/softalign}
if [[ -n $cables ]]; then
    inside_namespaces "$0" "${arguments[@]}"
    start_other_machine
    trap 'stop_other_machine; rm -rf -- "$work"' EXIT
else
    trap 'rm -rf -- "$work"' EXIT
fi
work=$(mktemp -d)

shards=2
for shape in "${shapes_list[@]}"; do
    needed=$((${shape%x*} * ${shape#*x}))
    while ((shards < needed)); do shards=$((2 * shards)); done
done

# train SHAPE CABLE BATCHES: a line for the table. CABLE: - is loopback.
train() {
    local processes=${1%x*} cable=$2 batches=$3 updates_of_run=$(((updates + $3 - 1) / $3))
    local command=("$program" train "$config" --set "checkpoints.directory=$work/run" --set "training.shards=$shards"
        --set "runtime.workers=${1#*x}" --set "training.accumulate=$batches" --set "training.max_updates=$updates_of_run"
        --set runtime.log_every=1 --set report.html=false --set validation.every=1000000 --set validation.unit=updates
        --set validation.translate=false --set validation.metric=cross_entropy --set training.max_minutes=0)
    rm -rf -- "$work/run"
    if [[ $cable == - ]]; then
        ((processes == 1)) || command=("$program" launch --processes "$processes" -- "${command[@]:1}")
        "${command[@]}" >"$work/log" 2>&1 || die "$1: $(tail -n 1 "$work/log")"
    else
        local parts
        IFS=: read -ra parts <<<"$cable"
        connect_machines "${parts[@]}"
        local rank pids=()
        for ((rank = 0; rank < processes; ++rank)); do
            local place=()
            ((rank < processes / 2)) || place=(over_there)
            "${place[@]}" env "RANK=$rank" "WORLD_SIZE=$processes" MASTER_ADDR=10.77.0.1 MASTER_PORT=29519 \
                "${command[@]}" >"$work/log.$rank" 2>&1 &
            pids+=($!)
        done
        for rank in "${pids[@]}"; do
            wait "$rank" || die "$1 over a cable of $cable: $(tail -qn 1 "$work"/log.*)"
        done
        mv "$work/log.0" "$work/log"
    fi
    python3 "$ROOT/scripts/lib/scale_model.py" read "$work/run/metrics.jsonl" "$work/log" "$1" "$cable" "$batches" >>"$work/runs"
}

for ((round = 1; round <= rounds; ++round)); do
    for batches in "${accumulate_list[@]}"; do
        for shape in "${shapes_list[@]}"; do
            train "$shape" - "$batches"
        done
        for cable in "${cables_list[@]}"; do
            train "${shapes_list[-1]}" "$cable" "$batches"
        done
    done
done
python3 "$ROOT/scripts/lib/scale_model.py" table "$work/runs"
if ((predict)); then
    echo
    python3 "$ROOT/scripts/lib/scale_model.py" predict "$work/runs"
fi
