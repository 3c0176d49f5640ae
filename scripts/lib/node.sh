# shellcheck shell=bash
# Node.js, its packages and Chromium, for the tests that use them. Source it after common.sh.

# install_node_packages: those of scripts/npm/package-lock.json into build/npm, unless they are there.
install_node_packages() {
    local target=$ROOT/build/npm
    if cmp -s -- "$ROOT/scripts/npm/package-lock.json" "$target/package-lock.json" && [[ -e $target/complete ]]; then
        return
    fi
    rm -rf -- "$target" && mkdir -p -- "$target" && cp -- "$ROOT"/scripts/npm/package*.json "$target" &&
        (cd -- "$target" && npm ci --ignore-scripts --no-audit --no-fund) && touch -- "$target/complete"
}

# need_node_packages NAME...: ends the script with a word and status 77 unless Node.js finds these packages, in build/npm
# or where NODE_PATH or npm has them.
need_node_packages() {
    local name
    command -v node >/dev/null || skip "there is no node (Debian: apt-get install nodejs npm)"
    NODE_PATH=$ROOT/build/npm/node_modules${NODE_PATH:+:$NODE_PATH}
    if command -v npm >/dev/null; then
        NODE_PATH=$NODE_PATH:$(npm root -g 2>/dev/null || true)
    fi
    export NODE_PATH
    for name in "$@"; do
        node -e 'require.resolve(process.argv[1])' "$name" 2>/dev/null ||
            skip "there is no npm package $name (scripts/setup.sh --tests installs it where there is npm)"
    done
}

# find_chromium: prints the name of the browser; fails where there is none.
find_chromium() {
    [[ -n ${CHROMIUM:-} ]] && echo "$CHROMIUM" || command -v chromium || command -v chromium-browser ||
        command -v google-chrome
}

# need_chromium: CHROMIUM becomes the name of the browser; ends the script with a word and status 77 where there is none.
need_chromium() {
    CHROMIUM=$(find_chromium) || skip "there is no Chromium (scripts/setup.sh --browser, or CHROMIUM=FILE)"
    export CHROMIUM
}
