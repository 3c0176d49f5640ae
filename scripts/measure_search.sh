#!/usr/bin/env bash
# Measures BLEU of a model with different search settings: beam, length normalisation, penalties and patience.
#
#   scripts/measure_search.sh --model DIR --source FILE --references FILE [option...]
#
#   --model DIR          a model directory (runs/multi30k_en_de)
#   --source FILE        the text to translate, one sentence per line
#   --references FILE    its translation
#   --tokenize NAME      BLEU's tokenizer (default: 13a)
#   --output FILE        where the table goes, tab-separated (default: standard output)
#   --only PATTERN       only settings that match an extended regular expression
#
# Each line has the search options, BLEU, and the length of the output relative to the references. SOFTALIGN=PATH sets the
# program to run instead of build/release/bin/softalign.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/reproduce.sh
. "$ROOT/scripts/lib/reproduce.sh"

# One setting per line; the rest is as in the model's configuration.
SETTINGS="\
--beam 1
--beam 2
--beam 4
--beam 5
--beam 8
--beam 12
--beam 20
--length-alpha 0
--length-alpha 0.5
--length-alpha 0.8
--length-alpha 1.2
--length-norm wu --length-alpha 0.6
--length-norm wu --length-alpha 1
--length-norm wu --length-alpha 2
--length-alpha 0 --word-penalty -0.2
--length-alpha 0 --word-penalty -0.5
--coverage-penalty 0.05
--coverage-penalty 0.2
--length-norm wu --length-alpha 0.6 --coverage-penalty 0.2
--no-repeat-ngram 1
--no-repeat-ngram 2
--no-repeat-ngram 3
--patience 0
--patience 0.5
--patience 2
--beam 20 --length-alpha 0
--beam 20 --length-norm wu --length-alpha 0.6
--beam 20 --patience 0"

model="" source="" references="" tokenize=13a output="" only=.
while (($# > 0)); do
    case $1 in
        --model | --source | --references | --tokenize | --output | --only)
            need_value "$1" "${2:-}"
            case $1 in
                --model) model=$2 ;;
                --source) source=$2 ;;
                --references) references=$2 ;;
                --tokenize) tokenize=$2 ;;
                --output) output=$2 ;;
                --only) only=$2 ;;
            esac
            shift 2
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
[[ -n $model && -n $source && -n $references ]] || die "--model, --source and --references are required (try --help)"
need_program
grep -q -E -e "$only" <<<"$SETTINGS" || die "--only: no setting matches '$only'"

measure() {
    local setting options
    printf 'search\tBLEU\tlength\n'
    while IFS= read -r setting; do
        read -r -a options <<<"$setting"
        "$PROGRAM" evaluate --model "$model" --source "$source" --references "$references" --tokenize "$tokenize" \
            --format json "${options[@]}" |
            python3 -c 'import json, sys
result = json.load(sys.stdin)
if isinstance(result, list):
    result = result[0]
ratio = result["verbose_score"].split("ratio = ")[1].split()[0]
print("{}\t{:.2f}\t{}".format(sys.argv[1], result["score"], ratio), flush=True)' "$setting"
    done < <(grep -E -e "$only" <<<"$SETTINGS")
}

if [[ -n $output ]]; then
    measure >"$output.new"
    mv -- "$output.new" "$output"
else
    measure
fi
