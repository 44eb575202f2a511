// SPDX-License-Identifier: Apache-2.0
// The part of Catch2 2 that is compiled once; version 3 has a library for it.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
