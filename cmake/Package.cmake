# What `cpack` makes of an installation: a package of Debian (scripts/package.sh).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME softalign)
set(CPACK_PACKAGE_CONTACT "softalign <softalign@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "softalign trains, runs and evaluates translation models: recurrent networks with attention,\n\
Transformers and convolutions. It translates files and documents, and serves translations\nover HTTP.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The package's own, which has no version: the empty libraries, and nothing of what they stand for.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_BINARY_DIR}/unused_libraries")
# LibTorch is content with the reference BLAS, which is more than ten times slower.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-pthread")
include(CPack)
