// SPDX-License-Identifier: Apache-2.0
// One line of a recorded history, whatever its notation.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/input_error.h"
#include "base/value.h"

namespace plumb::history {

enum class EventType : std::uint8_t {
  kInvoke,
  kOk,       // it returned
  kFail,     // it did not happen
  kInfo,     // nobody knows; or a remark that concerns no operation
  kUnknown,  // type_text is none of these
  kMissing,
};

// What an error points to.
enum class Field : std::uint8_t {
  kWhole,
  kProcess,
  kType,
  kFunction,
  kValue,
  kKey,
  kTime
};

inline constexpr std::uint16_t kUnknownCode = 0xFFFF;

struct Event {
  EventType type = EventType::kMissing;
  bool has_function = false;
  bool has_key = false;
  bool has_bounds = false;            // "time": [earliest, latest]
  bool result_unknown = false;        // "result": "?"
  std::uint16_t code = kUnknownCode;  // of the operation that it names
  std::uint32_t line = 0;
  Value process;  // null: not given
  Value value;
  Value key;
  // When it happened, between these two clock readings; null: nobody said.
  Value earliest, latest;
  // For messages; empty when `type` and `code` are known.
  std::string_view type_text;
  std::string_view function;
};

// Knows where the fields of the current event stand.
class Origin {
 public:
  virtual ~Origin() = default;
  virtual Place place_of(Field field) const = 0;
};

// Of a list as a time that is no pair of numbers.
inline constexpr const char* kNoTime = "a time that is a list has two numbers";
inline constexpr const char* kTimeHint =
    "the earliest and the latest moment at which it can have happened";

// "invoke", "ok", "fail", "info".
EventType event_type(std::string_view text);

}  // namespace plumb::history
