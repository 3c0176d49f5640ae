#!/usr/bin/env bash
# Installs what you need to build softalign: on Debian and its derivatives with apt-get (as root or with sudo, and only if
# something is missing); on other systems it says what is needed. The source of SentencePiece goes to build/deps/.
#
#   scripts/setup.sh [--tests] [--browser] [--benchmarks] [--lint]
#
# --tests also installs npm packages into build/npm if npm is installed; --browser also installs Chromium, Node.js and npm
# (300 MB) to test the pages.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
# shellcheck source=scripts/lib/debian.sh
. "$ROOT/scripts/lib/debian.sh"
# shellcheck source=scripts/lib/node.sh
. "$ROOT/scripts/lib/node.sh"

tests=0 browser=0 benchmarks=0 lint=0
for argument in "$@"; do
    case $argument in
        --tests) tests=1 ;;
        --browser) tests=1 browser=1 ;;
        --benchmarks) benchmarks=1 ;;
        --lint) lint=1 ;;
        -h | --help)
            usage "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) die "unknown argument $argument (try --help)" ;;
    esac
done

# A LibTorch of the user's own is taken instead of the package.
own_torch() {
    local folder
    [[ -n ${Torch_DIR:-} ]] && return 0
    while IFS= read -r -d : folder; do
        [[ -e $folder/share/cmake/Torch/TorchConfig.cmake ]] && return 0
    done <<<"${CMAKE_PREFIX_PATH:-}:"
    return 1
}

# Debian has two builds of LibTorch and of Gloo, of which only one can be installed.
has_cuda_torch() { is_installed libtorch-cuda-dev; }
gloo_package() { if has_cuda_torch; then echo libgloo-cuda-dev; else echo libgloo-dev; fi; }

needed_packages() {
    command -v g++ >/dev/null || echo g++
    command -v cmake >/dev/null || echo cmake
    command -v ninja >/dev/null || echo ninja-build
    # python3-minimal lacks a part of the standard library.
    python3 -c 'import argparse, subprocess, tempfile, unittest' 2>/dev/null || echo python3
    command -v dpkg-source >/dev/null || echo dpkg-dev
    printf '%s\n' ca-certificates libyaml-cpp-dev libspdlog-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libicu-dev libmicrohttpd-dev libgumbo-dev
    own_torch || has_cuda_torch || echo libtorch-dev
    own_torch || blas_is_optimised || echo libopenblas0-pthread
    ((tests)) && printf '%s\n' libgtest-dev tidy
    if ((browser)); then
        find_chromium >/dev/null || echo chromium
        # npm is a part of some packages of nodejs.
        command -v npm >/dev/null || printf '%s\n' nodejs npm
    fi
    ((benchmarks)) && echo libbenchmark-dev
    if ((lint)); then
        command -v clang-format >/dev/null || echo clang-format
        command -v clang-tidy >/dev/null || echo clang-tidy
    fi
    return 0
}

set_up_debian() {
    local package missing=()
    while IFS= read -r package; do
        is_installed "$package" || missing+=("$package")
    done < <(needed_packages)
    if ((${#missing[@]} == 0)); then
        say "Packages: all there"
    elif can_be_root; then
        step "Installing ${missing[*]}" apt_install "${missing[@]}"
    else
        warn "packages are missing, and you are neither root nor may you use sudo. Run as root:
  apt-get install --no-install-recommends ${missing[*]}"
    fi
    if ! own_torch && ! blas_is_optimised; then
        if can_be_root && (step "Selecting OpenBLAS instead of the reference BLAS" select_openblas) && blas_is_optimised; then
            :
        else
            warn "the BLAS in use is $(selected_blas), the slow reference: training will take ten times as long. Install OpenBLAS."
        fi
    fi
    own_torch || say "BLAS: $(selected_blas)"
    # Not every release has it.
    local gloo
    gloo=$(gloo_package)
    if ! own_torch && ! is_installed "$gloo"; then
        if ! can_be_root || ! (step "Installing $gloo" apt_install "$gloo"); then
            say "$gloo is missing: softalign will run in one process only"
        fi
    fi
}

explain_other_system() {
    say "This is no Debian: nothing is installed. Needed are: a C++17 compiler, CMake 3.25 or newer, Ninja, Python 3"
    say "and LibTorch 1.13 or newer (https://pytorch.org, named by CMAKE_PREFIX_PATH) with an optimised BLAS. What CMake does"
    say "not find of yaml-cpp, spdlog, CLI11, nlohmann-json, zlib and GoogleTest, it fetches. See docs/install.md."
}

set_up_sentencepiece() {
    local target=$ROOT/build/deps/sentencepiece
    if [[ -n ${FETCHCONTENT_SOURCE_DIR_SENTENCEPIECE:-} ]]; then
        say "SentencePiece: $FETCHCONTENT_SOURCE_DIR_SENTENCEPIECE"
    elif [[ -e $target/VERSION.txt ]]; then
        say "SentencePiece: the source is there"
    elif is_debian && command -v dpkg-source >/dev/null; then
        step "Fetching Debian's source of SentencePiece" fetch_sentencepiece "$target"
        [[ -e $target/VERSION.txt ]] ||
            warn "Debian's source of SentencePiece could not be fetched (build/logs/setup.log); CMake will try GitHub"
    fi
}

set_up_node_packages() {
    if ! command -v npm >/dev/null; then
        say "npm is missing: tests with Node.js are skipped"
    elif ! (step "Installing packages of npm (build/npm)" install_node_packages); then
        warn "npm installed nothing (build/logs/setup.log); tests with Node.js are skipped"
    fi
}

if is_debian; then
    set_up_debian
else
    explain_other_system
fi
set_up_sentencepiece
if ((tests)); then
    set_up_node_packages
fi
