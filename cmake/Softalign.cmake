# What every target of the project has in common.
add_library(softalign_options INTERFACE)
target_include_directories(softalign_options INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_options(softalign_options INTERFACE -Wall -Wextra -Wpedantic)
# CMake compiles what goes into a program with -fPIE and the rest with -fPIC; the precompiled header below wants one of them.
target_compile_options(softalign_options INTERFACE -fPIC)
# GCC 13 and later see an overrun that cannot be where LibTorch's autograd::Function::apply reserves a vector<bool>, and
# say so in our files, into which it is inlined.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(softalign_options INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(SOFTALIGN_WARNINGS_AS_ERRORS)
  target_compile_options(softalign_options INTERFACE -Werror)
endif()
if(SOFTALIGN_NATIVE)
  target_compile_options(softalign_options INTERFACE -march=native)
endif()

# A faster linker where there is one; the default one always works.
include(CheckLinkerFlag)
foreach(linker mold lld)
  check_linker_flag(CXX "-fuse-ld=${linker}" SOFTALIGN_LINKS_WITH_${linker})
  if(SOFTALIGN_LINKS_WITH_${linker})
    target_link_options(softalign_options INTERFACE "-fuse-ld=${linker}")
    break()
  endif()
endforeach()

# ccache has to be told how to treat files that use a precompiled header, else it passes them by.
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The compiler's garbage collection goes through all of the header (300 MB) each time: without it, a file takes a tenth
    # less time and a tenth more memory.
    target_compile_options(softalign_options INTERFACE -fpch-preprocess --param=ggc-min-heapsize=1500000)
  endif()
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$")
    set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endif()

# LibTorch's headers take about nine seconds in every file, so those that most files need are compiled once. All of
# torch/torch.h would cost every file up to four seconds more, and torch/nn/module.h most of them: the compiler instantiates
# the templates that inline functions of the headers use, whether or not anyone calls them. A compiler reuses the result
# only where its flags are the same (-std, -O, -fPIC or -fPIE, -march, sanitizers), which is why they are set for the whole
# project. There are two sets: code in which time is spent is optimised as the build type says; what runs once a command,
# and the tests, only as far as it costs the compiler little, half of the time for a file. Where a flag differs all the
# same, -Winvalid-pch says so and the headers are read as usual. Definitions of single targets (-DNAME) do no harm.
add_library(softalign_torch_pch OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/cmake/torch_pch.cpp")
add_library(softalign_light_torch_pch OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/cmake/torch_pch.cpp")
foreach(target softalign_torch_pch softalign_light_torch_pch)
  target_link_libraries(${target} PRIVATE softalign_options softalign_torch)
  target_precompile_headers(${target} PRIVATE
    <ATen/ATen.h> <torch/csrc/autograd/custom_function.h>)
endforeach()

# softalign_compile_lightly(TARGET): little optimisation in a release build.
function(softalign_compile_lightly target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()
softalign_compile_lightly(softalign_light_torch_pch)

# softalign_includes_torch(RESULT FILE): whether FILE includes LibTorch, itself or through our headers.
function(softalign_includes_torch result file)
  get_property(answer GLOBAL PROPERTY "softalign_includes_torch ${file}")
  if("${answer}" STREQUAL "")
    set(answer FALSE)
    set_property(GLOBAL PROPERTY "softalign_includes_torch ${file}" FALSE)  # where headers include each other
    cmake_path(GET file PARENT_PATH folder)
    file(STRINGS "${file}" includes REGEX "^#include ")
    foreach(include IN LISTS includes)
      if(include MATCHES "<(torch|ATen|c10)/")
        set(answer TRUE)
      elseif(include MATCHES "\"(.*)\"")
        unset(header)  # of the caller, which may be this function
        find_file(header "${CMAKE_MATCH_1}" NO_CACHE NO_DEFAULT_PATH PATHS
          "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/include" "${folder}")
        if(header)
          softalign_includes_torch(answer "${header}")
        else()
          set(answer TRUE)  # who knows
        endif()
      endif()
      if(answer)
        break()
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "softalign_includes_torch ${file}" ${answer})
  endif()
  set(${result} ${answer} PARENT_SCOPE)
endfunction()

# softalign_precompile_torch(TARGET [LIGHT]): the target's files start with the shared precompiled header, except those
# that don't include LibTorch: it costs the compiler several seconds even where nothing of it is used.
function(softalign_precompile_torch target)
  if("LIGHT" IN_LIST ARGN)
    target_precompile_headers(${target} REUSE_FROM softalign_light_torch_pch)
  else()
    target_precompile_headers(${target} REUSE_FROM softalign_torch_pch)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE file)
    get_source_file_property(generated "${source}" GENERATED)
    set(needed FALSE)
    if(NOT generated)
      softalign_includes_torch(needed "${file}")
    endif()
    if(NOT needed)
      set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON
        SKIP_UNITY_BUILD_INCLUSION "${SOFTALIGN_UNITY_BUILD_OF_TORCH_ONLY}")
    endif()
  endforeach()
endfunction()

# softalign_compile_alone(TARGET), of one that does without LibTorch: where only the files that include it go together.
function(softalign_compile_alone target)
  if(SOFTALIGN_UNITY_BUILD_OF_TORCH_ONLY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
endfunction()

# softalign_library(NAME SOURCES file... [DEPENDS target...] [TORCH] [LIGHT])
# One folder of src/ as a static library, softalign_NAME. TORCH: it includes LibTorch. LIGHT: no time is spent in it.
function(softalign_library name)
  cmake_parse_arguments(arg "TORCH;LIGHT" "" "SOURCES;DEPENDS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "softalign_library(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_library(softalign_${name} STATIC ${arg_SOURCES})
  target_link_libraries(softalign_${name} PUBLIC softalign_options ${arg_DEPENDS})
  set(light "")
  if(arg_LIGHT)
    set(light LIGHT)
    softalign_compile_lightly(softalign_${name})
  endif()
  if(arg_TORCH)
    target_link_libraries(softalign_${name} PUBLIC softalign_torch)
    softalign_precompile_torch(softalign_${name} ${light})
  else()
    softalign_compile_alone(softalign_${name})
  endif()
endfunction()

# softalign_embed(OUTPUT.cpp HEADER [DIGESTS] NAME=FILE...): files that become a part of the program, as functions that
# HEADER declares (cmake/EmbedAssets.cmake).
function(softalign_embed output header)
  cmake_parse_arguments(arg "DIGESTS" "" "" ${ARGN})
  set(assets "")
  set(files "")
  foreach(asset IN LISTS arg_UNPARSED_ARGUMENTS)
    string(REGEX MATCH "^([^=]+)=(.*)$" matched "${asset}")
    list(APPEND files "${CMAKE_CURRENT_SOURCE_DIR}/${CMAKE_MATCH_2}")
    list(APPEND assets "${CMAKE_MATCH_1}=${CMAKE_CURRENT_SOURCE_DIR}/${CMAKE_MATCH_2}")
  endforeach()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${output}" "-DHEADER=${header}" "-DASSETS=${assets}"
      "-DDIGESTS=${arg_DIGESTS}" -P "${PROJECT_SOURCE_DIR}/cmake/EmbedAssets.cmake"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/EmbedAssets.cmake"
    VERBATIM)
  set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/${output}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
