#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz and runs them.
#
#   scripts/fuzz.sh [--minutes N] [--jobs N] [TARGET...]
#
#   --minutes N   how long each target runs (default: 30)
#   --jobs N      how many of them at once (default: one per core)
#   TARGET        safetensors, config, ...: a file in tests/fuzz (default: all)
#
# Needs Clang. A target starts from tests/fuzz/corpus/TARGET and from the inputs that earlier runs left in
# build/fuzz/inputs/TARGET. What it finds (a crash, an AddressSanitizer or UndefinedBehaviorSanitizer report, more than ten
# seconds, more than 2 GB) goes to build/fuzz/findings/TARGET: fix the bug, and add the input to tests/fuzz/corpus/TARGET,
# named after the bug. Ends with status 1 if something was found.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"

minutes=30 jobs=$(nproc) targets=()
while (($# > 0)); do
    case $1 in
        --minutes) minutes=${2:?--minutes needs a number} && shift 2 ;;
        --jobs) jobs=${2:?--jobs needs a number} && shift 2 ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        -*)
            echo "fuzz.sh: $1: unknown option; see --help" >&2
            exit 2
            ;;
        *) targets+=("$1") && shift ;;
    esac
done
if ((${#targets[@]} == 0)); then
    mapfile -t targets < <(find "$ROOT/tests/fuzz/corpus" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
fi
for target in "${targets[@]}"; do
    [[ -d $ROOT/tests/fuzz/corpus/$target ]] || die "there is no fuzz target $target; see tests/fuzz/corpus"
done
command -v clang++ >/dev/null || die "the fuzzers need Clang (apt-get install clang)"

folder=$ROOT/build/fuzz

# A finding ends the process; another continues in the remaining time, a few times.
fuzz() {
    local target=$1 end=$((SECONDS + minutes * 60)) left=$((minutes * 60)) round options=()
    [[ -e $ROOT/tests/fuzz/dictionaries/$target ]] && options+=("-dict=$ROOT/tests/fuzz/dictionaries/$target")
    for ((round = 0; round < 20 && left > 0; ++round)); do
        "$folder/bin/fuzz_$target" -max_total_time=$left -timeout=10 -rss_limit_mb=2048 \
            -malloc_limit_mb=512 -max_len=4096 -print_final_stats=1 -artifact_prefix="$folder/findings/$target/" \
            "${options[@]}" "$folder/inputs/$target" "$ROOT/tests/fuzz/corpus/$target" \
            >>"$folder/logs/$target.log" 2>&1 || true
        left=$((end - SECONDS))
    done
}

executions() { awk '/^stat::number_of_executed_units:/ { sum += $2 } END { print sum + 0 }' "$folder/logs/$1.log"; }
findings() { find "$folder/findings/$1" -type f | wc -l; }

"$ROOT/scripts/setup.sh"
step "Configuring (build/fuzz)" configure fuzz
step "Building ${#targets[@]} fuzzers" build fuzz "${targets[@]/#/fuzz_}"
for target in "${targets[@]}"; do
    mkdir -p "$folder/logs" "$folder/inputs/$target" "$folder/findings/$target"
    : >"$folder/logs/$target.log"
done
# Processes in the background ignore Ctrl-C and would go on without this script.
trap 'trap - TERM; kill 0' INT TERM
say "Fuzzing ${targets[*]}: $minutes minutes each, $jobs at once (logs: build/fuzz/logs)"
for target in "${targets[@]}"; do
    while (($(jobs -rp | wc -l) >= jobs)); do
        wait -n || true
    done
    fuzz "$target" &
done
wait
status=0
for target in "${targets[@]}"; do
    found=$(findings "$target")
    say "$target: $(executions "$target") executions, $found findings"
    ((found == 0)) || status=1
done
exit "$status"
