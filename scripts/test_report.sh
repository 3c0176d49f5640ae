#!/usr/bin/env bash
# Tests reports in headless Chromium: values on hover and by keyboard, dark colours, phone width, text that tries to become
# markup, no console messages, no requests; and, if axe-core is installed, accessibility.
#
#   scripts/test_report.sh --maker build/release/bin/make_report_page [--only NAME]...
#   scripts/test_report.sh [--screenshots DIR] REPORT.html...
#
#   --maker PROGRAM    tests the pages that this program writes; building the tests builds it
#   --only NAME        only this page (all of them take a minute); may be repeated
#   --screenshots DIR  keeps pictures: desktop and phone, light and dark
#
# Needs Chromium (set CHROMIUM to its path if it is not found), node and playwright-core, which scripts/setup.sh --browser
# installs. If one of them is missing, it says so and ends with status 77.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/report_pages.sh
. "$ROOT/scripts/lib/report_pages.sh"
# shellcheck source=scripts/lib/node.sh
. "$ROOT/scripts/lib/node.sh"

maker='' screenshots='' pages=() only=()
while (($# > 0)); do
    case $1 in
        --maker)
            maker=${2:?--maker needs a program}
            shift 2
            ;;
        --only)
            only+=("${2:?--only needs a name}")
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

need_node_packages playwright-core
need_chromium
make_pages
if [[ -n $maker ]] && ((${#only[@]} > 0)); then
    pages=("${only[@]/#/$made/}")
    pages=("${pages[@]/%/.html}")
fi
[[ -z $screenshots ]] || mkdir -p -- "$screenshots"
SCREENSHOTS=$screenshots node "$ROOT/scripts/report/check_report.js" "${pages[@]}"
