#!/usr/bin/env bash
# Tests the server with third-party programs: a LibreTranslate client from npm, or Chromium, which drives the page at
# desktop and phone width. Both must get what `translate` writes.
#
#   scripts/test_serve.sh client [--softalign FILE]
#   scripts/test_serve.sh page [--softalign FILE] [--screenshots DIR]
#
#   --softalign FILE   the program to test (default: build/release/bin/softalign)
#   --screenshots DIR  keeps pictures of the page
#
# Needs node, the npm packages that scripts/setup.sh --tests installs and, for the page, Chromium (scripts/setup.sh
# --browser; set CHROMIUM to its path if it is not found). If one of them is missing, it says so and ends with status 77.
# The script trains a small model for the test.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/node.sh
. "$ROOT/scripts/lib/node.sh"
# shellcheck source=scripts/lib/toy_corpus.sh
. "$ROOT/scripts/lib/toy_corpus.sh"
# shellcheck source=scripts/lib/toy_model.sh
. "$ROOT/scripts/lib/toy_model.sh"

what='' softalign=$ROOT/build/release/bin/softalign screenshots=''
while (($# > 0)); do
    case $1 in
        client | page) what=$1 && shift ;;
        --softalign) softalign=${2:?--softalign needs a file} && shift 2 ;;
        --screenshots) screenshots=${2:?--screenshots needs a directory} && shift 2 ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
case $what in
    client) need_node_packages translate ;;
    page)
        need_node_packages playwright-core
        need_chromium
        ;;
    *) die "name what to test: client or page (try --help)" ;;
esac

folder=$(mktemp -d) server=''
clean_up() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf -- "$folder"
}
trap clean_up EXIT

toy_model "$softalign" "$folder"
# The other has placeholders for spans that are kept.
[[ $what == client ]] || toy_model "$softalign" "$folder/held" --set vocabulary.placeholders=2
# What the tests ask for, and what they must get: a text on each line.
{
    head -n 20 "$folder/train.a"
    echo 'alpha bravo. Charlie delta echo!'
    echo 'golf <b>hotel</b> & "india" kilo'
    echo 'alpha https://example.org/?a=1&b=2 bravo'
} >"$folder/texts"
"$softalign" translate --model "$folder/model" --input "$folder/texts" --output "$folder/expected" --quiet \
    --split sentences --keep-spans

start_server() {
    : >"$folder/log"
    "$softalign" serve --model "en-de=$folder/model" --listen 127.0.0.1:0 "$@" 2>"$folder/log" &
    server=$!
    local tries
    for ((tries = 0; tries < 600; ++tries)); do
        address=$(sed -n 's/.*listening on //p' "$folder/log")
        [[ -z $address ]] || return 0
        if ! kill -0 "$server" 2>/dev/null; then
            grep -q 'built without libmicrohttpd' "$folder/log" && skip "this softalign was built without libmicrohttpd"
            break
        fi
        sleep 0.1
    done
    cat -- "$folder/log" >&2
    die "the server does not start"
}

if [[ $what == client ]]; then
    echo 'secret of a friend' >"$folder/keys"
    start_server --api-keys "$folder/keys"
    node "$ROOT/scripts/serve/check_client.js" "$address" secret "$folder/texts" "$folder/expected"
else
    start_server --model "en-fr=$folder/held/model"
    [[ -z $screenshots ]] || mkdir -p -- "$screenshots"
    SCREENSHOTS=$screenshots node "$ROOT/scripts/serve/check_page.js" "$address" "$folder/texts" "$folder/expected"
fi
kill "$server"
wait "$server" || die "the server ends with status $?"
server=''
