// SPDX-License-Identifier: Apache-2.0
// C's atomics, of which clang's weak compare-exchanges are told.
#pragma once
#pragma GCC system_header
#include_next <stdatomic.h>

#include "bits/plumb_exchanges.h"
