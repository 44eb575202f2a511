// SPDX-License-Identifier: Apache-2.0
#include "check/special.h"

#include <array>
#include <string>
#include <string_view>

#include "spec/built_in.h"

namespace plumb::check {

SpecialChoice special_decider_for(const spec::Specification& object) {
  struct Known {
    std::string_view name;
    SpecialDecider decide;
  };
  static constexpr std::array kKnown = {
      Known{"queue", decide_queue},
      Known{"stack", decide_stack},
      Known{"priority_queue", decide_priority_queue},
      Known{"deque", decide_deque},
      Known{"set", decide_set},
      Known{"register", decide_register},
  };
  // A relaxed object carries the name of the one that it relaxes, so the name
  // alone does not do.  One with a capacity has it in its name.
  if (dynamic_cast<const spec::BuiltIn*>(&object) == nullptr) return {};
  static constexpr std::string_view kBlocking = "blocking_";
  const std::string whole_name = object.name();
  std::string_view name = whole_name;
  const bool blocking = name.starts_with(kBlocking);
  if (blocking) name.remove_prefix(kBlocking.size());
  for (const Known& known : kKnown) {
    if (known.name == name) return {known.decide, blocking};
  }
  return {};
}

}  // namespace plumb::check
