# SPDX-License-Identifier: Apache-2.0
# The Debian package: `cpack -G DEB` in the folder of a build.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME plumbline)
set(CPACK_PACKAGE_VENDOR Plumbline)
set(CPACK_PACKAGE_CONTACT "Plumbline maintainers <maintainers@plumbline.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
  "checks that concurrent objects are linearizable")
set(CPACK_PACKAGE_DESCRIPTION
"Plumbline judges whether calls to a concurrent object, say a lock-free queue,
are explained by one sequential object: exactly (linearizability, sequential
and quiescent consistency), or off by bounded factors (quasi-linearizability).

It judges recorded histories, explores the interleavings of real C and C++
code, and verifies models of an object for every client. This package has the
command plumb, and headers, library and CMake package for tests.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# The libraries that programs of ours are linked with are found by
# dpkg-shlibdeps.  `plumb test` compiles.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ (>= 4:11) | clang (>= 1:14)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gdb, cmake, libgtest-dev, catch2")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
include(CPack)
