// SPDX-License-Identifier: Apache-2.0
//
// Depth first along the places of pi: what pi' has there is the operation that
// pi has, another one of the class that is near enough, or a guess of one that
// nobody has called yet.  A guess follows pi: the first one of a class is the
// first further operation of that class, and so on, which is best since
// guesses can be exchanged.  After the end of pi, each further place of a class
// gives a guess to pi, and to pi' an operation that it still lacks or one more
// guess; helpers, which neither of them moves, may come between.
#include "check/nearest_order.h"

#include <algorithm>
#include <utility>

#include "base/flat_table.h"

namespace plumb::check {

namespace {

using history::Operation;

class NearestSearch {
 public:
  NearestSearch(const NearestQuestion& question, Budget& budget)
      : question_(question), budget_(budget) {}

  // Requires: the classes of all operations of pi.
  std::optional<TwoOrders> run(const std::vector<std::int32_t>& classes);

 private:
  using State = spec::State;

  bool extend(const State& state);
  bool extend_with(const State& state, std::uint32_t i);
  bool extend_with_guesses(const State& state, std::int32_t in_class);
  bool follow(const State& state);
  bool follow_with_helpers(const State& state);
  bool go_on(const State& state, std::uint32_t i);

  std::vector<std::uint32_t> candidates() const;
  bool some_out_of_reach() const;
  bool owes_nothing() const;
  bool seen(const State& state);
  std::uint32_t further(std::int32_t in_class) const;
  bool owes(std::int32_t in_class) const;
  std::uint32_t add_further(const spec::Call& call, Value result,
                            std::int32_t in_class);
  template <typename Use>
  bool some_further(const State& state, std::uint16_t code, Use use);

  std::uint32_t& count(std::vector<std::uint32_t>& counts,
                       std::int32_t in_class) {
    return counts[static_cast<std::size_t>(in_class)];
  }
  std::uint32_t most(std::int32_t in_class) const {
    return question_.most[static_cast<std::size_t>(in_class)];
  }

  const NearestQuestion& question_;
  Budget& budget_;

  TwoOrders orders_;            // pi' so far; pi with what is known to follow
  std::size_t given_ = 0;       // operations that question_.pi has
  std::vector<bool> executed_;  // by operation: is it in pi'?
  std::vector<std::uint32_t> kept_in_class_;   // of pi, by class
  std::vector<std::uint32_t> legal_in_class_;  // of pi', by class
  std::uint32_t too_far_ = 0, most_too_far_ = 0;
  std::size_t furthest_ = 0;  // how many further places are tried
  FlatSet<std::vector<std::uint64_t>> seen_;
};

std::optional<TwoOrders> NearestSearch::run(
    const std::vector<std::int32_t>& classes) {
  given_ = question_.pi.size();
  kept_in_class_.assign(question_.classes.size(), 0);
  legal_in_class_ = kept_in_class_;
  for (std::size_t i = 0; i < given_; ++i) {
    PlacedOperation placed;
    placed.index = question_.pi[i];
    placed.operation = question_.history.operations[question_.pi[i]];
    placed.in_class = classes[i];
    if (classes[i] >= 0) placed.kept = count(kept_in_class_, classes[i])++;
    orders_.kept.push_back(static_cast<std::uint32_t>(i));
    orders_.operations.push_back(std::move(placed));
  }
  executed_.assign(given_, false);
  furthest_ = given_;
  if (question_.open) {
    constexpr std::size_t kHelpers = 4;
    furthest_ += kHelpers;
    for (const std::uint32_t far : question_.most) furthest_ += 2 * far;
  }
  for (const std::uint32_t most_too_far : {1u, 2u, 3u, UINT32_MAX}) {
    most_too_far_ = most_too_far;
    seen_.clear();
    if (extend(question_.object.initial())) return std::move(orders_);
    if (budget_.limit() != Limit::kNone) return std::nullopt;
  }
  return std::nullopt;
}

bool NearestSearch::extend(const State& state) {
  if (budget_.spent() || some_out_of_reach() || seen(state)) return false;
  const std::size_t place = orders_.legal.size();
  if (place >= given_) return follow(state);
  for (const std::uint32_t i : candidates()) {
    if (extend_with(state, i)) return true;
  }
  const std::int32_t in_class = orders_.operations[place].in_class;
  return !question_.literal && extend_with_guesses(state, in_class);
}

// What pi has here; then what it has had, oldest first; then what it will
// have.
std::vector<std::uint32_t> NearestSearch::candidates() const {
  const auto place = static_cast<std::uint32_t>(orders_.legal.size());
  std::vector<std::uint32_t> out;
  if (place < given_ && !executed_[place]) out.push_back(place);
  const std::int32_t here =
      place < given_ ? orders_.operations[place].in_class : Classes::kNone;
  if (here == Classes::kNone && !question_.literal) return out;
  for (std::uint32_t i = 0; i < given_; ++i) {
    if (i == place || executed_[i]) continue;
    if (question_.literal || orders_.operations[i].in_class == here) {
      out.push_back(i);
    }
  }
  return out;
}

// pi' executes operation i of pi.
bool NearestSearch::extend_with(const State& state, std::uint32_t i) {
  const Operation o = orders_.operations[i].operation;
  const std::int32_t in_class = orders_.operations[i].in_class;
  std::vector<spec::Outcome> outcomes;
  question_.object.apply(state, o.call(), outcomes);
  for (const spec::Outcome& outcome : outcomes) {
    if (const auto seen = o.observed()) {
      if (outcome.result != *seen) continue;
    } else if (question_.classes.of(o.call(), outcome.result) != in_class) {
      continue;
    }
    if (go_on(outcome.next, i)) return true;
  }
  return false;
}

// Places operation i next in pi', if it is near enough to its place in pi.
bool NearestSearch::go_on(const State& state, std::uint32_t i) {
  PlacedOperation& placed = orders_.operations[i];
  const std::int32_t in_class = placed.in_class;
  bool far = false;
  if (in_class >= 0) {
    placed.legal = count(legal_in_class_, in_class);
    if (placed.distance() > most(in_class)) return false;
    far = placed.distance() > question_.classes.factor(in_class);
    if (far && too_far_ >= most_too_far_) return false;
    ++count(legal_in_class_, in_class);
  }
  too_far_ += far ? 1 : 0;
  executed_[i] = true;
  orders_.legal.push_back(i);
  if (extend(state)) return true;
  orders_.legal.pop_back();
  executed_[i] = false;
  too_far_ -= far ? 1 : 0;
  if (in_class >= 0) --count(legal_in_class_, in_class);
  return false;
}

// Further operations of the class, so far.
std::uint32_t NearestSearch::further(std::int32_t in_class) const {
  const auto first =
      orders_.operations.begin() + static_cast<std::ptrdiff_t>(given_);
  return static_cast<std::uint32_t>(std::count_if(
      first, orders_.operations.end(),
      [&](const PlacedOperation& p) { return p.in_class == in_class; }));
}

// Is an operation of the class in pi that is not in pi' yet?
bool NearestSearch::owes(std::int32_t in_class) const {
  for (std::size_t i = 0; i < given_; ++i) {
    if (!executed_[i] && orders_.operations[i].in_class == in_class) {
      return true;
    }
  }
  return false;
}

std::uint32_t NearestSearch::add_further(const spec::Call& call, Value result,
                                         std::int32_t in_class) {
  PlacedOperation placed;
  placed.operation.code = call.code;
  placed.operation.argument = call.argument;
  placed.operation.result = result;
  placed.operation.returned = 0;  // it is shown with its result
  placed.in_class = in_class;
  orders_.operations.push_back(std::move(placed));
  executed_.push_back(false);
  return static_cast<std::uint32_t>(orders_.operations.size() - 1);
}

// Does `use` find a way on after some further call of `code`?
template <typename Use>
bool NearestSearch::some_further(const State& state, std::uint16_t code,
                                 Use use) {
  const bool takes = question_.object.operations()[code].takes;
  for (const Value argument : question_.arguments[code]) {
    std::vector<spec::Outcome> outcomes;
    question_.object.apply(state, {code, argument}, outcomes);
    for (const spec::Outcome& outcome : outcomes) {
      if (takes && outcome.result.is_null()) continue;
      if (use(spec::Call{code, argument}, outcome)) return true;
    }
  }
  return false;
}

bool NearestSearch::extend_with_guesses(const State& state,
                                        std::int32_t in_class) {
  if (!question_.open || in_class == Classes::kNone) return false;
  const auto try_guess = [&](const spec::Call& call,
                             const spec::Outcome& outcome) {
    if (question_.classes.of(call, outcome.result) != in_class) return false;
    const std::uint32_t place =
        kept_in_class_[static_cast<std::size_t>(in_class)] + further(in_class);
    const std::uint32_t i = add_further(call, outcome.result, in_class);
    orders_.operations[i].kept = place;
    if (go_on(outcome.next, i)) return true;
    orders_.operations.pop_back();
    executed_.pop_back();
    return false;
  };
  for (const std::uint16_t code : question_.classes.codes(in_class)) {
    if (some_further(state, code, try_guess)) return true;
  }
  return false;
}

// Has pi' all that pi has?
bool NearestSearch::owes_nothing() const {
  return std::find(executed_.begin(), executed_.end(), false) ==
             executed_.end() &&
         orders_.kept.size() == orders_.operations.size();
}

// After the end of what is given.
bool NearestSearch::follow(const State& state) {
  if (owes_nothing()) return true;
  if (!question_.open || orders_.legal.size() >= furthest_) return false;
  // The guesses that pi does not have yet: the oldest of each class is next.
  std::vector<std::int32_t> tried;
  for (std::uint32_t i = static_cast<std::uint32_t>(given_);
       i < orders_.operations.size(); ++i) {
    const std::int32_t in_class = orders_.operations[i].in_class;
    const bool is_kept = std::find(orders_.kept.begin(), orders_.kept.end(),
                                   i) != orders_.kept.end();
    const bool is_tried =
        std::find(tried.begin(), tried.end(), in_class) != tried.end();
    if (is_kept || is_tried) continue;
    tried.push_back(in_class);
    orders_.kept.push_back(i);
    for (std::uint32_t late = 0; late < given_; ++late) {
      if (executed_[late] || orders_.operations[late].in_class != in_class) {
        continue;
      }
      if (extend_with(state, late)) return true;
    }
    if (extend_with_guesses(state, in_class)) return true;
    orders_.kept.pop_back();
  }
  return follow_with_helpers(state);
}

// A further operation that both have at the same place.  One of a class that
// owes something would only be one more to be exchanged.
bool NearestSearch::follow_with_helpers(const State& state) {
  const auto try_helper = [&](const spec::Call& call,
                              const spec::Outcome& outcome) {
    const std::int32_t in_class = question_.classes.of(call, outcome.result);
    if (in_class == Classes::kNone || owes(in_class)) {
      return false;
    }
    const std::uint32_t i = add_further(call, outcome.result, in_class);
    if (in_class >= 0) {
      orders_.operations[i].kept = count(legal_in_class_, in_class);
    }
    orders_.kept.push_back(i);
    if (go_on(outcome.next, i)) return true;
    orders_.kept.pop_back();
    orders_.operations.pop_back();
    executed_.pop_back();
    return false;
  };
  const auto operations = question_.object.operations();
  for (std::uint16_t code = 0; code < operations.size(); ++code) {
    if (operations[code].reads_only) continue;
    if (some_further(state, code, try_helper)) return true;
  }
  return false;
}

// Must something have been executed already?
bool NearestSearch::some_out_of_reach() const {
  for (std::size_t i = 0; i < given_; ++i) {
    const PlacedOperation& placed = orders_.operations[i];
    if (executed_[i] || placed.in_class == Classes::kNone) continue;
    const std::uint32_t next =
        legal_in_class_[static_cast<std::size_t>(placed.in_class)];
    if (next > placed.kept + most(placed.in_class)) return true;
  }
  return false;
}

bool NearestSearch::seen(const State& state) {
  std::vector<std::uint64_t> key{orders_.legal.size(), orders_.kept.size(),
                                 too_far_};
  for (std::size_t i = 0; i < given_; ++i) {
    if (executed_[i] != (i < orders_.legal.size())) key.push_back(i);
  }
  key.push_back(UINT64_MAX);
  for (std::size_t i = given_; i < orders_.operations.size(); ++i) {
    const PlacedOperation& further = orders_.operations[i];
    key.push_back(static_cast<std::uint64_t>(further.in_class + 1));
  }
  key.push_back(UINT64_MAX);
  for (const std::uint32_t i : orders_.kept) {
    if (i >= given_) key.push_back(i);
  }
  key.push_back(UINT64_MAX);
  for (const Value value : state) key.push_back(value.word());
  return !seen_.insert(std::move(key)).second;
}

// Calls `use` with each way to give every operation of pi one of its possible
// classes, until it says true.
template <typename Use>
bool some_classes(const NearestQuestion& question, std::size_t from,
                  std::vector<std::int32_t>& classes, Use use) {
  if (from == question.pi.size()) return use();
  const Operation& o = question.history.operations[question.pi[from]];
  const auto seen = o.observed();
  const std::vector<std::int32_t> possible =
      seen ? std::vector{question.classes.of(o.call(), *seen)}
           : question.classes.possible(o.call());
  for (const std::int32_t one : possible) {
    classes[from] = one;
    if (some_classes(question, from + 1, classes, use)) return true;
  }
  return false;
}

}  // namespace

std::optional<TwoOrders> nearest_legal_order(const NearestQuestion& question,
                                             Budget& budget) {
  std::optional<TwoOrders> found;
  std::vector<std::int32_t> classes(question.pi.size());
  some_classes(question, 0, classes, [&] {
    found = NearestSearch(question, budget).run(classes);
    return found.has_value() || budget.limit() != Limit::kNone;
  });
  return found;
}

}  // namespace plumb::check
