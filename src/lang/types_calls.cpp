// SPDX-License-Identifier: Apache-2.0
// What depends on who calls whom.
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "lang/types_object.h"

namespace plumb::lang {
namespace {

using FactsOf = absl::flat_hash_map<const Function*, Facts>;

class CallChecker {
 public:
  CallChecker(const Object& object, const FactsOf& facts, const Facts& init,
              Diagnostics& diagnostics)
      : object_(object),
        facts_(facts),
        init_(init),
        diagnostics_(diagnostics) {}

  void run() {
    order();
    check_depth();
    check_recursion();
    check_init();
    if (!object_.is_specification) check_atomic();
  }

 private:
  void order();
  void check_recursion();
  void check_depth();
  void report_recursion(const Function& function, const Facts::Call& call);
  void check_init();
  void check_atomic();
  void report_outside_atomic(const Function& function);

  // Saturating counts of accesses to shared places: 0, 1, or 2 for more.
  std::size_t accesses(const Expression& e) const;
  std::size_t address(const Expression& e) const;
  std::size_t accesses(const Statement& s) const;
  static std::size_t at_most_two(std::size_t n) {
    return std::min<std::size_t>(n, 2);
  }

  const Object& object_;
  const FactsOf& facts_;
  const Facts& init_;
  Diagnostics& diagnostics_;
  // Functions whose calls all go to functions before them.
  std::vector<const Function*> ordered_;
  absl::flat_hash_map<const Function*, std::size_t> depths_;
  absl::flat_hash_map<const Function*, std::size_t> accesses_;
};

// Callees first; what is left out calls itself, or something that does.
void CallChecker::order() {
  absl::flat_hash_map<const Function*, std::vector<const Function*>> callers;
  absl::flat_hash_map<const Function*, std::size_t> waits;
  std::deque<const Function*> ready;
  for (const auto& function : object_.functions) {
    const auto& calls = facts_.at(function.get()).calls;
    waits[function.get()] = calls.size();
    for (const Facts::Call& call : calls) {
      callers[call.callee].push_back(function.get());
    }
    if (calls.empty()) ready.push_back(function.get());
  }
  for (; !ready.empty(); ready.pop_front()) {
    const Function* done = ready.front();
    ordered_.push_back(done);
    std::size_t depth = 0;
    for (const Facts::Call& call : facts_.at(done).calls) {
      depth = std::max(depth, depths_[call.callee] + 1);
    }
    depths_[done] = depth;
    accesses_[done] = accesses(*done->body);
    for (const Function* caller : callers[done]) {
      if (--waits[caller] == 0) ready.push_back(caller);
    }
  }
}

void CallChecker::check_depth() {
  for (const Function* function : ordered_) {
    if (depths_[function] <= kDeepest) continue;
    diagnostics_.report(
        function->span,
        fmt::format("the calls in '{}' are nested too deeply", function->name),
        fmt::format("at most {} levels are allowed", kDeepest));
  }
}

void CallChecker::report_recursion(const Function& function,
                                   const Facts::Call& call) {
  const std::string through =
      call.callee == &function
          ? ""
          : fmt::format(" through '{}'", call.callee->name);
  diagnostics_.report(
      call.span, fmt::format("'{}' calls itself{}", function.name, through),
      "functions are put in where they are called; use a loop");
}

// Each function that could not be ordered calls another such one: following
// these calls ends in a cycle.  If none calls itself directly, one cycle is
// reported; the others are when it is gone.
void CallChecker::check_recursion() {
  absl::flat_hash_map<const Function*, const Facts::Call*> onward;
  bool is_direct = false;
  for (const auto& function : object_.functions) {
    if (depths_.contains(function.get())) continue;
    for (const Facts::Call& call : facts_.at(function.get()).calls) {
      if (!depths_.contains(call.callee)) onward[function.get()] = &call;
      if (call.callee != function.get()) continue;
      report_recursion(*function, call);
      is_direct = true;
    }
  }
  if (is_direct || onward.empty()) return;
  const auto first = std::find_if(
      object_.functions.begin(), object_.functions.end(),
      [&](const auto& function) { return onward.contains(function.get()); });
  absl::flat_hash_set<const Function*> seen;
  const Function* at = first->get();
  while (seen.insert(at).second) at = onward[at]->callee;
  report_recursion(*at, *onward[at]);
}

// Functions know what they use that `init` may not, callees first.
void CallChecker::check_init() {
  for (const auto& [span, word] : init_.not_in_init) {
    diagnostics_.report(span,
                        fmt::format("'{}' cannot be used in 'init'", word),
                        "'init' runs once, before any process");
  }
  absl::flat_hash_map<const Function*, const std::pair<Span, std::string>*>
      uses;
  for (const Function* function : ordered_) {
    const Facts& facts = facts_.at(function);
    const std::pair<Span, std::string>* use =
        facts.not_in_init.empty() ? nullptr : &facts.not_in_init[0];
    for (const Facts::Call& call : facts.calls) {
      if (use == nullptr) use = uses.at(call.callee);
    }
    uses[function] = use;
  }
  for (const Facts::Call& call : init_.calls) {
    const auto found = uses.find(call.callee);
    if (found == uses.end() || found->second == nullptr) continue;
    diagnostics_.report(
        call.span,
        fmt::format("'init' cannot call '{}', which uses '{}' on line {}",
                    call.callee->name, found->second->second,
                    diagnostics_.source().line(found->second->first)),
        "'init' runs once, before any process");
  }
}

// A function that nobody calls is judged as if an operation called it.
void CallChecker::check_atomic() {
  absl::flat_hash_set<const Function*> called, outside;
  std::vector<const Function*> open;
  const auto note = [&](const Facts& facts) {
    for (const Facts::Call& call : facts.calls) called.insert(call.callee);
  };
  for (const auto& function : object_.functions) {
    note(facts_.at(function.get()));
  }
  note(init_);
  // A relation looks at one state: all in it is atomic.
  if (object_.relation != nullptr) {
    const auto names = called_in(*object_.relation->body);
    for (const auto& function : object_.functions) {
      if (std::find(names.begin(), names.end(), function->name) !=
          names.end()) {
        called.insert(function.get());
      }
    }
  }
  for (const auto& function : object_.functions) {
    if (called.contains(function.get())) continue;
    outside.insert(function.get());
    open.push_back(function.get());
  }
  while (!open.empty()) {
    const Function* next = open.back();
    open.pop_back();
    report_outside_atomic(*next);
    for (const Facts::Call& call : facts_.at(next).calls) {
      if (!call.in_atomic && outside.insert(call.callee).second) {
        open.push_back(call.callee);
      }
    }
  }
}

void CallChecker::report_outside_atomic(const Function& function) {
  const Facts& facts = facts_.at(&function);
  for (const Remark& remark : facts.needs_atomic) {
    diagnostics_.report(remark.span, remark.what, remark.hint);
  }
  for (const Statement* await : facts.awaits) {
    if (accesses(*await->value) < 2) continue;
    diagnostics_.report(await->value->span,
                        "this 'await' may access more than one shared place",
                        "write 'atomic { await ...; }' to make it one step");
  }
}

// The accesses that finding the place `e` takes, without that to it.
std::size_t CallChecker::address(const Expression& e) const {
  switch (e.kind) {
    case ExpressionKind::kField:
      return accesses(*e.operands[0]);
    case ExpressionKind::kIndex:
      return address(*e.operands[0]) + accesses(*e.operands[1]);
    default:
      return 0;
  }
}

std::size_t CallChecker::accesses(const Expression& e) const {
  if (is_place(e)) return at_most_two(address(e) + (is_shared(e) ? 1 : 0));
  std::size_t count = 0;
  if (e.kind == ExpressionKind::kBuiltin && e.builtin == Builtin::kDcas) {
    count = 1 + address(*e.operands[0]) + address(*e.operands[1]);
    for (std::size_t i = 2; i < e.operands.size(); ++i) {
      count += accesses(*e.operands[i]);
    }
    return at_most_two(count);
  }
  for (const ExpressionPtr& operand : e.operands) count += accesses(*operand);
  if (e.kind == ExpressionKind::kCall) {
    const auto found = accesses_.find(e.function);
    count += found == accesses_.end() ? 0 : found->second;
  }
  return at_most_two(count);
}

std::size_t CallChecker::accesses(const Statement& s) const {
  std::size_t count = 0;
  if (s.target != nullptr) count += accesses(*s.target);
  if (s.value != nullptr) count += accesses(*s.value);
  if (s.first != nullptr) count += accesses(*s.first);
  if (s.next != nullptr) count += accesses(*s.next);
  for (const auto& variable : s.variables) {
    if (variable->initial != nullptr) count += accesses(*variable->initial);
  }
  for (const StatementPtr& inner : s.body) count += accesses(*inner);
  switch (s.kind) {
    case StatementKind::kWhile:
    case StatementKind::kDoWhile:
    case StatementKind::kFor:
      return at_most_two(2 * count);
    case StatementKind::kAtomic:
      return std::min<std::size_t>(count, 1);
    default:
      return at_most_two(count);
  }
}

}  // namespace

void check_calls(const Object& object, const FactsOf& facts, const Facts& init,
                 Diagnostics& diagnostics) {
  CallChecker(object, facts, init, diagnostics).run();
}

}  // namespace plumb::lang
