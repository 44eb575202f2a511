// SPDX-License-Identifier: Apache-2.0
// The most general client: who may call what, when, with which arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/value.h"
#include "lang/program.h"

namespace plumb::lang {

struct Client {
  // For each process: the operations that it may call.
  std::vector<std::vector<std::uint16_t>> allowed;
  // How many calls each process makes; any number if not given.
  std::optional<std::uint32_t> calls;
  // A bounded container whose puts say nothing: at most this many items in
  // it or on the way into it, which is as many puts as were invoked less the
  // takes that gave something.  A wrong object, and one that may give items
  // before it gets them, makes less than nothing of that, but clients forget
  // what goes beyond `debt`.
  std::optional<std::uint32_t> room;
  std::uint32_t debt = 0;
  enum class Part : std::uint8_t { kOther, kPut, kTake };
  std::vector<Part> parts;  // of the operations; used with `room`

  // Makes `debt` large enough if calls are few, so that nothing is forgotten.
  void choose_debt();
  // Do the calls of a run never go beyond `debt`?
  bool never_forgets() const {
    return calls && std::uint64_t{*calls} * allowed.size() <= debt;
  }

  // Its part of a state: calls made by each process, then items.
  std::uint32_t bytes() const {
    return (calls ? static_cast<std::uint32_t>(allowed.size()) : 0) +
           (room ? 2 : 0);
  }
  // `state` is the client's part.
  bool may_invoke(const std::uint8_t* state, std::size_t process,
                  std::uint16_t operation) const;
  void invoked(std::uint8_t* state, std::size_t process,
               std::uint16_t operation) const;
  // Returns whether something was forgotten: see `debt`.
  bool returned(std::uint8_t* state, std::uint16_t operation,
                Value result) const;

 private:
  std::int16_t items(const std::uint8_t* state) const;
  // Returns false if there is a debt that is too large.
  bool set_items(std::uint8_t* state, int count) const;
};

// The arguments of one call.
struct Arguments {
  Value value;  // as labels show them
  std::vector<std::int32_t> numbers;
};

// All combinations, the last parameter moving fastest.
std::vector<Arguments> arguments_of(const OperationCode& operation);

// A number as clients see it, and back; nothing if there is no such number.
Value value_of(const Shape& shape, std::int32_t number);
Value value_of(const Shape& shape, const std::uint8_t* at);
std::optional<std::int32_t> number_of(const Shape& shape, Value value);

}  // namespace plumb::lang
