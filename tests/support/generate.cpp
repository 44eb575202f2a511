// SPDX-License-Identifier: Apache-2.0
#include "support/generate.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "spec/catalogue.h"

namespace plumb::testing {

namespace {

using history::History;
using history::Operation;

// SplitMix64: small, fast and the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>((next() >> 32) * bound >> 32);
  }
  bool chance(std::size_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

// A sequential object that chooses its calls itself.
class Simulated {
 public:
  virtual ~Simulated() = default;
  virtual void choose(Operation& operation, Random& random) = 0;
  virtual void run(Operation& operation) = 0;
  // Makes the history inexplicable near `from`.
  virtual void spoil(History& history, std::size_t from) const = 0;
};

std::uint16_t code(const spec::Specification& object, const char* name) {
  return spec::find_operation(object, name).value();
}

Value number(std::size_t n) {
  return Value::integer(static_cast<std::int64_t>(n));
}

// Queue, stack, priority queue and deque.
class Container : public Simulated {
 public:
  Container(const spec::Specification& object, const Load& load,
            const char* put, const char* take)
      : depth_(load.depth),
        values_(load.values),
        put_(code(object, put)),
        take_(code(object, take)) {
    // Priorities in no order, each once: a bijection modulo a power of two.
    while (mask_ < load.operations) mask_ = 2 * mask_ + 1;
  }

  void choose(Operation& operation, Random& random) final {
    const bool put = random.chance(size() < depth_ ? 60 : 40);
    operation.code = put ? put_ : take_;
    if (put) {
      operation.argument =
          number(values_ > 0 ? random.below(values_) : name(puts_++));
    }
    choose_end(operation, random);
  }
  void run(Operation& operation) final {
    if (is_put(operation)) {
      insert(operation);
    } else if (size() > 0) {
      operation.result = remove(operation);
    }
  }
  // Swaps the results of two takes, one after the other, of values that were
  // put one after the other, both before the first take.
  void spoil(History& history, std::size_t from) const final {
    if (values_ > 0) return swap_takes(history, from);
    const std::vector<const Operation*> puts = puts_by_value(history);
    for (std::size_t i = from; i < history.size(); ++i) {
      Operation& first = history.operations[i];
      if (!took_value(first)) continue;
      const Operation& put = *puts[value_of(first)];
      if (!precedes(put, first)) continue;
      const std::size_t end = std::min(history.size(), i + kFar);
      for (std::size_t j = i + 1; j < end; ++j) {
        Operation& second = history.operations[j];
        if (!took_value(second) || !precedes(first, second)) continue;
        const Operation& other = *puts[value_of(second)];
        if (!precedes(other, first)) continue;
        if (!precedes(put, other) && !precedes(other, put)) continue;
        std::swap(first.result, second.result);
        return;
      }
    }
  }

 protected:
  virtual std::size_t size() const = 0;
  virtual void insert(const Operation& put) = 0;
  virtual Value remove(const Operation& take) = 0;
  virtual void choose_end(Operation&, Random&) {}
  virtual bool is_put(const Operation& one) const { return one.code == put_; }
  virtual std::size_t name(std::size_t n) const { return n; }
  std::size_t scattered(std::size_t n) const { return n * 0x9E3779B1u & mask_; }

 private:
  static constexpr std::size_t kFar = 1'000;  // operations

  void swap_takes(History& history, std::size_t from) const {
    Operation* first = nullptr;
    for (std::size_t i = from; i < history.size(); ++i) {
      Operation& one = history.operations[i];
      if (!took_value(one)) continue;
      if (first == nullptr) {
        first = &one;
      } else if (i > from + history.size() / 50 &&
                 one.result != first->result) {
        std::swap(first->result, one.result);
        return;
      }
    }
  }
  bool took_value(const Operation& one) const {
    return !is_put(one) && !one.pending() && !one.result.is_null();
  }
  static std::size_t value_of(const Operation& take) {
    return static_cast<std::size_t>(take.result.as_integer());
  }
  std::vector<const Operation*> puts_by_value(const History& history) const {
    std::vector<const Operation*> puts(mask_ + 1);
    for (const Operation& one : history.operations) {
      if (!is_put(one)) continue;
      puts[static_cast<std::size_t>(one.argument.as_integer())] = &one;
    }
    return puts;
  }

  std::size_t depth_;
  std::size_t values_;
  std::uint16_t put_, take_;
  std::size_t puts_ = 0;
  std::size_t mask_ = 1;
};

class Queue final : public Container {
 public:
  Queue(const spec::Specification& object, const Load& load)
      : Container(object, load, "enq", "deq"),
        relaxed_(load.relaxed),
        random_(load.seed + 1) {}

 private:
  std::size_t size() const override { return values_.size(); }
  void insert(const Operation& put) override {
    values_.push_back(put.argument);
  }
  Value remove(const Operation&) override {
    if (left_ == 0) left_ = relaxed_ + 1;
    const std::size_t at = random_.below(std::min(left_--, size()));
    const auto place = values_.begin() + static_cast<std::ptrdiff_t>(at);
    const Value value = *place;
    values_.erase(place);
    return value;
  }
  const std::size_t relaxed_;
  std::size_t left_ = 0;  // of the oldest segment
  Random random_;
  std::deque<Value> values_;
};

class Stack final : public Container {
 public:
  Stack(const spec::Specification& object, const Load& load)
      : Container(object, load, "push", "pop") {}

 private:
  std::size_t size() const override { return values_.size(); }
  void insert(const Operation& put) override {
    values_.push_back(put.argument);
  }
  Value remove(const Operation&) override {
    const Value value = values_.back();
    values_.pop_back();
    return value;
  }
  std::vector<Value> values_;
};

class Deque final : public Container {
 public:
  Deque(const spec::Specification& object, const Load& load)
      : Container(object, load, "push_front", "pop_front"),
        push_front_(code(object, "push_front")),
        push_back_(code(object, "push_back")),
        pop_front_(code(object, "pop_front")),
        pop_back_(code(object, "pop_back")) {}

 private:
  std::size_t size() const override { return values_.size(); }
  void choose_end(Operation& operation, Random& random) override {
    if (random.chance(50)) return;
    operation.code = operation.code == push_front_ ? push_back_ : pop_back_;
  }
  bool is_put(const Operation& one) const override {
    return one.code == push_front_ || one.code == push_back_;
  }
  void insert(const Operation& put) override {
    if (put.code == push_front_) {
      values_.push_front(put.argument);
    } else {
      values_.push_back(put.argument);
    }
  }
  Value remove(const Operation& take) override {
    const bool front = take.code == pop_front_;
    const Value value = front ? values_.front() : values_.back();
    if (front) {
      values_.pop_front();
    } else {
      values_.pop_back();
    }
    return value;
  }
  std::uint16_t push_front_, push_back_, pop_front_, pop_back_;
  std::deque<Value> values_;
};

class PriorityQueue final : public Container {
 public:
  PriorityQueue(const spec::Specification& object, const Load& load)
      : Container(object, load, "insert", "remove_min") {}

 private:
  std::size_t size() const override { return values_.size(); }
  std::size_t name(std::size_t n) const override { return scattered(n); }
  void insert(const Operation& put) override {
    values_.push(put.argument.as_integer());
  }
  Value remove(const Operation&) override {
    const Value value = Value::integer(values_.top());
    values_.pop();
    return value;
  }
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>>
      values_;
};

// Every value is added and removed once at most.
class Set final : public Simulated {
 public:
  Set(const spec::Specification& object, const Load& load)
      : depth_(load.depth),
        add_(code(object, "add")),
        remove_(code(object, "remove")),
        contains_(code(object, "contains")) {}

  void choose(Operation& operation, Random& random) override {
    if (random.chance(30)) {
      operation.code = contains_;
      // One that may be there, or one that never is.
      operation.argument = random.chance(50) && !offered_.empty()
                               ? some(random)
                               : Value::integer(-1 - missing_++);
    } else if (random.chance(offered_.size() < depth_ ? 60 : 40) ||
               offered_.empty()) {
      operation.code = add_;
      operation.argument = number(inside_.size());
      inside_.push_back(false);
      offered_.push_back(operation.argument);
    } else {
      operation.code = remove_;
      const std::size_t at = random.below(offered_.size());
      operation.argument = std::exchange(offered_[at], offered_.back());
      offered_.pop_back();
    }
  }

  void run(Operation& operation) override {
    const std::int64_t n = operation.argument.as_integer();
    const bool known = n >= 0;
    const bool present = known && inside_[static_cast<std::size_t>(n)];
    const bool add = operation.code == add_;
    operation.result = Value::boolean(add ? !present : present);
    if (known && operation.code != contains_) {
      inside_[static_cast<std::size_t>(n)] = add;
    }
  }

  // Somebody sees a value that nobody ever adds.
  void spoil(History& history, std::size_t from) const override {
    for (std::size_t i = from; i < history.size(); ++i) {
      Operation& one = history.operations[i];
      if (one.code != contains_ || one.pending()) continue;
      if (one.argument.as_integer() >= 0) continue;
      one.result = Value::boolean(true);
      return;
    }
  }

 private:
  Value some(Random& random) const {
    return offered_[random.below(offered_.size())];
  }

  std::size_t depth_;
  std::uint16_t add_, remove_, contains_;
  std::vector<bool> inside_;    // by value
  std::vector<Value> offered_;  // added, or about to be, and not to be removed
  std::int64_t missing_ = 0;
};

class Register final : public Simulated {
 public:
  Register(const spec::Specification& object, const Load& load)
      : failing_cas_(load.failing_cas),
        read_(code(object, "read")),
        write_(code(object, "write")),
        cas_(code(object, "cas")) {}

  void choose(Operation& operation, Random& random) override {
    const std::size_t kind = random.below(10);
    if (kind < 6) {
      operation.code = read_;
    } else if (kind < 9) {
      operation.code = write_;
      operation.argument = number(++written_);
    } else {
      operation.code = cas_;
      const Value pair[] = {value_, number(++written_)};
      operation.argument = Value::list(pair);
    }
  }

  void run(Operation& operation) override {
    if (operation.code == read_) {
      operation.result = value_;
    } else if (operation.code == write_) {
      value_ = operation.argument;
    } else {
      const Value pair[] = {value_, operation.argument.items()[1]};
      if (!failing_cas_) operation.argument = Value::list(pair);
      const bool success = operation.argument.items()[0] == value_;
      operation.result = Value::boolean(success);
      if (success) value_ = operation.argument.items()[1];
    }
  }

  // Swaps the results of two reads that lie far apart.
  void spoil(History& history, std::size_t from) const override {
    Operation* first = nullptr;
    for (std::size_t i = from; i < history.size(); ++i) {
      Operation& one = history.operations[i];
      if (one.code != read_ || one.pending()) continue;
      if (first == nullptr) {
        first = &one;
      } else if (i > from + kFar && one.result != first->result) {
        std::swap(first->result, one.result);
        return;
      }
    }
  }

 private:
  static constexpr std::size_t kFar = 400;  // operations

  const bool failing_cas_;
  std::uint16_t read_, write_, cas_;
  std::size_t written_ = 0;
  Value value_;
};

std::unique_ptr<Simulated> simulated(const Load& load) {
  const auto object = spec::make(load.object);
  if (load.object == "queue") return std::make_unique<Queue>(*object, load);
  if (load.object == "stack") return std::make_unique<Stack>(*object, load);
  if (load.object == "deque") return std::make_unique<Deque>(*object, load);
  if (load.object == "priority_queue") {
    return std::make_unique<PriorityQueue>(*object, load);
  }
  if (load.object == "set") return std::make_unique<Set>(*object, load);
  if (load.object == "register")
    return std::make_unique<Register>(*object, load);
  throw InputError("no simulation of '" + load.object + "'");
}

// Gives random processes their turns: to invoke, to take effect, to return.
History simulate(const Load& load, Simulated& object, Random& random) {
  struct Process {
    std::size_t operation = 0;
    enum { kIdle, kInvoked, kEffected } phase = kIdle;
  };
  std::vector<Process> processes(load.processes);
  History history;
  history.source = "<generated>";
  history.operations.reserve(load.operations);
  for (std::uint32_t p = 0; p < load.processes; ++p) {
    history.processes.push_back(number(p));
  }
  history::Moment now = 0;
  std::size_t running = 0;
  while (history.size() < load.operations ||
         (running > 0 && !load.leave_pending)) {
    const std::size_t p = random.below(processes.size());
    Process& process = processes[p];
    if (process.phase == Process::kIdle) {
      if (history.size() == load.operations) continue;
      process = {history.size(), Process::kInvoked};
      Operation& operation = history.operations.emplace_back();
      operation.invoked = now++;
      operation.process = static_cast<std::uint32_t>(p);
      operation.line = now;
      object.choose(operation, random);
      ++running;
    } else if (load.lost_of_thousand > 0 &&
               random.below(2000) < load.lost_of_thousand) {
      process.phase = Process::kIdle;  // half before, half after its effect
      --running;
    } else if (process.phase == Process::kInvoked) {
      object.run(history.operations[process.operation]);
      process.phase = Process::kEffected;
    } else {
      history.operations[process.operation].returned = now++;
      process.phase = Process::kIdle;
      --running;
    }
  }
  for (Operation& operation : history.operations) {
    if (operation.pending()) operation.result = Value();
  }
  return history;
}

}  // namespace

History generate(const Load& load) {
  Random random(load.seed);
  const auto object = simulated(load);
  History history = simulate(load, *object, random);
  if (load.violate) object->spoil(history, load.operations / 10 * 9);
  return history;
}

}  // namespace plumb::testing
