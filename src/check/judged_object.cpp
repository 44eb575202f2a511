// SPDX-License-Identifier: Apache-2.0
#include "check/judged_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "spec/initial.h"
#include "spec/notation.h"

namespace plumb::check {

spec::SpecificationPtr judged_object(const history::History& history,
                                     spec::SpecificationPtr object,
                                     const Condition& condition) {
  const Value unknown = spec::unknown_result();
  const auto found = std::find_if(
      history.operations.begin(), history.operations.end(),
      [&](const history::Operation& o) { return o.result == unknown; });
  if (found == history.operations.end()) return object;
  if (condition.relaxed()) {
    Place place;
    place.source = history.source;
    place.line = found->returned_line;
    throw InputError(std::move(place),
                     "this result is not known, and relaxed conditions ask "
                     "for results",
                     "judge it without factors, or give the operation up "
                     "('info'), so that it may have had any result");
  }
  return spec::with_unknown_results(std::move(object));
}

void require_closed_if_own(const Condition& condition,
                           const spec::Specification& object) {
  const bool is_own = dynamic_cast<const spec::Notation*>(&object) != nullptr;
  if (!condition.says_quasi() || condition.closed ||
      (!is_own && !spec::is_begun(object))) {
    return;
  }
  throw InputError(
      fmt::format("quasi(...) asks what could still follow, which nobody can "
                  "tell of {}",
                  is_own ? "a specification of one's own"
                         : "an object that begins with something"),
      "--closed judges the history alone");
}

}  // namespace plumb::check
