// SPDX-License-Identifier: Apache-2.0
// libstdc++'s configuration, with the accesses of its templates in sight.
//
// Templates that it keeps compiled in its library (std::string, streams) are
// compiled with the test, which finds this file first.
#pragma once
#pragma GCC system_header
#include_next <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include "plumb_exchanges.h"
