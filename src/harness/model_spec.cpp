// SPDX-License-Identifier: Apache-2.0
#include "harness/model_spec.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "base/input_error.h"
#include "base/limit_error.h"
#include "harness/given.h"

namespace plumb::harness {

namespace {

using spec::Outcome;
using spec::State;
using NodeId = std::uint32_t;

// Choices of a model while one call runs: those that are given, then 0.
class Chooser {
 public:
  explicit Chooser(std::vector<std::uint32_t> choices)
      : choices_(std::move(choices)), previous_(std::exchange(current, this)) {}
  ~Chooser() { current = previous_; }
  Chooser(const Chooser&) = delete;
  Chooser& operator=(const Chooser&) = delete;

  std::uint32_t choose(std::uint32_t bound) {
    if (bound == 0) return 0;
    if (next_ == choices_.size()) choices_.push_back(0);
    bounds_.push_back(bound);
    return std::min(choices_[next_++], bound - 1);
  }

  // Those that were made; the next ones to try; nothing if these were last.
  const std::vector<std::uint32_t>& choices() const { return choices_; }
  std::optional<std::vector<std::uint32_t>> following() const {
    std::vector<std::uint32_t> out = choices_;
    out.resize(bounds_.size());
    while (!out.empty() && out.back() + 1 >= bounds_[out.size() - 1]) {
      out.pop_back();
    }
    if (out.empty()) return std::nullopt;
    ++out.back();
    return out;
  }

  static Chooser* current;

 private:
  std::vector<std::uint32_t> choices_;
  std::vector<std::uint32_t> bounds_;
  std::size_t next_ = 0;
  Chooser* previous_;
};

Chooser* Chooser::current = nullptr;

// What is common to code as a specification: states are nodes of a tree of
// calls, and each call at each node is run once.
class CodeSpecification : public spec::Specification {
 public:
  explicit CodeSpecification(const test::Case& test) : test_(test) {
    for (const test::DeclaredOperation& operation : test.operations) {
      signatures_.push_back({.name = operation.name,
                             .argument = spec::Argument::kNone,
                             .result = spec::Result::kValue,
                             .takes = true});
    }
    for (std::size_t i = 0; i < test.calls.size(); ++i) {
      const test::DeclaredCall& call = test.calls[i];
      const auto code = static_cast<std::uint16_t>(call.operation);
      if (call.argument) {
        signatures_[code].argument = spec::Argument::kValue;
        signatures_[code].takes = false;
      }
      numbers_.try_emplace({code, call.argument.value_or(Value())},
                           static_cast<int>(i));
    }
    nodes_.push_back({});
  }

  std::span<const spec::Signature> operations() const override {
    return signatures_;
  }
  State initial() const override { return {Value::integer(0)}; }

  void apply(const State& state, const spec::Call& call,
             std::vector<Outcome>& outcomes) const override {
    const auto number = numbers_.find({call.code, call.argument});
    if (number == numbers_.end()) return;
    const auto node = static_cast<NodeId>(state[0].as_integer());
    const auto key = std::pair(node, number->second);
    auto known = steps_.find(key);
    if (known == steps_.end()) {
      known = steps_.emplace(key, explore(node, number->second)).first;
    }
    for (const Step& step : known->second) {
      outcomes.push_back({step.result, {Value::integer(step.next)}});
    }
  }

  // Code may do anything whatever it returns.
  bool changes_nothing(const spec::Call&, Value) const override {
    return false;
  }

  std::string describe(const State& state) const override {
    std::string out;
    for (const int call : path_to(static_cast<NodeId>(state[0].as_integer()))) {
      out += (out.empty() ? "after " : ", ") + test_.describe(call);
    }
    return out.empty() ? "new" : out;
  }

 protected:
  struct Node {
    NodeId parent = 0;
    int call = -1;  // from its parent; -1: there is none
    Value result;
    std::vector<std::uint32_t> choices;
    void* object = nullptr;  // if it can be compared
  };
  struct Step {
    Value result;
    NodeId next;
  };

  // All outcomes of a call.
  virtual std::vector<Step> explore(NodeId node, int call) const = 0;

  NodeId add_node(Node node) const {
    constexpr std::size_t kMost = 2'000'000;
    if (nodes_.size() >= kMost) {
      throw LimitError(
          fmt::format("{} has more than {} states", name(), kMost));
    }
    nodes_.push_back(std::move(node));
    return static_cast<NodeId>(nodes_.size() - 1);
  }

  std::vector<int> path_to(NodeId node) const {
    std::vector<int> path;
    for (; nodes_[node].call >= 0; node = nodes_[node].parent) {
      path.push_back(nodes_[node].call);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  const test::Case& test_;
  // Grows as states are asked for; that changes no answer.
  mutable std::vector<Node> nodes_;

 private:
  std::vector<spec::Signature> signatures_;
  absl::flat_hash_map<std::pair<std::uint16_t, Value>, int> numbers_;
  mutable absl::flat_hash_map<std::pair<NodeId, int>, std::vector<Step>> steps_;
};

class ModelSpecification final : public CodeSpecification {
 public:
  explicit ModelSpecification(const test::Case& test)
      : CodeSpecification(test), maker_(*test.model) {
    Owned first(maker_, maker_.make());
    if (can_compare(first)) nodes_[0].object = first.keep();
  }
  ~ModelSpecification() override {
    for (const Node& node : nodes_) {
      if (node.object != nullptr) maker_.destroy(node.object);
    }
  }
  ModelSpecification(const ModelSpecification&) = delete;
  ModelSpecification& operator=(const ModelSpecification&) = delete;

  std::string name() const override { return "the model"; }

 private:
  // An object of the model that is destroyed unless somebody keeps it.
  class Owned {
   public:
    Owned(const test::Maker& maker, void* object)
        : maker_(maker), object_(object) {}
    ~Owned() {
      if (object_ != nullptr) maker_.destroy(object_);
    }
    Owned(Owned&& other) noexcept
        : maker_(other.maker_),
          object_(std::exchange(other.object_, nullptr)) {}
    Owned& operator=(Owned&&) = delete;
    void* get() const { return object_; }
    void* keep() { return std::exchange(object_, nullptr); }

   private:
    const test::Maker& maker_;
    void* object_;
  };

  std::vector<Step> explore(NodeId node, int call) const override {
    std::vector<Step> steps;
    std::optional<std::vector<std::uint32_t>> choices(std::in_place);
    while (choices) {
      Owned object = object_at(node);
      Chooser chooser(*choices);
      Given given;
      run(call, object.get(), given);
      choices = chooser.following();
      if (given.blocks()) continue;
      const NodeId next =
          node_of(std::move(object),
                  {node, call, given.value(), chooser.choices(), nullptr});
      steps.push_back({given.value(), next});
    }
    return steps;
  }

  // A new object in the state of `node`.  It is made by the same calls: copies
  // of classes with pointers often are none.
  Owned object_at(NodeId node) const {
    std::vector<NodeId> path;
    for (; nodes_[node].call >= 0; node = nodes_[node].parent) {
      path.push_back(node);
    }
    Owned object(maker_, maker_.make());
    for (; !path.empty(); path.pop_back()) {
      const Chooser chooser(nodes_[path.back()].choices);
      Given given;
      run(nodes_[path.back()].call, object.get(), given);
    }
    return object;
  }

  void run(int call, void* object, Given& given) const {
    const GivenTo here(given);
    try {
      test_.calls[static_cast<std::size_t>(call)].model->run(object);
      return;
    } catch (const std::exception& error) {
      reject(call, fmt::format("throws: {}", error.what()));
    } catch (...) {
      reject(call, "throws");
    }
  }

  [[noreturn]] void reject(int call, const std::string& what) const {
    throw InputError(
        test_.place(),
        fmt::format("the model's call {} {}", test_.describe(call), what),
        "let it return something instead, or say plumb::blocks()");
  }

  // The state that this object is in: an equal one, or a new one.
  NodeId node_of(Owned object, Node made) const {
    constexpr std::size_t kMostCompared = 5'000;
    if (nodes_.size() > kMostCompared || !can_compare(object)) {
      return add_node(std::move(made));
    }
    for (NodeId other = 0; other < nodes_.size(); ++other) {
      bool known = true;
      const void* state = nodes_[other].object;
      if (state != nullptr && maker_.equal(state, object.get(), &known)) {
        return other;
      }
    }
    made.object = object.get();
    const NodeId node = add_node(std::move(made));
    object.keep();
    return node;
  }

  bool can_compare(const Owned& object) const {
    bool known = false;
    maker_.equal(object.get(), object.get(), &known);
    return known;
  }

  const test::Maker& maker_;
};

class SerialSpecification final : public CodeSpecification {
 public:
  SerialSpecification(const test::Case& test, RunSerially run)
      : CodeSpecification(test), run_(std::move(run)) {}

  std::string name() const override { return "the object run serially"; }

 private:
  std::vector<Step> explore(NodeId node, int call) const override {
    std::vector<int> calls = path_to(node);
    calls.push_back(call);
    const auto results = run_(calls);
    if (!results || results->empty()) {
      throw LimitError(fmt::format("the object could not be run serially: {}",
                                   in_words(calls)));
    }
    require_same(node, *results, calls);
    if (results->size() < calls.size() || !results->back()) return {};
    const Value result = *results->back();
    return {{result, add_node({node, call, result, {}, nullptr})}};
  }

  // The results on the way must be those of the first time.
  void require_same(NodeId node,
                    const std::vector<std::optional<Value>>& results,
                    const std::vector<int>& calls) const {
    for (std::size_t i = calls.size() - 1; i-- > 0;) {
      if (i >= results.size() || results[i] != nodes_[node].result) {
        throw LimitError(fmt::format(
            "the object run serially does not always give the same results: "
            "{}",
            in_words(calls)));
      }
      node = nodes_[node].parent;
    }
  }

  std::string in_words(const std::vector<int>& calls) const {
    std::string out;
    for (const int call : calls) {
      out += (out.empty() ? "" : ", ") + test_.describe(call);
    }
    return out;
  }

  RunSerially run_;
};

}  // namespace

spec::SpecificationPtr model_specification(const test::Case& test) {
  assert(test.model != nullptr);
  return std::make_shared<ModelSpecification>(test);
}

spec::SpecificationPtr serial_specification(const test::Case& test,
                                            RunSerially run) {
  return std::make_shared<SerialSpecification>(test, std::move(run));
}

std::uint32_t choose_in_model(std::uint32_t bound) {
  return Chooser::current == nullptr ? 0 : Chooser::current->choose(bound);
}

}  // namespace plumb::harness
