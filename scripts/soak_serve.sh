#!/usr/bin/env bash
# Runs the server at full load for a while: many clients, some of them slow, rude or killed at random, and a reload of the
# model every minute. Every answer must be what `translate` writes. Ends with status 1 if a request was lost or answered
# wrongly, if a reload failed, if memory grew, or if any trace of the clients is left.
#
#   scripts/soak_serve.sh [--minutes N] [--clients N] [--model DIR --text FILE] [--softalign FILE] [--seed N]
#                         [--reload-every SECONDS] [--kill-every SECONDS]
#
#   --minutes N            how long (default: 60)
#   --clients N            connections at the same time, from 8 processes (default: 64)
#   --model DIR            the model to serve (default: a small one that the script trains)
#   --text FILE            sentences to translate, one per line
#   --reload-every SECONDS time from one reload of the model to the next (default: 60)
#   --kill-every SECONDS   time from killing one client process to the next, on average (default: 5)
#   --softalign FILE       the program to run (default: build/release/bin/softalign)
#   --seed N               seed of everything random (default: 1)
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/toy_corpus.sh
. "$ROOT/scripts/lib/toy_corpus.sh"
# shellcheck source=scripts/lib/toy_model.sh
. "$ROOT/scripts/lib/toy_model.sh"

softalign=$ROOT/build/release/bin/softalign model='' text='' options=()
while (($# > 0)); do
    case $1 in
        --softalign) softalign=${2:?--softalign needs a file} && shift 2 ;;
        --model) model=${2:?--model needs a directory} && shift 2 ;;
        --text) text=${2:?--text needs a file} && shift 2 ;;
        --minutes | --clients | --seed | --reload-every | --kill-every)
            [[ -n ${2:-} ]] || die "$1 needs a number (try --help)"
            options+=("$1" "$2")
            shift 2
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
[[ (-n $model && -n $text) || -z $model$text ]] || die "--model and --text go together (try --help)"

command -v python3 >/dev/null || skip "there is no python3"

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
if [[ -z $model ]]; then
    toy_model "$softalign" "$folder"
    model=$folder/model text=$folder/train.a
fi
python3 -B "$ROOT/scripts/serve/soak.py" --softalign "$softalign" --model "$model" --text "$text" --folder "$folder" \
    "${options[@]}"
