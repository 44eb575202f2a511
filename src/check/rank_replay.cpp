// SPDX-License-Identifier: Apache-2.0
//
// Whatever is inside stands on a line, whose front is taken first: in a queue
// and a deque in the order of the ends where it came in, in a stack likewise,
// taken from the back, in a priority queue by priority.  So with places on that
// line the rank error of a take is how many are inside between it and its end,
// and its delay is how many takes passed it by, which two sums over places
// tell: at the take, less what they were at the put.
#include "check/rank_replay.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "base/flat_table.h"
#include "check/special_common.h"
#include "spec/built_in.h"
#include "spec/initial.h"

namespace plumb::check {
namespace {

using history::History;
using history::Operation;

struct Known {
  std::string_view name;
  Container::Kind kind;
  std::array<Role, 4> roles;
};
constexpr Known kKnown[] = {
    {"queue", Container::Kind::kQueue, {Role::kPutBack, Role::kTakeFront}},
    {"stack", Container::Kind::kStack, {Role::kPutBack, Role::kTakeBack}},
    {"deque",
     Container::Kind::kDeque,
     {Role::kPutFront, Role::kPutBack, Role::kTakeFront, Role::kTakeBack}},
    {"priority_queue",
     Container::Kind::kPriorityQueue,
     {Role::kPutBack, Role::kTakeFront}},
};

// Gives each value that goes in its place on the line.
class Line {
 public:
  Line(const History& history, const Container& container)
      : history_(history), container_(container) {
    if (container.kind == Container::Kind::kPriorityQueue) {
      rank_priorities();
      return;
    }
    for (const Operation& o : history.operations) {
      if (!container.puts(o.code)) continue;
      ++(container.roles[o.code] == Role::kPutFront ? front_ : back_);
    }
    places_ = front_ + back_ + container.initially.size();
    back_ = front_;  // where the next one goes
  }

  std::size_t places() const { return places_; }
  std::size_t place(Role role, Value value) {
    if (container_.kind == Container::Kind::kPriorityQueue) {
      return ranks_.at(priority_of(value).word());
    }
    return role == Role::kPutFront ? --front_ : back_++;
  }

 private:
  void rank_priorities() {
    std::vector<Value> all;
    for (const Value value : container_.initially) {
      all.push_back(priority_of(value));
    }
    for (const Operation& o : history_.operations) {
      if (container_.puts(o.code)) all.push_back(priority_of(o.argument));
    }
    std::sort(all.begin(), all.end(),
              [](Value a, Value b) { return compare(a, b) < 0; });
    for (const Value value : all) {
      if (ranks_.try_emplace(value.word(), places_).second) ++places_;
    }
  }

  const History& history_;
  const Container& container_;
  std::size_t front_ = 0, back_ = 0, places_ = 0;
  FlatMap<std::uint64_t, std::size_t> ranks_;
};

class Replay {
 public:
  Replay(const History& history, const Container& container,
         const ContainerOrder& order)
      : history_(history),
        container_(container),
        order_(order),
        line_(history, container),
        inside_(line_.places()),
        passed_to_front_(line_.places()),
        passed_to_back_(line_.places()) {}

  std::optional<Replayed> run();

 private:
  struct Copy {
    std::size_t place;
    std::uint32_t passed;  // what passed() was when it came in
  };

  // So many takes have passed by the place, or came from there on.
  std::uint32_t passed(std::size_t place) const {
    return passed_to_front_.all() - passed_to_front_.below(place + 1) +
           passed_to_back_.below(place);
  }
  void put(Role role, Value value);
  bool take(std::uint32_t operation);
  std::optional<Value> taken_by(std::uint32_t operation);
  std::optional<Value> next(bool from_back) const;
  void look_at_the_rest();

  const History& history_;
  const Container& container_;
  const ContainerOrder& order_;
  Line line_;
  Sums inside_, passed_to_front_, passed_to_back_;
  std::uint32_t size_ = 0;
  // By value, from the front to the back.
  FlatMap<Value, std::vector<Copy>> copies_;
  std::size_t guess_ = 0;
  // By place, what is inside: only if some take is left to what is next.
  std::multimap<std::size_t, Value> by_place_;
  bool needs_next_ = false;
  Replayed out_;
};

void Replay::put(Role role, Value value) {
  const std::size_t place = line_.place(role, value);
  auto& copies = copies_[value];
  const auto at = std::upper_bound(
      copies.begin(), copies.end(), place,
      [](std::size_t one, const Copy& copy) { return one < copy.place; });
  copies.insert(at, {place, passed(place)});
  inside_.add(place, 1);
  ++size_;
  if (needs_next_) by_place_.emplace(place, value);
}

std::optional<Value> Replay::next(bool from_back) const {
  if (by_place_.empty()) return std::nullopt;
  return from_back ? std::prev(by_place_.end())->second
                   : by_place_.begin()->second;
}

std::optional<Value> Replay::taken_by(std::uint32_t operation) {
  const Operation& o = history_.operations[operation];
  if (!o.pending() && o.result != spec::unknown_result()) return o.result;
  if (order_.guesses.empty()) {
    return next(container_.roles[o.code] == Role::kTakeBack);
  }
  return order_.guesses[guess_++].second;
}

bool Replay::take(std::uint32_t operation) {
  const Operation& o = history_.operations[operation];
  const bool from_back = container_.roles[o.code] == Role::kTakeBack;
  const std::optional<Value> value = taken_by(operation);
  if (!value) return false;
  const auto found = copies_.find(*value);
  if (found == copies_.end() || found->second.empty()) return false;
  // Of equal ones, the one that has least before it.
  auto& copies = found->second;
  const auto at = from_back ? copies.end() - 1 : copies.begin();
  const Copy copy = *at;
  copies.erase(at);
  --size_;
  inside_.add(copy.place, -1);
  const std::uint32_t before = inside_.below(copy.place);
  const bool has_ranks = container_.kind == Container::Kind::kPriorityQueue;
  const std::uint32_t rank = from_back ? size_ - before : before;
  if (needs_next_) {
    auto one = by_place_.lower_bound(copy.place);
    while (has_ranks && one->second != *value) ++one;
    by_place_.erase(one);
  }
  if (!o.pending() && o.result == *value) {
    out_.takes.push_back({operation, rank, passed(copy.place) - copy.passed});
    out_.maximum = std::max(out_.maximum, rank);
    out_.sum += rank;
  }
  (from_back ? passed_to_back_ : passed_to_front_).add(copy.place, 1);
  return true;
}

void Replay::look_at_the_rest() {
  out_.left = size_;
  for (const auto& [value, copies] : copies_) {
    for (const Copy& copy : copies) {
      out_.most_delayed =
          std::max(out_.most_delayed, passed(copy.place) - copy.passed);
    }
  }
}

std::optional<Replayed> Replay::run() {
  for (const std::uint32_t i : order_.operations) {
    const Operation& o = history_.operations[i];
    needs_next_ |= container_.takes(o.code) && order_.guesses.empty() &&
                   (o.pending() || o.result == spec::unknown_result());
  }
  for (const Value value : container_.initially) put(Role::kPutBack, value);
  out_.inside.reserve(order_.operations.size());
  for (const std::uint32_t i : order_.operations) {
    const Operation& o = history_.operations[i];
    if (container_.puts(o.code)) {
      put(container_.roles[o.code], o.argument);
    } else if (!take(i)) {
      return std::nullopt;
    }
    out_.inside.push_back(size_);
  }
  look_at_the_rest();
  return std::move(out_);
}

}  // namespace

std::optional<Container> container_of(const spec::Specification& object) {
  if (dynamic_cast<const spec::BuiltIn*>(&object) == nullptr &&
      !spec::is_begun(object)) {
    return std::nullopt;
  }
  static constexpr std::string_view kBlocking = "blocking_";
  const std::string whole = object.name();
  std::string_view name = whole;
  if (name.starts_with(kBlocking)) name.remove_prefix(kBlocking.size());
  name = name.substr(0, name.find_first_of("(["));
  for (const Known& known : kKnown) {
    if (known.name != name) continue;
    Container out{.kind = known.kind, .roles = {}, .initially = {}};
    const std::size_t codes = object.operations().size();
    out.roles.assign(known.roles.begin(),
                     known.roles.begin() + static_cast<std::ptrdiff_t>(codes));
    const spec::State state = object.initial();
    out.initially.assign(state.begin(), state.end());
    return out;
  }
  return std::nullopt;
}

void Sums::add(std::size_t place, std::int32_t number) {
  for (std::size_t i = place + 1; i < sums_.size(); i += i & -i) {
    sums_[i] += number;
  }
}

std::uint32_t Sums::below(std::size_t place) const {
  std::int32_t sum = 0;
  for (std::size_t i = place; i > 0; i -= i & -i) sum += sums_[i];
  return static_cast<std::uint32_t>(sum);
}

std::optional<Replayed> replay(const History& history,
                               const Container& container,
                               const ContainerOrder& order) {
  return Replay(history, container, order).run();
}

}  // namespace plumb::check
