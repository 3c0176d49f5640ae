#!/usr/bin/env bash
# The speed of training in one process and in several, on this machine: target tokens a second, and what was sent.
#
#   scripts/measure_scale.sh --config FILE [--rounds N] [--updates N] [--shapes "1x2 2x1"]
#
#   --config FILE        what to train; its texts must be there
#   --rounds N           runs of each shape, taken in turns (default: 3)
#   --updates N          updates of each run (default: 100)
#   --shapes "PxW ..."   processes x workers each (default: "1x2 2x1")
#
# All runs have as many shards as the first shape that needs most of them, so that they train the same weights. Each line:
# the shape, the median of the runs' speeds, its ratio to the first shape, and what the first process sent in an update.
# The first tenth of a run does not count. SOFTALIGN=PATH sets the program to run instead of build/release/bin/softalign.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"

config="" rounds=3 updates=100 shapes="1x2 2x1"
while (($#)); do
    case $1 in
        --config | --rounds | --updates | --shapes)
            (($# > 1)) || die "$1 needs a value (try --help)"
            printf -v "${1#--}" '%s' "$2"
            shift 2
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
[[ -n $config ]] || die "--config is required (try --help)"
read -ra shapes_list <<<"$shapes"
program=${SOFTALIGN:-$ROOT/build/release/bin/softalign}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

shards=2
for shape in "${shapes_list[@]}"; do
    needed=$((${shape%x*} * ${shape#*x}))
    while ((shards < needed)); do shards=$((2 * shards)); done
done

train() { # SHAPE ROUND
    local launcher=()
    ((${1%x*} == 1)) || launcher=(launch --processes "${1%x*}" --)
    rm -rf -- "$work/run"
    "$program" "${launcher[@]}" train "$config" --set checkpoints.directory="$work/run" \
        --set "training.shards=$shards" --set "runtime.workers=${1#*x}" --set "training.max_updates=$updates" \
        --set "runtime.log_every=$(((updates + 9) / 10))" --set report.html=false --set validation.every=1000000 \
        --set validation.unit=updates --set validation.translate=false >"$work/log" 2>&1 ||
        die "$1: $(tail -n 1 "$work/log")"
    python3 - "$work/run/metrics.jsonl" "$work/log" "$updates" >>"$work/$1" <<'PYTHON'
import json, re, statistics, sys
records = [json.loads(line) for line in open(sys.argv[1])]
speeds = [record["tokens_per_second"] for record in records if "tokens_per_second" in record]
sent = re.search(r"sent ([0-9.]+) MiB", open(sys.argv[2]).read())
print(statistics.median(speeds[1:]), float(sent.group(1)) / int(sys.argv[3]) if sent else 0.0)
PYTHON
}

for ((round = 1; round <= rounds; ++round)); do
    for shape in "${shapes_list[@]}"; do
        train "$shape" "$round"
    done
done

python3 - "$work" "${shapes_list[@]}" <<'PYTHON'
import statistics, sys
first = None
print("processes x workers\ttokens/s\tratio\tMiB sent an update")
for shape in sys.argv[2:]:
    runs = [tuple(map(float, line.split())) for line in open(f"{sys.argv[1]}/{shape}")]
    speed = statistics.median(run[0] for run in runs)
    first = first or speed
    print(f"{shape}\t{speed:.0f}\t{speed / first:.3f}\t{runs[0][1]:.2f}")
PYTHON
