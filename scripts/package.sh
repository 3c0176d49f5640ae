#!/usr/bin/env bash
# Builds a Debian package for the Debian release it runs on: the program with its manual pages and completions, the shared
# library and its header. Install it with: apt install ./softalign_VERSION_ARCHITECTURE.deb
#
#   scripts/package.sh [--build FOLDER] [--output FOLDER]
#
#   --build FOLDER    where the program is built (default: build/package); scripts/quickstart.sh builds in build/release
#   --output FOLDER   where the package is put (default: build/package)
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/debian.sh
. "$ROOT/scripts/lib/debian.sh"

built=$ROOT/build/package output=$ROOT/build/package
while (($# > 0)); do
    case $1 in
        --build) built=${2:?--build needs a folder} && shift 2 ;;
        --output) output=${2:?--output needs a folder} && shift 2 ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
mkdir -p -- "$built" "$output"
built=$(cd -- "$built" && pwd)
output=$(cd -- "$output" && pwd)

"$ROOT/scripts/setup.sh"
# The one writes manual pages, with the other CPack finds the libraries that the package depends on.
missing=()
for tool in help2man file; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
if ((${#missing[@]} > 0)); then
    can_be_root || die "these are missing: ${missing[*]}; as root: apt-get install ${missing[*]}"
    step "Installing ${missing[*]}" apt_install "${missing[@]}"
fi
# Called by step.
# shellcheck disable=SC2317
build_package() {
    configure release "$TOGETHER" -B "$built" -DCMAKE_INSTALL_PREFIX=/usr -DSOFTALIGN_BUILD_TESTS=OFF &&
        cmake --build "$built" --parallel "$(jobs_at_once)" &&
        (cd -- "$built" && cpack -B "$output")
}
step "Building the package ($built)" build_package
rm -rf -- "$output/_CPack_Packages"
ls -- "$output"/softalign_*.deb
