// SPDX-License-Identifier: Apache-2.0
// Quasi-linearizable sequences from the definition, and those of an object.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "spec/catalogue.h"
#include "spec/relax.h"
#include "spec/specification.h"
#include "spec/window.h"

namespace plumb::relax_testing {

using namespace spec;

// An operation with its result, by number.
struct Letter {
  std::uint16_t code;
  Value argument;
  Value result;

  auto key() const { return std::tuple(code, argument.word(), result.word()); }
  friend bool operator<(const Letter& a, const Letter& b) {
    return a.key() < b.key();
  }
};
using Word = std::vector<std::uint8_t>;  // of letters, by number
using Words = std::set<Word>;

class Alphabet {
 public:
  std::uint8_t number(const Letter& letter) {
    const auto next = static_cast<std::uint8_t>(letters_.size());
    const auto [entry, is_new] = numbers_.try_emplace(letter, next);
    if (is_new) letters_.push_back(letter);
    return entry->second;
  }
  const Letter& operator[](std::uint8_t number) const {
    return letters_[number];
  }

 private:
  std::map<Letter, std::uint8_t> numbers_;
  std::vector<Letter> letters_;
};

// An object, what may be called, and what is relaxed.
struct Case {
  SpecificationPtr object;
  std::vector<std::vector<Value>> arguments;  // by code
  std::vector<RelaxedClass> classes;
};

inline std::vector<Value> numbers(std::initializer_list<int> list) {
  std::vector<Value> out;
  for (const int n : list) out.push_back(Value::integer(n));
  return out;
}

// Every operation that takes a value may be called with `values`; one that
// takes a pair with all pairs of them.
inline Case make_case(SpecificationPtr object,
                      const std::vector<Value>& values) {
  Case made{std::move(object), {}, {}};
  for (const Signature& signature : made.object->operations()) {
    auto& list = made.arguments.emplace_back();
    if (signature.argument == Argument::kNone) {
      list.push_back(Value());
    } else if (signature.argument == Argument::kPair) {
      for (const Value a : values) {
        for (const Value b : values) {
          const Value items[] = {a, b};
          list.push_back(Value::list(items));
        }
      }
    } else {
      list = values;
    }
  }
  return made;
}

inline Case make_case(std::string_view name, const std::vector<Value>& values) {
  return make_case(make(name), values);
}

// All operations of these names are in classes of their own.
inline Case with_factors(Case plain,
                         const std::map<std::string, std::uint32_t>& factors) {
  for (const auto& [name, factor] : factors) {
    const std::uint16_t code = find_operation(*plain.object, name).value();
    plain.classes.push_back({factor, {{code, {}, {}}}});
  }
  return plain;
}

inline Relaxation relaxation_of(const Case& one) {
  Relaxation relaxation;
  relaxation.classes = one.classes;
  relaxation.arguments = one.arguments;
  return relaxation;
}
inline SpecificationPtr relaxed_model(const Case& one) {
  return relax_for_models(one.object, relaxation_of(one));
}
inline SpecificationPtr window_model(const Case& one) {
  return window_for_models(one.object, relaxation_of(one));
}

template <typename Function>
void for_each_call(const Case& one, Function use) {
  for (std::uint16_t code = 0; code < one.arguments.size(); ++code) {
    for (const Value argument : one.arguments[code]) {
      use(Call{code, argument});
    }
  }
}

// The states that each operation with its result leads to from some of
// `states`.
using Successors = std::map<Letter, std::vector<State>>;
inline Successors successors(const Specification& object, const Case& one,
                             const std::vector<State>& states) {
  Successors next;
  for_each_call(one, [&](const Call& call) {
    for (const State& state : states) {
      std::vector<Outcome> outcomes;
      object.apply(state, call, outcomes);
      for (Outcome& outcome : outcomes) {
        auto& after = next[{call.code, call.argument, outcome.result}];
        if (std::ranges::find(after, outcome.next) == after.end()) {
          after.push_back(std::move(outcome.next));
        }
      }
    }
  });
  for (auto& [letter, after] : next) {
    std::ranges::sort(after, [](const State& a, const State& b) {
      return std::ranges::lexicographical_compare(
          a, b, {}, [](Value v) { return v.word(); },
          [](Value v) { return v.word(); });
    });
  }
  return next;
}

inline bool may_end(const Specification& object,
                    const std::vector<State>& states) {
  return std::ranges::any_of(
      states, [&](const State& state) { return object.may_end(state); });
}

// The sequences of at most `length` operations with results that some path of
// `object` shows which may end there.
inline Words words_of(const Specification& object, const Case& one,
                      std::size_t length, Alphabet& alphabet) {
  Words words{Word()};
  std::map<Word, std::vector<State>> level{{Word(), {object.initial()}}};
  for (std::size_t n = 0; n < length; ++n) {
    std::map<Word, std::vector<State>> next_level;
    for (const auto& [word, states] : level) {
      for (auto& [letter, after] : successors(object, one, states)) {
        Word longer = word;
        longer.push_back(alphabet.number(letter));
        if (may_end(object, after)) words.insert(longer);
        next_level[longer] = after;
      }
    }
    level = std::move(next_level);
  }
  return words;
}

enum class Relation { kEqual, kContained };

// Looks at sequences of any length, if there are not more than `most` pairs of
// sets of states: is what `a` shows what `b` shows, or at least part of it?
// Otherwise, a sequence of which that is not true; "too many" if there are
// more pairs.
inline std::string difference(const Specification& a, const Specification& b,
                              const Case& one, Relation relation,
                              std::size_t most = 50'000) {
  struct Pair {
    std::vector<State> of_a;
    std::vector<State> of_b;
    std::string path;
  };
  std::set<std::string> seen;
  std::vector<Pair> open{{{a.initial()}, {b.initial()}, "-"}};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Successors from_a = successors(a, one, open[i].of_a);
    const Successors from_b = successors(b, one, open[i].of_b);
    const auto step = [&](const Letter& letter) {
      return open[i].path + " " +
             std::string(one.object->operations()[letter.code].name) + " " +
             letter.argument.to_string() + " = " + letter.result.to_string();
    };
    std::map<Letter, std::pair<std::vector<State>, std::vector<State>>> both;
    for (const auto& [letter, after] : from_a) both[letter].first = after;
    for (const auto& [letter, after] : from_b) both[letter].second = after;
    for (const auto& [letter, pair] : both) {
      const auto& [of_a, of_b] = pair;
      const bool ends_a = may_end(a, of_a);
      const bool ends_b = may_end(b, of_b);
      if (ends_a && !ends_b) return step(letter);
      if (ends_b && !ends_a && relation == Relation::kEqual) {
        return step(letter);
      }
      std::string key;
      for (const auto* states : {&of_a, &of_b}) {
        for (const State& state : *states) {
          key.append(reinterpret_cast<const char*>(state.data()),
                     state.size() * sizeof(Value));
          key += '|';
        }
        key += '/';
      }
      if (!seen.insert(std::move(key)).second) continue;
      if (open.size() == most) return "too many";
      open.push_back({of_a, of_b, step(letter)});
    }
  }
  return "";
}

// The same object, but nobody knows which it is.
class Opaque final : public Specification {
 public:
  explicit Opaque(SpecificationPtr object) : object_(std::move(object)) {}

  std::string name() const override { return "opaque " + object_->name(); }
  std::span<const Signature> operations() const override {
    return object_->operations();
  }
  State initial() const override { return object_->initial(); }
  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override {
    object_->apply(state, call, outcomes);
  }

 private:
  SpecificationPtr object_;
};

inline Case opaque(Case one) {
  one.object = std::make_shared<Opaque>(one.object);
  return one;
}

// The definition.  A legal sequence pi', and every pi that it is a permutation
// of in which each class keeps its places and no operation is further than
// its factor from its place among those of its class.  With `window`, only
// those that fall into stretches, for each class, of at most 2 * factor + 1
// of its operations, which are permutations of their own.
class Definition {
 public:
  Definition(const Case& one, Alphabet& alphabet, bool window = false)
      : one_(one), alphabet_(alphabet), window_(window) {}

  // The sequences of at most `length` operations that can be continued by at
  // most `further` ones, all of them in classes, to become quasi-linearizable.
  Words words(std::size_t length, std::size_t further) {
    found_ = {Word()};
    for (length_ = 1; length_ <= length; ++length_) {
      Word legal;
      extend(one_.object->initial(), legal, length_ + further);
    }
    return found_;
  }

 private:
  struct Place {
    int in;             // the class, -1 for none
    std::size_t index;  // among the places of the class
  };
  struct Members {
    std::vector<std::size_t> places;  // in pi'
    std::vector<bool> used;
    std::size_t stretch = 0;  // where the stretch that is open begins
  };

  void extend(const State& state, Word& legal, std::size_t left) {
    if (legal.size() >= length_) permute(legal);
    if (left == 0) return;
    for_each_call(one_, [&](const Call& call) {
      std::vector<Outcome> outcomes;
      one_.object->apply(state, call, outcomes);
      for (const Outcome& outcome : outcomes) {
        const Letter letter{call.code, call.argument, outcome.result};
        if (legal.size() >= length_ && class_of(letter) < 0) continue;
        legal.push_back(alphabet_.number(letter));
        extend(outcome.next, legal, left - 1);
        legal.pop_back();
      }
    });
  }

  int class_of(const Letter& letter) const {
    const Signature& signature = one_.object->operations()[letter.code];
    if (signature.takes && letter.result.is_null()) return -1;
    for (std::size_t i = 0; i < one_.classes.size(); ++i) {
      if (one_.classes[i].factor == 0) continue;
      for (const ClassMember& member : one_.classes[i].members) {
        if (member.code == letter.code &&
            (!member.argument || member.argument->contains(letter.argument)) &&
            (!member.result || member.result->contains(letter.result))) {
          return static_cast<int>(i);
        }
      }
    }
    return -1;
  }

  void permute(const Word& legal) {
    places_.clear();
    members_.assign(one_.classes.size(), {});
    for (std::size_t i = 0; i < legal.size(); ++i) {
      const int in = class_of(alphabet_[legal[i]]);
      std::size_t index = 0;
      if (in >= 0) {
        Members& members = members_[static_cast<std::size_t>(in)];
        index = members.places.size();
        members.places.push_back(i);
        members.used.push_back(false);
      }
      places_.push_back({in, index});
    }
    pi_.clear();
    fill(legal, 0);
  }

  // Fills the places of pi from this one on, each with an operation of pi'
  // that is near enough.  Behind the first `length_` places, one way to do
  // that is enough.
  bool fill(const Word& legal, std::size_t at) {
    if (at == legal.size()) return true;
    const auto [in, index] = places_[at];
    if (in < 0) return go_on(legal, at, legal[at]);
    Members& members = members_[static_cast<std::size_t>(in)];
    const std::size_t factor =
        one_.classes[static_cast<std::size_t>(in)].factor;
    const std::size_t stretch = members.stretch;
    bool any = false;
    for (std::size_t i = index - std::min(index, factor);
         i < members.used.size() && i <= index + factor; ++i) {
      if (members.used[i] || (any && at >= length_)) continue;
      members.used[i] = true;
      const auto end = members.used.begin();
      const bool cut =
          std::all_of(end, end + static_cast<std::ptrdiff_t>(index) + 1,
                      [](bool used) { return used; });
      if (cut) members.stretch = index + 1;
      if (cut || !window_ || index + 1 - stretch < 2 * factor + 1) {
        any |= go_on(legal, at, legal[members.places[i]]);
      }
      members.stretch = stretch;
      members.used[i] = false;
    }
    return any;
  }

  bool go_on(const Word& legal, std::size_t at, std::uint8_t letter) {
    if (at >= length_) return fill(legal, at + 1);
    pi_.push_back(letter);
    const bool possible = fill(legal, at + 1);
    if (possible && pi_.size() == length_) found_.insert(pi_);
    pi_.pop_back();
    return possible;
  }

  const Case& one_;
  Alphabet& alphabet_;
  bool window_;
  std::size_t length_ = 0;
  Words found_;
  // Of the sequence that is permuted:
  std::vector<Place> places_;
  std::vector<Members> members_;  // by class
  Word pi_;
};

inline std::string to_text(const Word& word, const Alphabet& alphabet,
                           const Specification& object) {
  std::string out;
  for (const std::uint8_t number : word) {
    const Letter& letter = alphabet[number];
    out += std::string(object.operations()[letter.code].name) + "(" +
           letter.argument.to_string() + ")=" + letter.result.to_string() + " ";
  }
  return out;
}

}  // namespace plumb::relax_testing
