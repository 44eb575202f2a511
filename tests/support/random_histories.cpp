// SPDX-License-Identifier: Apache-2.0
#include "support/random_histories.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "support/histories.h"

namespace plumb::testing {

using history::History;
using history::kNever;
using history::Moment;
using history::Operation;

std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}

namespace {

bool chance(std::mt19937& random, std::uint32_t percent) {
  return below(random, 100) < percent;
}

bool puts_in(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "enq", "push", "push_front", "push_back", "insert", "add", "write"};
  return std::find(std::begin(kNames), std::end(kNames), name) !=
         std::end(kNames);
}

// Plays the processes against the object.
class Play {
 public:
  Play(std::mt19937& random, const spec::Specification& object,
       const RandomShape& shape)
      : random_(random),
        object_(object),
        shape_(shape),
        state_(object.initial()),
        running_(shape.processes),
        with_items_(chance(random, 30)) {
    for (std::uint32_t i = 0; i < shape.processes; ++i) {
      history_.processes.push_back(Value::integer(i));
    }
  }

  History result() {
    while (history_.size() < shape_.operations || is_busy()) step();
    return std::move(history_);
  }

 private:
  struct Running {
    std::size_t index;
    bool done = false;  // has run on the object
  };

  bool is_busy() const {
    return std::any_of(running_.begin(), running_.end(),
                       [](const auto& call) { return call.has_value(); });
  }

  void step() {
    auto& call = running_[below(random_, shape_.processes)];
    if (!call) {
      if (history_.size() == shape_.operations) return;
      invoke(static_cast<std::uint32_t>(&call - running_.data()));
    } else if (!call->done) {
      run(*call);
    } else {
      finish(call);
    }
  }

  void invoke(std::uint32_t process) {
    const auto codes = static_cast<std::uint32_t>(object_.operations().size());
    Operation operation;
    operation.process = process;
    operation.invoked = clock_++;
    operation.code = static_cast<std::uint16_t>(below(random_, codes));
    operation.argument = argument_for(object_.operations()[operation.code]);
    running_[process] = Running{history_.size()};
    history_.operations.push_back(operation);
    if (chance(random_, 40)) run(*running_[process]);
  }

  void run(Running& call) {
    Operation& operation = history_.operations[call.index];
    std::vector<spec::Outcome> outcomes;
    object_.apply(state_, operation.call(), outcomes);
    call.done = true;
    if (outcomes.empty()) {
      blocked_.push_back(call.index);
      return;
    }
    const auto choice =
        below(random_, static_cast<std::uint32_t>(outcomes.size()));
    operation.result = outcomes[choice].result;
    state_ = outcomes[choice].next;
  }

  void finish(std::optional<Running>& call) {
    Operation& operation = history_.operations[call->index];
    const bool blocked = std::find(blocked_.begin(), blocked_.end(),
                                   call->index) != blocked_.end();
    if (blocked ? !chance(random_, shape_.wrong)
                : chance(random_, shape_.pending)) {
      operation.result = Value();
    } else {
      operation.returned = clock_++;
    }
    call.reset();
  }

  Value argument_for(const spec::Signature& signature) {
    switch (signature.argument) {
      case spec::Argument::kNone:
        return Value();
      case spec::Argument::kValue:
        return value_for(signature);
      case spec::Argument::kPriority:
        return with_items_ ? pair(any_value(), value_for(signature))
                           : value_for(signature);
      case spec::Argument::kPair: {
        const bool from_nothing =
            signature.name == "cas" && chance(random_, 30);
        return pair(from_nothing ? Value() : any_value(),
                    shape_.distinct ? new_value() : any_value());
      }
    }
    return Value();
  }

  Value value_for(const spec::Signature& signature) {
    return shape_.distinct && puts_in(signature.name) ? new_value()
                                                      : any_value();
  }
  Value new_value() { return Value::integer(++last_value_); }
  Value any_value() {
    const auto top = shape_.distinct ? std::max<std::uint32_t>(1, last_value_)
                                     : shape_.values;
    return Value::integer(1 + below(random_, top));
  }
  static Value pair(Value first, Value second) {
    const Value items[] = {first, second};
    return Value::list(items);
  }

  std::mt19937& random_;
  const spec::Specification& object_;
  const RandomShape& shape_;
  History history_;
  spec::State state_;
  std::vector<std::optional<Running>> running_;
  std::vector<std::size_t> blocked_;
  Moment clock_ = 0;
  std::uint32_t last_value_ = 0;
  bool with_items_;  // priorities come with an item
};

Value made_up(std::mt19937& random, spec::Result kind, std::uint32_t values) {
  switch (kind) {
    case spec::Result::kNone:
      return Value();
    case spec::Result::kValue: {
      const auto choice = below(random, values + 1);
      return choice == 0 ? Value() : Value::integer(choice);
    }
    case spec::Result::kBoolean:
    case spec::Result::kSuccess:
      return Value::boolean(chance(random, 50));
    case spec::Result::kInteger:
      return Value::integer(below(random, 4));
  }
  return Value();
}

// Another completed operation of the same name, or itself.
Operation& alike(std::mt19937& random, History& history,
                 const Operation& operation) {
  std::vector<Operation*> others;
  for (Operation& other : history.operations) {
    if (other.code == operation.code && !other.pending()) {
      others.push_back(&other);
    }
  }
  return *others[below(random, static_cast<std::uint32_t>(others.size()))];
}

void spoil(std::mt19937& random, const spec::Specification& object,
           const RandomShape& shape, History& history) {
  for (Operation& operation : history.operations) {
    if (operation.pending() || !chance(random, shape.wrong)) continue;
    if (chance(random, 60)) {
      std::swap(operation.result, alike(random, history, operation).result);
    } else {
      operation.result = made_up(
          random, object.operations()[operation.code].result, shape.values);
    }
  }
}

}  // namespace

History random_history(std::mt19937& random, const spec::Specification& object,
                       const RandomShape& shape) {
  History history = Play(random, object, shape).result();
  spoil(random, object, shape, history);
  return history;
}

RandomShape random_shape(std::mt19937& random, std::uint32_t most) {
  RandomShape shape;
  shape.operations = 1 + below(random, most);
  shape.processes = 1 + below(random, 4);
  shape.values = 1 + below(random, 3);
  shape.distinct = chance(random, 50);
  shape.pending = chance(random, 50) ? 0 : 20;
  shape.wrong = chance(random, 20) ? 0 : 30;
  return shape;
}

History without(const History& history, std::size_t index) {
  History smaller = history;
  smaller.operations.erase(smaller.operations.begin() +
                           static_cast<std::ptrdiff_t>(index));
  make_dense(smaller);
  return smaller;
}

History shrink(History history,
               const std::function<bool(const History&)>& fails) {
  for (std::size_t i = 0; i < history.size();) {
    const History smaller = without(history, i);
    if (fails(smaller)) {
      history = smaller;
      i = 0;
    } else {
      ++i;
    }
  }
  return history;
}

}  // namespace plumb::testing
