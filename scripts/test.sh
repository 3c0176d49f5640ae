#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. The last line counts the tests that passed, failed and
# were skipped; the names of those that failed are above it.
#
#   scripts/test.sh [--preset release|dev|asan] [--only LIST] [--werror] [--cxx20] [--benchmarks] [ctest argument...]
#
#   --preset NAME   the build to test (default: release)
#   --only LIST     builds the program, and builds and runs only the tests in these folders of tests/: base,text,...
#   --werror        warnings in our own code are errors
#   --cxx20         compiles the program as C++20 as well, into build/cxx20
#   --benchmarks    builds the programs of benchmarks/ too
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"

preset=release only="" cxx20=0 options=() needed=(--tests)
while (($# > 0)); do
    case $1 in
        --preset)
            preset=${2:?--preset needs a name}
            shift 2
            ;;
        --only)
            only=${2:?--only needs a list of folders}
            shift 2
            ;;
        --werror)
            options+=(-DSOFTALIGN_WARNINGS_AS_ERRORS=ON)
            shift
            ;;
        --cxx20)
            cxx20=1
            shift
            ;;
        --benchmarks)
            options+=(-DSOFTALIGN_BUILD_BENCHMARKS=ON)
            needed+=(--benchmarks)
            shift
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) break ;;
    esac
done

targets=(all) selection=()
if [[ -n $only ]]; then
    IFS=, read -r -a folders <<<"$only"
    for folder in "${folders[@]}"; do
        [[ -e $ROOT/tests/$folder/CMakeLists.txt ]] || die "--only: there is no folder tests/$folder"
    done
    folders=("${folders[@]/#/tests/}")
    targets=(src/all "${folders[@]/%//all}")
    selection=(-R "^(${only//,/|})\\.")
fi

# Called by step.
# shellcheck disable=SC2317
build_everything() {
    configure "$preset" "$TOGETHER" -DSOFTALIGN_BUILD_TESTS=ON "${options[@]}" && build "$preset" "${targets[@]}"
}

# shellcheck disable=SC2317
build_as_cxx20() {
    configure release "$TOGETHER" -B "$ROOT/build/cxx20" -DCMAKE_CXX_STANDARD=20 -DSOFTALIGN_BUILD_TESTS=OFF &&
        cmake --build "$ROOT/build/cxx20" --parallel "$(jobs_at_once)"
}

"$ROOT/scripts/setup.sh" "${needed[@]}"
step "Building the program and the tests (build/$preset)" build_everything
if ((cxx20)); then
    step "Compiling as C++20 (build/cxx20)" build_as_cxx20
fi
say "Running the tests (log: build/logs/test.log)"
# Many tests wait for a disk to write what they save; in memory, they take little more than half as long.
in_memory=/dev/shm
if [[ -z ${TMPDIR:-} && -w $in_memory && $(findmnt --noheadings --output OPTIONS "$in_memory") != *noexec* ]] &&
    (($(df --output=avail --block-size=1M "$in_memory" | tail -1) >= 4096)); then
    export TMPDIR=$in_memory
fi
results=$ROOT/build/$preset/test_results
rm -rf "$results"
mkdir -p "$results"
status=0
ctest --test-dir "$ROOT/build/$preset" --parallel 3 --output-on-failure --output-junit "$results/ctest.xml" \
    "${selection[@]}" "$@" 2>&1 |
    tee -a "$LOG" || status=$?
"$ROOT/scripts/lib/test_summary.sh" "$results" 2>&1 | tee -a "$LOG" || status=$?
exit "$status"
