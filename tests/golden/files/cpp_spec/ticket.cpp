// SPDX-License-Identifier: Apache-2.0
// Tickets that may skip some, and a lock: choices and waiting.
#include <plumb/spec.h>
struct Ticket {
  long next = 0, held = -1;
  bool operator==(const Ticket&) const = default;
  auto members() const { return std::tie(next, held); }
  long draw(unsigned skip) {
    next += 1 + static_cast<long>(plumb::spec::choose(skip + 1));
    return next;
  }
  void lock(long owner) {
    plumb::spec::await(held < 0);
    held = owner;
  }
  void unlock(long owner) {
    plumb::spec::await(held == owner);
    held = -1;
  }
};
PLUMB_SPEC(Ticket) {
  spec.operation("draw", &Ticket::draw);
  spec.operation("lock", &Ticket::lock);
  spec.operation("unlock", &Ticket::unlock);
}
