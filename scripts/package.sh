#!/usr/bin/env bash
# Builds a package of Debian for this release of Debian: the program with its manual pages and completions, the shared library
# and its header. Install it with: apt install ./softalign_VERSION_ARCHITECTURE.deb
#
#   scripts/package.sh [--output FOLDER]
#
#   --output FOLDER   where the package is put (default: build/package)
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/debian.sh
. "$ROOT/scripts/lib/debian.sh"

output=$ROOT/build/package
while (($# > 0)); do
    case $1 in
        --output) output=${2:?--output needs a folder} && shift 2 ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $1 (try --help)" ;;
    esac
done
mkdir -p -- "$output"
output=$(cd -- "$output" && pwd)

"$ROOT/scripts/setup.sh"
if ! command -v help2man >/dev/null; then
    can_be_root || die "there is no help2man; as root: apt-get install help2man"
    step "Installing help2man" apt_install help2man
fi
# Called by step.
# shellcheck disable=SC2317
build_package() {
    configure release "$TOGETHER" -B "$ROOT/build/package" -DCMAKE_INSTALL_PREFIX=/usr -DSOFTALIGN_BUILD_TESTS=OFF &&
        cmake --build "$ROOT/build/package" --parallel "$(jobs_at_once)" &&
        (cd -- "$ROOT/build/package" && cpack -B "$output")
}
step "Building the package (build/package)" build_package
rm -rf -- "$output/_CPack_Packages"
ls -- "$output"/softalign_*.deb
