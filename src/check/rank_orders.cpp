// SPDX-License-Identifier: Apache-2.0
//
// What is certain: `a` is inside at every moment between the end of its put and
// the begin of its take, and stands before b there, if it was put before b was
// for sure (queue), after (stack), or is smaller (priority queue).  So the take
// of b has at least as many before it as there are such `a` at that moment of
// its interval at which they are fewest.  This counts them in a tree over
// moments: add to a range, ask a range for its minimum.
#include "check/rank_orders.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "base/flat_table.h"
#include "check/special_common.h"
#include "spec/initial.h"

namespace plumb::check {
namespace {

using history::History;
using history::Moment;
using history::Operation;
using Indices = std::vector<std::uint32_t>;

// How many cover each moment.
class Cover {
 public:
  explicit Cover(std::size_t moments) {
    while (leaves_ < moments) leaves_ *= 2;
    least_.assign(2 * leaves_, 0);
    added_.assign(2 * leaves_, 0);
  }

  // To the moments from `first` to `last`, both included.
  void add(Moment first, Moment last) {
    if (first <= last) add(1, 0, leaves_ - 1, first, last);
  }
  struct Least {
    std::uint32_t count = UINT32_MAX;
    Moment at = 0;  // the first of these moments
  };
  Least least(Moment first, Moment last) const {
    Least out;
    least({1, 0, leaves_ - 1}, {first, last}, 0, out);
    return out;
  }

 private:
  void add(std::size_t node, std::size_t low, std::size_t high,
           std::size_t first, std::size_t last) {
    if (last < low || high < first) return;
    if (first <= low && high <= last) {
      ++added_[node];
      ++least_[node];
      return;
    }
    const std::size_t middle = (low + high) / 2;
    add(2 * node, low, middle, first, last);
    add(2 * node + 1, middle + 1, high, first, last);
    least_[node] =
        added_[node] + std::min(least_[2 * node], least_[2 * node + 1]);
  }
  struct Node {
    std::size_t number, low, high;  // of these leaves
  };
  void least(const Node& node, const Span& span, std::uint32_t above,
             Least& out) const {
    if (span.last < node.low || node.high < span.first) return;
    const std::uint32_t here = above + least_[node.number];
    if (here >= out.count) return;
    if (node.low == node.high) {
      out = {here, static_cast<Moment>(node.low)};
      return;
    }
    const std::size_t middle = (node.low + node.high) / 2;
    above += added_[node.number];
    least({2 * node.number, node.low, middle}, span, above, out);
    least({2 * node.number + 1, middle + 1, node.high}, span, above, out);
  }

  std::size_t leaves_ = 1;
  std::vector<std::uint32_t> least_, added_;
};

Indices sorted_by(const std::vector<Element>& all, const auto& key) {
  Indices order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

// Puts and takes by a key each: smaller ones first.  Of equal keys: takes,
// then what comes and goes at once, then puts.
class KeyedOrder {
 public:
  explicit KeyedOrder(const std::vector<Element>& all) : all_(all) {}

  // Requires: put <= take.
  void add(std::uint32_t element, std::uint64_t put, std::uint64_t take) {
    const Element& one = all_[element];
    const bool at_once = put == take && !one.stays();
    if (one.put != Element::kNone) {
      steps_.push_back({put, at_once ? 1u : 2u, element, false});
    }
    if (!one.stays()) {
      steps_.push_back({take, at_once ? 1u : 0u, element, true});
    }
  }
  ContainerOrder order() {
    const auto key = [&](const Step& step) {
      const Element& one = all_[step.element];
      return std::tuple(step.at, step.phase, one.priority, step.element,
                        step.is_take);
    };
    std::sort(steps_.begin(), steps_.end(),
              [&](const Step& a, const Step& b) { return key(a) < key(b); });
    ContainerOrder out;
    for (const Step& step : steps_) append(step.element, step.is_take, out);
    return out;
  }
  void append(std::uint32_t element, bool is_take, ContainerOrder& out) const {
    const Element& one = all_[element];
    out.operations.push_back(is_take ? one.take : one.put);
    if (is_take && one.is_guess) out.guesses.emplace_back(one.take, one.value);
  }

 private:
  struct Step {
    std::uint64_t at;
    unsigned phase;
    std::uint32_t element;
    bool is_take;
  };
  const std::vector<Element>& all_;
  std::vector<Step> steps_;
};

// Inside as short as can be.
ContainerOrder shortest_stays(const Elements& elements) {
  KeyedOrder out(elements.all);
  for (std::uint32_t i = 0; i < elements.all.size(); ++i) {
    const Element& one = elements.all[i];
    out.add(i, std::min(one.added.last, one.taken.first), one.taken.first);
  }
  return out.order();
}

// One after the other, that of the least `wish` first of those that no other
// precedes.  Returns each one's place.
Indices extension(const std::vector<Span>& spans, const Indices& wish) {
  const auto count = static_cast<std::uint32_t>(spans.size());
  Indices by_first(count), by_last(count), place(count);
  std::iota(by_first.begin(), by_first.end(), 0u);
  by_last = by_first;
  std::stable_sort(by_first.begin(), by_first.end(), [&](auto a, auto b) {
    return spans[a].first < spans[b].first;
  });
  std::stable_sort(by_last.begin(), by_last.end(), [&](auto a, auto b) {
    return spans[a].last < spans[b].last;
  });
  using Ready = std::pair<std::uint32_t, std::uint32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  std::vector<bool> gone(count);
  std::size_t come = 0, ended = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    while (gone[by_last[ended]]) ++ended;
    const Moment first_end = spans[by_last[ended]].last;
    for (; come < count && spans[by_first[come]].first <= first_end; ++come) {
      ready.emplace(wish[by_first[come]], by_first[come]);
    }
    const std::uint32_t next = ready.top().second;
    ready.pop();
    gone[next] = true;
    place[next] = i;
  }
  return place;
}

// Of a queue only two orders matter, that of the puts and that of the takes:
// each is made to follow the other, by turns.
class QueueOrders {
 public:
  explicit QueueOrders(const Elements& elements) : all_(elements.all) {
    for (const Element& one : all_) added_.push_back(one.added);
  }

  std::vector<ContainerOrder> run() {
    const auto sum = [](const Span& span) {
      return std::uint64_t{span.first} + span.last;
    };
    std::vector<ContainerOrder> out;
    follow(ranks([&](auto i) { return sum(all_[i].taken); }), out);
    follow(ranks([&](auto i) { return all_[i].taken.last; }), out);
    follow(ranks([&](auto i) { return all_[i].taken.first; }), out);
    follow(ranks([&](auto i) { return sum(all_[i].added); }), out);
    return out;
  }

 private:
  Indices ranks(const auto& key) const {
    const Indices order = sorted_by(all_, key);
    Indices place(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    return place;
  }
  void follow(Indices wish, std::vector<ContainerOrder>& out) const {
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      const Indices puts = extension(added_, wish);
      const std::vector<Moment> put_at = moments(added_, puts);
      std::vector<Span> taken;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        taken.push_back(
            {std::max(all_[i].taken.first, put_at[i]), all_[i].taken.last});
      }
      const Indices takes = extension(taken, puts);
      out.push_back(merged(puts, put_at, takes, moments(taken, takes)));
      wish = takes;
    }
  }
  // Each as early as those before it let it.
  static std::vector<Moment> moments(const std::vector<Span>& spans,
                                     const Indices& place) {
    Indices order(place.size());
    for (std::uint32_t i = 0; i < place.size(); ++i) order[place[i]] = i;
    std::vector<Moment> out(place.size());
    Moment now = 0;
    for (const std::uint32_t i : order) {
      now = std::max(now, spans[i].first);
      out[i] = now;
    }
    return out;
  }
  // At one moment, puts first.
  ContainerOrder merged(const Indices& puts, const std::vector<Moment>& put_at,
                        const Indices& takes,
                        const std::vector<Moment>& take_at) const {
    std::vector<std::tuple<Moment, bool, std::uint32_t, std::uint32_t>> steps;
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      if (all_[i].put != Element::kNone) {
        steps.emplace_back(put_at[i], false, puts[i], i);
      }
      if (!all_[i].stays()) steps.emplace_back(take_at[i], true, takes[i], i);
    }
    std::sort(steps.begin(), steps.end());
    const KeyedOrder words(all_);
    ContainerOrder out;
    for (const auto& [at, is_take, place, i] : steps) {
      words.append(i, is_take, out);
    }
    return out;
  }

  const std::vector<Element>& all_;
  std::vector<Span> added_;
};

// The smaller ones first, since none stands in the way of a smaller one: each
// is taken when the fewest smaller ones are inside.
ContainerOrder priority_order(const Elements& elements) {
  Cover cover(elements.end + std::size_t{1});
  KeyedOrder out(elements.all);
  for (const std::uint32_t i : sorted_by(elements.all, [&](std::uint32_t one) {
         return elements.all[one].priority;
       })) {
    const Element& one = elements.all[i];
    const Moment taken = one.stays()
                             ? elements.end
                             : cover.least(one.taken.first, one.taken.last).at;
    const Moment added = std::min(one.added.last, taken);
    if (taken > 0) cover.add(added + 1, taken - 1);
    out.add(i, added, taken);
  }
  return out.order();
}

// Of a stack: puts as late as possible, and before one those that are sure to
// stay longer; takes as soon as what they take is on top, else as late as
// possible.
class StackOrder {
 public:
  explicit StackOrder(const Elements& elements)
      : all_(elements.all), words_(all_), state_(all_.size()) {}

  ContainerOrder run() {
    struct Event {
      Moment at;
      unsigned kind;  // 0: its put begins, 1: its take does, 2, 3: they end
      std::uint32_t element;
    };
    std::vector<Event> events;
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      if (all_[i].put == Element::kNone) {
        state_[i] = State::kInside;
        inside_.push_back(i);
      } else {
        events.push_back({all_[i].added.first, 0, i});
        events.push_back({all_[i].added.last, 2, i});
      }
      if (all_[i].stays()) continue;
      events.push_back({all_[i].taken.first, 1, i});
      events.push_back({all_[i].taken.last, 3, i});
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return std::tuple(a.at, a.kind) < std::tuple(b.at, b.kind);
    });
    leaving_.resize(all_.size());
    for (const Event& event : events) {
      switch (event.kind) {
        case 0:
          coming_.push_back(event.element);
          break;
        case 1:
          leaving_[event.element] = true;
          take_from_top();
          break;
        case 2:
          put(event.element);
          break;
        default:
          take(event.element);
      }
    }
    return std::move(out_);
  }

 private:
  enum class State : std::uint8_t { kComing, kInside, kGone };

  void put(std::uint32_t element) {
    if (state_[element] != State::kComing) return;
    const Element& one = all_[element];
    Indices below;
    for (const std::uint32_t other : coming_) {
      if (other != element && all_[other].added.last < one.taken.first &&
          all_[other].taken.first > one.taken.last) {
        below.push_back(other);
      }
    }
    std::sort(below.begin(), below.end(), [&](auto a, auto b) {
      return all_[a].taken.last > all_[b].taken.last;
    });
    below.push_back(element);
    for (const std::uint32_t i : below) {
      state_[i] = State::kInside;
      std::erase(coming_, i);
      inside_.push_back(i);
      words_.append(i, false, out_);
      take_from_top();
    }
  }
  void take_from_top() {
    while (!inside_.empty() && leaving_[inside_.back()]) take(inside_.back());
  }
  void take(std::uint32_t element) {
    if (state_[element] == State::kComing) put(element);
    if (state_[element] == State::kGone) return;
    state_[element] = State::kGone;
    words_.append(element, true, out_);
    const auto at = std::find(inside_.rbegin(), inside_.rend(), element);
    inside_.erase(std::next(at).base());
    take_from_top();
  }

  const std::vector<Element>& all_;
  const KeyedOrder words_;
  std::vector<State> state_;
  std::vector<bool> leaving_;
  Indices coming_, inside_;
  ContainerOrder out_;
};

// When `one` is inside for sure, and b may be taken out of turn for it.
Span certain(const Element& one) {
  return {one.added.last + 1,
          one.taken.first == 0 ? Moment{0} : one.taken.first - 1};
}

// By their returns.
Indices completed_takes(const History& history, const Container& container) {
  Indices takes;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (container.takes(o.code) && !o.pending()) takes.push_back(i);
  }
  std::sort(takes.begin(), takes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return history.operations[a].returned < history.operations[b].returned;
  });
  return takes;
}

}  // namespace

Elements::Elements(const History& history, const Container& container) {
  for (const Operation& o : history.operations) {
    end = std::max(end, o.invoked);
    if (!o.pending()) end = std::max(end, o.returned);
  }
  ++end;
  first_unknown_take = end;
  gather(history, container);
  match(history, container);
  guess(history, container);
  tighten();
  if (container.kind != Container::Kind::kPriorityQueue) return;
  Indices order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return compare(priority_of(all[a].value), priority_of(all[b].value)) < 0;
  };
  std::sort(order.begin(), order.end(), before);
  for (std::size_t i = 1; i < order.size(); ++i) {
    all[order[i]].priority =
        all[order[i - 1]].priority + (before(order[i - 1], order[i]) ? 1 : 0);
  }
}

void Elements::gather(const History& history, const Container& container) {
  for (const Value value : container.initially) {
    Element& one = all.emplace_back();
    one.value = value;
    one.taken = {end, end};
  }
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (!container.put(o)) continue;
    Element& one = all.emplace_back();
    one.value = o.argument;
    one.added = {o.invoked, o.pending() ? end : o.returned};
    one.taken = {end, end};
    one.put = i;
    one.putter = container.roles[o.code];
  }
}

// In the order of the ends of the takes: what was put soon enough for one was
// so for all that follow, so any choice among these leaves as many.  Of a stack
// that put last, else that which was there first.
void Elements::match(const History& history, const Container& container) {
  using Waiting = std::pair<std::int64_t, std::uint32_t>;
  struct Copies {
    Indices elements;  // by the invocation of their puts
    std::size_t come = 0;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
  };
  FlatMap<Value, Copies> copies;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    Copies& of = copies[all[i].value];
    repeated |= !of.elements.empty();
    of.elements.push_back(i);
  }
  const bool newest = container.kind == Container::Kind::kStack;
  for (const std::uint32_t i : completed_takes(history, container)) {
    const Operation& o = history.operations[i];
    if (o.result == spec::unknown_result()) {
      ++not_known;
      continue;
    }
    if (o.result.is_null()) {
      empty_takes.push_back(i);
      continue;
    }
    Copies& of = copies[o.result];
    for (; of.come < of.elements.size() &&
           all[of.elements[of.come]].added.first <= o.returned;
         ++of.come) {
      const Element& one = all[of.elements[of.come]];
      const auto key = newest ? -std::int64_t{one.added.first}
                              : std::int64_t{one.added.last};
      of.waiting.emplace(key, of.elements[of.come]);
    }
    if (of.waiting.empty()) {
      never_put.push_back(i);
      continue;
    }
    Element& one = all[of.waiting.top().second];
    of.waiting.pop();
    one.take = i;
    one.taker = container.roles[o.code];
    one.taken = {o.invoked, o.returned};
  }
  // A put that never returned, of what nobody took, need not have happened.
  std::erase_if(all, [&](const Element& one) {
    return one.stays() && one.put != Element::kNone &&
           history.operations[one.put].pending();
  });
}

// A take of which nobody knows what it took may have taken something that was
// never seen again: what would be in the way of most.
void Elements::guess(const History& history, const Container& container) {
  Indices left;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].stays()) left.push_back(i);
  }
  if (container.kind == Container::Kind::kStack) {
    std::reverse(left.begin(), left.end());
  } else if (container.kind == Container::Kind::kPriorityQueue) {
    std::stable_sort(
        left.begin(), left.end(), [&](std::uint32_t a, std::uint32_t b) {
          return compare(priority_of(all[a].value), priority_of(all[b].value)) <
                 0;
        });
  }
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    const bool unknown = o.pending() || o.result == spec::unknown_result();
    if (!container.takes(o.code) || !unknown) continue;
    first_unknown_take = std::min(first_unknown_take, o.invoked);
    const Moment last = o.pending() ? end : o.returned;
    while (next < left.size() && all[left[next]].added.first > last) ++next;
    if (next == left.size()) continue;
    Element& one = all[left[next++]];
    one.take = i;
    one.taker = container.roles[o.code];
    one.taken = {o.invoked, last};
    one.is_guess = true;
  }
}

void Elements::tighten() {
  for (Element& one : all) {
    if (one.stays()) continue;
    one.taken.first = std::max(one.taken.first, one.added.first);
    one.added.last = std::min(one.added.last, one.taken.last);
  }
}

ContainerOrder order_by_invocation(const Elements& elements) {
  KeyedOrder out(elements.all);
  for (std::uint32_t i = 0; i < elements.all.size(); ++i) {
    out.add(i, elements.all[i].added.first, elements.all[i].taken.first);
  }
  return out.order();
}

ContainerOrder order_by_return(const Elements& elements) {
  KeyedOrder out(elements.all);
  for (std::uint32_t i = 0; i < elements.all.size(); ++i) {
    out.add(i, elements.all[i].added.last, elements.all[i].taken.last);
  }
  return out.order();
}

std::vector<ContainerOrder> promising_orders(const Elements& elements,
                                             const Container& container,
                                             Budget& budget) {
  std::vector<ContainerOrder> out;
  if (budget.spent_now()) return out;
  if (container.kind == Container::Kind::kQueue) {
    out = QueueOrders(elements).run();
  } else if (container.kind == Container::Kind::kPriorityQueue) {
    out.push_back(priority_order(elements));
  } else if (container.kind == Container::Kind::kStack) {
    out.push_back(StackOrder(elements).run());
  }
  out.push_back(shortest_stays(elements));
  out.push_back(order_by_invocation(elements));
  out.push_back(order_by_return(elements));
  return out;
}

std::vector<std::uint32_t> certain_errors(const Elements& elements,
                                          const Container& container,
                                          Budget& budget) {
  const std::vector<Element>& all = elements.all;
  std::vector<std::uint32_t> out(all.size());
  if (elements.repeated || container.kind == Container::Kind::kDeque) {
    return out;
  }
  // Who may stand in the way: in the order in which they are added to the
  // cover, and as far as each asks for.
  const auto rank = [&](std::uint32_t i, bool asks) -> std::int64_t {
    const Element& one = all[i];
    if (container.kind == Container::Kind::kPriorityQueue) {
      return static_cast<std::int64_t>(one.priority);
    }
    if (container.kind == Container::Kind::kQueue) {
      return asks ? one.added.first : one.added.last;
    }
    return asks ? -std::int64_t{one.added.last}
                : -std::int64_t{one.added.first};
  };
  const Indices askers =
      sorted_by(all, [&](std::uint32_t i) { return rank(i, true); });
  const Indices others =
      sorted_by(all, [&](std::uint32_t i) { return rank(i, false); });
  Cover cover(elements.end + std::size_t{1});
  std::size_t next = 0;
  for (const std::uint32_t i : askers) {
    if (budget.spent()) return out;
    for (; next < others.size() && rank(others[next], false) < rank(i, true);
         ++next) {
      Element one = all[others[next]];
      if (one.stays() || one.is_guess) {
        one.taken.first = elements.first_unknown_take;
      }
      const Span when = certain(one);
      cover.add(when.first, when.last);
    }
    if (!all[i].stays() && !all[i].is_guess) {
      out[i] = cover.least(all[i].taken.first, all[i].taken.last).count;
    }
  }
  return out;
}

bool keeps_real_time(const History& history, const Indices& operations) {
  Moment latest = 0;
  for (const std::uint32_t i : operations) {
    const Operation& o = history.operations[i];
    latest = std::max(latest, o.invoked);
    if (!o.pending() && o.returned < latest) return false;
  }
  return true;
}

}  // namespace plumb::check
