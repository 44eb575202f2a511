// SPDX-License-Identifier: Apache-2.0
// Lines that say what is to be checked.
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "lang/types_module.h"

namespace plumb::lang {
namespace {

// Those that compare with the specification come first.
const std::vector<std::string> kConditions = {
    "linearizable", "sequential", "quiescent", "quasi",
    "out_of_order", "late",       "stuttering"};
const std::vector<std::pair<std::string, PropertyKind>> kOthers = {
    {"safe", PropertyKind::kSafe},
    {"deadlock_free", PropertyKind::kDeadlockFree},
    {"lock_free", PropertyKind::kLockFree},
    {"wait_free", PropertyKind::kWaitFree},
    {"obstruction_free", PropertyKind::kObstructionFree},
    {"satisfies", PropertyKind::kSatisfies}};

PropertyKind kind_of(const std::string& word) {
  const auto found = std::ranges::find(
      kOthers, word, &std::pair<std::string, PropertyKind>::first);
  return found == kOthers.end() ? PropertyKind::kCondition : found->second;
}

bool is_one_of(const std::string& word, const std::vector<std::string>& all) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

class CheckChecker {
 public:
  CheckChecker(Check& check, const Module& module,
               const std::vector<std::unique_ptr<ObjectChecker>>& checkers,
               Diagnostics& diagnostics)
      : check_(check),
        module_(module),
        checkers_(checkers),
        diagnostics_(diagnostics) {}

  void run() {
    check_property();
    ObjectChecker* checker = find_object();
    if (checker == nullptr) return;
    check_.object = &checker->object();
    if (check_.kind == PropertyKind::kCondition &&
        check_.object->implements.empty()) {
      diagnostics_.report(
          check_.property_span,
          fmt::format("'{}' implements no specification, so it cannot be "
                      "checked to be '{}'",
                      check_.object_name, check_.property),
          fmt::format("write 'object {} implements ...'", check_.object_name));
    }
    check_busy();
    if (check_.by_relation && check_.object->relation == nullptr) {
      diagnostics_.report(
          check_.property_span,
          fmt::format("'{}' has no relation", check_.object_name),
          "write 'relation { ... }' into it: what its states stand for");
    }
    const auto& functions = check_.object->functions;
    if (std::none_of(functions.begin(), functions.end(),
                     [](const auto& f) { return f->is_operation; })) {
      diagnostics_.report(
          check_.object_span,
          fmt::format("'{}' has no operations", check_.object_name));
    }
    check_bounds(checker->expressions());
    for (Check::Setting& setting : check_.settings) {
      check_setting(setting, checker->expressions());
    }
  }

 private:
  void check_property();
  ObjectChecker* find_object();
  void check_busy();
  void check_bounds(ExpressionChecker& expressions);
  void check_bound(Expression* bound, std::string_view what,
                   ExpressionChecker& expressions);
  void check_setting(Check::Setting& setting, ExpressionChecker& expressions);
  std::vector<const Constant*> settable() const;
  void refuse_processes(const Expression& e, std::string_view what);

  Check& check_;
  const Module& module_;
  const std::vector<std::unique_ptr<ObjectChecker>>& checkers_;
  Diagnostics& diagnostics_;
  bool is_quiescent_ = false;
};

// `quasi(deq=2)+quiescent`: the words at the beginning and behind each `+`.
void CheckChecker::check_property() {
  const std::string& text = check_.property;
  std::size_t begin = 0, parts = 0;
  check_.kind = PropertyKind::kCondition;
  while (begin <= text.size()) {
    const std::size_t end =
        std::min(text.find_first_of("+(", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    ++parts;
    if (const PropertyKind kind = kind_of(word);
        kind != PropertyKind::kCondition) {
      check_.kind = kind;
    } else if (!is_one_of(word, kConditions)) {
      std::vector<std::string> all = kConditions;
      for (const auto& other : kOthers) all.push_back(other.first);
      diagnostics_.report(check_.property_span,
                          fmt::format("unknown property '{}'", word),
                          suggestion(word, all,
                                     "'linearizable', 'quasi(...)', "
                                     "'quiescent', 'sequential', 'safe', "
                                     "'deadlock_free', 'lock_free', "
                                     "'wait_free', 'obstruction_free' and "
                                     "'satisfies FORMULA' can be checked"));
      return;
    }
    is_quiescent_ |= word == "quiescent";
    begin = next_part(text, end);
  }
  if (check_.kind == PropertyKind::kCondition || parts == 1) return;
  diagnostics_.report(check_.property_span,
                      fmt::format("'{}' cannot be combined", text),
                      "write one check for each property");
}

ObjectChecker* CheckChecker::find_object() {
  std::vector<std::string> names;
  for (const auto& checker : checkers_) {
    const Object& object = checker->object();
    if (object.is_specification) continue;
    if (object.name == check_.object_name) return checker.get();
    names.push_back(object.name);
  }
  const bool is_specification =
      std::any_of(checkers_.begin(), checkers_.end(), [&](const auto& checker) {
        return checker->object().name == check_.object_name;
      });
  if (is_specification) {
    diagnostics_.report(
        check_.object_span,
        fmt::format("'{}' is a specification; objects are checked",
                    check_.object_name),
        fmt::format("write 'check spec {} refines ...' to compare it with "
                    "another",
                    check_.object_name));
  } else {
    diagnostics_.report(check_.object_span,
                        fmt::format("unknown object '{}'", check_.object_name),
                        suggestion(check_.object_name, names));
  }
  return nullptr;
}

// Elsewhere it would be a bound that nothing keeps to.
void CheckChecker::check_busy() {
  if (check_.busy == nullptr || is_quiescent_) return;
  diagnostics_.report(
      check_.busy->span,
      fmt::format("'busy' is no bound of '{}'", check_.property),
      "it bounds the busy periods of 'quiescent'");
}

void CheckChecker::check_bound(Expression* bound, std::string_view what,
                               ExpressionChecker& expressions) {
  if (bound == nullptr) return;
  expressions.check_constant(*bound, TypeKind::kInt, what);
}

void CheckChecker::check_bounds(ExpressionChecker& expressions) {
  expressions.context.unknown.clear();
  if (check_.processes == nullptr) {
    diagnostics_.report(check_.span,
                        "this check does not say how many processes there are",
                        "write '... with 2 processes;'");
  }
  check_bound(check_.processes.get(), "a number of processes is", expressions);
  check_bound(check_.low.get(), "values are", expressions);
  check_bound(check_.high.get(), "values are", expressions);
  check_bound(check_.operations.get(), "a number of operations is",
              expressions);
  check_bound(check_.busy.get(), "a number of operations is", expressions);
  check_bound(check_.cells.get(), "a number of cells is", expressions);
  if (check_.processes != nullptr) {
    refuse_processes(*check_.processes, "the number of processes");
  }
}

// Looks through constants, too: `const N = processes;`.
void CheckChecker::refuse_processes(const Expression& e,
                                    std::string_view what) {
  absl::flat_hash_set<const Expression*> seen;
  std::vector<const Expression*> open{&e};
  while (!open.empty()) {
    const Expression* next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    if (next->kind == ExpressionKind::kProcesses) {
      diagnostics_.report(e.span,
                          fmt::format("{} cannot depend on 'processes'", what));
      return;
    }
    if (next->constant != nullptr && next->constant->value != nullptr) {
      open.push_back(next->constant->value.get());
    }
    for (const ExpressionPtr& part : next->operands) {
      open.push_back(part.get());
    }
  }
}

// The constants of the object, of the file, and of the specification.
std::vector<const Constant*> CheckChecker::settable() const {
  std::vector<const Constant*> all;
  for (const auto& constant : check_.object->constants) {
    all.push_back(constant.get());
  }
  if (check_.object->specification != nullptr) {
    for (const auto& constant : check_.object->specification->constants) {
      all.push_back(constant.get());
    }
  }
  for (const auto& constant : module_.constants) all.push_back(constant.get());
  return all;
}

void CheckChecker::check_setting(Check::Setting& setting,
                                 ExpressionChecker& expressions) {
  std::vector<std::string> names;
  for (const Constant* constant : settable()) {
    names.push_back(constant->name);
    if (constant->name != setting.name) continue;
    if (setting.constant != nullptr) {
      diagnostics_.report(
          setting.span,
          fmt::format("'{}' is a constant of the object and of its "
                      "specification",
                      setting.name),
          "give them different names, or declare one outside");
    }
    setting.constant = constant;
  }
  if (setting.constant == nullptr) {
    diagnostics_.report(setting.span,
                        fmt::format("unknown constant '{}'", setting.name),
                        suggestion(setting.name, names));
    return expressions.check(*setting.value);
  }
  expressions.check_constant(*setting.value, setting.constant->type->kind,
                             fmt::format("'{}' is", setting.name));
}

}  // namespace

std::size_t next_part(const std::string& text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && depth > 0) --depth;
    if (text[at] == '+' && depth == 0) return at + 1;
  }
  return text.size() + 1;
}

void check_check(Check& check, const Module& module,
                 const std::vector<std::unique_ptr<ObjectChecker>>& checkers,
                 Diagnostics& diagnostics) {
  CheckChecker(check, module, checkers, diagnostics).run();
}

}  // namespace plumb::lang
