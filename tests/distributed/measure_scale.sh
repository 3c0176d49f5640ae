#!/usr/bin/env bash
# Runs scripts/measure_scale.sh on a tiny model: whether every case is measured, not how fast it is.
#
#   tests/distributed/measure_scale.sh PROGRAM
set -euo pipefail
ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=scripts/lib/toy_corpus.sh
. "$ROOT/scripts/lib/toy_corpus.sh"
SOFTALIGN=$(realpath -- "$1")
export SOFTALIGN
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
toy_corpus "$work" 200 5
cat >"$work/config.yaml" <<'YAML'
data: {train_source: train.a, train_target: train.b, valid_source: valid.a, valid_target: valid.b}
vocabulary: {type: unigram, size: 30}
model:
  embedding_size: 16
  encoder: {hidden_size: 16}
  decoder: {hidden_size: 16}
  attention: {size: 16}
training: {batch_size: 8}
checkpoints: {directory: run}
YAML

# cases NUMBER argument...: runs it, and expects so many.
cases() {
    local wanted=$1 rows status=0
    shift
    "$ROOT/scripts/measure_scale.sh" --config "$work/config.yaml" --rounds 1 --updates 8 "$@" >"$work/out" 2>"$work/err" || status=$?
    ((status != 77)) || exit 77
    rows=$(grep -c '^[0-9]x[0-9]' "$work/out") || true
    if ((status != 0 || rows != wanted)); then
        cat "$work/out" "$work/err" >&2
        echo "FAILED: status $status, $rows cases instead of $wanted, for: $*" >&2
        exit 1
    fi
}

cases 4 --accumulate "1 2" --predict
cases 4 --cables "1000 500:2"
echo ok
