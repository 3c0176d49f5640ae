#!/usr/bin/env bash
# Figure 3 of Bahdanau, Cho, Bengio 2014: the alignments of selected sentences, as text and as pictures. Rows are pieces
# of the translation, columns are source pieces. As in the paper, the pictures show weights in grey, from 0 (black) to 1
# (white); the text uses shades.
#
#   scripts/reproduce_figure3.sh [option...]
#
#   --model DIR        a model with attention (default: runs/figure2/rnnsearch50, from scripts/reproduce_figure2.sh)
#   --input FILE       text in the source language (default: data/figure2/test.en)
#   --lines LIST       numbers of the lines to draw, from 1 (default: four of 10 to 20 words, at regular intervals)
#   --output DIR       where the pictures go (default: runs/figure3)
#
# SOFTALIGN=PATH sets the program to run instead of build/release/bin/softalign.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/reproduce.sh
. "$ROOT/scripts/lib/reproduce.sh"

model=$ROOT/runs/figure2/rnnsearch50 input=$ROOT/data/figure2/test.en lines="" output=$ROOT/runs/figure3
while (($# > 0)); do
    case $1 in
        --model | --input | --lines | --output)
            need_value "$1" "${2:-}"
            case $1 in
                --model) model=$2 ;;
                --input) input=$2 ;;
                --lines) lines=$2 ;;
                --output) output=$2 ;;
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

need_program
[[ -d $model ]] || die "no model at $model: train one with scripts/reproduce_figure2.sh, or name one with --model"
[[ -f $input ]] || die "no text at $input: name one with --input"

# Numbers of the lines asked for, or of four sentences of middling length.
chosen_lines() {
    if [[ -n $lines ]]; then
        split_list "$lines"
    else
        awk 'NF >= 10 && NF <= 20 { line[n++] = NR }
             END { k = n < 4 ? n : 4; for (i = 0; i < k; ++i) print line[int(i * n / k)] }' "$input"
    fi
}

mkdir -p -- "$output"
mapfile -t numbers < <(chosen_lines)
((${#numbers[@]} > 0)) || die "$input has no sentence of 10 to 20 words: choose lines with --lines"
: >"$output/source.txt"
for number in "${numbers[@]}"; do
    need_number --lines "$number"
    sed -n "${number}p;${number}q" "$input" >>"$output/source.txt"
done
(($(wc -l <"$output/source.txt") == ${#numbers[@]})) || die "--lines: $input has only $(wc -l <"$input") lines"

translate() {
    "$PROGRAM" translate --model "$model" --input "$output/source.txt" --output "$output/translation.txt" \
        --alignments "$output/alignments.jsonl" --alignment-format soft
}

step "Translating ${#numbers[@]} sentences" translate
helper draw_alignments --alignments "$output/alignments.jsonl" --svg "$output/sentence" | tee -a "$LOG"
say "Lines ${numbers[*]} of $input; pictures: $output/sentence1.svg to sentence${#numbers[@]}.svg"
