#!/usr/bin/env bash
# Runs what a new user runs, in a bare system made by scripts/test_on.sh.
#
#   stranger.sh CHECKOUT            scripts/quickstart.sh, then scripts/test.sh
#   stranger.sh CHECKOUT FOLDER...  the demo for 30 seconds, then the tests of these folders
set -euo pipefail
checkout=$1
shift
cd -- "$checkout"
if (($# == 0)); then
    scripts/quickstart.sh
    exec scripts/test.sh
fi
scripts/quickstart.sh --minutes 0.5
scripts/setup.sh --tests
# shellcheck source=scripts/lib/common.sh
. scripts/lib/common.sh

build_tests() {
    configure release -DSOFTALIGN_BUILD_TESTS=ON
    # The last two are what embed's test installs and needs.
    build release "${@/#/test_}" softalign_shared make_model
}

step "Building the tests of $*" build_tests "$@"
ctest --test-dir build/release --parallel 2 --output-on-failure -R "^($(IFS='|' && echo "$*"))\."
