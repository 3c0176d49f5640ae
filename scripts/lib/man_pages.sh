#!/usr/bin/env bash
# Writes a manual page of the program and one of each of its commands, of what --help says. Needs help2man.
#
#   scripts/lib/man_pages.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
version=$("$program" --version)
mkdir -p -- "$folder"

# page NAME SECTION-TITLE argument...
page() {
    local name=$1 title=$2
    shift 2
    # help2man names a page after the file that it runs.
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$program" "$*" >"$work/$name"
    chmod +x "$work/$name"
    help2man --no-info --section=1 --name="$title" --version-string="${version##* }" --source="$version" \
        --manual="User commands" "$work/$name" | gzip -9n >"$folder/$name.1.gz"
}

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
page softalign "neural machine translation: train, translate, evaluate, serve"
# The list of commands: their names and what they do, until the next heading or the end.
"$program" --help | awk '/^Subcommands:/ { found = 1; next } found && /^  [a-z]/ { print }' |
    while read -r command title; do
        page "softalign-$command" "$title" "$command"
    done
