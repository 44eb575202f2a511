// SPDX-License-Identifier: Apache-2.0
#include "oracle/in_place.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace plumb::oracle {
namespace {

using history::Operation;
using spec::Argument;
using spec::Signature;
using spec::State;

using GoOn = std::function<bool(const State&)>;

bool is_empty_take(const Signature& signature, Value result) {
  return signature.takes && result.is_null();
}

void add_once(std::vector<Value>& values, Value value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) {
    values.push_back(value);
  }
}

// What the history puts in, takes out, or asks for.
std::vector<Value> mentioned_values(const Judged& all,
                                    const spec::Specification& object) {
  std::vector<Value> values;
  for (const Operation& operation : all.operations) {
    const Signature& signature = object.operations()[operation.code];
    if (signature.argument == Argument::kPair) {
      for (const Value item : operation.argument.items()) {
        if (!item.is_null()) add_once(values, item);
      }
    } else if (signature.argument != Argument::kNone) {
      add_once(values, operation.argument);
    }
    if (signature.result == spec::Result::kValue && !operation.pending() &&
        !operation.result.is_null()) {
      add_once(values, operation.result);
    }
  }
  return values;
}

// One number below all others in `values`, and one above.
std::pair<Value, Value> fresh_values(const std::vector<Value>& values) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  const auto include = [&](Value value) {
    if (!value.is_integer()) return;
    low = std::min(low, value.as_integer());
    high = std::max(high, value.as_integer());
  };
  for (const Value value : values) {
    include(value);
    if (value.is_list() && !value.items().empty()) include(value.items()[0]);
  }
  return {Value::integer(low - 1), Value::integer(high + 1)};
}

std::vector<Value> pairs_of(std::vector<Value> values) {
  std::vector<Value> pairs;
  add_once(values, Value());
  for (const Value first : values) {
    for (const Value second : values) {
      const Value items[] = {first, second};
      pairs.push_back(Value::list(items));
    }
  }
  return pairs;
}

std::vector<Value> arguments_for(const Signature& signature,
                                 std::vector<Value> values) {
  const auto [low, high] = fresh_values(values);
  switch (signature.argument) {
    case Argument::kNone:
      return {Value()};
    case Argument::kPriority:
      values.push_back(low);
      values.push_back(high);
      return values;
    case Argument::kValue:
      values.push_back(high);
      return values;
    case Argument::kPair:
      values.push_back(high);
      return pairs_of(std::move(values));
  }
  return {};
}

// One choice of `pi`; looks for the permutation, place by place.
class InPlace {
 public:
  struct Setting {
    const spec::Specification& object;
    const Factors& factors;
    bool closed;
    Further further;
    bool only_counts = false;
    std::int64_t most_count = 0;
    std::size_t capacity = 0;
    std::vector<std::vector<Value>> arguments = {};  // of further ones, by code
    // Parts that are objects (a map's keys): each has classes of its own.
    std::vector<Value> keys = {};

    std::size_t parts() const { return std::max<std::size_t>(keys.size(), 1); }
    std::size_t classes() const { return factors.size() * parts(); }
    std::uint16_t code_of(std::size_t one) const {
      return static_cast<std::uint16_t>(one / parts());
    }
    std::size_t class_of(const Operation& operation) const {
      if (keys.empty()) return operation.code;
      const auto key = std::find(keys.begin(), keys.end(),
                                 object.part(operation.call()).value());
      if (key == keys.end()) return SIZE_MAX;  // of which nobody speaks
      return operation.code * parts() +
             static_cast<std::size_t>(key - keys.begin());
    }

    std::size_t most_inside(std::size_t needed) const {
      return std::max(needed, capacity) + further.more;
    }
  };

  InPlace(const Setting& setting, const std::vector<Placed>& pi)
      : setting_(setting),
        pi_(pi),
        members_(setting.classes()),
        used_(setting.classes()),
        places_(setting.classes(), 0) {
    for (const Placed& placed : pi) {
      if (!placed.in_class) continue;
      members_[setting.class_of(*placed.operation)].push_back(placed);
    }
    for (std::size_t one = 0; one < members_.size(); ++one) {
      used_[one].resize(members_[one].size());
    }
    while (tail_ > 0 && !pi[tail_ - 1].in_class &&
           pi[tail_ - 1].operation->pending()) {
      --tail_;
    }
  }

  bool exists() { return place(0, setting_.object.initial()); }

 private:
  // Fills the places of the history from the one numbered `index` on.
  bool place(std::size_t index, const State& state) {
    if (index == tail_) {
      seen_.clear();
      most_inside_ = setting_.most_inside(state.size() + late_in_all() +
                                          pi_.size() - tail_);
      return finish(index, state);
    }
    const GoOn go_on = [&](const State& next) {
      return place(index + 1, next);
    };
    if (pi_[index].in_class) {
      return fill(setting_.class_of(*pi_[index].operation), state, go_on);
    }
    return execute(pi_[index], state, go_on);
  }

  // Adds further operations, with the pending ones from `index` on between
  // them, until nothing is late, or nothing new is met.
  bool finish(std::size_t index, const State& state) {
    const bool is_end = index == pi_.size();
    if (is_end && late_in_all() == 0) return true;
    if (!seen_.insert(std::to_string(index) + "@" + key_of(state)).second) {
      return false;
    }
    const GoOn placed = [&](const State& next) {
      return finish(index + 1, next);
    };
    if (!is_end && execute(pi_[index], state, placed)) return true;
    if (setting_.closed || too_large(state)) return false;
    for (std::size_t one = 0; one < members_.size(); ++one) {
      const GoOn go_on = [&](const State& next) { return finish(index, next); };
      if (setting_.factors[setting_.code_of(one)] > 0) {
        if (fill(one, state, go_on)) return true;
      } else if (setting_.further.any_operation) {
        if (execute_further(one, state, go_on)) return true;
      }
    }
    return false;
  }

  bool too_large(const State& state) const {
    if (state.size() > most_inside_) return true;
    return setting_.only_counts && state[0].is_integer() &&
           state[0].as_integer() > setting_.most_count;
  }

  // Of a class without debts, how many were executed does not matter.
  std::string key_of(const State& state) const {
    std::string key;
    for (const Value value : state) key += value.to_string() + " ";
    for (std::size_t one = 0; one < members_.size(); ++one) {
      key += "|";
      if (late_in(one) == 0) continue;
      key += std::to_string(places_[one]) + ":";
      for (const bool used : used_[one]) key += used ? '1' : '0';
    }
    return key;
  }

  // Fills the next place of class `one` with one of its operations that is
  // not too far from its own place.
  bool fill(std::size_t one, const State& state, const GoOn& go_on) {
    const std::size_t here = places_[one];
    const std::size_t factor = setting_.factors[setting_.code_of(one)];
    if (here > factor && !used_[one][here - factor - 1]) return false;
    const std::size_t known = members_[one].size();
    ++places_[one];
    bool found = false;
    for (std::size_t i = here - std::min(here, factor);
         i <= here + factor && !found; ++i) {
      if (i >= known && setting_.closed) break;
      if (i >= used_[one].size()) used_[one].resize(i + 1);
      if (used_[one][i]) continue;
      used_[one][i] = true;
      found = i < known ? execute(members_[one][i], state, go_on)
                        : execute_further(one, state, go_on);
      used_[one][i] = false;
      if (i >= known) break;  // all further ones are alike: in their order
    }
    --places_[one];
    return found;
  }

  bool execute(const Placed& placed, const State& state, const GoOn& go_on) {
    std::vector<State> next;
    run(setting_.object, state, placed, next);
    return std::any_of(next.begin(), next.end(), go_on);
  }

  bool execute_further(std::size_t one, const State& state, const GoOn& go_on) {
    const std::uint16_t code = setting_.code_of(one);
    for (const Value argument : setting_.arguments[code]) {
      Operation operation;
      operation.code = code;
      operation.argument = argument;
      if (setting_.class_of(operation) != one) continue;
      const bool in_class = setting_.factors[code] > 0;
      const Finds finds = in_class ? Finds::kSomething : Finds::kAnything;
      if (execute({&operation, in_class, finds}, state, go_on)) return true;
    }
    return false;
  }

  // How many operations of the class are in `pi` and not yet executed.
  std::size_t late_in(std::size_t one) const {
    const auto& used = used_[one];
    const std::size_t seen = std::min(places_[one], used.size());
    const auto end = used.begin() + static_cast<std::ptrdiff_t>(seen);
    return static_cast<std::size_t>(std::count(used.begin(), end, false)) +
           (places_[one] - seen);
  }

  std::size_t late_in_all() const {
    std::size_t late = 0;
    for (std::size_t one = 0; one < members_.size(); ++one) {
      late += late_in(one);
    }
    return late;
  }

  const Setting& setting_;
  const std::vector<Placed>& pi_;
  std::size_t tail_ = pi_.size();  // from there on: pending, in no class
  std::vector<std::vector<Placed>> members_;  // by class: in the order of pi
  std::vector<std::vector<bool>> used_;       // by class: executed
  std::vector<std::size_t> places_;           // by class: filled so far
  std::set<std::string> seen_;                // after the history
  std::size_t most_inside_ = 0;
};

// How high a counter need go.
std::int64_t highest_count(const Judged& all, const Factors& factors) {
  auto most = static_cast<std::int64_t>(all.size());
  for (const Operation& operation : all.operations) {
    if (operation.pending() || !operation.result.is_integer()) continue;
    most = std::max(most, operation.result.as_integer());
  }
  for (const std::uint32_t factor : factors) most += factor + 1;
  return most;
}

std::size_t capacity_of(const spec::Specification& object) {
  const std::string name = object.name();
  const std::size_t at = name.find('(');
  return at == std::string::npos ? 0 : std::stoul(name.substr(at + 1));
}

}  // namespace

Factors factors_of(const spec::Specification& object,
                   const check::Condition& condition) {
  Factors factors;
  for (const Signature& signature : object.operations()) {
    const auto found = condition.factors.find(std::string(signature.name));
    factors.push_back(found == condition.factors.end() ? 0 : found->second);
  }
  return factors;
}

void run(const spec::Specification& object, const State& state,
         const Placed& placed, std::vector<State>& next) {
  const Operation& operation = *placed.operation;
  const Signature& signature = object.operations()[operation.code];
  std::vector<spec::Outcome> outcomes;
  object.apply(state, operation.call(), outcomes);
  for (const spec::Outcome& outcome : outcomes) {
    const bool nothing = is_empty_take(signature, outcome.result);
    const bool fits = !operation.pending() ? outcome.result == operation.result
                      : placed.finds == Finds::kAnything
                          ? true
                          : nothing == (placed.finds == Finds::kNothing);
    if (fits) next.push_back(outcome.next);
  }
}

namespace {

// In which ways may `operation` stand in `pi`?
std::vector<Placed> readings_of(const Operation& operation,
                                const Signature& signature,
                                std::uint32_t factor) {
  if (factor == 0) return {{&operation, false}};
  if (!operation.pending()) {
    return {{&operation, !is_empty_take(signature, operation.result)}};
  }
  if (!signature.takes) return {{&operation, true}};
  return {{&operation, true, Finds::kSomething},
          {&operation, false, Finds::kNothing}};
}

}  // namespace

bool some_reading(
    const Judged& all, const Sequence& sequence,
    const spec::Specification& object, const Factors& factors,
    const std::function<bool(const std::vector<Placed>&)>& accepts) {
  std::vector<Placed> pi;
  const std::function<bool()> extend = [&]() {
    if (pi.size() == sequence.size()) return accepts(pi);
    const Operation& operation = all.operations[sequence[pi.size()]];
    const auto code = operation.code;
    for (const Placed& placed :
         readings_of(operation, object.operations()[code], factors[code])) {
      pi.push_back(placed);
      if (extend()) return true;
      pi.pop_back();
    }
    return false;
  };
  return extend();
}

bool holds_in_place(const Judged& all, const spec::Specification& object,
                    const Factors& factors, bool closed,
                    const Further& further) {
  InPlace::Setting setting{object, factors, closed, further};
  const auto operations = object.operations();
  setting.only_counts = std::all_of(
      operations.begin(), operations.end(), [](const Signature& signature) {
        return signature.argument == Argument::kNone;
      });
  setting.most_count = highest_count(all, factors) + further.more;
  setting.capacity = capacity_of(object);
  const std::vector<Value> values = mentioned_values(all, object);
  for (const Signature& signature : object.operations()) {
    setting.arguments.push_back(arguments_for(signature, values));
  }
  if (object.parts_are_objects()) {
    for (const Operation& operation : all.operations) {
      add_once(setting.keys, object.part(operation.call()).value());
    }
    // Nobody is taken to put null who does not.
    for (auto& arguments : setting.arguments) {
      std::erase_if(arguments, [&](Value argument) {
        const auto puts_null = [](Value value) {
          return value.is_list() && value.items().back().is_null();
        };
        return puts_null(argument) &&
               std::none_of(all.operations.begin(), all.operations.end(),
                            [&](const Operation& operation) {
                              return puts_null(operation.argument);
                            });
      });
    }
  }
  return some_sequence(all, [&](const Sequence& sequence) {
    return some_reading(all, sequence, object, factors,
                        [&](const std::vector<Placed>& pi) {
                          return InPlace(setting, pi).exists();
                        });
  });
}

}  // namespace plumb::oracle
