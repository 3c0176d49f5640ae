# shellcheck shell=bash
# Shared by the scripts that reproduce figures and tables of papers. Source it after common.sh.
#
# Every run keeps its settings next to its directory, with the checksum of its configuration and with what tells apart the
# models and translations of other runs that it uses. With the same settings, finished runs are skipped and interrupted
# ones continue. Other settings are an error, so that no table mixes two experiments.

PROGRAM=${SOFTALIGN:-$ROOT/build/release/bin/softalign}

need_program() {
    [[ -x $PROGRAM ]] ||
        die "no program at $PROGRAM: build it (scripts/quickstart.sh does), or name it: SOFTALIGN=PATH $0 ..."
    command -v python3 >/dev/null || die "python3 is needed"
}

# helper NAME argument...: runs scripts/reproduction/NAME.py.
helper() {
    local name=$1
    shift
    python3 -B "$ROOT/scripts/reproduction/$name.py" "$@"
}

need_value() { # OPTION and what follows it
    [[ -n ${2:-} ]] || die "$1 needs a value (try --help)"
}

need_number() { # OPTION VALUE: a whole number of 1 or more
    [[ $2 =~ ^[1-9][0-9]*$ ]] || die "$1: '$2' is not a whole number above 0"
}

absolute() { # PATH, which need not exist
    local path=$1
    [[ $path == /* ]] || path=$PWD/$path
    while [[ $path == ?*/ ]]; do
        path=${path%/}
    done
    printf '%s' "$path"
}

# From here on, a signal to the script first ends what it runs in the background, with SIGTERM, on which training saves.
end_background_on_signals() {
    trap 'end_background 129' HUP
    trap 'end_background 130' INT
    trap 'end_background 143' TERM
}

end_background() { # STATUS of the script
    local process
    for process in $(jobs -pr); do
        # a group of processes, where it has one
        kill -s TERM -- "-$process" 2>/dev/null || kill -s TERM "$process" 2>/dev/null || true
    done
    wait
    exit "$1"
}

# split_list VALUE: its parts between commas or blanks, one a line, each once.
split_list() {
    tr -s ', ' '\n' <<<"$1" | awk 'NF && !seen[$0]++'
}

# read_names VALUE KIND NAME...: puts the names of --only into the array `names`. They must be among those given.
read_names() {
    local name
    mapfile -t names < <(split_list "$1")
    ((${#names[@]} > 0)) || die "--only must name at least one"
    for name in "${names[@]}"; do
        [[ " ${*:3} " == *" $name "* ]] || die "--only: there is no $2 '$name' (--list shows them)"
    done
}

# read_seeds VALUE: puts the numbers of a list into the array `seeds`.
read_seeds() {
    local seed
    mapfile -t seeds < <(split_list "$1")
    ((${#seeds[@]} > 0)) || die "--seeds must name at least one"
    for seed in "${seeds[@]}"; do
        need_number --seeds "$seed"
    done
}

need_multi30k() { # FOLDER of the texts in English and German
    local name
    for name in train val test_2016_flickr; do
        [[ -f $1/$name.en && -f $1/$name.de ]] ||
            die "$1 lacks $name.en or $name.de: run scripts/prepare_multi30k.sh, or name their folder with --data"
    done
}

# keep_settings FILE TEXT: writes the text, or ends the script where the file holds another. Where there is none, nothing
# that an earlier run has left is taken for this one's.
keep_settings() {
    local file=$1 text=$2
    if [[ -e $file ]]; then
        [[ $(<"$file") == "$text" ]] || die "${file%.settings} was begun with other settings:
$(diff <(printf '%s\n' "$text") "$file" | sed -n 's/^</  asked now: /p; s/^>/  begun with:/p')
Give another --output, or remove ${file%.settings} and $file."
    else
        mkdir -p -- "$(dirname -- "$file")"
        rm -f -- "${file%.settings}".{trained,json} "${file%.settings}".*.json "${file%.settings}".test.*
        printf '%s\n' "$text" >"$file.new"
        mv -- "$file.new" "$file"
    fi
}

checksum() { # FILE
    sha256sum <"$1" | cut -c 1-16
}

# settings_of DIRECTORY [KEY=VALUE]...: a line each, with the checksums of files that are beside the directory, and the
# time at which models there were done. The number of workers changes no result, so it is left out.
settings_of() {
    local folder setting value path paths
    folder=$(dirname -- "$1")
    for setting in "${@:2}"; do
        [[ $setting == runtime.workers=* ]] && continue
        printf '%s' "$setting"
        value=${setting#*=}
        value=${value#[}
        IFS=, read -r -a paths <<<"${value%]}"
        for path in "${paths[@]}"; do
            [[ $path == "$folder"/* ]] || continue
            [[ ! -f $path ]] || printf ' (%s)' "$(checksum "$path")"
            [[ ! -e $path.trained ]] || printf ' (%s)' "$(<"$path.trained")"
        done
        echo
    done
}

# train_run DIRECTORY CONFIG [KEY=VALUE]...: trains into the directory, or goes on with what is there. Training shows
# its own progress, so it keeps the terminal.
train_run() {
    local directory=$1 config=$2 override options=() status=0
    shift 2
    [[ -f $config ]] || die "$config is not there"
    keep_settings "$directory.settings" "${config#"$ROOT/"} ($(checksum "$config"))
$(settings_of "$directory" "$@")"
    [[ -e $directory.trained ]] && return 0
    for override in "checkpoints.directory=$directory" "$@"; do
        options+=(--set "$override")
    done
    say "Training $directory"
    end_background_on_signals
    # A closed terminal sends SIGHUP to training too, which does not save on it.
    (trap '' HUP && exec "$PROGRAM" train "$config" --resume "${options[@]}") &
    wait "$!" || status=$?
    trap - HUP INT TERM
    ((status == 0)) || die "training ended with status $status; run the same command again to continue"
    date --utc '+trained until %F %T.%N' >"$directory.trained.new"
    mv -- "$directory.trained.new" "$directory.trained"
}

# make_vocabulary FILE SIZE NORMALIZATION TEXT...: one vocabulary for all runs, so that they differ in nothing else.
make_vocabulary() {
    local file=$1 size=$2 normalization=$3 text inputs=()
    shift 3
    [[ -e $file ]] && return 0
    mkdir -p -- "$(dirname -- "$file")"
    for text in "$@"; do
        inputs+=(--input "$text")
    done
    step "Training a vocabulary of $size pieces" "$PROGRAM" vocab train --type bpe --size "$size" \
        --normalization "$normalization" --output "$file" "${inputs[@]}"
}
