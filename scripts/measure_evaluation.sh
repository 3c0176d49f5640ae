#!/usr/bin/env bash
# Times BLEU, chrF and TER for many systems, and compares with sacreBLEU if it is installed.
#
#   scripts/measure_evaluation.sh [--softalign FILE] [--references FILE] [--systems N] [--sentences N] [--rounds N]
#
# The systems are derived from the references by dropping, repeating, replacing and moving words: more words from system
# to system, and the same ones in each call. Without --references, the text is generated, with sentences as long as those
# of news.
# The time is the best of the rounds, from the start of the program to its end. If `python3 -m sacrebleu` works, it is
# timed once in the same way, and its scores are compared with softalign's to the last digit that it prints.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"

softalign=$ROOT/build/release/bin/softalign
references='' systems=16 sentences=3000 rounds=3
while (($#)); do
    case $1 in
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        --softalign | --references | --systems | --sentences | --rounds)
            (($# > 1)) || die "$1 needs a value"
            declare "${1#--}=$2"
            shift 2
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
[[ -x $softalign ]] || die "$softalign does not exist; build it, or name the program with --softalign FILE"

folder=$(mktemp -d)
trap 'rm -r -- "$folder"' EXIT
python3 "$ROOT/scripts/lib/make_systems.py" "$folder" "$systems" "$sentences" "$references"
outputs=()
for ((i = 1; i <= systems; ++i)); do
    outputs+=("$folder/system$i")
done

# Prints the seconds that a command takes; what it writes goes to a file.
seconds() {
    local output=$1 start end
    shift
    start=$(date +%s.%N)
    "$@" >"$output" 2>"$output.errors" || die "$1 failed: $(<"$output.errors")"
    end=$(date +%s.%N)
    echo "$end $start" | awk '{ printf "%.3f\n", $1 - $2 }'
}

echo "$(wc -l <"$folder/reference") sentences, $(wc -w <"$folder/reference") words, $systems systems, $(nproc) cores"
times=()
for ((i = 0; i < rounds; ++i)); do
    times+=("$(seconds "$folder/ours" "$softalign" evaluate --references "$folder/reference" --hypotheses "${outputs[@]}" \
        --metrics bleu,chrf,ter --format json --force)")
done
best=$(printf '%s\n' "${times[@]}" | sort -n | head -n 1)
echo "softalign: $best s"
if python3 -m sacrebleu --version >/dev/null 2>&1; then
    theirs=$(seconds "$folder/theirs" python3 -m sacrebleu "$folder/reference" --input "${outputs[@]}" \
        --metrics bleu chrf ter --format json --width 6 --force)
    echo "sacreBLEU: $theirs s, $(echo "$theirs $best" | awk '{ printf "%.0f", $1 / $2 }') times as long"
    python3 - "$folder/ours" "$folder/theirs" <<'END'
import json
import sys

ours, theirs = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
different = [(a["system"], name) for a, b in zip(ours, theirs) for name, text in b.items()
             if name != "system" and f"{a[name]['score']:.6f}" != text]
print("scores: " + ("all the same" if not different else f"different: {different}"))
sys.exit(bool(different))
END
else
    echo "sacreBLEU: not installed (python3 -m pip install sacrebleu==2.6.0)"
fi
