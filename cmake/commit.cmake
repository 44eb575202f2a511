# SPDX-License-Identifier: Apache-2.0
# Writes HEADER, which names the commit of SOURCE that is built, if it has
# changed: cmake -DSOURCE=... -DHEADER=... [-DCOMMIT=...] -P commit.cmake
#
# A commit stands for the sources, so two builds of the same sources still give
# the same program; a date would not.
cmake_minimum_required(VERSION 3.25)
if(NOT COMMIT AND EXISTS ${SOURCE}/.git)
  # Without the lock, so that nobody's `git commit` has to wait.
  set(git git --no-optional-locks -C ${SOURCE})
  execute_process(COMMAND ${git} rev-parse --short=10 HEAD
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(COMMIT)
    execute_process(COMMAND ${git} diff --quiet HEAD --
      CMakeLists.txt cmake include page/dist src
      RESULT_VARIABLE changed OUTPUT_QUIET ERROR_QUIET)
    if(NOT changed EQUAL 0)
      string(APPEND COMMIT ", changed")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT
"// The commit that was built; made by cmake/commit.cmake.
#pragma once
#define PLUMB_COMMIT \"@COMMIT@\"
" @ONLY)
