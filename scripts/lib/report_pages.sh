# shellcheck shell=bash
# What the scripts that test report pages share. Source it after common.sh.

# make_pages: adds the pages that the program $maker writes, if there is one, to the array `pages`. A script without any
# page ends with status 2.
make_pages() {
    if [[ -n $maker ]]; then
        made=$(mktemp -d)
        trap 'rm -rf -- "$made"' EXIT
        "$maker" "$made"
        pages+=("$made"/*.html)
    fi
    ((${#pages[@]} > 0)) || {
        echo "$(basename -- "$0"): no report is given; see --help" >&2
        exit 2
    }
}
