#!/usr/bin/env bash
# Checks the formatting (.clang-format), looks for faults (.clang-tidy) and, with clang-tidy 17 or newer, for missing
# includes of standard headers, in all C++ files of the project or in those you name.
#
#   scripts/lint.sh [--format-only] [FILE...]
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"

format_only=0
while (($# > 0)); do
    case $1 in
        --format-only)
            format_only=1
            shift
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        -*) die "unknown argument $1 (try --help)" ;;
        *) break ;;
    esac
done

files=()
for file in "$@"; do
    files+=("$(realpath -- "$file")")
done
if ((${#files[@]} == 0)); then
    mapfile -t files < <(find "$ROOT"/{src,include,tests,benchmarks,examples} -name '*.h' -o -name '*.cpp' | sort)
fi
sources=()
for file in "${files[@]}"; do
    # An example is no part of the build, so nothing is known of how it is compiled.
    [[ $file == *.cpp && $file != "$ROOT"/examples/* ]] && sources+=("$file")
done

# clang cannot read the header that GCC precompiled, so the commands come from a build folder that has none.
configure_for_tidy() {
    configure dev -B "$ROOT/build/lint" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DSOFTALIGN_BUILD_TESTS=ON \
        -DSOFTALIGN_WARNINGS_AS_ERRORS=OFF
}

tidy() {
    printf '%s\0' "${sources[@]}" |
        xargs -0 -n 1 -P "$(jobs_at_once)" clang-tidy --quiet --warnings-as-errors='*' -p "$ROOT/build/lint"
}

# The clang-tidy to look for missing includes with; nothing if none is new enough.
include_cleaner() {
    local program
    for program in clang-tidy clang-tidy-{23..17}; do
        if [[ $("$program" --list-checks --checks='-*,misc-include-cleaner' 2>/dev/null) == *misc-include-cleaner* ]]; then
            echo "$program"
            return
        fi
    done
}

# Of standard headers only: a source file may use the project's headers that its own header includes, and the other
# libraries' headers are meant to be included as a whole. <fstream> cannot do without std::ios, nor <csignal> without kill.
check_standard_headers() {
    local log=$ROOT/build/lint/include_cleaner.log
    local others='softalign|SOFTALIGN|at|c10|torch|caffe2|nlohmann|spdlog|fmt|testing|CLI|YAML|sentencepiece|benchmark'
    printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(jobs_at_once)" \
        "$1" --quiet -p "$ROOT/build/lint" --checks='-*,misc-include-cleaner' >"$log" ||
        { tail -n 20 "$log" && return 1; }
    ! grep 'warning: no header providing "' "$log" | grep -vE "providing \"(::)?($others)(::|_)|providing \"([A-Z]|(kill|std::ios)\")"
}

"$ROOT/scripts/setup.sh" --tests --lint
step "Checking the formatting of ${#files[@]} files" clang-format --dry-run -Werror "${files[@]}"
if ((format_only)) || ((${#sources[@]} == 0)); then
    exit 0
fi
step "Configuring (build/lint)" configure_for_tidy
step "Looking for faults in ${#sources[@]} files with clang-tidy" tidy
cleaner=$(include_cleaner)
if [[ -n $cleaner ]]; then
    step "Looking for missing standard headers with $cleaner" check_standard_headers "$cleaner"
else
    say "clang-tidy is older than 17: missing includes are left to scripts/check_includes.py"
fi
say "Nothing found"
