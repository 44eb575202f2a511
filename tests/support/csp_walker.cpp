// SPDX-License-Identifier: Apache-2.0
#include "support/csp_walker.h"

#include <algorithm>
#include <utility>

#include "support/csp_walker_rules.h"

namespace plumb::walked {
namespace {

bool asks_for_processes(const Expression& e);

bool asks_for_processes(const StatementPtr& statement) {
  if (statement == nullptr) return false;
  if (statement->expression != nullptr &&
      asks_for_processes(*statement->expression)) {
    return true;
  }
  return std::any_of(
      statement->children.begin(), statement->children.end(),
      [](const StatementPtr& child) { return asks_for_processes(child); });
}

bool asks_for_processes(const Expression& e) {
  return e.kind == ExprKind::kProcesses || asks_for_processes(e.block) ||
         std::any_of(
             e.children.begin(), e.children.end(),
             [](const ExprPtr& child) { return asks_for_processes(*child); });
}

bool asks_for_processes(const Process& p) {
  const auto asks = [](const ExprPtr& e) {
    return e != nullptr && asks_for_processes(*e);
  };
  const auto any = [&](const std::vector<ExprPtr>& all) {
    return std::any_of(all.begin(), all.end(), asks);
  };
  return asks(p.condition) || any(p.conditions) || any(p.arguments) ||
         any(p.fields) || asks(p.channel_index) ||
         asks_for_processes(p.block) ||
         std::any_of(p.events.begin(), p.events.end(),
                     [&](const EventName& e) { return any(e.fields); }) ||
         std::any_of(
             p.children.begin(), p.children.end(),
             [](const ProcessPtr& each) { return asks_for_processes(*each); });
}

}  // namespace

CspWalker::CspWalker(const Module& module) : module_(module) {
  for (const Definition& definition : module.processes) {
    counts_processes_ |= asks_for_processes(*definition.body);
  }
}

// A name stands for what it is another name of, and for its components where it
// has some: 35 states of three philosophers, but one of P = a -> P.
ProcessPtr CspWalker::first_term(const ProcessPtr& subject,
                                 std::size_t names) const {
  const Definition& definition = module_.processes[subject->number];
  Substitution arguments;
  auto name = std::make_shared<Process>(*subject);
  for (std::uint32_t i = 0; i < subject->arguments.size(); ++i) {
    arguments[i] = substituted(subject->arguments[i], {});
    name->arguments[i] = arguments[i];
    if (!is_value(*arguments[i])) return subject;
  }
  for (const auto& range : definition.ranges) {
    if (range) return name;
  }
  if (names == 0) return name;
  const ProcessPtr body = substituted(definition.body, arguments);
  const auto is_name = [](const Process& p) {
    return p.kind == ProcessKind::kReference &&
           std::all_of(p.arguments.begin(), p.arguments.end(),
                       [](const ExprPtr& e) { return is_value(*e); });
  };
  if (is_name(*body)) return first_term(body, names - 1);
  const WalkedStore none;
  const Rules rules(module_, none, {}, owner_for_keys());
  if (body->kind == ProcessKind::kHide) {
    const ProcessPtr running = rules.reached(body);
    if (running == body || !is_name(*running->children[0])) return running;
    return std::make_shared<Process>(
        operator_like(*running, {first_term(running->children[0], names - 1)}));
  }
  const bool has_components = body->kind == ProcessKind::kInterleave ||
                              body->kind == ProcessKind::kParallel;
  return has_components ? rules.reached(body) : name;
}

std::vector<WalkedState> CspWalker::initial(const ProcessPtr& subject) const {
  WalkedState first;
  first.store.buffers.resize(module_.buffers);
  first.term = first_term(subject, module_.processes.size());
  std::vector<WalkedState> all = {first};
  for (const Variable& variable : module_.variables) {
    for (WalkedState& state : all) {
      WalkedEvaluation(module_, state.store, {}).declare(variable);
    }
    if (!variable.any) continue;
    std::size_t elements = 1;
    for (const std::uint32_t size : variable.dimensions) elements *= size;
    for (std::size_t i = 0; i < elements; ++i) {
      std::vector<WalkedState> more;
      for (const WalkedState& state : all) {
        for (auto x = *variable.range->low; x <= *variable.range->high; ++x) {
          more.push_back(state);
          WalkedDatum& whole = more.back().store.variables[variable.name];
          (variable.dimensions.empty() ? whole : whole.items[i]) =
              walked_number(x);
        }
      }
      all = std::move(more);
    }
  }
  return all;
}

std::vector<WalkedStep> CspWalker::steps(const WalkedState& state) const {
  Rules rules(
      module_, state.store,
      [&](std::uint32_t process) { return count(*state.term, process); },
      owner_for_keys());
  Moves all = rules.moves(state.term);
  std::erase_if(all, [](const Move& move) {
    return move.kind == Move::Kind::kSend || move.kind == Move::Kind::kReceive;
  });
  // What is atomic goes first; to end is nothing that it does.  All processes
  // are looked at, so what fails there fails all the same.
  const bool has_atomic =
      std::any_of(all.begin(), all.end(), [](const Move& move) {
        return move.atomic && move.kind != Move::Kind::kTerminate;
      });
  std::erase_if(all, [&](const Move& move) {
    return has_atomic && !move.atomic && move.kind != Move::Kind::kFault;
  });
  std::vector<WalkedStep> made;
  for (const Move& move : all) {
    WalkedStep step{move.text, {state.store, move.after}, ""};
    if (move.kind == Move::Kind::kTau) step.label = "tau";
    if (move.kind == Move::Kind::kTerminate) step.label = "terminate";
    try {
      if (move.kind == Move::Kind::kFault) throw WalkedFault{move.text};
      step.after.store = rules.applied(move);
    } catch (const WalkedFault& fault) {
      step = {"fault", state, fault.what};
    }
    made.push_back(std::move(step));
  }
  return made;
}

std::string CspWalker::key(const WalkedState& state) const {
  std::string text;
  for (const auto& [name, datum] : state.store.variables) {
    text += name + "=" + key_of(datum) + ";";
  }
  for (const auto& buffer : state.store.buffers) {
    text += "<";
    for (const auto& message : buffer) {
      for (const WalkedDatum& field : message) text += key_of(field) + ".";
      text += ",";
    }
    text += ">";
  }
  return text + key_of(*state.term, owner_for_keys());
}

// Whose a process is matters only where processes are counted.
Owner CspWalker::owner_for_keys() const {
  if (!counts_processes_) return {};
  return [this](const Process& process) -> std::int64_t {
    const bool counts = process.kind != ProcessKind::kReference &&
                        process.kind != ProcessKind::kStop && !is_skip(process);
    return counts ? owner(process) : -1;
  };
}

// The definition whose text a process was written in: the last that begins
// before it.
std::int64_t CspWalker::owner(const Process& process) const {
  std::int64_t found = -1;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < module_.processes.size(); ++i) {
    const std::size_t at = module_.processes[i].span.begin;
    if (at > process.span.begin || at < begin) continue;
    begin = at;
    found = static_cast<std::int64_t>(i);
  }
  return found;
}

std::int64_t CspWalker::count(const Process& term,
                              std::uint32_t process) const {
  if (is_skip(term) || term.kind == ProcessKind::kStop) return 0;
  if (term.kind == ProcessKind::kReference) return term.number == process;
  const std::int64_t own = owner(term) == process ? 1 : 0;
  if (!runs(term)) return own;
  std::int64_t inside = 0;
  std::size_t begin = term.unbounded ? 1 : 0;
  const std::size_t end =
      term.kind == ProcessKind::kSequence ? 1 : term.children.size();
  for (; begin < end; ++begin) inside += count(*term.children[begin], process);
  return std::max(inside, own);
}

}  // namespace plumb::walked
