// SPDX-License-Identifier: Apache-2.0
#include "harness/programs.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace plumb::harness {

namespace {

using Word = std::vector<int>;  // of calls, or of letters
using Words = std::vector<Word>;

// With more threads than this not all orders of them are tried: some programs
// are then made although others equal them.
constexpr std::size_t kMostPermuted = 5;
// How many programs are looked at for each that may be made: so many are the
// same but for names, or else there are too many in any case.
constexpr std::size_t kTriesForEach = 50;

class Generator {
 public:
  Generator(const test::Case& test, const spec::Specification& object,
            const ProgramLimits& limits);

  // Appends to `list`.
  void generate(ProgramList& list);

 private:
  // What a thread can do: a call, or an operation whose argument is the first
  // that no call before it took.
  struct Letter {
    int call;  // or, of such an operation, -1
    int operation;
  };

  void find_letters();
  void find_interchangeable(const spec::Specification& object);
  bool closed_under_swap(Value a, Value b) const;
  bool all_alike(const Word& calls) const;

  // All programs with `calls` calls, each once; false: there are too many.
  bool generate_size(std::size_t calls, ProgramList& list);
  bool generate_lengths(std::size_t thread, std::size_t left, Words& letters,
                        ProgramList& list);
  bool generate_words(std::size_t thread, std::size_t at, Words& letters,
                      ProgramList& list);
  void sample(std::size_t above, ProgramList& list);

  bool threads_in_order(const Words& letters) const;
  bool add(const Words& letters, ProgramList& list);
  std::optional<Words> calls_of(const Words& letters) const;
  Words canonical(const Words& calls) const;
  Words renamed(const Words& calls) const;
  int renamed(int call, absl::flat_hash_map<std::uint64_t, Value>& names,
              std::vector<std::size_t>& next) const;
  Value renamed(Value value, absl::flat_hash_map<std::uint64_t, Value>& names,
                std::vector<std::size_t>& next) const;
  void add_drain(Program& program) const;

  const test::Case& test_;
  ProgramLimits limits_;
  std::size_t threads_;
  std::size_t calls_;
  std::vector<Letter> letters_;
  std::vector<std::vector<int>> allowed_;  // by thread: indices of letters_
  std::vector<std::size_t> alike_;         // threads that can be renamed
  Words given_;  // by operation: its calls that programs use, as given
  // Values that can be renamed, in groups, and the group of each.
  std::vector<std::vector<Value>> groups_;
  absl::flat_hash_map<std::uint64_t, std::size_t> group_of_;
  // (operation, argument) -> call
  absl::flat_hash_map<std::pair<int, std::uint64_t>, int> call_with_;
  absl::flat_hash_set<Words> seen_;  // canonical forms
  std::size_t room_ = 0;             // how many more may be made
  std::size_t tries_ = 0;            // how many more may be looked at
  std::vector<std::size_t> used_;    // by operation: values, if distinct
  // Whatever the order of threads, distinct values are the same but for names.
  bool sorts_threads_ = true;
};

Generator::Generator(const test::Case& test, const spec::Specification& object,
                     const ProgramLimits& limits)
    : test_(test),
      limits_(limits),
      threads_(static_cast<std::size_t>(test.generate->threads)),
      calls_(static_cast<std::size_t>(test.generate->calls)) {
  find_letters();
  find_interchangeable(object);
  used_.resize(given_.size());
  for (std::size_t o = 0; o < given_.size(); ++o) {
    if (test.operations[o].distinct && !all_alike(given_[o])) {
      sorts_threads_ = false;
    }
  }
  for (std::size_t thread = 0; thread < threads_; ++thread) {
    const bool named = std::any_of(
        test.operations.begin(), test.operations.end(), [&](const auto& o) {
          return o.restriction &&
                 static_cast<std::size_t>(o.restriction->thread) == thread;
        });
    if (!named && limits.threads_alike) alike_.push_back(thread);
  }
}

void Generator::find_letters() {
  given_.resize(test_.operations.size());
  for (const bool by_default : {false, true}) {
    for (std::size_t i = 0; i < test_.calls.size(); ++i) {
      const test::DeclaredCall& call = test_.calls[i];
      if (!call.generated || call.by_default != by_default) continue;
      Word& given = given_[static_cast<std::size_t>(call.operation)];
      if (!by_default || given.empty()) given.push_back(static_cast<int>(i));
    }
  }
  for (std::size_t o = 0; o < given_.size(); ++o) {
    const int operation = static_cast<int>(o);
    if (test_.operations[o].distinct && !given_[o].empty()) {
      letters_.push_back({-1, operation});
      continue;
    }
    for (const int call : given_[o]) letters_.push_back({call, operation});
  }
  allowed_.resize(threads_);
  for (std::size_t thread = 0; thread < threads_; ++thread) {
    for (std::size_t i = 0; i < letters_.size(); ++i) {
      const auto operation = static_cast<std::size_t>(letters_[i].operation);
      if (test_.operations[operation].allowed_in(static_cast<int>(thread))) {
        allowed_[thread].push_back(static_cast<int>(i));
      }
    }
  }
}

void collect(Value value, std::vector<Value>& out) {
  if (value.is_list()) {
    for (const Value item : value.items()) collect(item, out);
  } else if (std::find(out.begin(), out.end(), value) == out.end()) {
    out.push_back(value);
  }
}

void Generator::find_interchangeable(const spec::Specification& object) {
  std::vector<Value> values;
  for (std::size_t o = 0; o < given_.size(); ++o) {
    for (const int number : given_[o]) {
      const auto& call = test_.calls[static_cast<std::size_t>(number)];
      if (call.argument) collect(*call.argument, values);
      const Value argument = call.argument.value_or(Value());
      call_with_.try_emplace({call.operation, argument.word()}, number);
    }
  }
  // What drains cannot be renamed, nor what code may treat in its own way.
  std::vector<Value> fixed;
  for (std::size_t o = 0; o < given_.size() && !limits_.values_alike; ++o) {
    if (test_.operations[o].distinct) continue;
    for (const int number : given_[o]) {
      const auto& call = test_.calls[static_cast<std::size_t>(number)];
      if (call.argument) collect(*call.argument, fixed);
    }
  }
  if (test_.drain) {
    const auto& call = test_.calls[static_cast<std::size_t>(*test_.drain)];
    if (call.argument) collect(*call.argument, fixed);
  }
  for (const Value value : object.interchangeable(values)) {
    if (std::find(fixed.begin(), fixed.end(), value) != fixed.end()) continue;
    // Swaps make classes: what can be swapped with one of a group can be
    // swapped with all of it.
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const std::vector<Value>& others) {
                                return closed_under_swap(others[0], value);
                              });
    if (group == groups_.end()) group = groups_.insert(group, {{}});
    group->push_back(value);
    group_of_[value.word()] = static_cast<std::size_t>(group - groups_.begin());
  }
}

// Is every call with these two values exchanged a call of programs, too?
bool Generator::closed_under_swap(Value a, Value b) const {
  const Value from[] = {a, b};
  const Value to[] = {b, a};
  for (const Word& given : given_) {
    for (const int number : given) {
      const auto& call = test_.calls[static_cast<std::size_t>(number)];
      if (!call.argument) continue;
      const Value other = spec::renamed(*call.argument, from, to);
      if (!call_with_.contains({call.operation, other.word()})) return false;
    }
  }
  return true;
}

// Do these calls differ in one value only, which can be renamed?
bool Generator::all_alike(const Word& calls) const {
  std::optional<std::size_t> common;
  for (const int number : calls) {
    const auto& call = test_.calls[static_cast<std::size_t>(number)];
    if (!call.argument) return false;
    const auto group = group_of_.find(call.argument->word());
    if (group == group_of_.end()) return false;
    if (common.value_or(group->second) != group->second) return false;
    common = group->second;
  }
  return true;
}

void Generator::generate(ProgramList& list) {
  list.renamed_threads = alike_.size() > 1;
  for (const std::vector<Value>& group : groups_) {
    if (group.size() < 2) continue;
    list.renamed_values.insert(list.renamed_values.end(), group.begin(),
                               group.end());
  }
  room_ = limits_.programs;
  tries_ = (limits_.programs + 1000) * kTriesForEach;
  const std::size_t most = threads_ * calls_;
  for (std::size_t size = 1; size <= most; ++size) {
    const std::size_t before = list.programs.size();
    if (generate_size(size, list)) {
      list.whole_up_to = size;
      continue;
    }
    // A part of them in order would all begin with the same calls.
    room_ += list.programs.size() - before;
    list.programs.resize(before);
    list.complete = false;
    seen_.clear();
    return sample(size, list);
  }
}

bool Generator::generate_size(std::size_t calls, ProgramList& list) {
  Words letters(threads_);
  return generate_lengths(0, calls, letters, list);
}

// Threads that can be renamed come longest first, if their order is nothing.
bool Generator::generate_lengths(std::size_t thread, std::size_t left,
                                 Words& letters, ProgramList& list) {
  if (thread == threads_) {
    return left > 0 || generate_words(0, 0, letters, list);
  }
  std::size_t most = std::min(calls_, left);
  const auto place = std::find(alike_.begin(), alike_.end(), thread);
  if (sorts_threads_ && place != alike_.end() && place != alike_.begin()) {
    most = std::min(most, letters[*(place - 1)].size());
  }
  for (std::size_t length = most + 1; length-- > 0;) {
    letters[thread].assign(length, 0);
    if (!generate_lengths(thread + 1, left - length, letters, list)) {
      return false;
    }
  }
  return true;
}

bool Generator::generate_words(std::size_t thread, std::size_t at,
                               Words& letters, ProgramList& list) {
  if (thread == threads_) {
    if (sorts_threads_ && !threads_in_order(letters)) return true;
    if (tries_ == 0) return false;
    --tries_;
    return add(letters, list);
  }
  if (at == letters[thread].size()) {
    return generate_words(thread + 1, 0, letters, list);
  }
  for (const int number : allowed_[thread]) {
    const Letter& letter = letters_[static_cast<std::size_t>(number)];
    const auto operation = static_cast<std::size_t>(letter.operation);
    const bool takes_value = letter.call < 0;
    if (takes_value && used_[operation] == given_[operation].size()) continue;
    used_[operation] += takes_value;
    letters[thread][at] = number;
    const bool going_on = generate_words(thread, at + 1, letters, list);
    used_[operation] -= takes_value;
    if (!going_on) return false;
  }
  return true;
}

// Do threads of the same length that can be renamed come in the order of the
// operations that they call?  Every program equals one that is so.
bool Generator::threads_in_order(const Words& letters) const {
  for (std::size_t i = 1; i < alike_.size(); ++i) {
    const Word& a = letters[alike_[i - 1]];
    const Word& b = letters[alike_[i]];
    if (a.size() != b.size()) continue;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const int left = letters_[static_cast<std::size_t>(a[k])].operation;
      const int right = letters_[static_cast<std::size_t>(b[k])].operation;
      if (left < right) break;
      if (left > right) return false;
    }
  }
  return true;
}

// Programs of at least `least` calls, by chance.
void Generator::sample(std::size_t least, ProgramList& list) {
  std::mt19937_64 random(limits_.seed);
  // Not std::uniform_int_distribution: libraries differ in it.
  const auto below = [&](std::size_t bound) { return random() % bound; };
  for (std::size_t i = 0; room_ > 0 && i < limits_.programs * kTriesForEach;
       ++i) {
    Words letters(threads_);
    std::size_t calls = 0;
    for (std::size_t thread = 0; thread < threads_; ++thread) {
      if (allowed_[thread].empty()) continue;
      // Long ones are more, and more likely to show something.
      const std::size_t length = calls_ - below(calls_ + 1) / 2;
      for (std::size_t k = 0; k < length; ++k) {
        letters[thread].push_back(
            allowed_[thread][below(allowed_[thread].size())]);
      }
      calls += length;
    }
    if (calls >= least) add(letters, list);
  }
}

// Returns false if there was no room for it.
bool Generator::add(const Words& letters, ProgramList& list) {
  const std::optional<Words> calls = calls_of(letters);
  if (!calls || !seen_.insert(canonical(*calls)).second) return true;
  if (room_ == 0) return false;
  --room_;
  Program program;
  program.threads = *calls;
  while (program.threads.back().empty()) program.threads.pop_back();
  add_drain(program);
  list.programs.push_back(std::move(program));
  return true;
}

// Nothing if there are not enough distinct values.
std::optional<Words> Generator::calls_of(const Words& letters) const {
  std::vector<std::size_t> used(given_.size());
  Words calls(letters.size());
  for (std::size_t thread = 0; thread < letters.size(); ++thread) {
    for (const int number : letters[thread]) {
      const Letter& letter = letters_[static_cast<std::size_t>(number)];
      if (letter.call >= 0) {
        calls[thread].push_back(letter.call);
        continue;
      }
      const auto operation = static_cast<std::size_t>(letter.operation);
      if (used[operation] == given_[operation].size()) return std::nullopt;
      calls[thread].push_back(given_[operation][used[operation]++]);
    }
  }
  return calls;
}

// The least of all programs that equal this one but for names; or, with very
// many threads, one of them.
Words Generator::canonical(const Words& calls) const {
  Words best = renamed(calls);
  if (alike_.size() > kMostPermuted) return best;
  std::vector<std::size_t> order = alike_;
  Words permuted = calls;
  while (std::next_permutation(order.begin(), order.end())) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      permuted[alike_[i]] = calls[order[i]];
    }
    Words other = renamed(permuted);
    if (other < best) best = std::move(other);
  }
  return best;
}

// The first value of each group that occurs gets the group's first name, ...
Words Generator::renamed(const Words& calls) const {
  if (groups_.empty()) return calls;
  absl::flat_hash_map<std::uint64_t, Value> names;
  std::vector<std::size_t> next(groups_.size());
  Words out = calls;
  for (Word& thread : out) {
    for (int& call : thread) call = renamed(call, names, next);
  }
  return out;
}

int Generator::renamed(int call,
                       absl::flat_hash_map<std::uint64_t, Value>& names,
                       std::vector<std::size_t>& next) const {
  const auto& declared = test_.calls[static_cast<std::size_t>(call)];
  if (!declared.argument) return call;
  const Value other = renamed(*declared.argument, names, next);
  return call_with_.at({declared.operation, other.word()});
}

Value Generator::renamed(Value value,
                         absl::flat_hash_map<std::uint64_t, Value>& names,
                         std::vector<std::size_t>& next) const {
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value item : value.items()) {
      items.push_back(renamed(item, names, next));
    }
    return Value::list(items);
  }
  const auto group = group_of_.find(value.word());
  if (group == group_of_.end()) return value;
  const auto [name, is_new] = names.try_emplace(value.word());
  if (is_new) name->second = groups_[group->second][next[group->second]++];
  return name->second;
}

void Generator::add_drain(Program& program) const {
  if (!test_.drain) return;
  const int drain =
      test_.calls[static_cast<std::size_t>(*test_.drain)].operation;
  std::size_t others = 0;
  for (const Word& thread : program.threads) {
    for (const int call : thread) {
      others += test_.calls[static_cast<std::size_t>(call)].operation != drain;
    }
  }
  program.after.assign(others + 1, *test_.drain);
}

std::string joined(const test::Case& test, const Word& calls) {
  std::string out;
  for (const int call : calls) {
    if (!out.empty()) out += "; ";
    out += test.describe(call);
  }
  return out;
}

}  // namespace

ProgramList programs_of(const test::Case& test,
                        const spec::Specification& object,
                        const ProgramLimits& limits) {
  ProgramList list;
  for (const Program& program : test.programs) {
    list.programs.push_back(program);
  }
  if (test.generate) Generator(test, object, limits).generate(list);
  return list;
}

std::string describe(const test::Case& test, const Program& program) {
  std::string out;
  if (!program.before.empty()) {
    out += "before: " + joined(test, program.before) + ", then ";
  }
  std::vector<std::string> threads;
  for (const Word& calls : program.threads) {
    if (!calls.empty()) threads.push_back(joined(test, calls));
  }
  out += fmt::format("{}", fmt::join(threads, " | "));
  if (!program.after.empty()) {
    out += ", after: " + joined(test, program.after);
  }
  return out;
}

}  // namespace plumb::harness
