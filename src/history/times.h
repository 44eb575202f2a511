// SPDX-License-Identifier: Apache-2.0
// When events happened, as far as a history's file says so.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::history {

// By line: the field "time" of the event that stands there.
using Times = absl::flat_hash_map<std::uint32_t, std::int64_t>;

// Of all lines of a source, noted while it is read: verdicts do not depend on
// them, and few want to see them.
// LIMIT: there are none of lines with several events.
class LineTimes {
 public:
  // Of the next line.
  void note(std::string_view line);
  // Of the lines [first, last].
  Times between(std::uint32_t first, std::uint32_t last) const;

 private:
  static constexpr std::int64_t kNone = INT64_MIN;
  std::vector<std::int64_t> times_;  // line 1 first
};

// Of one line, in JSON or EDN; nothing unless it says so once.
std::optional<std::int64_t> time_in(std::string_view line);

}  // namespace plumb::history
