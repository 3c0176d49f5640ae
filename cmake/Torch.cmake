# LibTorch, found where installed (CMAKE_PREFIX_PATH or Torch_DIR name another place), else the official one for CPUs.
# Makes the target softalign_torch and sets Torch_VERSION and the C++ standard of the project.
#
# LibTorch's own package file of a CUDA build wants the CUDA toolkit with its compiler. A program that has no CUDA
# source of its own needs neither, so for those builds the target is made here from the libraries.
include(FetchSource)

# softalign_find_torch(CONFIG_OUT ROOT_OUT): the package file and the place of the LibTorch to use, or NOTFOUND.
function(softalign_find_torch config_out root_out)
  find_file(SOFTALIGN_TORCH_CONFIG TorchConfig.cmake HINTS "${Torch_DIR}" "$ENV{Torch_DIR}" PATH_SUFFIXES
    share/cmake/Torch lib/cmake/Torch "lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/Torch" libtorch/share/cmake/Torch)
  set(config "${SOFTALIGN_TORCH_CONFIG}")
  # Looked for afresh every time, so that another CMAKE_PREFIX_PATH or Torch_DIR takes effect.
  unset(SOFTALIGN_TORCH_CONFIG CACHE)
  set(root NOTFOUND)
  if(config)
    string(REGEX REPLACE "/(share|lib|lib/[^/]*)/cmake/Torch/TorchConfig.cmake$" "" root "${config}")
  endif()
  set(${config_out} "${config}" PARENT_SCOPE)
  set(${root_out} "${root}" PARENT_SCOPE)
endfunction()

# softalign_torch_of_cuda(ROOT): makes softalign_torch from the libraries of a CUDA build and sets Torch_VERSION.
function(softalign_torch_of_cuda root)
  set(include_dirs "${root}/include" "${root}/include/torch/csrc/api/include")
  # The version is in the first of these that there is.
  find_file(header NAMES torch/headeronly/version.h torch/csrc/api/include/torch/version.h PATHS "${root}/include"
    NO_DEFAULT_PATH NO_CACHE REQUIRED)
  file(STRINGS "${header}" lines REGEX "^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
  list(TRANSFORM lines REPLACE "^.* ([0-9]+).*$" "\\1")
  list(JOIN lines "." version)
  set(libraries "")
  foreach(name torch torch_cpu torch_cuda c10 c10_cuda)
    find_library(SOFTALIGN_LIB_${name} ${name} PATHS "${root}/lib" PATH_SUFFIXES "${CMAKE_LIBRARY_ARCHITECTURE}"
      NO_DEFAULT_PATH REQUIRED)
    mark_as_advanced(SOFTALIGN_LIB_${name})
    list(APPEND libraries "${SOFTALIGN_LIB_${name}}")
  endforeach()
  add_library(softalign_torch INTERFACE)
  target_include_directories(softalign_torch SYSTEM INTERFACE ${include_dirs})
  # Nothing refers to the CUDA libraries by name: they announce themselves when loaded. What they need in turn may be where
  # only they look for it, as in PyTorch's packages for Python.
  target_link_options(softalign_torch INTERFACE "LINKER:--no-as-needed" "LINKER:--allow-shlib-undefined")
  target_link_libraries(softalign_torch INTERFACE ${libraries})
  if(EXISTS "${root}/include/torch/csrc/distributed/c10d/ProcessGroupGloo.hpp")
    target_compile_definitions(softalign_torch INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
  endif()
  # What moves tensors between GPUs (src/distributed/nccl_exchange.cpp). Its headers call both libraries.
  find_path(SOFTALIGN_NCCL_INCLUDE nccl.h HINTS "${root}/include")
  find_path(SOFTALIGN_CUDA_INCLUDE cuda_runtime_api.h HINTS "${root}/include" PATHS /usr/local/cuda/include)
  find_library(SOFTALIGN_LIB_nccl nccl HINTS "${root}/lib")
  find_library(SOFTALIGN_LIB_cudart cudart HINTS "${root}/lib" PATHS /usr/local/cuda/lib64)
  mark_as_advanced(SOFTALIGN_NCCL_INCLUDE SOFTALIGN_CUDA_INCLUDE SOFTALIGN_LIB_nccl SOFTALIGN_LIB_cudart)
  if(SOFTALIGN_NCCL_INCLUDE AND SOFTALIGN_CUDA_INCLUDE AND SOFTALIGN_LIB_nccl AND SOFTALIGN_LIB_cudart)
    target_compile_definitions(softalign_torch INTERFACE USE_C10D_NCCL)
    target_include_directories(softalign_torch SYSTEM INTERFACE "${SOFTALIGN_NCCL_INCLUDE}" "${SOFTALIGN_CUDA_INCLUDE}")
    target_link_libraries(softalign_torch INTERFACE "${SOFTALIGN_LIB_nccl}" "${SOFTALIGN_LIB_cudart}")
    message(STATUS "NCCL: ${SOFTALIGN_LIB_nccl}")
  else()
    message(STATUS "NCCL: no headers, or not those of CUDA; GPUs of several processes exchange by way of the host")
  endif()
  set(Torch_VERSION "${version}" PARENT_SCOPE)
endfunction()

function(softalign_check_torch_abi config)
  file(STRINGS "${config}" old_abi REGEX "_GLIBCXX_USE_CXX11_ABI=0")
  if(old_abi)
    message(FATAL_ERROR "${config}: this LibTorch is built with the C++ ABI from before 2011, which "
      "no other library here is. Take the archive that has 'cxx11-abi' in its name, or LibTorch 2.8 or newer.")
  endif()
endfunction()

softalign_find_torch(torch_config torch_root)
if(FETCHCONTENT_SOURCE_DIR_LIBTORCH OR NOT torch_root)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT FETCHCONTENT_SOURCE_DIR_LIBTORCH)
    message(FATAL_ERROR "LibTorch is not installed, and there is no official archive for ${CMAKE_SYSTEM_PROCESSOR}. "
      "On Debian: apt-get install libtorch-dev.")
  endif()
  softalign_fetch_source(libtorch
    URL "https://download.pytorch.org/libtorch/cpu/libtorch-cxx11-abi-shared-with-deps-2.5.1%2Bcpu.zip"
    SHA256 618ca54eef82a1dca46ff1993d5807d9c0deb0bae147da4974166a147cb562fa
    HINT "On Debian, libtorch-dev is found without a download.")
  set(Torch_DIR "${libtorch_SOURCE_DIR}/share/cmake/Torch")
  softalign_find_torch(torch_config torch_root)
endif()

softalign_check_torch_abi("${torch_config}")
file(GLOB torch_cuda "${torch_root}/lib/libtorch_cuda.so" "${torch_root}/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libtorch_cuda.so")
if(torch_cuda)
  softalign_torch_of_cuda("${torch_root}")
  set(torch_kind "CUDA build")
else()
  cmake_path(GET torch_config PARENT_PATH torch_package)
  set(Torch_DIR "${torch_package}")
  find_package(Torch REQUIRED PATHS "${torch_package}" NO_DEFAULT_PATH)
  add_library(softalign_torch INTERFACE)
  target_include_directories(softalign_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
  target_link_libraries(softalign_torch INTERFACE ${TORCH_LIBRARIES})
  set(torch_kind "CPU build")
endif()

# The headers decide the C++ standard: C++17 up to 2.11, C++20 from 2.12 on.
if(NOT DEFINED CMAKE_CXX_STANDARD)
  if(Torch_VERSION VERSION_GREATER_EQUAL 2.12)
    set(CMAKE_CXX_STANDARD 20)
  else()
    set(CMAKE_CXX_STANDARD 17)
  endif()
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
message(STATUS "LibTorch ${Torch_VERSION} (${torch_kind}) in ${torch_root}; C++${CMAKE_CXX_STANDARD}")
