# Installs the build BUILD, builds EXAMPLE against the installed package in an environment that knows of nothing else,
# and compares what it prints with what the installed program translates.
cmake_minimum_required(VERSION 3.25)

set(prefix "${WORK}/prefix")
set(model "${WORK}/model")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")

# run(COMMAND...): with a path and nothing else in the environment; its standard output is in `output`.
macro(run)
  execute_process(COMMAND env -i "PATH=$ENV{PATH}" "HOME=${WORK}" ${ARGN}
    WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors ${input})
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "status ${status} of: ${ARGN}\n${output}\n${errors}")
  endif()
endmacro()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" --config "${CONFIGURATION}")
run("${MAKE_MODEL}" "${model}")

set(flags "")
if(SANITIZERS)
  set(flags "-DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZERS}")
endif()
run("${CMAKE_COMMAND}" -S "${EXAMPLE}" -B "${WORK}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_BUILD_TYPE=${CONFIGURATION}" -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON ${flags})
run("${CMAKE_COMMAND}" --build "${WORK}/build" --config "${CONFIGURATION}")

file(WRITE "${WORK}/text" "the cat sees the dog\na small house\n")
set(input INPUT_FILE "${WORK}/text")
find_program(embed embed PATHS "${WORK}/build" "${WORK}/build/${CONFIGURATION}" NO_DEFAULT_PATH REQUIRED)
run("${embed}" "${model}" 2)
set(shown "${output}")
run("${prefix}/bin/softalign" translate --model "${model}" --n-best 2 --quiet)
set(input "")

# A line "0 ||| a house ||| -1.234567" of the program is "-1.2346  a house" of the example.
string(REGEX MATCHALL "\\|\\|\\| [^|\n]* \\|\\|\\|" expected "${output}")
list(LENGTH expected translations)
if(NOT translations EQUAL 4)
  message(FATAL_ERROR "not 4 translations:\n${output}")
endif()
foreach(line IN LISTS expected)
  string(REGEX REPLACE "^\\|\\|\\| (.*) \\|\\|\\|$" "\\1" text "${line}")
  if(NOT shown MATCHES "\n-[0-9.]+  ${text}\n")
    message(FATAL_ERROR "no \"${text}\" in what the example shows:\n${shown}")
  endif()
endforeach()
if(NOT shown MATCHES "\n    [^\n]+ <- [a-z]+\n")
  message(FATAL_ERROR "no alignment in what the example shows:\n${shown}")
endif()

# What the document shows is this program.
file(READ "${DOCUMENT}" document)
file(READ "${EXAMPLE}/main.cpp" program)
string(FIND "${document}" "\n```cpp\n${program}```\n" place)
if(place LESS 0)
  message(FATAL_ERROR "${DOCUMENT} does not have the text of ${EXAMPLE}/main.cpp")
endif()

# The library takes from outside what LibTorch, yaml-cpp and the system define, and nothing that a host may have in another
# version.
if(NM AND READELF AND NOT SANITIZERS)
  run("${NM}" -D -C --undefined-only "${prefix}/${LIBRARY_FOLDER}/${LIBRARY}")
  string(REGEX MATCHALL "[^\n]* (spdlog|fmt|sentencepiece|google|absl|nlohmann|icu)::[^\n]*" wanted "${output}")
  run("${READELF}" -d "${prefix}/${LIBRARY_FOLDER}/${LIBRARY}")
  string(REGEX MATCHALL "\\[lib(spdlog|fmt|sentencepiece|protobuf|icu[a-z0-9]*)\\.so[^\n]*" needed "${output}")
  if(wanted OR needed)
    list(JOIN wanted "\n" wanted)
    message(FATAL_ERROR "${LIBRARY} needs libraries of the host's choice: ${needed}\n${wanted}")
  endif()
endif()

# The library exports its interface and nothing else.
if(NM AND NOT SANITIZERS)
  run("${NM}" -D -C --defined-only "${prefix}/${LIBRARY_FOLDER}/${LIBRARY}")
  string(REGEX MATCHALL "[^\n]+" symbols "${output}")
  list(LENGTH symbols all)
  list(FILTER symbols EXCLUDE REGEX " softalign::Translator(Error)?::| (vtable|typeinfo|typeinfo name) for softalign::TranslatorError$")
  list(LENGTH symbols others)
  if(all EQUAL others)
    message(FATAL_ERROR "${LIBRARY} does not export its interface:\n${output}")
  endif()
  if(symbols)
    list(JOIN symbols "\n" text)
    message(FATAL_ERROR "${LIBRARY} exports more than its interface:\n${text}")
  endif()
endif()
