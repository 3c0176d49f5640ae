// An empty library: see UnusedLibraries.cmake.
typedef int softalign_nothing;
