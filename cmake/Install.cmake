# What `cmake --install` copies: the program, the shared library, its header, and the package that find_package finds.
include(CMakePackageConfigHelpers)

# LibTorch and others that are not where the system looks for libraries are found where they were linked from.
set_target_properties(softalign softalign_shared PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/softalign")

install(TARGETS softalign RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS softalign_shared EXPORT softalign LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/softalign" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT softalign NAMESPACE softalign:: FILE softalignConfig.cmake DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/softalignConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/softalignConfigVersion.cmake" DESTINATION "${package_dir}")
