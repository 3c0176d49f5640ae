#!/usr/bin/env bash
# Validates the HTML of reports with the validators that are installed: tidy (Debian: apt-get install tidy) and the Nu HTML
# Checker (npm install -g vnu-jar, and Java; set VNU_JAR to the path of vnu.jar if it is not found).
#
#   scripts/validate_report.sh --maker build/release/bin/make_report_page
#   scripts/validate_report.sh REPORT.html...
#
#   --maker PROGRAM    validates the pages that this program writes; building the tests builds it
#
# If a page has faults, prints them and ends with status 1; if there is no validator, says so and ends with status 77.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/report_pages.sh
. "$ROOT/scripts/lib/report_pages.sh"

maker='' pages=()
while (($# > 0)); do
    case $1 in
        --maker)
            maker=${2:?--maker needs a program}
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

# tidy before 5.9 does not know that a <dl> may hold <div>s, and takes elements without text for mistakes.
tidy_faults() { # PAGE
    tidy -quiet -errors --drop-empty-elements no "$1" 2>&1 |
        grep -vE '(missing </dl> before </div>|missing </div> before <dt>|inserting implicit <dl>|missing <dd>)$' || true
}

# It takes our data for scripts, and does not compute hashes of style sheets; browsers do.
vnu_faults() { # PAGE
    java -jar "$vnu" --format gnu "$1" 2>&1 | grep -v 'Inline s[a-z]* violates Content Security Policy' || true
}

vnu=${VNU_JAR:-}
if [[ -z $vnu ]] && command -v npm >/dev/null; then
    vnu=$(npm root -g 2>/dev/null || true)/vnu-jar/build/dist/vnu.jar
fi
validators=()
if command -v tidy >/dev/null; then
    validators+=(tidy)
fi
if [[ -f $vnu ]] && command -v java >/dev/null; then
    validators+=(vnu)
fi
((${#validators[@]} > 0)) || skip "there is no validator of HTML (Debian: apt-get install tidy)"

make_pages
status=0
for page in "${pages[@]}"; do
    for validator in "${validators[@]}"; do
        case $validator in
            tidy) faults=$(tidy_faults "$page") ;;
            vnu) faults=$(vnu_faults "$page") ;;
        esac
        if [[ -n $faults ]]; then
            printf '%s: %s says:\n%s\n' "$(basename -- "$page")" "$validator" "$faults"
            status=1
        fi
    done
done
((status == 0)) && echo "${#pages[@]} pages are valid (${validators[*]})"
exit "$status"
