#!/usr/bin/env bash
# Makes a package of Debian of a build, and tries what is in it.
#
#   tests/scripts/package.sh BUILD_FOLDER CPACK
#
# Exits with 77, and says why, where packages cannot be made.
set -euo pipefail
build=$1 cpack=$2
if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
    echo "skipped: this is no Debian, or dpkg-dev is not installed" >&2
    exit 77
fi
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# Written with the least compression: this is about what is in it.
(cd -- "$build" && "$cpack" -B "$work" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$work/log" 2>&1) || {
    cat "$work/log" >&2
    fail "cpack"
}
package=$(echo "$work"/softalign_*.deb)
[[ -e $package ]] || fail "no softalign_VERSION_ARCHITECTURE.deb"
depends=$(dpkg-deb --field "$package" Depends)
[[ $depends == *libtorch* || -n ${Torch_DIR:-}${CMAKE_PREFIX_PATH:-} ]] || fail "it needs no LibTorch: $depends"
[[ $depends != *opencv* && $depends != *libav* ]] || fail "it needs what is never called: $depends"

dpkg-deb --extract "$package" "$work/root"
PATH=$work/root/usr/bin:$PATH
[[ $(softalign --version) == "softalign "* ]] || fail "the program does not start"
[[ $(command -v softalign) == "$work"/* ]] || fail "there is no program"
for file in include/softalign/translator.h share/doc/softalign/copyright share/doc/softalign/examples/serve/softalign.service; do
    [[ -s $work/root/usr/$file ]] || fail "/usr/$file is missing"
done
compgen -G "$work/root/usr/lib*/libsoftalign.so*" >/dev/null || compgen -G "$work/root/usr/lib/*/libsoftalign.so*" >/dev/null ||
    fail "there is no library"

# shellcheck source=scripts/lib/bash_completion.sh
. "$work/root/usr/share/bash-completion/completions/softalign"
completions() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _softalign
    echo "${COMPREPLY[*]}"
}
[[ $(completions softalign tr) == "train translate" ]] || fail "completions of tr: $(completions softalign tr)"
[[ $(completions softalign translate --bea) == --beam ]] || fail "completions of translate --bea"
[[ $(completions softalign vocab en) == encode ]] || fail "completions of vocab en"
[[ -z $(completions softalign translate some-file) ]] || fail "completions of a file"

if command -v help2man >/dev/null; then
    while read -r command; do
        [[ -s $work/root/usr/share/man/man1/softalign-$command.1.gz ]] || fail "$command has no manual page"
    done < <(softalign --help | awk '/^Subcommands:/ { found = 1; next } found && /^  [a-z]/ { print $1 }')
fi

# The unit's options are those of the program; systemd itself says whether its keys are.
unit=$root/examples/serve/softalign.service
options=$(softalign serve --help)
while read -r option; do
    grep -q -- "$option " <<<"$options" || fail "softalign serve has no option $option"
done < <(grep SOFTALIGN_OPTIONS= "$unit" | grep -oE -- '--[a-z][a-z-]+')
if command -v systemd-analyze >/dev/null; then
    sed "s|/usr/bin/softalign|$work/root/usr/bin/softalign|" "$unit" >"$work/softalign.service"
    problems=$(systemd-analyze verify --man=no "$work/softalign.service" 2>&1) || fail "softalign.service: $problems"
    [[ $problems != *softalign.service:* ]] || fail "$problems"
fi
echo ok
