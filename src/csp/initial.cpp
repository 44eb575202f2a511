// SPDX-License-Identifier: Apache-2.0
// The valuations that a model may begin with.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "csp/evaluate.h"
#include "csp/valuation.h"

namespace plumb::csp {

namespace {

using Entry = Layout::Entry;

// Sets each element to every value of the range in turn, the last element
// fastest.
std::vector<Valuation> with_any_value(const std::vector<Valuation>& before,
                                      std::uint32_t variable,
                                      const Range& range, std::size_t most) {
  const Entry& entry = before[0].layout().variables()[variable];
  std::vector<Valuation> now = before;
  for (std::uint32_t i = 0; i < entry.length; ++i) {
    std::vector<Valuation> next;
    for (const Valuation& valuation : now) {
      for (std::int64_t x = *range.low; x <= *range.high; ++x) {
        if (next.size() == most) {
          throw RuntimeFault{FaultKind::kRange,
                             "'" + entry.name + " = *' gives more than " +
                                 std::to_string(most) + " initial states",
                             entry.span};
        }
        next.push_back(valuation);
        next.back().slot(entry.first + i) =
            Datum::integer(static_cast<std::int32_t>(x));
      }
    }
    now = std::move(next);
  }
  return now;
}

// A range must have both ends, within 32 bits, the lower one first.
const Range& finite_range(const Variable& variable) {
  if (!variable.range || !variable.range->low || !variable.range->high) {
    throw RuntimeFault{FaultKind::kRange,
                       "'" + variable.name + " = *' needs a range, as in '" +
                           variable.name + ":{0..3} = *'",
                       variable.span};
  }
  if (*variable.range->low > *variable.range->high) {
    throw RuntimeFault{FaultKind::kRange,
                       "the range of '" + variable.name + "' is empty",
                       variable.span};
  }
  return *variable.range;
}

void set_initial(const Variable& variable, std::uint32_t number,
                 Valuation& valuation) {
  Context context{valuation};
  const Datum value = evaluate(*variable.initial, context);
  const Entry& entry = valuation.layout().variables()[number];
  if (entry.is_array && value.is_array() &&
      value.items().size() != entry.length) {
    throw RuntimeFault{FaultKind::kIndex,
                       "'" + variable.name + "' has " +
                           std::to_string(entry.length) + " elements, and " +
                           std::to_string(value.items().size()) +
                           " values are given",
                       variable.span};
  }
  try {
    valuation.set(number, value);
  } catch (RuntimeFault& fault) {
    fault.span = variable.span;
    throw;
  }
}

// A zero that is nowhere written must be in the range too.
void check_zeros(const Variable& variable, std::uint32_t number,
                 Valuation& valuation) {
  if (!variable.range) return;
  try {
    valuation.set(number, valuation.get(number));
  } catch (RuntimeFault& fault) {
    fault.span = variable.span;
    fault.detail += "; give it an initial value";
    throw;
  }
}

}  // namespace

std::vector<Valuation> initial_valuations(const Module& module, Layout& layout,
                                          std::size_t most) {
  std::vector<Valuation> result = {Valuation(layout)};
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    const Variable& variable = module.variables[i];
    if (variable.any) {
      result = with_any_value(result, i, finite_range(variable), most);
      continue;
    }
    for (Valuation& valuation : result) {
      if (variable.initial) {
        set_initial(variable, i, valuation);
      } else {
        check_zeros(variable, i, valuation);
      }
    }
  }
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    const Entry& entry = layout.variables()[i];
    if (entry.left_out && entry.length > 0) {
      const Datum* first = &std::as_const(result[0]).slot(entry.first);
      layout.set_hidden(i, {first, entry.length});
    }
  }
  return result;
}

}  // namespace plumb::csp
