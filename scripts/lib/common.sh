# shellcheck shell=bash
# What the scripts share: the root of the checkout, one line a step with its time, a log of the details. Source it.

# `set -e` holds in command substitutions as well.
shopt -s inherit_errexit

# With CDPATH set, cd would look elsewhere and print where it went.
unset CDPATH
ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# A LOG of the caller's environment is another program's file.
unset LOG
LOG=$ROOT/build/logs/$(basename -- "${BASH_SOURCE[-1]}" .sh).log
mkdir -p -- "$(dirname -- "$LOG")"
# What only shows something leaves the log of the last run.
if [[ " $* " =~ " "(-h|--help|--list)" " ]]; then
    LOG=/dev/null
fi
: >"$LOG"

say() { printf '%s\n' "$*" | tee -a "$LOG"; }
warn() { printf 'warning: %s\n' "$*" | tee -a "$LOG" >&2; }
die() {
    printf 'error: %s\n' "$*" | tee -a "$LOG" >&2
    exit 1
}

# What a test that cannot run here ends with, for CTest.
skip() {
    echo "skipped: $1"
    exit 77
}

# usage SCRIPT: the comment at its head.
usage() {
    awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$1"
}

# step "What is done" command argument...: runs the command, its output to the log, and prints one line with the time it
# took. A failing command ends the script with the last lines of its output. The command may be a function: it runs in a
# subshell, and under `set -e` it stops where it fails. (`"$@" || status=$?` would switch `set -e` off inside it.)
step() {
    local title=$1 began=$SECONDS status=0
    shift
    printf '%s ...' "$title"
    printf '\n=== %s: %s\n' "$title" "$*" >>"$LOG"
    local first_line
    first_line=$(wc -l <"$LOG")
    set +e
    (
        set -e
        "$@"
    ) >>"$LOG" 2>&1
    status=$?
    set -e
    if ((status != 0)); then
        printf ' failed after %d s\n' "$((SECONDS - began))"
        tail -n "+$((first_line + 1))" "$LOG" | tail -n 25 >&2
        printf 'error: "%s" failed; the whole log is %s\n' "$title" "$LOG" >&2
        exit "$status"
    fi
    printf ' %d s\n' "$((SECONDS - began))"
}

# The number of compilers to run at once: as many as there are cores and as memory allows (1.5 GB each).
jobs_at_once() {
    local cores memory_kb jobs
    cores=$(nproc 2>/dev/null || echo 2)
    memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || echo 4000000)
    jobs=$((memory_kb / 1500000))
    ((jobs < 1)) && jobs=1
    echo "$((jobs < cores ? jobs : cores))"
}

# Compiles the files of a folder together, a few at a time: a build from nothing takes about half as long. For work on the
# code, CMake's presets compile each file alone. SOFTALIGN_UNITY_BUILD=TORCH: only the files that include LibTorch.
unity_build=${SOFTALIGN_UNITY_BUILD:-ON}
# shellcheck disable=SC2034
TOGETHER=-DCMAKE_UNITY_BUILD=${unity_build/TORCH/ON}

# configure PRESET argument...: runs CMake's preset into build/PRESET, with ccache where it is installed.
configure() {
    local preset=$1
    shift
    local arguments=("$@")
    if [[ -n ${FETCHCONTENT_SOURCE_DIR_SENTENCEPIECE:-} ]]; then
        arguments+=("-DFETCHCONTENT_SOURCE_DIR_SENTENCEPIECE=$(realpath -- "$FETCHCONTENT_SOURCE_DIR_SENTENCEPIECE")")
    fi
    if [[ $unity_build == TORCH ]]; then
        arguments+=(-DSOFTALIGN_UNITY_BUILD_OF_TORCH_ONLY=ON)
    fi
    if command -v ccache >/dev/null; then
        arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    (cd -- "$ROOT" && cmake --preset "$preset" "${arguments[@]}")
}

# build PRESET target...
build() {
    local preset=$1
    shift
    cmake --build "$ROOT/build/$preset" --parallel "$(jobs_at_once)" --target "$@"
}
