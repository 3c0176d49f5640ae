#!/usr/bin/env bash
# Drives reports in headless Chromium: values on hover and by keyboard, dark colours, the width of a phone, text that
# tries to become markup, no message on the console, no request; and, where axe-core is installed, accessibility.
#
#   scripts/test_report.sh --maker build/release/bin/make_report_page [--only NAME]...
#   scripts/test_report.sh [--screenshots DIR] REPORT.html...
#
#   --maker PROGRAM    tests the pages that this program writes, which the build of the tests makes
#   --only NAME        of these pages, this one: all of them take a minute
#   --screenshots DIR  keeps pictures: desktop and phone, light and dark
#
# Needs Chromium (CHROMIUM names one that is not found), node and playwright-core, which scripts/setup.sh --browser installs.
# Ends with status 77 and a word where one of them is missing.
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
