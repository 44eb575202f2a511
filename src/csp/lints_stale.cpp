// SPDX-License-Identifier: Apache-2.0
// Variables whose values nobody reads any more, but which split states.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "csp/constants.h"
#include "csp/lints_owner.h"
#include "csp/lints_parts.h"

namespace plumb::csp {
namespace {

// Backward liveness of a[i], where i is the process that owns it; see
// lints_owner.h for why nobody else can read it.  `live` is true wherever the
// value may still be read, so where it is false the value is stale.
class OneLiveness {
 public:
  OneLiveness(const Module& module, const Owners& owners, std::int64_t variable)
      : module_(module), owners_(owners), variable_(variable) {}

  // The first place after which the value is stale, if there is one.
  std::optional<Span> run() {
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (const auto& [number, slot] : owners_.slots) {
        const bool before = entry_[number];
        changed_ = false;
        entry_[number] |= live(*module_.processes[number].body, after_[number]);
        is_new = is_new || changed_ || entry_[number] != before;
      }
    }
    is_telling_ = true;
    for (const auto& [number, slot] : owners_.slots) {
      live(*module_.processes[number].body, after_[number]);
    }
    return stale_;
  }

 private:
  bool reads(const Expression& expression) const {
    bool found = false;
    for_each_expression(expression, [&](const Expression& part) {
      found =
          found || (part.kind == ExprKind::kGlobal && part.number == variable_);
    });
    return found;
  }
  bool reads(const ExprPtr& expression) const {
    return expression != nullptr && reads(*expression);
  }
  bool reads(const std::vector<ExprPtr>& all) const {
    return std::any_of(all.begin(), all.end(),
                       [&](const ExprPtr& one) { return reads(*one); });
  }

  // Whether a statement assigns to the variable as a whole.
  bool assigns(const Statement& statement) const {
    return statement.kind == StatementKind::kExpression &&
           statement.expression->kind == ExprKind::kAssign &&
           reads(*statement.expression->children[0]);
  }

  bool block_reads(const Statement& statement) const {
    if (assigns(statement)) {
      return reads(*statement.expression->children[1]);
    }
    // Those of macros are not looked into.
    if (statement.expression != nullptr) {
      bool has_block = false;
      for_each_expression(*statement.expression, [&](const Expression& part) {
        has_block = has_block || part.kind == ExprKind::kBlock;
      });
      if (has_block || reads(*statement.expression)) return true;
    }
    return std::any_of(
        statement.children.begin(), statement.children.end(),
        [&](const StatementPtr& child) { return block_reads(*child); });
  }

  // The last assignment that is made whatever happens; null: none.
  const Expression* assignment(const Process& process) const {
    const Expression* last = nullptr;
    if (process.block == nullptr) return last;
    for (const StatementPtr& child : process.block->children) {
      if (assigns(*child)) last = child->expression.get();
    }
    return last;
  }

  bool event_reads(const Process& process) const {
    bool found = reads(process.condition) || reads(process.channel_index) ||
                 reads(process.fields);
    for (const EventName& event : process.events) {
      found = found || reads(event.fields);
    }
    for (const Pattern& pattern : process.patterns) {
      found = found || reads(pattern.value);
    }
    return found;
  }

  bool live(const Process& process, bool after) {
    switch (process.kind) {
      case ProcessKind::kStop:
        return false;
      case ProcessKind::kSkip:
        return after;
      case ProcessKind::kPrefix:
      case ProcessKind::kEventSet:
      case ProcessKind::kSend:
      case ProcessKind::kReceive:
        return prefix(process, after);
      case ProcessKind::kSequence: {
        for (auto it = process.children.rbegin(); it != process.children.rend();
             ++it) {
          after = live(**it, after);
        }
        return after;
      }
      case ProcessKind::kReference:
        return reference(process, after);
      default:
        break;
    }
    bool found = reads(process.condition) || reads(process.conditions);
    if (process.kind == ProcessKind::kAssert) found = found || after;
    for (const ProcessPtr& child : process.children) {
      found = live(*child, after) || found;
    }
    return found;
  }

  bool prefix(const Process& process, bool after) {
    const Process& child = *process.children[0];
    const bool later = live(child, after);
    const bool is_read = event_reads(process) || (process.block != nullptr &&
                                                  block_reads(*process.block));
    const Expression* assigned = assignment(process);
    if (is_telling_ && !later && (is_read || assigned != nullptr)) {
      const bool is_reset =
          assigned != nullptr && constant_of(*assigned->children[1]);
      if (!is_reset && !assigns_next(child, 8)) tell(process.span);
    }
    return is_read || (later && assigned == nullptr);
  }

  bool reference(const Process& process, bool after) {
    const bool is_read = reads(process.arguments);
    if (!owners_.slots.contains(process.number)) return is_read || after;
    if (after && !after_[process.number]) {
      after_[process.number] = true;
      changed_ = true;
    }
    return is_read || after || entry_[process.number];
  }

  // Whether all next events assign to it, so that it is stale only shortly.
  bool assigns_next(const Process& process, int depth) const {
    if (depth == 0) return false;
    switch (process.kind) {
      case ProcessKind::kPrefix:
      case ProcessKind::kEventSet:
      case ProcessKind::kSend:
      case ProcessKind::kReceive:
        return assignment(process) != nullptr;
      case ProcessKind::kReference:
        return assigns_next(*module_.processes[process.number].body, depth - 1);
      case ProcessKind::kSequence:
        return assigns_next(*process.children[0], depth - 1);
      default:
        return !process.children.empty() &&
               std::all_of(process.children.begin(), process.children.end(),
                           [&](const ProcessPtr& child) {
                             return assigns_next(*child, depth - 1);
                           });
    }
  }

  void tell(Span span) {
    if (!stale_ || span.begin < stale_->begin) stale_ = span;
  }

  const Module& module_;
  const Owners& owners_;
  std::int64_t variable_;
  std::map<std::uint32_t, bool> entry_, after_;
  bool changed_ = false, is_telling_ = false;
  std::optional<Span> stale_;
};

}  // namespace

void find_stale_variables(Module& module) {
  std::size_t nodes = 0;
  for (const Definition& definition : module.processes) {
    for_each_process(*definition.body, [&](const Process&) { ++nodes; });
  }
  // The searches below are repeated for each variable.
  constexpr std::size_t kMost = 200'000;
  if (nodes * module.variables.size() > kMost) return;
  std::vector<Warning> found;
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const auto owners = owners_of(module, static_cast<std::int64_t>(i));
    if (!owners) continue;
    const auto span =
        OneLiveness(module, *owners, static_cast<std::int64_t>(i)).run();
    if (!span) continue;
    const std::string& name = module.variables[i].name;
    found.push_back(
        {*span,
         fmt::format("after this event, the value of '{}' is not read any more "
                     "until it is assigned again, but it still tells states "
                     "apart",
                     name),
         fmt::format("there are fewer states if the block of the event resets "
                     "it: '{}[...] = 0'",
                     name)});
  }
  add(module, std::move(found));
}

}  // namespace plumb::csp
