# shellcheck shell=bash
# Completions of bash for softalign: the commands and options that --help lists, and names of files.

_softalign() {
    local current=${COMP_WORDS[COMP_CWORD]} commands=() help i
    # Those of vocab have commands of their own.
    for ((i = 1; i < COMP_CWORD; ++i)); do
        [[ ${COMP_WORDS[i]} != -* ]] || break
        commands+=("${COMP_WORDS[i]}")
        [[ ${commands[0]} == vocab && i -lt 2 ]] || break
    done
    help=$("${COMP_WORDS[0]}" "${commands[@]}" --help 2>/dev/null) || return 0
    mapfile -t COMPREPLY < <(
        if [[ $current == -* ]]; then
            grep -oE -- '(^|[ ,])--[a-z][a-z0-9-]*' <<<"$help" | tr -d ' ,'
        else
            awk '/^Subcommands:/ { found = 1; next } found && /^  [a-z]/ { print $1 }' <<<"$help"
        fi | sort -u | grep -- "^$current"
    )
}
complete -o default -F _softalign softalign
