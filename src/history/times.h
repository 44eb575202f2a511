// SPDX-License-Identifier: Apache-2.0
// When events happened, as far as a history's file says so.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace plumb::history {

// By line: the field "time" of the event that stands there.
using Times = absl::flat_hash_map<std::uint32_t, std::int64_t>;

// Reads a file once more, for it was read without looking at times: verdicts
// do not depend on them, and few want to see them.  Lines outside of
// [first, last] are passed over.
// LIMIT: there are none of standard input, nor of files with several events on
// a line.  Throws InputError.
Times read_times(const std::string& path, std::uint32_t first,
                 std::uint32_t last, Budget& budget);

// Of one line, in JSON or EDN; nothing unless it says so once.
std::optional<std::int64_t> time_in(std::string_view line);

}  // namespace plumb::history
