# The small libraries: found where they are installed, else fetched at a pinned version and hash.
# FETCHCONTENT_SOURCE_DIR_<NAME> (YAMLCPP, SPDLOG, CLI11, NLOHMANN_JSON, ZLIB, GOOGLETEST, BENCHMARK) names an unpacked
# source tree and is preferred to both.
include(FetchSource)

# softalign_dependency(NAME URL url SHA256 hash PACKAGE find_package arguments...)
macro(softalign_dependency name)
  cmake_parse_arguments(dependency "" "URL;SHA256" "PACKAGE" ${ARGN})
  string(TOUPPER "${name}" dependency_upper)
  list(GET dependency_PACKAGE 0 dependency_package)
  if(NOT FETCHCONTENT_SOURCE_DIR_${dependency_upper})
    find_package(${dependency_PACKAGE} QUIET)
  endif()
  if(${dependency_package}_FOUND)
    message(STATUS "${dependency_package} ${${dependency_package}_VERSION}")
  else()
    softalign_fetch_source(${name} URL "${dependency_URL}" SHA256 "${dependency_SHA256}")
    message(STATUS "${dependency_package}: built from ${${name}_SOURCE_DIR}")
    add_subdirectory("${${name}_SOURCE_DIR}" "${${name}_BINARY_DIR}" EXCLUDE_FROM_ALL SYSTEM)
  endif()
endmacro()

# Some of these ask for a CMake older than the newest one accepts; their options below must win over their defaults.
set(CMAKE_POLICY_VERSION_MINIMUM 3.5)
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)

set(ZLIB_BUILD_EXAMPLES OFF)
softalign_dependency(zlib
  URL https://github.com/madler/zlib/releases/download/v1.3.1/zlib-1.3.1.tar.gz
  SHA256 9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23
  PACKAGE ZLIB)
if(NOT TARGET ZLIB::ZLIB)
  add_library(softalign_zlib INTERFACE)
  target_include_directories(softalign_zlib SYSTEM INTERFACE "${zlib_SOURCE_DIR}" "${zlib_BINARY_DIR}")
  target_link_libraries(softalign_zlib INTERFACE zlibstatic)
  add_library(ZLIB::ZLIB ALIAS softalign_zlib)
endif()

set(YAML_CPP_BUILD_TESTS OFF)
set(YAML_CPP_BUILD_TOOLS OFF)
set(YAML_CPP_BUILD_CONTRIB OFF)
softalign_dependency(yamlcpp
  URL https://github.com/jbeder/yaml-cpp/archive/refs/tags/0.8.0.tar.gz
  SHA256 fbe74bbdcee21d656715688706da3c8becfd946d92cd44705cc6098bb23b3a16
  PACKAGE yaml-cpp 0.7)
if(yamlcpp_SOURCE_DIR)
  # 0.8.0 uses uint16_t without including <cstdint>, which GCC 15 does not forgive.
  target_compile_options(yaml-cpp PRIVATE -w -include cstdint)
endif()
# The imported target is yaml-cpp in 0.7 and yaml-cpp::yaml-cpp from 0.8 on.
add_library(softalign_yaml INTERFACE)
if(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(softalign_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(softalign_yaml INTERFACE yaml-cpp)
endif()

softalign_dependency(spdlog
  URL https://github.com/gabime/spdlog/archive/refs/tags/v1.15.3.tar.gz
  SHA256 15a04e69c222eb6c01094b5c7ff8a249b36bb22788d72519646fb85feb267e67
  PACKAGE spdlog 1.10)
# What libsoftalign.so consists of does not log, so that a program may use another spdlog beside it. Of spdlog it has fmt
# (<spdlog/fmt/fmt.h>), compiled in.
add_library(softalign_fmt INTERFACE)
target_include_directories(softalign_fmt SYSTEM INTERFACE
  "$<TARGET_PROPERTY:spdlog::spdlog,INTERFACE_INCLUDE_DIRECTORIES>")
get_target_property(spdlog_definitions spdlog::spdlog INTERFACE_COMPILE_DEFINITIONS)
if(spdlog_definitions MATCHES "SPDLOG_FMT_EXTERNAL")
  target_compile_definitions(softalign_fmt INTERFACE SPDLOG_FMT_EXTERNAL)
  target_link_libraries(softalign_fmt INTERFACE fmt::fmt-header-only)
else()
  target_compile_definitions(softalign_fmt INTERFACE FMT_HEADER_ONLY)
endif()

set(CLI11_BUILD_TESTS OFF)
set(CLI11_BUILD_EXAMPLES OFF)
softalign_dependency(cli11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
  SHA256 f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a
  PACKAGE CLI11 2.1)

set(JSON_BuildTests OFF)
softalign_dependency(nlohmann_json
  URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  SHA256 d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
  PACKAGE nlohmann_json 3.11)

if(SOFTALIGN_BUILD_TESTS)
  set(INSTALL_GTEST OFF)
  softalign_dependency(googletest
    URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
    SHA256 8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7
    PACKAGE GTest)
endif()
if(SOFTALIGN_BUILD_BENCHMARKS)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  softalign_dependency(benchmark
    URL https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
    SHA256 6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce
    PACKAGE benchmark 1.7)
endif()

# Unicode's properties of characters, sentences and regular expressions. Not fetched: building ICU takes longer than all the rest.
find_package(ICU 60 COMPONENTS uc i18n)
if(NOT ICU_FOUND)
  message(FATAL_ERROR "ICU is missing (libicu-dev on Debian, libicu-devel on Fedora, icu4c of Homebrew): install it, "
    "or name its folder with -DICU_ROOT=DIR.")
endif()
message(STATUS "ICU ${ICU_VERSION}")

# softalign_optional_library(NAME HEADER PACKAGE WITHOUT): the interface target softalign_NAME where the library is
# installed, and else a line that says what the program will not do. Not fetched: these are not built by CMake.
function(softalign_optional_library name header package without)
  string(TOUPPER "${name}" upper)
  find_path(${upper}_INCLUDE_DIR ${header})
  find_library(${upper}_LIBRARY ${name})
  if(NOT ${upper}_INCLUDE_DIR OR NOT ${upper}_LIBRARY)
    message(STATUS "lib${name} is missing (${package} on Debian): ${without}")
    return()
  endif()
  add_library(softalign_${name} INTERFACE)
  target_include_directories(softalign_${name} SYSTEM INTERFACE "${${upper}_INCLUDE_DIR}")
  target_link_libraries(softalign_${name} INTERFACE "${${upper}_LIBRARY}")
  message(STATUS "lib${name}: ${${upper}_LIBRARY}")
endfunction()

softalign_optional_library(microhttpd microhttpd.h libmicrohttpd-dev "there will be no server")
softalign_optional_library(gumbo gumbo.h libgumbo-dev "HTML cannot be translated")
