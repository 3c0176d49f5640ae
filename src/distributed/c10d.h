#pragma once

// The headers of c10d, where LibTorch has them. Gloo's are a package of their own in Debian (libgloo-dev).
#if defined(USE_C10D_GLOO) && __has_include(<gloo/context.h>) && \
    __has_include(<torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>)
#define SOFTALIGN_HAS_C10D
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#endif
