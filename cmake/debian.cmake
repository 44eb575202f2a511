# SPDX-License-Identifier: Apache-2.0
# Makes of what CPack has installed what Debian's policy asks for.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(documents ${share}/doc/plumbline)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

# The date that all of this carries: that of the sources.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(date $ENV{SOURCE_DATE_EPOCH})
else()
  execute_process(COMMAND git -C ${root} log -1 --format=%ct
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT date)
  file(TIMESTAMP ${root}/CHANGES.md date "%s" UTC)
endif()
execute_process(COMMAND date -R -u -d @${date}
  OUTPUT_VARIABLE date_in_words OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)

# Debian has the licence itself; what else is in the package has its own.
file(REMOVE ${documents}/LICENSE)
file(COPY_FILE ${root}/cmake/debian_copyright ${documents}/copyright)
file(WRITE ${documents}/changelog.Debian
"plumbline (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Made by CPack; changelog.gz tells what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date_in_words}
")
file(RENAME ${documents}/CHANGES.md ${documents}/changelog)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)

file(GLOB to_compress ${share}/man/man1/*.1 ${documents}/changelog*)
foreach(file ${to_compress})
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Permissions as those of all packages, whatever umask and checkout were.
execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_INSTALL_DIRECTORY}
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB libraries
  ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/lib/*/plumbline/*.so.*.*)
file(CHMOD ${libraries} FILE_PERMISSIONS
  OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
