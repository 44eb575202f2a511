// SPDX-License-Identifier: Apache-2.0
// Trees of CSP# processes with values put in for names: for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "csp/ast.h"
#include "support/csp_walker_data.h"

namespace plumb::walked {

// What stands for a slot.
using Substitution = std::map<std::uint32_t, ExprPtr>;

ExprPtr literal_of(const WalkedDatum& datum);
// A number, a boolean, or an array or object of such.
bool is_value(const Expression& e);
// Requires: is_value(e).
WalkedDatum value_of_literal(const Expression& e);

// With values for names; what has no names left is folded, unless that fails.
ExprPtr substituted(const ExprPtr& e, const Substitution& values);
ProcessPtr substituted(const ProcessPtr& process, const Substitution& values);
EventName substituted(const EventName& event, const Substitution& values);

// An operator whose operands have begun: |||{n}@P lists its copies, sorted by
// their keys, |||{..}@P has P first and then those that have taken a step.
// Process::number is 1 for such operators.
bool runs(const Process& process);
// A || that runs knows the alphabets that its operands had in the beginning.
struct RunningParallel : Process {
  std::vector<std::set<std::string>> alphabets;
};

bool is_skip(const Process& process);
// A copy without what made it larger than one operand.
Process operator_like(const Process& process, std::vector<ProcessPtr> operands);

// Equal texts for equal processes; with what `owner` says of each, if given.
using Owner = std::function<std::int64_t(const Process&)>;
std::string key_of(const Process& process, const Owner& owner);

// All values of the indices, in order.  Throws WalkedFault if `evaluate` does.
using Evaluate = std::function<std::int64_t(const Expression&)>;
std::vector<Substitution> all_values(const std::vector<Index>& indices,
                                     const Evaluate& evaluate);
// Fails for what is not a literal.
std::int64_t literal_number(const Expression& e);

// The events of a list, as texts.
std::set<std::string> listed_events(
    const std::vector<EventName>& events,
    const std::function<WalkedDatum(const Expression&)>& evaluate);

// The alphabet of a process without free names; throws WalkedFault if it
// depends on variables.
std::set<std::string> alphabet_of(const ProcessPtr& process,
                                  const Module& module);

}  // namespace plumb::walked
