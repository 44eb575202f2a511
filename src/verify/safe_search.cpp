// SPDX-License-Identifier: Apache-2.0
#include "verify/safe_search.h"

#include <fmt/format.h>

#include <cmath>

#include "verify/words.h"

namespace plumb::verify {

void report_fault(const lts::System& system, lts::Path path, Outcome& outcome) {
  if (!lts::is_run_of(path, system)) {
    fail("the path to a fault is not a run of the system");
  }
  outcome.answer = check::Answer::kViolated;
  outcome.reason = system.fault(path.labels.back().fault);
  outcome.path = std::move(path);
}

void fill_statistics(const explore::Explorer& explorer, std::size_t more_bytes,
                     double seconds, Outcome& outcome) {
  Statistics& figures = outcome.statistics;
  figures.states = explorer.states();
  figures.transitions = explorer.transitions();
  figures.left_out = explorer.left_out();
  figures.depth = explorer.depth();
  figures.store_bytes = explorer.bytes() + more_bytes;
  figures.state_bytes =
      static_cast<std::uint64_t>(std::llround(explorer.bytes_of_state()));
  figures.seconds = seconds;
}

void fill_bounds(const explore::Explorer& explorer, Outcome& outcome) {
  const auto bounds = explorer.system().bounds();
  outcome.bounds_met.clear();
  for (std::size_t b = 0; b < bounds.size() && b < 64; ++b) {
    if (explorer.cut() >> b & 1) outcome.bounds_met.push_back(bounds[b].text);
  }
}

void conclude(const explore::Explorer& explorer, Outcome& outcome) {
  if (!explorer.complete()) {
    outcome.answer = check::Answer::kUnknown;
    outcome.reason = explorer.why_truncated();
    return;
  }
  outcome.answer = check::Answer::kHolds;
  const auto bounds = explorer.system().bounds();
  for (std::size_t b = 0; b < 64; ++b) {
    if ((explorer.cut() >> b & 1) == 0) continue;
    if (b >= bounds.size()) fail("a bound that cut the search has no name");
    if (bounds[b].by_user) continue;
    outcome.answer = check::Answer::kUnknown;
    outcome.reason = fmt::format("the bound of {} was reached", bounds[b].text);
    outcome.hint = bounds[b].hint;
    return;
  }
}

}  // namespace plumb::verify
