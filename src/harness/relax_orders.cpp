// SPDX-License-Identifier: Apache-2.0
#include "harness/relax_orders.h"

#include <algorithm>
#include <chrono>

#include "harness/audit.h"
#include "harness/ordered_code.h"
#include "runtime/audit_log.h"

namespace plumb::harness {

namespace {

using check::Answer;
using runtime::Ordered;

constexpr auto kLongest = std::chrono::seconds(60);

// Weakest first.
std::vector<int> weaker(Ordered what, int order) {
  std::vector<int> out;
  const auto add = [&](int other) {
    if (other < order) out.push_back(other);
  };
  add(__ATOMIC_RELAXED);
  if (what != Ordered::kStore) add(__ATOMIC_ACQUIRE);
  if (what == Ordered::kStore || what == Ordered::kUpdate) {
    add(__ATOMIC_RELEASE);
  }
  if (what == Ordered::kUpdate) add(__ATOMIC_ACQ_REL);
  return out;
}

// While it lives, all orders are noted.
class Noting {
 public:
  Noting() {
    runtime::forget_weak_orders();
    runtime::notes_all_orders = true;
  }
  ~Noting() {
    runtime::notes_all_orders = false;
    runtime::set_other_orders(nullptr, 0);
  }
  Noting(const Noting&) = delete;
  Noting& operator=(const Noting&) = delete;
};

bool all_hold(const std::vector<Question>& programs, Budget& budget) {
  return std::all_of(programs.begin(), programs.end(), [&](const auto& one) {
    return !budget.spent_now() && explore(one, budget).answer == Answer::kHolds;
  });
}

}  // namespace

Relaxations find_relaxations(std::vector<Question> programs,
                             Budget::Clock::time_point end) {
  Relaxations out;
  Budget budget(std::min(Budget::Clock::now() + kLongest, end), SIZE_MAX);
  const Noting noting;
  out.all_were_tried = all_hold(programs, budget);
  if (!out.all_were_tried) return out;
  if (runtime::unseen_count() == 0 && !audit_makes_events()) {
    for (Question& one : programs) one.audit_first = false;
  }
  const std::vector<OrderedLine> lines = lines_of_orders(runtime::weak_orders);
  out.all_were_tried = runtime::weak_orders.count <= runtime::WeakOrders::kMost;
  std::vector<int> orders;
  for (const OrderedLine& line : lines) orders.push_back(line.order);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (budget.spent_now()) {
      out.all_were_tried = false;
      break;
    }
    ++out.tried;
    for (const int order : weaker(lines[i].what, lines[i].order)) {
      orders[i] = order;
      set_orders(lines, orders);
      if (!all_hold(programs, budget)) continue;
      out.lines.push_back(change_in_words(lines[i], order));
      break;
    }
    orders[i] = lines[i].order;
  }
  return out;
}

}  // namespace plumb::harness
