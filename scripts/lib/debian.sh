# shellcheck shell=bash
# Debian and its relatives: packages, the BLAS, and SentencePiece's source. Source it after common.sh.

is_debian() {
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null
}

os_release() { # KEY: a value from /etc/os-release
    (
        # shellcheck disable=SC1091
        . /etc/os-release 2>/dev/null || true
        printf '%s' "${!1:-}"
    )
}

is_installed() { # PACKAGE
    [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == "install ok installed" ]]
}

# Whether as_root works. That sudo is installed does not mean that this user may use it, so sudo is asked; where it wants
# a password and there is a terminal, the user is asked, once.
CAN_BE_ROOT=""
can_be_root() {
    if [[ -z $CAN_BE_ROOT ]]; then
        if [[ $(id -u) == 0 ]] || { command -v sudo >/dev/null && may_use_sudo; }; then
            CAN_BE_ROOT=yes
        else
            CAN_BE_ROOT=no
        fi
    fi
    [[ $CAN_BE_ROOT == yes ]]
}

may_use_sudo() {
    sudo -n true 2>/dev/null || { [[ -t 0 && -t 2 ]] && sudo -v; }
}

as_root() {
    if [[ $(id -u) == 0 ]]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

apt_install() { # PACKAGE...
    as_root apt-get -q -o DPkg::Lock::Timeout=300 update &&
        as_root apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
}

# The library that programs get as BLAS, links resolved; empty where there is none.
selected_blas() {
    readlink -f /usr/lib/*/libblas.so.3 2>/dev/null | head -n 1
}

# The reference BLAS is right and ten times too slow.
blas_is_optimised() {
    local library
    library=$(selected_blas)
    [[ -n $library && $library != */blas/libblas.so* ]]
}

select_openblas() {
    local library name
    library=$(find /usr/lib -path '*/openblas-*/libblas.so.3' 2>/dev/null | head -n 1)
    [[ -n $library ]] || return 1
    name="libblas.so.3-$(basename -- "$(dirname -- "$(dirname -- "$library")")")"
    as_root update-alternatives --set "$name" "$library"
}

# debian_source_lines: deb-src lines to look for SentencePiece in, the system's own archive and release first.
# The archive is the one that base-files comes from, so that a mirror the system uses is used here too.
debian_source_lines() {
    local id codename keyring uri components
    id=$(os_release ID)
    codename=$(os_release VERSION_CODENAME)
    uri=$(apt-cache policy base-files 2>/dev/null |
        awk '!found && $1 == "500" && $2 ~ /^[a-z+]+:/ && $2 !~ /security/ { print $2; found = 1 }')
    keyring=/usr/share/keyrings/$id-archive-keyring.gpg
    components=main
    [[ $id == ubuntu ]] && components="main universe"
    [[ -e $keyring ]] && keyring="[signed-by=$keyring] " || keyring=""
    if [[ $id == debian || $id == ubuntu ]]; then
        [[ -n $uri || $id == ubuntu ]] || uri=http://deb.debian.org/debian
        [[ -n $uri && -n $codename ]] && echo "deb-src $keyring$uri $codename $components"
    fi
    if [[ -e /usr/share/keyrings/debian-archive-keyring.gpg ]]; then
        [[ $id == debian && -n $uri ]] || uri=http://deb.debian.org/debian
        for codename in trixie bookworm; do
            echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $codename main"
        done
    fi
}

# fetch_sentencepiece_from FOLDER LINE: unpacks Debian's source package into FOLDER/sentencepiece-VERSION. apt runs on a
# sources list and on folders of its own, checks the archive's signature, and leaves the system's configuration alone.
fetch_sentencepiece_from() {
    local folder=$1 line=$2
    rm -rf -- "$folder" && mkdir -p -- "$folder/lists/partial" "$folder/archives/partial" &&
        printf '%s\n' "$line" >"$folder/sources.list" || return
    local options=(-q -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=-
        -o "Dir::State::lists=$folder/lists" -o "Dir::Cache::archives=$folder/archives"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Acquire::Languages=none)
    if [[ $(id -u) == 0 ]]; then
        options+=(-o APT::Sandbox::User=root)
    fi
    (cd -- "$folder" && apt-get "${options[@]}" update && apt-get "${options[@]}" source sentencepiece)
}

# fetch_sentencepiece TARGET: Debian's source of SentencePiece into TARGET (this release's, else Debian 13's or 12's). Where none
# can be fetched, TARGET stays away and the status is 0: CMake then fetches the release from GitHub.
fetch_sentencepiece() (
    local target=$1 line folder=${TMPDIR:-/tmp}
    # apt's options cannot hold a path with spaces, so the work is done in a folder of its own.
    [[ $folder != *[[:space:]]* ]] || folder=/tmp
    work=$(mktemp -d "$folder/softalign-source.XXXXXX") || return
    trap 'rm -rf -- "$work" "$target.new"' EXIT
    while IFS= read -r line; do
        echo "Trying: $line"
        # Newer releases than 0.2.0 come without their part of Abseil; see cmake/SentencePiece.cmake.
        if fetch_sentencepiece_from "$work/apt" "$line" &&
            [[ -e $(echo "$work"/apt/sentencepiece-*/third_party/absl/flags) ]]; then
            rm -rf -- "$target" "$target.new" && mkdir -p -- "$(dirname -- "$target")" &&
                mv -- "$work"/apt/sentencepiece-*/ "$target.new" && mv -- "$target.new" "$target"
            return
        fi
    done < <(debian_source_lines)
    echo "No source package of SentencePiece could be fetched."
)
