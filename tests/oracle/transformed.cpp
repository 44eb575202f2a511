// SPDX-License-Identifier: Apache-2.0
#include "oracle/transformed.h"

#include <optional>
#include <string>
#include <vector>

namespace plumb::oracle {
namespace {

using check::Condition;
using check::Factors;
using history::Operation;

// What one operation did.
struct Deed {
  std::string name;
  std::optional<Value> part;
  bool changes = false;    // the object, had it not stuttered
  bool passes_by = false;  // what was next
  bool stutters = false;
};

struct Way {
  spec::Outcome outcome;
  Deed deed;
};

std::optional<std::uint32_t> number_for(const Factors& factors,
                                        const std::string& name) {
  const auto found = factors.find(name);
  if (found == factors.end()) return std::nullopt;
  return found->second;
}

Value priority(Value value) {
  return value.is_list() ? value.items().front() : value;
}

// How many others `name` would take out before state[index].
std::size_t turn(const std::string& name, const spec::State& state,
                 std::size_t index) {
  if (name == "deq" || name == "pop_front") return index;
  if (name == "pop" || name == "pop_back") return state.size() - 1 - index;
  std::size_t smaller = 0;
  for (const Value other : state) {
    if (compare(priority(other), priority(state[index])) < 0) ++smaller;
  }
  return smaller;
}

class Search {
 public:
  Search(const spec::Specification& object, const Condition& condition)
      : object_(object), condition_(condition) {}

  bool explains(const std::vector<const Operation*>& sequence, std::size_t from,
                const spec::State& state) {
    if (from == sequence.size()) return rows_are_short();
    const Operation& operation = *sequence[from];
    for (const Way& way : ways(state, operation)) {
      if (!operation.pending() && way.outcome.result != operation.result) {
        continue;
      }
      deeds_.push_back(way.deed);
      const bool found = explains(sequence, from + 1, way.outcome.next);
      deeds_.pop_back();
      if (found) return true;
    }
    return false;
  }

 private:
  std::vector<Way> ways(const spec::State& state, const Operation& operation) {
    Deed deed;
    deed.name = object_.operations()[operation.code].name;
    if (object_.parts_are_objects()) deed.part = object_.part(operation.call());
    std::vector<spec::Outcome> outcomes;
    object_.apply(state, operation.call(), outcomes);
    std::vector<Way> all;
    for (const spec::Outcome& outcome : outcomes) {
      all.push_back({outcome, deed});
    }
    const auto far = number_for(condition_.out_of_order, deed.name);
    if (far || number_for(condition_.late, deed.name)) {
      for (std::size_t i = 0; i < state.size(); ++i) {
        const std::size_t distance = turn(deed.name, state, i);
        if (distance == 0 || (far && distance > *far)) continue;
        Way way{{state[i], state}, deed};
        way.outcome.next.erase(way.outcome.next.begin() +
                               static_cast<std::ptrdiff_t>(i));
        way.deed.passes_by = true;
        all.push_back(way);
      }
    }
    for (Way& way : all) way.deed.changes = way.outcome.next != state;
    const std::size_t count = all.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (!number_for(condition_.stuttering, deed.name)) break;
      if (!all[i].deed.changes) continue;
      Way way = all[i];
      way.outcome.next = state;
      way.deed.stutters = true;
      all.push_back(way);
    }
    return all;
  }

  // Looks back from each deed: how long is the row that it ends?
  bool rows_are_short() const {
    for (std::size_t last = 0; last < deeds_.size(); ++last) {
      std::uint32_t passed = 0, stuttered = 0;
      bool passing = deeds_[last].passes_by, stuttering = deeds_[last].stutters;
      for (std::size_t i = last + 1; i-- > 0 && (passing || stuttering);) {
        const Deed& deed = deeds_[i];
        if (deed.name != deeds_[last].name || deed.part != deeds_[last].part ||
            !deed.changes) {
          continue;
        }
        stuttering = stuttering && deed.stutters;
        if (stuttering) ++stuttered;
        // What left the object as it was left the row as it was, too.
        if (deed.stutters && i != last) continue;
        passing = passing && deed.passes_by;
        if (passing) ++passed;
      }
      const auto late = number_for(condition_.late, deeds_[last].name);
      if (late && passed > *late) return false;
      const auto most = number_for(condition_.stuttering, deeds_[last].name);
      if (most && stuttered > *most) return false;
    }
    return true;
  }

  const spec::Specification& object_;
  const Condition& condition_;
  std::vector<Deed> deeds_;
};

}  // namespace

bool holds_transformed(const Judged& all, const spec::Specification& object,
                       const check::Condition& condition) {
  return some_sequence(all, [&](const Sequence& sequence) {
    std::vector<const Operation*> operations;
    for (const std::size_t i : sequence) {
      operations.push_back(&all.operations[i]);
    }
    return Search(object, condition).explains(operations, 0, object.initial());
  });
}

}  // namespace plumb::oracle
