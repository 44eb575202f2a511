// SPDX-License-Identifier: Apache-2.0
#include "spec/tallies.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace plumb::spec {
namespace {

struct Tally {
  std::uint16_t code;
  std::uint32_t count;
  Value part;

  std::pair<std::uint16_t, std::uint64_t> key() const {
    return {code, part.word()};
  }
};
using Tallies = absl::InlinedVector<Tally, 4>;

constexpr std::size_t kWordsPerTally = 2;
constexpr int kCountShift = 16;

std::size_t object_begin(const State& state) {
  return 1 +
         kWordsPerTally * static_cast<std::size_t>(state.front().as_integer());
}

Tallies tallies_of(const State& state) {
  Tallies out;
  const std::size_t end = object_begin(state);
  for (std::size_t at = 1; at < end; at += kWordsPerTally) {
    const std::int64_t word = state[at].as_integer();
    out.push_back({.code = static_cast<std::uint16_t>(word & 0xffff),
                   .count = static_cast<std::uint32_t>(word >> kCountShift),
                   .part = state[at + 1]});
  }
  return out;
}

State packed(Tallies& tallies, const State& object) {
  std::sort(tallies.begin(), tallies.end(),
            [](const Tally& a, const Tally& b) { return a.key() < b.key(); });
  State out;
  out.reserve(1 + kWordsPerTally * tallies.size() + object.size());
  out.push_back(Value::integer(static_cast<std::int64_t>(tallies.size())));
  for (const Tally& tally : tallies) {
    out.push_back(Value::integer((std::int64_t{tally.count} << kCountShift) |
                                 std::int64_t{tally.code}));
    out.push_back(tally.part);
  }
  out.insert(out.end(), object.begin(), object.end());
  return out;
}

}  // namespace

State with_no_tallies(const State& object) {
  Tallies none;
  return packed(none, object);
}

State object_in(const State& state) {
  return State(state.data() + object_begin(state), state.data() + state.size());
}

std::uint32_t tally_in(const State& state, std::uint16_t code, Value part) {
  for (const Tally& tally : tallies_of(state)) {
    if (tally.code == code && tally.part == part) return tally.count;
  }
  return 0;
}

State with_tally(const State& state, std::uint16_t code, Value part,
                 std::uint32_t count, const State& object) {
  Tallies kept;
  for (const Tally& tally : tallies_of(state)) {
    if (tally.code != code || tally.part != part) kept.push_back(tally);
  }
  if (count > 0) kept.push_back({.code = code, .count = count, .part = part});
  return packed(kept, object);
}

State with_object(const State& state, const State& object) {
  State out(state.data(), state.data() + object_begin(state));
  out.insert(out.end(), object.begin(), object.end());
  return out;
}

State with_renamed_parts(const State& state, const State& object,
                         std::span<const Value> from,
                         std::span<const Value> to) {
  Tallies tallies = tallies_of(state);
  for (Tally& tally : tallies) tally.part = renamed(tally.part, from, to);
  return packed(tallies, object);
}

std::string describe_tallies(const State& state, const Specification& base,
                             std::string_view what) {
  std::string out;
  for (const Tally& tally : tallies_of(state)) {
    out += fmt::format(
        "; {} {} {} in a row", base.operations()[tally.code].name, what,
        tally.count == 1 ? "once" : fmt::format("{} times", tally.count));
    if (!tally.part.is_null()) out += " at " + tally.part.to_string();
  }
  return out;
}

}  // namespace plumb::spec
