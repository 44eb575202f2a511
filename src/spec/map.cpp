// SPDX-License-Identifier: Apache-2.0
// A map, which is a product of its keys: each holds a value or null.
#include <algorithm>
#include <utility>

#include "spec/built_in.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

enum Code : std::uint16_t { kPut, kGet, kRemove };

constexpr Signature kOperations[] = {
    {.name = "put",
     .argument = Argument::kPair,
     .result = Result::kValue,
     .meaning = "previous, or null"},
    {.name = "get",
     .argument = Argument::kValue,
     .result = Result::kValue,
     .reads_only = true,
     .meaning = "v, or null"},
    {.name = "remove",
     .argument = Argument::kValue,
     .result = Result::kValue,
     .meaning = "previous, or null"},
};

Value key_of(const Call& call) {
  return call.code == kPut ? call.argument.items()[0] : call.argument;
}

// State: key, value, key, value, ... in the order of the keys' words.  No
// caller can tell a key that holds null from one that is absent, so the state
// does not either: putting null removes.
class Map final : public Deterministic<Map> {
 public:
  explicit Map(const Shape& shape) : Deterministic("map", kOperations, shape) {}

  State initial() const override { return {}; }
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return {values.begin(), values.end()};
  }
  State renamed(const State& state, std::span<const Value> from,
                std::span<const Value> to) const override {
    State made;
    for (std::size_t i = 0; i < state.size(); i += 2) {
      const Value entry[] = {spec::renamed(state[i], from, to),
                             spec::renamed(state[i + 1], from, to)};
      const auto at = static_cast<std::ptrdiff_t>(place(made, entry[0]));
      made.insert(made.begin() + at, std::begin(entry), std::end(entry));
    }
    return made;
  }

  std::optional<Value> result(const State& state, const Call& call) const {
    const Value key = key_of(call);
    const std::size_t at = place(state, key);
    return holds(state, at, key) ? state[at + 1] : Value();
  }

  void change(State& state, const Call& call, Value) const {
    if (call.code == kGet) return;
    const Value key = key_of(call);
    const Value value = call.code == kPut ? call.argument.items()[1] : Value();
    const std::size_t at = place(state, key);
    const auto entry = state.begin() + static_cast<std::ptrdiff_t>(at);
    const bool held = holds(state, at, key);
    if (held && value.is_null()) {
      state.erase(entry, entry + 2);
    } else if (held) {
      state[at + 1] = value;
    } else if (!value.is_null()) {
      const Value added[] = {key, value};
      state.insert(entry, std::begin(added), std::end(added));
    }
  }

  std::optional<Value> part(const Call& call) const override {
    return key_of(call);
  }
  bool parts_are_objects() const override { return true; }

  std::string describe(const State& state) const override {
    std::vector<std::pair<Value, Value>> entries;
    for (std::size_t i = 0; i < state.size(); i += 2) {
      entries.emplace_back(state[i], state[i + 1]);
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return compare(a.first, b.first) < 0;
    });
    std::string text = "{";
    for (const auto& [key, value] : entries) {
      if (text.size() > 1) text += ", ";
      text += key.to_string() + ": " + value.to_string();
    }
    return text + "}";
  }

 private:
  // The index of `key`, or where it would have to be; always even.
  static std::size_t place(const State& state, Value key) {
    std::size_t low = 0, high = state.size() / 2;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (state[2 * middle].word() < key.word()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return 2 * low;
  }

  static bool holds(const State& state, std::size_t at, Value key) {
    return at < state.size() && state[at] == key;
  }
};

}  // namespace

SpecificationPtr make_map(const Shape& shape) {
  return std::make_shared<Map>(shape);
}

}  // namespace plumb::spec
