// SPDX-License-Identifier: Apache-2.0
#include "explore/expander.h"

namespace plumb::explore {

void Expander::expand_specially(const StateStore& store, Expansion& out) {
  ++expanded_;
  if (is_replaying()) return records_->read(store, out);
  if (ahead_ == nullptr || !ahead_->take(out.state, out)) {
    out.find(system_, store[out.state]);
  }
  if (records_ != nullptr) {
    out.targets.assign(out.successors.size(), kNoState);
  }
}

bool Expander::has_room(std::uint64_t now) {
  if (ahead_ == nullptr) {
    ahead_ = std::make_unique<Ahead>(system_, options_.threads - 1);
  }
  ahead_->forget_before(now);
  return ahead_->room() >= few();
}

}  // namespace plumb::explore
