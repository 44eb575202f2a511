// SPDX-License-Identifier: Apache-2.0
// A specification in C++20: an object that does one operation at a time.
//
//   struct Bank {
//     std::map<std::string, long> balance;
//     bool operator==(const Bank&) const = default;
//
//     long read(const std::string& name) const {
//       const auto found = balance.find(name);
//       return found == balance.end() ? 0 : found->second;
//     }
//     bool withdraw(const std::string& name, long amount) {
//       if (read(name) < amount) return false;
//       balance[name] -= amount;
//       return true;
//     }
//   };
//   PLUMB_SPEC(Bank) {
//     spec.operation("read", &Bank::read);
//     spec.operation("withdraw", &Bank::withdraw);
//   }
//
//   plumb history --spec bank.cpp run.jsonl
//
// A state is copied and compared; it is hashed if it has a member `hash()`, or
// one `members()` that gives a std::tie() of what counts, else (and slowly) not
// at all.  It may have `describe()`, a text for people.  A member function that
// is `const` is taken to change nothing.
#pragma once

#if __cplusplus >= 202002L  // the tool compiles specifications so

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/spec/hash.h"
#include "plumb/spec/value.h"
#include "plumb/spec/wire.h"

namespace plumb::spec {

// In an operation: it is not possible in this state, and has not happened.
inline void await(bool condition) {
  if (!condition) throw detail::NotNow();
}

// In an operation: one of 0 to bound - 1; all of them are tried.
inline std::size_t choose(std::size_t bound) {
  return detail::choices().next(bound);
}

// What PLUMB_SPEC fills in: which operations there are.
template <typename State>
class Description {
 public:
  // A member function, or a function that takes the state first.  Of several
  // parameters, a history gives a list, or a map with these names.
  template <typename Function>
  Description& operation(std::string name, Function function,
                         std::vector<std::string> parameters = {}) {
    add(std::move(name), std::function(bound(function)));
    operations_.back().names = std::move(parameters);
    return *this;
  }
  // The operations fall into independent objects, by this argument: the first
  // one is 0.  Every operation must have it.
  Description& partition_by(std::size_t argument) {
    partition_ = static_cast<std::int64_t>(argument);
    return *this;
  }
  Description& name(std::string name) {
    name_ = std::move(name);
    return *this;
  }
  Description& initial(State state) {
    initial_ = std::move(state);
    return *this;
  }

  // Answers until nobody asks any more.
  int serve() {
    detail::Wire wire;
    intern(initial_);
    wire.send(described());
    for (std::string question; wire.receive(question);) {
      wire.send(answered(question));
    }
    return 0;
  }

 private:
  struct Operation {
    std::string name;
    std::size_t parameters = 0;
    std::vector<std::string> names;  // of all of them, or empty
    bool has_result = false;
    bool reads_only = false;
    std::function<Value(State&, const std::vector<Value>&)> run;
  };

  template <typename Result, typename... Arguments>
  static auto bound(Result (State::*member)(Arguments...) const) {
    return [member](const State& state, Arguments... arguments) -> Result {
      return (state.*member)(std::forward<Arguments>(arguments)...);
    };
  }
  template <typename Result, typename... Arguments>
  static auto bound(Result (State::*member)(Arguments...)) {
    return [member](State& state, Arguments... arguments) -> Result {
      return (state.*member)(std::forward<Arguments>(arguments)...);
    };
  }
  template <typename Function>
  static auto bound(Function function) {
    return function;
  }

  template <typename Result, typename Self, typename... Arguments>
  void add(std::string name, std::function<Result(Self, Arguments...)> call) {
    static_assert(std::is_same_v<std::remove_cvref_t<Self>, State>,
                  "an operation takes the state first");
    Operation made;
    made.name = std::move(name);
    made.parameters = sizeof...(Arguments);
    made.has_result = !std::is_void_v<Result>;
    made.reads_only = std::is_const_v<std::remove_reference_t<Self>>;
    made.run = [call = std::move(call)](State& state,
                                        const std::vector<Value>& given) {
      return invoke<Result, Arguments...>(
          call, state, given, std::index_sequence_for<Arguments...>());
    };
    operations_.push_back(std::move(made));
  }
  template <typename Result, typename... Arguments, typename Call,
            std::size_t... I>
  static Value invoke(const Call& call, State& state,
                      [[maybe_unused]] const std::vector<Value>& given,
                      std::index_sequence<I...>) {
    if constexpr (std::is_void_v<Result>) {
      call(state, given[I].template as<std::remove_cvref_t<Arguments>>()...);
      return {};
    } else {
      return Value(call(
          state, given[I].template as<std::remove_cvref_t<Arguments>>()...));
    }
  }

  std::uint32_t intern(const State& state) {
    auto& same = by_hash_[hash_of(state)];
    for (const std::uint32_t id : same) {
      if (states_[id] == state) return id;
    }
    same.push_back(static_cast<std::uint32_t>(states_.size()));
    states_.push_back(state);
    return same.back();
  }

  std::string described() const {
    detail::Writer out;
    out.text(name_);
    out.number(partition_);
    out.number(static_cast<std::int64_t>(operations_.size()));
    for (const Operation& one : operations_) {
      out.text(one.name);
      out.number(static_cast<std::int64_t>(one.parameters));
      out.number(static_cast<std::int64_t>(one.names.size()));
      for (const std::string& name : one.names) out.text(name);
      out.number(one.has_result);
      out.number(one.reads_only);
    }
    return out.take();
  }

  std::string answered(const std::string& question) {
    detail::Reader in(question);
    detail::Writer out;
    try {
      const auto state = static_cast<std::size_t>(in.number());
      const std::int64_t code = in.number();
      if (code < 0) {
        out.number(0);
        out.text(shown(states_.at(state)));
      } else {
        try_all(state, operations_.at(static_cast<std::size_t>(code)),
                in.value(), out);
      }
    } catch (const std::exception& error) {
      out = {};
      out.number(-1);
      out.text(error.what());
    }
    return out.take();
  }

  void try_all(std::size_t state, const Operation& operation,
               const Value& argument, detail::Writer& out) {
    const std::vector<Value> given = arguments(operation, argument);
    std::vector<std::pair<Value, std::uint32_t>> found;
    detail::choices().begin();
    do {
      try {
        State next = states_[state];
        Value result = operation.run(next, given);
        if (operation.reads_only && !(next == states_[state])) {
          throw std::logic_error("'" + operation.name +
                                 "' is const, but changes the state");
        }
        found.emplace_back(std::move(result), intern(next));
      } catch (const detail::NotNow&) {
      }
    } while (detail::choices().advance());
    out.number(static_cast<std::int64_t>(found.size()));
    for (const auto& [result, next] : found) {
      out.value(result);
      out.number(next);
    }
  }

  static std::vector<Value> arguments(const Operation& operation,
                                      const Value& argument) {
    if (operation.parameters == 0) return {};
    if (operation.parameters == 1) return {argument};
    const auto* const items = argument.list();
    if (items == nullptr || items->size() != operation.parameters) {
      throw std::invalid_argument("'" + operation.name + "' takes a list of " +
                                  std::to_string(operation.parameters) +
                                  " arguments");
    }
    return *items;
  }

  static std::string shown(const State& state) {
    if constexpr (requires {
                    { state.describe() } -> std::convertible_to<std::string>;
                  }) {
      return state.describe();
    } else {
      return "";
    }
  }

  std::string name_;
  State initial_{};
  std::int64_t partition_ = -1;
  std::vector<Operation> operations_;
  std::vector<State> states_;
  std::unordered_map<std::size_t, std::vector<std::uint32_t>> by_hash_;
};

}  // namespace plumb::spec

// The specification of a file: the name of a class, and a body that tells its
// operations to `spec`.
#define PLUMB_SPEC(State)                                            \
  static void plumb_describe(plumb::spec::Description<State>& spec); \
  int main() {                                                       \
    plumb::spec::Description<State> description;                     \
    description.name(#State);                                        \
    plumb_describe(description);                                     \
    return description.serve();                                      \
  }                                                                  \
  static void plumb_describe(plumb::spec::Description<State>& spec)

#endif
