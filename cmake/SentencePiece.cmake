# SentencePiece, always built from source as a static archive whose symbols stay inside the program: the packaged shared
# library exports a bundled protobuf that collides with the one LibTorch uses, and a program that loads both ends before
# main. Its own CMake files are not used, because Debian's source package removes the static targets from them.
#
# The source: FETCHCONTENT_SOURCE_DIR_SENTENCEPIECE, else what scripts/setup.sh has put into build/deps/sentencepiece,
# else the release on GitHub. 0.1.97 (Debian 12) and 0.2.0 (Debian 13, GitHub) have the same layout.
set(SOFTALIGN_SENTENCEPIECE_CACHE "${PROJECT_SOURCE_DIR}/build/deps/sentencepiece")
if(FETCHCONTENT_SOURCE_DIR_SENTENCEPIECE)
  set(sentencepiece_SOURCE_DIR "${FETCHCONTENT_SOURCE_DIR_SENTENCEPIECE}")
elseif(EXISTS "${SOFTALIGN_SENTENCEPIECE_CACHE}/VERSION.txt")
  set(sentencepiece_SOURCE_DIR "${SOFTALIGN_SENTENCEPIECE_CACHE}")
else()
  softalign_fetch_source(sentencepiece
    URL "https://github.com/google/sentencepiece/archive/refs/tags/v0.2.0.tar.gz"
    SHA256 9970f0a0afee1648890293321665e5b2efa04eaec9f1671fcf8048f456f5bb86
    HINT "On Debian, scripts/setup.sh fetches Debian's source package instead.")
endif()
if(NOT EXISTS "${sentencepiece_SOURCE_DIR}/src/builtin_pb" OR NOT EXISTS "${sentencepiece_SOURCE_DIR}/third_party/absl/flags")
  message(FATAL_ERROR "${sentencepiece_SOURCE_DIR} does not look like the source of SentencePiece 0.1.97 to 0.2.0: "
    "src/builtin_pb and third_party/absl/flags are expected in it.")
endif()
file(STRINGS "${sentencepiece_SOURCE_DIR}/VERSION.txt" SOFTALIGN_SENTENCEPIECE_VERSION LIMIT_COUNT 1)
message(STATUS "SentencePiece ${SOFTALIGN_SENTENCEPIECE_VERSION}: ${sentencepiece_SOURCE_DIR}")

set(config_dir "${CMAKE_BINARY_DIR}/sentencepiece")
file(CONFIGURE OUTPUT "${config_dir}/config.h" CONTENT [[
#ifndef CONFIG_H_
#define CONFIG_H_
#define VERSION "@SOFTALIGN_SENTENCEPIECE_VERSION@"
#define PACKAGE "sentencepiece"
#define PACKAGE_STRING "sentencepiece"
#endif
]] @ONLY)

file(GLOB sources
  "${sentencepiece_SOURCE_DIR}/src/*.cc"
  "${sentencepiece_SOURCE_DIR}/src/builtin_pb/*.cc"
  "${sentencepiece_SOURCE_DIR}/third_party/protobuf-lite/*.cc"
  "${sentencepiece_SOURCE_DIR}/third_party/absl/flags/flag.cc")
list(FILTER sources EXCLUDE REGEX "(_test|_main|/testharness)\\.cc$")

add_library(softalign_sentencepiece STATIC ${sources})
set_target_properties(softalign_sentencepiece PROPERTIES UNITY_BUILD OFF)  # protobuf's files do not go together
set_target_properties(softalign_sentencepiece PROPERTIES
  OUTPUT_NAME softalign_sentencepiece
  CXX_STANDARD 17
  CXX_EXTENSIONS OFF
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  EXPORT_COMPILE_COMMANDS OFF)
# Optimised in every build: training a vocabulary must not crawl in a debug build. Its warnings are not ours to mend.
# GCC 15 and later want <cstdint>, which it does not include.
target_compile_options(softalign_sentencepiece PRIVATE -O2 -w "SHELL:-include cstdint")
if(SOFTALIGN_SANITIZERS MATCHES "undefined" OR SOFTALIGN_BUILD_FUZZERS)
  target_compile_options(softalign_sentencepiece PRIVATE -fno-sanitize=undefined)
endif()
# The bundled protobuf gets a namespace of its own. Hiding its symbols is not enough: the linker would still bind the
# references to it to LibTorch's libprotobuf.so where that comes first on the command line.
target_compile_definitions(softalign_sentencepiece PRIVATE
  _USE_INTERNAL_STRING_VIEW HAVE_PTHREAD=1 google=softalign_google)
target_include_directories(softalign_sentencepiece PRIVATE
  "${sentencepiece_SOURCE_DIR}/third_party" "${sentencepiece_SOURCE_DIR}/third_party/protobuf-lite"
  "${sentencepiece_SOURCE_DIR}/src/builtin_pb")
# src/util.h (the random generator of subword sampling) includes "third_party/absl/..." and "config.h".
target_include_directories(softalign_sentencepiece SYSTEM PUBLIC
  "${sentencepiece_SOURCE_DIR}/src" "${sentencepiece_SOURCE_DIR}" "${config_dir}")
target_link_libraries(softalign_sentencepiece PUBLIC Threads::Threads)
target_link_options(softalign_sentencepiece INTERFACE "LINKER:--exclude-libs,libsoftalign_sentencepiece.a")
