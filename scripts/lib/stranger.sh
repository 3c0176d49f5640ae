#!/usr/bin/env bash
# Runs what a new user runs, in a bare system made by scripts/test_on.sh.
#
#   stranger.sh CHECKOUT            scripts/quickstart.sh, then scripts/test.sh
#   stranger.sh CHECKOUT FOLDERS    the demo for 30 seconds, then the tests of these folders
set -euo pipefail
cd -- "$1"
if [[ -z ${2:-} ]]; then
    scripts/quickstart.sh
    exec scripts/test.sh
fi
# Each file alone, so that one that lacks an include is found; those that start with the precompiled header of LibTorch,
# which has most of the standard library, lack none.
export SOFTALIGN_UNITY_BUILD=TORCH
scripts/quickstart.sh --minutes 0.5
exec scripts/test.sh --only "$2"
