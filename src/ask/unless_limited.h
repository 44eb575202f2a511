// SPDX-License-Identifier: Apache-2.0
// Limits of ours that get out as exceptions become verdicts.
#pragma once

#include <new>

#include "ask/question.h"
#include "base/invariant.h"
#include "base/limit_error.h"
#include "base/memory_ceiling.h"
#include "verify/outcome.h"

namespace plumb::ask {

// A violation comes with a run, but for a state that no run leads to.
inline verify::Outcome with_run(verify::Outcome found, Property asked) {
  PLUMB_CHECK(found.answer != check::Answer::kViolated || found.path ||
              found.lasso || asked == Property::kReaches);
  return found;
}

// What `decide` gives, or `unknown`.
template <typename Decide>
verify::Outcome unless_limited(Decide decide) {
  try {
    return decide();
  } catch (const LimitError& limit) {
    verify::Outcome outcome;
    outcome.reason = limit.what();
    outcome.hint = limit.hint();
    return outcome;
  } catch (const std::bad_alloc&) {
    verify::Outcome outcome;
    outcome.reason = MemoryCeiling::why();
    return outcome;
  }
}

}  // namespace plumb::ask
