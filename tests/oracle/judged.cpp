// SPDX-License-Identifier: Apache-2.0
#include "oracle/judged.h"

#include <algorithm>

namespace plumb::oracle {
namespace {

using check::Order;
using history::History;
using history::Moment;
using history::Operation;

// Is nothing pending directly after `moment`?
bool is_quiescent(const History& history, Moment moment) {
  return std::none_of(history.operations.begin(), history.operations.end(),
                      [moment](const Operation& operation) {
                        return operation.invoked <= moment &&
                               operation.returned > moment;
                      });
}

// The returns after which nothing is pending.
std::vector<Moment> quiescent_moments(const History& history) {
  std::vector<Moment> moments;
  for (const Operation& operation : history.operations) {
    if (!operation.pending() && is_quiescent(history, operation.returned)) {
      moments.push_back(operation.returned);
    }
  }
  return moments;
}

bool follows_one_of(const std::vector<Moment>& moments, const Operation& a,
                    const Operation& b) {
  return std::any_of(moments.begin(), moments.end(), [&](Moment moment) {
    return a.returned <= moment && moment < b.invoked;
  });
}

bool is_about_quiescence(Order order) {
  return order == Order::kQuiescent || order == Order::kQuiescentAndProgram;
}

}  // namespace

Judged judged(const History& history, Order order) {
  const std::vector<Moment> moments = quiescent_moments(history);
  Judged all;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Operation& operation = history.operations[i];
    const bool before_quiescence = std::any_of(
        moments.begin(), moments.end(),
        [&](Moment moment) { return operation.returned <= moment; });
    // What follows the last quiescent moment is not judged.
    if (is_about_quiescence(order) && !before_quiescence) continue;
    all.operations.push_back(operation);
    all.origin.push_back(i);
  }
  all.before.assign(all.size(), std::vector<bool>(all.size(), false));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      const Operation& a = all.operations[i];
      const Operation& b = all.operations[j];
      const bool in_real_time = a.returned < b.invoked;
      const bool in_program = a.process == b.process && a.invoked < b.invoked;
      const bool across = follows_one_of(moments, a, b);
      all.before[i][j] =
          (order == Order::kRealTime && in_real_time) ||
          (order == Order::kProgram && in_program) ||
          (order == Order::kQuiescent && across) ||
          (order == Order::kQuiescentAndProgram && (across || in_program));
    }
  }
  return all;
}

Judged restricted(const Judged& all,
                  const std::function<bool(std::size_t)>& wanted) {
  Judged part;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!wanted(i)) continue;
    part.operations.push_back(all.operations[i]);
    part.origin.push_back(all.origin[i]);
    part.before.emplace_back();
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (wanted(j)) part.before.back().push_back(all.before[i][j]);
    }
  }
  return part;
}

bool may_follow(const Judged& all, const std::vector<bool>& taken,
                std::size_t next) {
  if (taken[next]) return false;
  for (std::size_t other = 0; other < all.size(); ++other) {
    const bool optional = all.operations[other].pending();
    if (all.before[other][next] && !taken[other] && !optional) return false;
    if (all.before[next][other] && taken[other]) return false;
  }
  return true;
}

bool is_whole(const Judged& all, const std::vector<bool>& taken) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!taken[i] && !all.operations[i].pending()) return false;
  }
  return true;
}

namespace {

struct Enumeration {
  const Judged& all;
  const std::function<bool(const Sequence&)>& accepts;
  std::vector<bool> taken;
  Sequence sequence;

  bool extend() {
    if (is_whole(all, taken) && accepts(sequence)) return true;
    for (std::size_t next = 0; next < all.size(); ++next) {
      if (!may_follow(all, taken, next)) continue;
      taken[next] = true;
      sequence.push_back(next);
      if (extend()) return true;
      sequence.pop_back();
      taken[next] = false;
    }
    return false;
  }
};

}  // namespace

bool some_sequence(const Judged& all,
                   const std::function<bool(const Sequence&)>& accepts) {
  return Enumeration{all, accepts, std::vector<bool>(all.size()), {}}.extend();
}

}  // namespace plumb::oracle
