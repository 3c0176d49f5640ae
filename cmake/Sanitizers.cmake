# What a build with sanitizers, or one of the fuzzers, is compiled and linked with. Set for all that is built here, the
# libraries that are built from their sources included: they read the same bytes.
set(sanitizers "${SOFTALIGN_SANITIZERS}")
if(SOFTALIGN_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "SOFTALIGN_BUILD_FUZZERS needs Clang, which brings libFuzzer: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  if(sanitizers)
    message(FATAL_ERROR "SOFTALIGN_BUILD_FUZZERS brings its own sanitizers; leave SOFTALIGN_SANITIZERS empty")
  endif()
  set(sanitizers address,undefined)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(sanitizers)
  # What one of them finds ends the process, so that no test passes over it.
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # warns of the standard library's <regex> (GCC bug 105562)
  endif()
  # Checks of indices and iterators in the standard library. The other says in every compiler that there are sanitizers:
  # they need more addresses and memory than limits leave, run before the resolvers of cloned functions would, and report
  # when the process ends.
  add_compile_definitions(_GLIBCXX_ASSERTIONS SOFTALIGN_SANITIZED)
endif()
