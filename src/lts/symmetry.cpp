// SPDX-License-Identifier: Apache-2.0
#include "lts/symmetry.h"

#include <algorithm>
#include <vector>

#include "base/new_names.h"

namespace plumb::lts {

// All renamings lead to as many states as there are, divided by those that
// leave the state as it is.
double orbit_size(const Symmetry& symmetry, const Canonical& how) {
  double same = 1;
  double run = 1;
  for (std::uint16_t twins = how.twins; twins != 0; twins >>= 1) {
    run = (twins & 1) != 0 ? run + 1 : 1;
    same *= run;
  }
  const std::size_t values = symmetry.values().size();
  for (std::size_t free = 2; how.used_values + free <= values; ++free) {
    same *= static_cast<double>(free);
  }
  return symmetry.order() / same;
}

Value renamed(Value value, std::span<const Value> values,
              Permutation permutation) {
  if (permutation.is_identity()) return value;
  return with_new_names(value, [&](Value each) {
    const auto found = std::ranges::find(values, each);
    if (found == values.end()) return each;
    const auto at = static_cast<std::size_t>(found - values.begin());
    return values[permutation[at]];
  });
}

Label renamed(const Label& label, std::span<const Value> values,
              const Renaming& renaming) {
  Label out = label;
  out.process = static_cast<std::uint16_t>(renaming.processes[label.process]);
  out.value = renamed(label.value, values, renaming.values);
  return out;
}

}  // namespace plumb::lts
