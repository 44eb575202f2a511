// SPDX-License-Identifier: Apache-2.0
// The channel functions.
#include "csp/channels.h"

#include <algorithm>
#include <array>
#include <vector>

#include "text/diagnostics.h"

namespace plumb::csp {

namespace {

// In the order of ChannelFunction.
constexpr std::array<std::string_view, 5> kNames = {"cfull", "cempty", "ccount",
                                                    "csize", "cpeek"};

Datum peek(const Valuation& valuation, std::uint32_t buffer) {
  if (valuation.size(buffer) == 0) {
    throw RuntimeFault{
        FaultKind::kEmpty,
        "cpeek of '" + valuation.layout().buffers()[buffer].name + "'"};
  }
  const auto fields = valuation.front(buffer);
  if (fields.size() == 1) return fields[0];
  if (std::any_of(fields.begin(), fields.end(),
                  [](const Datum& field) { return field.is_array(); })) {
    throw RuntimeFault{FaultKind::kType,
                       "cpeek of a message of several fields, one of them an "
                       "array"};
  }
  return Datum::array({fields.begin(), fields.end()});
}

}  // namespace

std::optional<ChannelFunction> find_channel_function(std::string_view name) {
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<ChannelFunction>(at - kNames.begin());
}

std::string hint_for_channel_function(std::string_view name) {
  return text::suggestion(std::string(name), {kNames.begin(), kNames.end()},
                          "channels know cfull, cempty, ccount, csize, cpeek");
}

Datum ask_channel(ChannelFunction function, const Valuation& valuation,
                  std::uint32_t buffer) {
  const auto size = static_cast<std::int32_t>(valuation.size(buffer));
  const std::uint32_t capacity = valuation.layout().buffers()[buffer].capacity;
  switch (function) {
    case ChannelFunction::kFull:
      return Datum::boolean(valuation.full(buffer));
    case ChannelFunction::kEmpty:
      return Datum::boolean(size == 0);
    case ChannelFunction::kCount:
      return Datum::integer(size);
    case ChannelFunction::kSize:
      return Datum::integer(static_cast<std::int32_t>(capacity));
    case ChannelFunction::kPeek:
      return peek(valuation, buffer);
  }
  return Datum();
}

}  // namespace plumb::csp
