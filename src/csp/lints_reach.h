// SPDX-License-Identifier: Apache-2.0
// Which events a process may do, and with which values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "csp/ast.h"

namespace plumb::csp {

// The values that something may have; none: not known.
using ValueSet = std::optional<std::set<std::int64_t>>;

// More than these are not told apart.
inline constexpr std::size_t kMostTold = 64;

// Ends a search for traps that takes too long; nothing is told then.
struct TooMuchToLookAt {};

struct Doing {
  const EventName* event = nullptr;
  bool has_block = false;
  std::vector<ValueSet> fields;
};

// Follows references and passes on the values of arguments, as far as they do
// not depend on variables and inputs.  Every value that a field can have is
// among those told; guards are not looked at, so some may never happen.
class Reach {
 public:
  // Takes a step from `budget` for all that is looked at.
  Reach(const Module& module, std::size_t& budget)
      : module_(module), budget_(budget) {}

  // From `process`, in which the slots have these values.
  void run(const Process& process, const std::vector<ValueSet>& slots);
  // From all processes without parameters, and from assertions.
  void run_all();

  void spend(std::size_t steps) const;  // throws TooMuchToLookAt
  const std::vector<Doing>& events() const { return events_; }
  // Names of events that are hidden somewhere inside.
  const std::set<std::string>& hidden() const { return hidden_; }
  // Of the slots of a process that was reached; empty if it was not.
  std::vector<ValueSet> slots_of(std::uint32_t process) const;
  ValueSet values_of(const Expression& expression,
                     const std::vector<ValueSet>& slots) const;
  // The values of an index.
  ValueSet values_of(const Index& index,
                     const std::vector<ValueSet>& slots) const;

 private:
  void walk(const Process& process, std::vector<ValueSet>& slots);
  void call(const Process& process, const std::vector<ValueSet>& slots);
  void settle();
  void record(const EventName& event, bool has_block,
              const std::vector<ValueSet>& slots);

  const Module& module_;
  std::size_t& budget_;
  std::map<std::uint32_t, std::vector<ValueSet>> reached_;
  std::set<std::uint32_t> changed_;
  bool is_recording_ = false;
  std::vector<Doing> events_;
  std::set<std::string> hidden_;
};

}  // namespace plumb::csp
