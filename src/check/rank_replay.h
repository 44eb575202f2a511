// SPDX-License-Identifier: Apache-2.0
// A container, run in a given order: who was taken out of turn, and how far.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/value.h"
#include "check/rank_errors.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// What an operation of a container does, and at which end.
enum class Role : std::uint8_t {
  kNone,
  kPutFront,
  kPutBack,
  kTakeFront,
  kTakeBack
};

struct Container {
  enum class Kind : std::uint8_t { kQueue, kStack, kDeque, kPriorityQueue };
  Kind kind = Kind::kQueue;
  std::vector<Role> roles;       // by code
  std::vector<Value> initially;  // from the front to the back

  bool puts(std::uint16_t code) const {
    return roles[code] == Role::kPutFront || roles[code] == Role::kPutBack;
  }
  bool takes(std::uint16_t code) const {
    return roles[code] == Role::kTakeFront || roles[code] == Role::kTakeBack;
  }
  // Did it put something in?  Into a full container it does not.
  bool put(const history::Operation& o) const {
    return puts(o.code) && o.result != Value::boolean(false);
  }
};

// Nothing if `object` is none of these.
std::optional<Container> container_of(const spec::Specification& object);

// Numbers at places, and sums of them [Fenwick94].
class Sums {
 public:
  explicit Sums(std::size_t places) : sums_(places + 1) {}
  void add(std::size_t place, std::int32_t number);
  // Of the places below.
  std::uint32_t below(std::size_t place) const;
  std::uint32_t all() const { return below(sums_.size() - 1); }

 private:
  std::vector<std::int32_t> sums_;
};

// Operations that put something in or take something out, in an order that
// they can have had.
struct ContainerOrder {
  std::vector<std::uint32_t> operations;
  // Beside each take that never returned, what it takes; if there are none, it
  // takes what is next.
  std::vector<std::pair<std::uint32_t, Value>> guesses;
};

struct Replayed {
  std::vector<TakeError> takes;
  std::vector<std::uint32_t> inside;  // so many, after each of the order
  std::uint32_t maximum = 0;
  std::uint64_t sum = 0;
  std::size_t left = 0;
  std::uint32_t most_delayed = 0;
};

// Nothing if something is taken that is not inside.
std::optional<Replayed> replay(const history::History& history,
                               const Container& container,
                               const ContainerOrder& order);

}  // namespace plumb::check
