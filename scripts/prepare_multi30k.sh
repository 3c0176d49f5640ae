#!/usr/bin/env bash
# Puts the Multi30k corpus (task 1, English, German and French) into data/multi30k. Run with --help for the options.
set -euo pipefail
unset CDPATH

readonly PROGRAM="prepare_multi30k.sh"
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly ROOT
readonly UPSTREAM="https://raw.githubusercontent.com/multi30k/dataset"
# The commits that hold the first release of the files, the one results are published on.
readonly RAW_COMMIT="c9be912dc05a3ebf9ae5bb5f7f58c1791cda43ab"
readonly TOK_COMMIT="7bee46bc74186b4b6254603143610f730d40bf66"

# SHA-256 of the uncompressed text, and the file it becomes.
readonly FILES="\
460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6 raw/train.en
2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72 raw/train.de
5925a3c18f1587b6b54b87743106e6e8ab93618edb6f65d19eac0621f853a10d raw/train.fr
1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227 raw/val.en
660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660 raw/val.de
5304e444d842e962b2dda4d816b70b22a1765b15401642b7ca37a67477e708dc raw/val.fr
399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182 raw/test_2016_flickr.en
4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16 raw/test_2016_flickr.de
cb3160d69b002bb638e66cc7612fcd56cb0af82eadc9c142dedc438afb885ef6 raw/test_2016_flickr.fr
08925f8e0572bcd5a006702fc5fe20e2d77c6917d4eebd576fc20de6693c2119 tok/train.en
cb5a23529b65ec2061f1dc446192a9c37382b63cc75f81a0be59d34894b3a505 tok/train.de
8fa41bb718412bcb7c5dfa58603842810a01543eae86a51279f9886b901266e1 tok/train.fr
46573ce391ae227f1c72f873392436a20ef18e0a6d518098cfbd70b77c8572ec tok/val.en
97232bd273eceb7207f689527386a97e4be2616b18ada47576bdaf96c8ae1f00 tok/val.de
b303e301aa21fe7822a846b2b3fb2d5a1121ec807cd5b1d006fb7b2b5507168a tok/val.fr
5b7f32627cf99eced828311b955dae9800bb52bc8b91cf8b6526829e605b29d2 tok/test_2016_flickr.en
c6a33d39d48f9f510de147651316cd9d918e09ad0219df734a2f16b6baccacc4 tok/test_2016_flickr.de
1463bd5960f9bfe098ec3cd752d3df0c49c84dc646fb518964a29232658cd836 tok/test_2016_flickr.fr"

usage() {
    cat <<'TEXT'
usage: prepare_multi30k.sh [--from DIR] [--url BASE] [--output DIR]

Puts Multi30k (29 000 train, 1014 validation and 1000 test captions in English, German and French) into data/multi30k:
  raw/{train,val,test_2016_flickr}.{en,de,fr}  text as written
  tok/{train,val,test_2016_flickr}.{en,de,fr}  lower-cased, normalised, tokenised
The SHA-256 of each file is checked; files that are already present and correct are kept.

  --from DIR    take the files from DIR instead of the network. DIR is a clone of github.com/multi30k/dataset, or holds
                files named raw.train.en.gz and lc_norm_tok.train.en.gz, or is an earlier output; plain or gzip
  --url BASE    download from a mirror: BASE/data/task1/raw/train.en.gz, BASE/data/task1/tok/train.lc.norm.tok.en, ...
  --output DIR  where to put the files (default: data/multi30k in the project)
  --help        this text
TEXT
}

say() { echo "$PROGRAM: $*" >&2; }

fail() {
    say "$*"
    exit 1
}

fail_usage() {
    say "$* (see --help)"
    exit 2
}

# Where the named file is in the folder, in any of the layouts that --from accepts; nothing where it is not.
find_in_folder() {
    local folder=$1 kind=$2 split=$3 language=$4 name candidate
    local names=()
    if [[ $kind == raw ]]; then
        names=("raw.$split.$language" "data/task1/raw/$split.$language" "raw/$split.$language")
    else
        names=("lc_norm_tok.$split.$language" "data/task1/tok/$split.lc.norm.tok.$language"
            "tok/$split.lc.norm.tok.$language" "tok/$split.$language")
    fi
    for name in "${names[@]}"; do
        for candidate in "$folder/$name" "$folder/$name.gz"; do
            if [[ -f $candidate ]]; then
                echo "$candidate"
                return
            fi
        done
    done
}

# The address of the named file upstream or below the mirror.
address_of() {
    local kind=$1 split=$2 language=$3 base
    if [[ $kind == raw ]]; then
        base=${mirror:-$UPSTREAM/$RAW_COMMIT}
        echo "$base/data/task1/raw/$split.$language.gz"
    else
        base=${mirror:-$UPSTREAM/$TOK_COMMIT}
        echo "$base/data/task1/tok/$split.lc.norm.tok.$language"
    fi
}

download() {
    local address=$1 target=$2
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --retry 2 --connect-timeout 20 --output "$target" "$address"
    elif command -v wget >/dev/null; then
        wget --quiet --tries=3 --timeout=20 --output-document="$target" "$address"
    elif command -v python3 >/dev/null; then
        python3 -c 'import shutil, sys, urllib.request
try:
    with urllib.request.urlopen(sys.argv[1], timeout=20) as answer, open(sys.argv[2], "wb") as file:
        shutil.copyfileobj(answer, file)
except OSError as fault:
    sys.exit(f"{sys.argv[1]}: {fault}")' "$address" "$target"
    else
        fail "none of curl, wget and python3 is installed: install one, or give the corpus with --from DIR"
    fi || fail "cannot download $address: check the network, or give the corpus with --from DIR"
}

# Writes the text of a plain or gzip file.
unpack() {
    local source=$1 target=$2
    if [[ $(od -An -tx1 -N2 "$source" | tr -d ' \n') == 1f8b ]]; then
        gzip -dc "$source" >"$target" || fail "$source is a damaged gzip file: fetch it again"
    else
        cat "$source" >"$target"
    fi
}

sha256() { sha256sum <"$1" | cut -d' ' -f1; }

prepare() {
    local hash=$1 file=$2
    local kind=${file%%/*} name=${file##*/} source target="$output/$2"
    local split=${name%.*} language=${name##*.}
    if [[ -f $target && $(sha256 "$target") == "$hash" ]]; then
        kept=$((kept + 1))
        return
    fi
    if [[ -n $from ]]; then
        source=$(find_in_folder "$from" "$kind" "$split" "$language")
        [[ -n $source ]] || fail "$from has no file for $file, such as $(
            [[ $kind == raw ]] && echo "raw.$name.gz or data/task1/raw/$name.gz" ||
                echo "lc_norm_tok.$name.gz or data/task1/tok/$split.lc.norm.tok.$language"
        )"
        unpack "$source" "$work/text"
    else
        source=$(address_of "$kind" "$split" "$language")
        say "downloading $source"
        download "$source" "$work/download"
        unpack "$work/download" "$work/text"
    fi
    local found
    found=$(sha256 "$work/text")
    [[ $found == "$hash" ]] || fail "$source is not the expected text of $file:
  SHA-256 $found
  instead of $hash"
    mkdir -p "$output/$kind"
    mv "$work/text" "$target"
    made=$((made + 1))
}

from="" mirror="" output="$ROOT/data/multi30k"
while (($#)); do
    case $1 in
    --from | --url | --output)
        [[ -n ${2:-} ]] || fail_usage "$1 needs a value"
        case $1 in
        --from) from=$2 ;;
        --url) mirror=${2%/} ;;
        --output) output=$2 ;;
        esac
        shift 2
        ;;
    --help | -h)
        usage
        exit 0
        ;;
    *) fail_usage "unknown option '$1'" ;;
    esac
done
[[ -z $from || -z $mirror ]] || fail_usage "give --from or --url, not both"
[[ -z $from || -d $from ]] || fail "--from $from: no such folder"

mkdir -p "$output" || fail "cannot make the folder $output"
# Next to the target, so that the last step is a rename.
work=$(mktemp -d "$output/.prepare.XXXXXX") || fail "cannot write to $output"
trap 'rm -rf "$work"' EXIT
made=0 kept=0
while read -r hash file; do
    prepare "$hash" "$file"
done <<<"$FILES"
say "$output: $made files created, $kept already present and correct"
