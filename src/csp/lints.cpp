// SPDX-License-Identifier: Apache-2.0
#include "csp/lints.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "csp/library.h"
#include "csp/lints_parts.h"

namespace plumb::csp {
namespace {

// The variables that blocks assign to, or whose objects they change.
class Writes {
 public:
  explicit Writes(const Module& module) {
    for (const Definition& definition : module.processes) {
      for_each_process(*definition.body, [&](const Process& process) {
        if (process.block != nullptr) statement(*process.block);
      });
    }
  }

  bool contains(std::int64_t variable) const {
    return variables_.contains(variable);
  }

 private:
  void statement(const Statement& statement) {
    if (statement.expression != nullptr) expression(*statement.expression);
    for (const StatementPtr& child : statement.children) {
      this->statement(*child);
    }
  }

  void expression(const Expression& expression) {
    const bool changes = expression.kind == ExprKind::kAssign ||
                         expression.kind == ExprKind::kStep ||
                         expression.kind == ExprKind::kMethod;
    if (changes) {
      const Expression* place = expression.children[0].get();
      while (!place->children.empty()) place = place->children[0].get();
      if (place->kind == ExprKind::kGlobal) variables_.insert(place->number);
    }
    if (expression.block != nullptr) statement(*expression.block);
    for (const ExprPtr& child : expression.children) this->expression(*child);
  }

  std::set<std::int64_t> variables_;
};

bool is_concurrent(const Module& module) {
  bool found = false;
  for (const Definition& definition : module.processes) {
    for_each_process(*definition.body, [&](const Process& process) {
      found = found || process.kind == ProcessKind::kInterleave ||
              process.kind == ProcessKind::kParallel ||
              process.kind == ProcessKind::kInterrupt;
    });
  }
  return found;
}

// `e -> P(H)` reads H when P takes its first step; somebody may have changed
// it by then.
void find_late_arguments(Module& module) {
  if (!is_concurrent(module)) return;
  const Writes writes(module);
  std::vector<Warning> found;
  for (const Definition& definition : module.processes) {
    std::set<std::pair<std::uint32_t, std::string>> told;
    for_each_process(*definition.body, [&](const Process& process) {
      if (process.kind != ProcessKind::kReference) return;
      for (const ExprPtr& argument : process.arguments) {
        for_each_expression(*argument, [&](const Expression& part) {
          if (part.kind != ExprKind::kGlobal || !writes.contains(part.number) ||
              !told.emplace(process.number, part.name).second) {
            return;
          }
          const std::string& name = module.processes[process.number].name;
          found.push_back(
              {argument->span,
               fmt::format("'{}' is read when '{}' takes its first step, not "
                           "when it is called: others may change it before",
                           part.name, name),
               "arguments are evaluated late, as in PAT; to keep the value "
               "that it has now, store it in a variable in the block of the "
               "event before"});
        });
      }
    });
  }
  add(module, std::move(found));
}

// `move -> P` is an event, even if there is a process `move`.
void find_events_named_like_processes(Module& module) {
  std::set<std::string> processes;
  for (const Definition& definition : module.processes) {
    processes.insert(definition.name);
  }
  std::vector<Warning> found;
  std::set<std::string> told;
  for (const Definition& definition : module.processes) {
    for_each_process(*definition.body, [&](const Process& process) {
      if (process.kind != ProcessKind::kPrefix) return;
      for (const EventName& event : process.events) {
        if (!event.fields.empty() || !processes.contains(event.name) ||
            !told.insert(event.name).second) {
          continue;
        }
        found.push_back(
            {event.span,
             fmt::format("'{}' is an event here, not the process of that name",
                         event.name),
             fmt::format("write '{}; ...' to run the process first, or give "
                         "one of them another name",
                         event.name)});
      }
    });
  }
  add(module, std::move(found));
}

}  // namespace

void add(Module& module, std::vector<Warning> found) {
  for (Warning& warning : found) {
    module.warnings.push_back(std::move(warning));
  }
}

void for_each_process(const Process& process,
                      const std::function<void(const Process&)>& see) {
  see(process);
  for (const ProcessPtr& child : process.children) {
    for_each_process(*child, see);
  }
}

void for_each_expression(const Expression& expression,
                         const std::function<void(const Expression&)>& see) {
  see(expression);
  for (const ExprPtr& child : expression.children) {
    for_each_expression(*child, see);
  }
  for (const Index& index : expression.indices) {
    for (const ExprPtr& value : index.values) for_each_expression(*value, see);
    if (index.high == nullptr) continue;
    for_each_expression(*index.low, see);
    for_each_expression(*index.high, see);
  }
}

void find_traps(Module& module) {
  find_late_arguments(module);
  find_events_named_like_processes(module);
  find_traps_of_events(module);
  find_stale_variables(module);
  std::stable_sort(module.warnings.begin(), module.warnings.end(),
                   [](const Warning& a, const Warning& b) {
                     return a.span.begin < b.span.begin;
                   });
}

}  // namespace plumb::csp
