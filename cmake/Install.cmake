# What `cmake --install` copies: the program with its manual pages and completions, the shared library, its header, and the
# package that find_package finds.
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

install(FILES "${PROJECT_SOURCE_DIR}/scripts/lib/bash_completion.sh" RENAME softalign
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" RENAME copyright DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/serve" DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples")
# Made of what the program itself says, by a tool that few machines have.
find_program(SOFTALIGN_HELP2MAN help2man)
mark_as_advanced(SOFTALIGN_HELP2MAN)
if(SOFTALIGN_HELP2MAN)
  install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/scripts/lib/man_pages.sh\" \"$<TARGET_FILE:softalign>\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\" COMMAND_ERROR_IS_FATAL ANY)")
endif()
include(Package)
