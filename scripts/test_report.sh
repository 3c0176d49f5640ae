#!/usr/bin/env bash
# Drives reports in headless Chromium: values on hover and by keyboard, dark colours, the width of a phone, text that
# tries to become markup, no message on the console, no request; and, where axe-core is installed, accessibility.
#
#   scripts/test_report.sh --maker build/release/bin/make_report_page
#   scripts/test_report.sh [--screenshots DIR] REPORT.html...
#
#   --maker PROGRAM    tests the pages that this program writes, which the build of the tests makes
#   --screenshots DIR  keeps pictures: desktop and phone, light and dark
#
# Needs node, playwright-core (`npm install playwright-core` anywhere above this folder or in NODE_PATH) and Chromium
# (CHROMIUM names one that is not found). Ends with status 77 and a word where one of them is missing. axe-core is looked
# for where playwright-core is.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/report_pages.sh
. "$ROOT/scripts/lib/report_pages.sh"

maker='' screenshots='' pages=()
while (($# > 0)); do
    case $1 in
        --maker)
            maker=${2:?--maker needs a program}
            shift 2
            ;;
        --screenshots)
            screenshots=${2:?--screenshots needs a directory}
            shift 2
            ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *)
            pages+=("$1")
            shift
            ;;
    esac
done

command -v node >/dev/null || skip "there is no node"
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[[ -n $chromium ]] || skip "there is no Chromium (Debian: apt-get install chromium)"
if command -v npm >/dev/null; then
    NODE_PATH=${NODE_PATH:+$NODE_PATH:}$(npm root -g 2>/dev/null || true)
    export NODE_PATH
fi
(cd -- "$ROOT/scripts" && node -e 'require("playwright-core")' 2>/dev/null) ||
    skip "there is no playwright-core (npm install -g playwright-core)"

make_pages
[[ -z $screenshots ]] || mkdir -p -- "$screenshots"
CHROMIUM=$chromium SCREENSHOTS=$screenshots node "$ROOT/scripts/report/check_report.js" "${pages[@]}"
