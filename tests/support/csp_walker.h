// SPDX-License-Identifier: Apache-2.0
// The meaning of a CSP# model straight from its tree, slowly: for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "csp/ast.h"
#include "support/csp_walker_data.h"
#include "support/csp_walker_terms.h"

namespace plumb::walked {

struct WalkedState {
  WalkedStore store;
  ProcessPtr term;
};

struct WalkedStep {
  // The text of an event, "tau", "terminate", or "fault".
  std::string label;
  WalkedState after;
  std::string why;  // of a fault
};

// Values are put into the texts of processes as soon as they are known, as
// PAT does; nothing else is kept of where a process comes from.
class CspWalker {
 public:
  // Requires: read_module() found nothing wrong.
  explicit CspWalker(const Module& module);

  // One for each initial valuation.  Throws WalkedFault.
  std::vector<WalkedState> initial(const ProcessPtr& subject) const;
  std::vector<WalkedStep> steps(const WalkedState& state) const;
  std::string key(const WalkedState& state) const;
  // How many P() there are.
  std::int64_t count(const Process& term, std::uint32_t process) const;

 private:
  ProcessPtr first_term(const ProcessPtr& subject, std::size_t names) const;
  std::int64_t owner(const Process& process) const;
  Owner owner_for_keys() const;

  const Module& module_;
  bool counts_processes_ = false;
};

}  // namespace plumb::walked
