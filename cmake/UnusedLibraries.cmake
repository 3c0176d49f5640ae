# Libraries that LibTorch names without using them.
#
# A distribution's LibTorch may ask the system for libraries of which it calls nothing: Debian's 1.13 for OpenCV and FFmpeg, which
# bring two hundred others along. Loading and linking them takes two thirds of the time that the program needs to start,
# and 70 MB of memory. The program is linked with empty libraries of the same names, which are loaded in their place.
# libsoftalign.so is not: the program that it becomes a part of may want the real ones.
#
# A LibTorch of another version that asks for others gets them as ever. One that begins to call what is left out here does not
# start: then configure again, or with -DSOFTALIGN_SKIP_UNUSED_LIBRARIES=OFF.
option(SOFTALIGN_SKIP_UNUSED_LIBRARIES "Do not load the image and video libraries that LibTorch names but never calls" ON)

# softalign_media_libraries(FILE OUT): what FILE asks for of the libraries that this is about.
function(softalign_media_libraries file out)
  set(names "")
  execute_process(COMMAND "${CMAKE_READELF}" -d "${file}" OUTPUT_VARIABLE dynamic ERROR_QUIET)
  string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*\\[[^]]+\\]" needed "${dynamic}")
  foreach(line IN LISTS needed)
    string(REGEX REPLACE ".*\\[([^]]+)\\]$" "\\1" name "${line}")
    if(name MATCHES "^lib(opencv_[a-z0-9]+|avcodec|avformat|avutil|swscale|swresample)\\.so\\.[0-9]+$")
      list(APPEND names "${name}")
    endif()
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# softalign_find_unused_libraries(OUT): the names that can be left out, or nothing. The system's own linker is asked whether
# everything is found that any library in LibTorch's company refers to, with empty libraries in place of these.
function(softalign_find_unused_libraries out)
  set(${out} "" PARENT_SCOPE)
  find_program(SOFTALIGN_LDD ldd)
  mark_as_advanced(SOFTALIGN_LDD)
  if(CMAKE_CROSSCOMPILING OR NOT CMAKE_READELF OR NOT SOFTALIGN_LDD)
    return()
  endif()
  find_library(torch_library torch_cpu PATHS "${torch_root}/lib" "${torch_root}/lib/${CMAKE_LIBRARY_ARCHITECTURE}"
    NO_DEFAULT_PATH NO_CACHE)
  if(NOT torch_library)
    return()
  endif()
  softalign_media_libraries("${torch_library}" names)
  if(NOT names)
    return()
  endif()
  set(folder "${CMAKE_BINARY_DIR}/unused_libraries/trial")
  file(MAKE_DIRECTORY "${folder}")
  foreach(name IN LISTS names)
    execute_process(COMMAND "${CMAKE_C_COMPILER}" -shared -fPIC "-Wl,-soname,${name}" -o "${folder}/${name}"
      "${PROJECT_SOURCE_DIR}/cmake/nothing.c" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(NOT status EQUAL 0)
      return()
    endif()
  endforeach()
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${folder}" "${SOFTALIGN_LDD}" -r "${torch_library}"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  set(said "${output}${errors}")
  if(NOT status EQUAL 0 OR said MATCHES "undefined symbol|no version information|not found")
    message(STATUS "LibTorch uses all the libraries that it names")
    return()
  endif()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# softalign_unused_libraries: linked before all others, it makes a program load the empty libraries.
add_library(softalign_unused_libraries INTERFACE)
set(SOFTALIGN_UNUSED_TARGETS "")
if(SOFTALIGN_SKIP_UNUSED_LIBRARIES)
  softalign_find_unused_libraries(names)
  foreach(name IN LISTS names)
    string(MAKE_C_IDENTIFIER "unused_${name}" library)
    string(REGEX REPLACE "^lib([^.]+)(\\..*)$" "\\1;\\2" parts "${name}")
    list(GET parts 0 stem)
    list(GET parts 1 suffix)
    add_library(${library} SHARED "${PROJECT_SOURCE_DIR}/cmake/nothing.c")
    set_target_properties(${library} PROPERTIES OUTPUT_NAME "${stem}" SUFFIX "${suffix}"
      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unused_libraries")
    list(APPEND SOFTALIGN_UNUSED_TARGETS ${library})
  endforeach()
  if(SOFTALIGN_UNUSED_TARGETS)
    list(LENGTH SOFTALIGN_UNUSED_TARGETS count)
    message(STATUS "${count} image and video libraries that LibTorch names but never calls are left out")
    target_link_options(softalign_unused_libraries INTERFACE "LINKER:--no-as-needed")
    target_link_libraries(softalign_unused_libraries INTERFACE ${SOFTALIGN_UNUSED_TARGETS})
  endif()
endif()

# softalign_install_unused_libraries(PROGRAM): installs them beside the program, where it finds them.
function(softalign_install_unused_libraries program)
  if(SOFTALIGN_UNUSED_TARGETS)
    file(RELATIVE_PATH place "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}/softalign")
    set_property(TARGET ${program} APPEND PROPERTY INSTALL_RPATH "\$ORIGIN/${place}")
    install(TARGETS ${SOFTALIGN_UNUSED_TARGETS} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/softalign")
  endif()
endfunction()
