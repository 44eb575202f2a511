# SPDX-License-Identifier: Apache-2.0
# What is installed, and where; everything finds its parts from where it lies,
# so a prefix may be moved.
include(CMakePackageConfigHelpers)

# In a folder of its own: nobody but tests is linked with this library, and
# each of those remembers where it is.
set(library_folder ${plumb_libdir}/plumbline)
set(package_folder ${plumb_libdir}/cmake/Plumbline)
install(TARGETS plumb plumbline EXPORT PlumblineTargets
  LIBRARY DESTINATION ${library_folder})
install(DIRECTORY include/plumb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT PlumblineTargets NAMESPACE Plumbline::
  DESTINATION ${package_folder})
configure_package_config_file(cmake/PlumblineConfig.cmake.in
  ${PROJECT_BINARY_DIR}/PlumblineConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/PlumblineConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PlumblineConfig.cmake
  ${PROJECT_BINARY_DIR}/PlumblineConfigVersion.cmake
  DESTINATION ${package_folder})

# For other build systems.
cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY
  ${CMAKE_CURRENT_SOURCE_DIR}/${plumb_libdir}/pkgconfig
  OUTPUT_VARIABLE prefix_from_here)
configure_file(cmake/plumbline.pc.in ${PROJECT_BINARY_DIR}/plumbline.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/plumbline.pc
  DESTINATION ${plumb_libdir}/pkgconfig)

set(documents ${CMAKE_INSTALL_DATADIR}/doc/plumbline)
install(FILES README.md CHANGES.md LICENSE DESTINATION ${documents})
install(DIRECTORY docs/ DESTINATION ${documents}/docs
  FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.bib PATTERN *.sh)
install(DIRECTORY examples DESTINATION ${documents}
  PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE)

install(FILES completions/plumb.bash RENAME plumb
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_plumb
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/plumb.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Made of what the tool says, so they cannot be old.
find_program(PLUMB_HELP2MAN help2man)
if(PLUMB_HELP2MAN AND NOT CMAKE_CROSSCOMPILING)
  set(pages ${PROJECT_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${pages}/plumb.1
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/man-pages $<TARGET_FILE:plumb> ${pages}
    DEPENDS plumb tools/man-pages COMMENT "Making manual pages" VERBATIM)
  add_custom_target(man_pages ALL DEPENDS ${pages}/plumb.1)
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    FILES_MATCHING PATTERN *.1)
endif()
