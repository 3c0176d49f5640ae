#!/usr/bin/env bash
# Runs what a new user runs, in a bare system made by scripts/test_on.sh.
#
#   stranger.sh build CHECKOUT            scripts/quickstart.sh, scripts/test.sh and scripts/package.sh
#   stranger.sh build CHECKOUT FOLDERS    the same with the demo for 15 seconds and the tests of these folders
#   stranger.sh install FOLDER            installs FOLDER's package of Debian and uses it as the user nobody: FOLDER/model
#                                         translates FOLDER/test.en as in FOLDER/test.de, and is served
set -euo pipefail

build() { # CHECKOUT [FOLDERS]
    cd -- "$1"
    local demo=() tests=()
    if [[ -n ${2:-} ]]; then
        # Each file alone, so that one that lacks an include is found; those that start with the precompiled header of
        # LibTorch, which has most of the standard library, lack none.
        export SOFTALIGN_UNITY_BUILD=TORCH
        demo=(--minutes 0.25)
        tests=(--only "$2")
    fi
    scripts/quickstart.sh "${demo[@]}"
    scripts/test.sh "${tests[@]}"
    scripts/package.sh --build build/release --output build/package
}

# shellcheck disable=SC2317
use_package() {
    softalign --version
    softalign translate --model model --input test.en --quiet | cmp - test.de
    softalign serve --model model --listen 127.0.0.1:5000 &
    local server=$! tries=50 answer
    until { exec 3<>/dev/tcp/127.0.0.1/5000; } 2>/dev/null; do
        ((tries-- > 0)) || exit 1
        kill -0 "$server"
        sleep 0.2
    done
    printf 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
    read -r answer <&3
    exec 3>&-
    kill -TERM "$server"
    wait "$server"
    [[ $answer == *" 200 "* ]]
}

install_package() { # FOLDER
    cd -- "$1"
    apt-get -q update
    DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends ./softalign_*.deb libopenblas0-pthread
    [[ -s /usr/share/man/man1/softalign-translate.1.gz ]]
    export -f use_package
    setpriv --reuid=nobody --regid=nogroup --clear-groups bash -euxo pipefail -c use_package
}

case $1 in
    build) build "${@:2}" ;;
    install) install_package "$2" ;;
esac
