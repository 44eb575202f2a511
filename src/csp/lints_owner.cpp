// SPDX-License-Identifier: Apache-2.0
#include "csp/lints_owner.h"

#include <set>
#include <string>
#include <vector>

#include "csp/constants.h"
#include "csp/lints_parts.h"

namespace plumb::csp {
namespace {

class Search {
 public:
  Search(const Module& module, std::int64_t variable)
      : module_(module), variable_(variable) {}

  std::optional<Owners> run() {
    if (module_.variables[static_cast<std::size_t>(variable_)]
                .dimensions.size() != 1 ||
        is_asserted()) {
      return std::nullopt;
    }
    for (std::uint32_t i = 0; i < module_.processes.size(); ++i) uses(i);
    while (is_private_ && pass_on()) {
    }
    if (owners_.slots.empty() || !is_private_) return std::nullopt;
    spawns();
    if (!is_private_ || !are_distinct()) return std::nullopt;
    return owners_;
  }

 private:
  static bool mentions(const Expression& expression, std::int64_t variable) {
    bool found = false;
    for_each_expression(expression, [&](const Expression& part) {
      // What is in a macro's block is not looked at: it may be anything.
      found = found || part.kind == ExprKind::kBlock ||
              (part.kind == ExprKind::kGlobal && part.number == variable);
    });
    return found;
  }

  // Whether an assertion, an alphabet or another variable reads it.
  bool is_asserted() const {
    for (const Assertion& assertion : module_.assertions) {
      if (assertion.measure && mentions(*assertion.measure, variable_)) {
        return true;
      }
      for (std::size_t i = 0; i < module_.propositions.size(); ++i) {
        const Proposition& proposition = module_.propositions[i];
        const bool is_used =
            (assertion.kind == AssertionKind::kReaches &&
             assertion.proposition == i) ||
            assertion.formula.find(proposition.name) != std::string::npos;
        if (is_used && mentions(*proposition.expression, variable_)) {
          return true;
        }
      }
    }
    for (const Variable& variable : module_.variables) {
      if (variable.initial && mentions(*variable.initial, variable_)) {
        return true;
      }
    }
    return false;
  }

  void own(std::uint32_t definition, std::int64_t slot) {
    const auto [entry, is_new] = owners_.slots.try_emplace(definition, slot);
    if (entry->second != slot) is_private_ = false;
    changed_ = changed_ || is_new;
  }

  // --- Uses in one definition ----------------------------------------------

  void uses(std::uint32_t definition) {
    if (module_.processes[definition].alphabet) {
      for (const EventName& event : *module_.processes[definition].alphabet) {
        listed(event);
      }
    }
    for_each_process(*module_.processes[definition].body,
                     [&](const Process& process) { use(definition, process); });
  }

  void listed(const EventName& event) {
    for (const ExprPtr& field : event.fields) {
      if (mentions(*field, variable_)) is_private_ = false;
    }
    indices(event.indices);
  }

  void indices(const std::vector<Index>& all) {
    for (const Index& index : all) {
      for (const ExprPtr& value : index.values) {
        if (mentions(*value, variable_)) is_private_ = false;
      }
      if (index.high == nullptr) continue;
      if (mentions(*index.low, variable_) || mentions(*index.high, variable_)) {
        is_private_ = false;
      }
    }
  }

  void use(std::uint32_t definition, const Process& process) {
    for (const EventName& event : process.events) {
      if (process.kind == ProcessKind::kHide) listed(event);
      for (const ExprPtr& field : event.fields) expression(definition, *field);
    }
    indices(process.indices);
    if (process.copies) expression(definition, *process.copies);
    if (process.condition) expression(definition, *process.condition);
    if (process.channel_index) expression(definition, *process.channel_index);
    for (const auto* all :
         {&process.conditions, &process.arguments, &process.fields}) {
      for (const ExprPtr& one : *all) expression(definition, *one);
    }
    for (const Pattern& pattern : process.patterns) {
      if (pattern.value) expression(definition, *pattern.value);
    }
    if (process.block) statement(definition, *process.block);
  }

  void statement(std::uint32_t definition, const Statement& statement) {
    if (statement.expression) expression(definition, *statement.expression);
    for (const StatementPtr& child : statement.children) {
      this->statement(definition, *child);
    }
  }

  void expression(std::uint32_t definition, const Expression& expression) {
    if (expression.kind == ExprKind::kGlobal &&
        expression.number == variable_) {
      is_private_ = false;  // as a whole
      return;
    }
    std::size_t first = 0;
    if (expression.kind == ExprKind::kElement &&
        expression.children[0]->kind == ExprKind::kGlobal &&
        expression.children[0]->number == variable_) {
      const Expression& index = *expression.children[1];
      const auto parameters = static_cast<std::int64_t>(
          module_.processes[definition].parameters.size());
      if (index.kind != ExprKind::kBound || index.number >= parameters) {
        is_private_ = false;
        return;
      }
      own(definition, index.number);
      first = 2;
    }
    if (expression.block) statement(definition, *expression.block);
    for (std::size_t i = first; i < expression.children.size(); ++i) {
      this->expression(definition, *expression.children[i]);
    }
    indices(expression.indices);
  }

  // --- Calls ---------------------------------------------------------------

  // A definition that calls an owner with its own parameter is one as well.
  bool pass_on() {
    changed_ = false;
    for (std::uint32_t i = 0; i < module_.processes.size(); ++i) {
      const auto parameters =
          static_cast<std::int64_t>(module_.processes[i].parameters.size());
      for_each_process(*module_.processes[i].body, [&](const Process& process) {
        const Expression* index = owned_index(process);
        if (index != nullptr && index->kind == ExprKind::kBound &&
            index->number < parameters) {
          own(i, index->number);
        }
      });
    }
    return changed_;
  }

  // The argument that is the index of the callee, null if it is no owner.
  const Expression* owned_index(const Process& process) const {
    if (process.kind != ProcessKind::kReference) return nullptr;
    const auto found = owners_.slots.find(process.number);
    if (found == owners_.slots.end()) return nullptr;
    return process.arguments[static_cast<std::size_t>(found->second)].get();
  }

  // All other calls of owners: where processes with an index begin.
  void spawns() {
    for (std::uint32_t i = 0; i < module_.processes.size(); ++i) {
      const bool is_owner = owners_.slots.contains(i);
      if (is_owner) sequential(*module_.processes[i].body);
      walk(i, *module_.processes[i].body, {}, is_owner);
    }
  }

  // In an owner, nothing may use the element side by side.
  void sequential(const Process& process) {
    for_each_process(process, [&](const Process& part) {
      const bool is_parallel = part.kind == ProcessKind::kInterleave ||
                               part.kind == ProcessKind::kParallel ||
                               part.kind == ProcessKind::kInterrupt;
      if (is_parallel) is_private_ = false;
    });
  }

  void walk(std::uint32_t definition, const Process& process,
            std::vector<const Process*> around, bool is_owner) {
    if (!process.indices.empty() || process.copies || process.unbounded) {
      around.push_back(&process);
    }
    if (const Expression* index = owned_index(process)) {
      const bool is_passed_on = is_owner && index->kind == ExprKind::kBound &&
                                index->number == owners_.slots.at(definition);
      if (!is_passed_on) spawn(definition, *index, around, is_owner);
    }
    for (const ProcessPtr& child : process.children) {
      walk(definition, *child, around, is_owner);
    }
  }

  void spawn(std::uint32_t definition, const Expression& index,
             const std::vector<const Process*>& around, bool is_owner) {
    if (is_owner || !is_once(definition, 0)) {
      is_private_ = false;
      return;
    }
    if (const auto number = constant_of(index)) {
      if (!around.empty() || !constants_.insert(*number).second) {
        is_private_ = false;
      }
      return;
    }
    const bool is_index =
        around.size() == 1 && around[0]->indices.size() == 1 &&
        (around[0]->kind == ProcessKind::kInterleave ||
         around[0]->kind == ProcessKind::kParallel) &&
        around[0]->indices[0].high != nullptr &&
        index.kind == ExprKind::kBound &&
        index.number == static_cast<std::int64_t>(around[0]->indices[0].slot);
    if (!is_index) is_private_ = false;
    ++indexed_;
  }

  bool are_distinct() const {
    return indexed_ == 0 || (indexed_ == 1 && constants_.empty());
  }

  // Whether there is never more than one of a process without parameters.
  bool is_once(std::uint32_t definition, int depth) const {
    if (depth > 20 || !module_.processes[definition].parameters.empty()) {
      return false;
    }
    std::size_t count = 0;
    std::uint32_t caller = 0;
    bool is_copied = false;
    for (std::uint32_t i = 0; i < module_.processes.size(); ++i) {
      for_each_process(*module_.processes[i].body, [&](const Process& process) {
        if (!process.indices.empty() || process.copies || process.unbounded) {
          for_each_process(process, [&](const Process& part) {
            is_copied = is_copied || (part.kind == ProcessKind::kReference &&
                                      part.number == definition);
          });
        }
        if (process.kind != ProcessKind::kReference ||
            process.number != definition) {
          return;
        }
        ++count;
        caller = i;
      });
    }
    if (count == 0) return true;
    return count == 1 && !is_copied && is_once(caller, depth + 1);
  }

  const Module& module_;
  std::int64_t variable_;
  Owners owners_;
  bool is_private_ = true, changed_ = false;
  std::set<std::int64_t> constants_;
  std::size_t indexed_ = 0;
};

}  // namespace

std::optional<Owners> owners_of(const Module& module, std::int64_t variable) {
  return Search(module, variable).run();
}

}  // namespace plumb::csp
