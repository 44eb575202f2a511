// SPDX-License-Identifier: Apache-2.0
// What a model can ask of a channel: call(cfull, c) and the like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "csp/datum.h"
#include "csp/valuation.h"

namespace plumb::csp {

enum class ChannelFunction : std::uint8_t {
  kFull,   // cfull
  kEmpty,  // cempty
  kCount,  // ccount: messages in it
  kSize,   // csize: messages that it can hold
  kPeek,   // cpeek: the oldest message; fields of several as an array
};

// Nothing if `name` is none of them.
std::optional<ChannelFunction> find_channel_function(std::string_view name);
std::string hint_for_channel_function(std::string_view name);

// A synchronous channel holds nothing: it is empty and full, its size is 0.
// Throws RuntimeFault for cpeek of an empty channel.
Datum ask_channel(ChannelFunction function, const Valuation& valuation,
                  std::uint32_t buffer);

// The buffer of c[index].  Throws RuntimeFault if there is none.
inline std::uint32_t buffer_of(const Channel& channel, std::int32_t index) {
  if (index < 0 || static_cast<std::uint32_t>(index) >= channel.elements) {
    throw RuntimeFault{FaultKind::kIndex, std::to_string(index) + " where '" +
                                              channel.name + "' has " +
                                              std::to_string(channel.elements) +
                                              " channels"};
  }
  return channel.first + static_cast<std::uint32_t>(index);
}

}  // namespace plumb::csp
