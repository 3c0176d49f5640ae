// Nothing but the precompiled header: see cmake/Softalign.cmake.
