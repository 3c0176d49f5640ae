#!/usr/bin/env bash
# Compiles the kernels and their tests for 64-bit ARM and runs them in an emulator: once with the processor's dot
# products, once without.
#
#   scripts/test_arm.sh [GTEST_FILTER]
#
# It needs a cross compiler, an emulator and the sources of GoogleTest; on Debian:
#   apt-get install g++-aarch64-linux-gnu qemu-user libgtest-dev
# If one of them is missing, it says so and ends with status 77. LibTorch is not needed.
set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/common.sh"
case ${1:-} in
  -h | --help)
    usage "${BASH_SOURCE[0]}"
    exit 0
    ;;
  -*) [[ $1 =~ ^-[^-] ]] || die "unknown option $1 (try --help)" ;;
esac
cd "$ROOT"

compiler=${ARM_CXX:-aarch64-linux-gnu-g++}
gtest=${GTEST_SOURCE:-/usr/src/googletest/googletest}
emulator=
for name in qemu-aarch64-static qemu-aarch64; do
  if command -v "$name" > /dev/null; then
    emulator=$name
    break
  fi
done
missing=()
command -v "$compiler" > /dev/null || missing+=(g++-aarch64-linux-gnu)
[[ -n $emulator ]] || missing+=(qemu-user)
[[ -f $gtest/src/gtest-all.cc ]] || missing+=(libgtest-dev)
if ((${#missing[@]} > 0)); then
  echo "skipped: the tests on ARM need these packages: ${missing[*]}"
  exit 77
fi

build=build/arm
mkdir -p "$build"
flags=(-std=c++17 -O2 -Wall -Wextra -Wpedantic -Werror -Isrc -Itests)
sources=(src/kernels/*.cpp src/base/error.cpp src/base/instructions.cpp src/base/precision.cpp tests/kernels/*_test.cpp)
objects=()
newer_than() {  # OBJECT: whether any source or header has changed since it was compiled
  [[ ! -f $1 || -n $(find src/kernels src/base tests/kernels "$0" -newer "$1" -print -quit) ]]
}
compile() {  # OBJECT ARGUMENT...
  objects+=("$1")
  if newer_than "$1"; then
    "$compiler" "${@:2}" -c -o "$1"
  fi
}
for source in "${sources[@]}"; do
  extra=()
  # As src/kernels/CMakeLists.txt has it.
  [[ $source != src/kernels/int8.cpp ]] || extra=(-ffp-contract=off)
  compile "$build/$(basename "$source").o" "${flags[@]}" "${extra[@]}" "$source"
done
for part in gtest-all gtest_main; do
  compile "$build/$part.o" -std=c++17 -O1 -I"$gtest/include" -I"$gtest" "$gtest/src/$part.cc"
done
"$compiler" -static -o "$build/test_kernels" "${objects[@]}" -pthread

for set in dotprod none; do
  echo "SOFTALIGN_INSTRUCTIONS=$set"
  SOFTALIGN_INSTRUCTIONS=$set "$emulator" -cpu max "$build/test_kernels" --gtest_brief=1 --gtest_filter="${1:-*}"
done
