# softalign_fetch_source(NAME URL url SHA256 hash [HINT text])
# Downloads and unpacks a pinned archive through FetchContent and sets NAME_SOURCE_DIR and NAME_BINARY_DIR.
# FETCHCONTENT_SOURCE_DIR_<NAME> names an unpacked tree to use instead, as with every FetchContent.
include(FetchContent)

function(softalign_fetch_source name)
  cmake_parse_arguments(arg "" "URL;SHA256;HINT" "" ${ARGN})
  string(TOUPPER "${name}" upper)
  if(NOT FETCHCONTENT_SOURCE_DIR_${upper})
    message(STATUS "Fetching ${name}: ${arg_URL}. ${arg_HINT}")
  endif()
  # A SOURCE_SUBDIR without a CMakeLists.txt: fetched, but not added to the build.
  FetchContent_Declare(${name} URL "${arg_URL}" URL_HASH "SHA256=${arg_SHA256}" DOWNLOAD_EXTRACT_TIMESTAMP ON
    SOURCE_SUBDIR not-added-here)
  FetchContent_MakeAvailable(${name})
  set(${name}_SOURCE_DIR "${${name}_SOURCE_DIR}" PARENT_SCOPE)
  set(${name}_BINARY_DIR "${${name}_BINARY_DIR}" PARENT_SCOPE)
endfunction()
