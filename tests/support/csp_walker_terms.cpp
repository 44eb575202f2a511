// SPDX-License-Identifier: Apache-2.0
#include "support/csp_walker_terms.h"

#include <algorithm>
#include <utility>

namespace plumb::walked {
namespace {

using Kind = WalkedDatum::Kind;

ExprPtr folded(std::shared_ptr<Expression> e) {
  const bool can_fold =
      e->kind == ExprKind::kUnary || e->kind == ExprKind::kBinary;
  if (!can_fold ||
      !std::all_of(e->children.begin(), e->children.end(),
                   [](const ExprPtr& child) { return is_value(*child); })) {
    return e;
  }
  try {
    return literal_of(value_of_literal(*e));
  } catch (const WalkedFault&) {
    return e;  // it fails when it is asked for
  }
}

StatementPtr in_statement(const StatementPtr& statement,
                          const Substitution& values) {
  if (statement == nullptr) return nullptr;
  auto made = std::make_shared<Statement>(*statement);
  made->expression = substituted(statement->expression, values);
  for (StatementPtr& child : made->children) {
    child = in_statement(child, values);
  }
  return made;
}

std::vector<ExprPtr> in_each(std::vector<ExprPtr> all,
                             const Substitution& values) {
  for (ExprPtr& each : all) each = substituted(each, values);
  return all;
}

std::vector<Index> in_indices(std::vector<Index> all,
                              const Substitution& values) {
  for (Index& each : all) {
    each.values = in_each(each.values, values);
    each.low = substituted(each.low, values);
    each.high = substituted(each.high, values);
  }
  return all;
}

}  // namespace

ExprPtr literal_of(const WalkedDatum& datum) {
  auto made = std::make_shared<Expression>();
  made->number = datum.number;
  switch (datum.kind) {
    case Kind::kNumber:
      made->kind = ExprKind::kInteger;
      break;
    case Kind::kBoolean:
      made->kind = ExprKind::kBoolean;
      break;
    case Kind::kArray:
      made->kind = ExprKind::kRecord;
      break;
    case Kind::kObject:
      made->kind = ExprKind::kNew;
      made->number = 1;  // not as the user wrote it
      made->name = datum.type;
      break;
  }
  for (const WalkedDatum& item : datum.items) {
    made->children.push_back(literal_of(item));
  }
  return made;
}

bool is_value(const Expression& e) {
  switch (e.kind) {
    case ExprKind::kInteger:
    case ExprKind::kBoolean:
      return true;
    case ExprKind::kNew:
      return e.number == 1;
    case ExprKind::kRecord:
      return std::all_of(e.children.begin(), e.children.end(),
                         [](const ExprPtr& child) { return is_value(*child); });
    default:
      return false;
  }
}

WalkedDatum value_of_literal(const Expression& e) {
  static const Module kNone;
  WalkedStore store;
  return WalkedEvaluation(kNone, store, {}).value(e);
}

ExprPtr substituted(const ExprPtr& e, const Substitution& values) {
  if (e == nullptr) return nullptr;
  if (e->kind == ExprKind::kBound) {
    const auto found = values.find(static_cast<std::uint32_t>(e->number));
    return found == values.end() ? e : found->second;
  }
  auto made = std::make_shared<Expression>(*e);
  made->children = in_each(made->children, values);
  made->indices = in_indices(made->indices, values);
  made->block = in_statement(made->block, values);
  return folded(std::move(made));
}

EventName substituted(const EventName& event, const Substitution& values) {
  EventName made = event;
  made.fields = in_each(made.fields, values);
  made.indices = in_indices(made.indices, values);
  return made;
}

ProcessPtr substituted(const ProcessPtr& process, const Substitution& values) {
  auto made = std::make_shared<Process>(*process);
  for (ProcessPtr& child : made->children) child = substituted(child, values);
  for (EventName& event : made->events) event = substituted(event, values);
  made->block = in_statement(made->block, values);
  made->condition = substituted(made->condition, values);
  made->conditions = in_each(made->conditions, values);
  made->arguments = in_each(made->arguments, values);
  made->channel_index = substituted(made->channel_index, values);
  made->fields = in_each(made->fields, values);
  for (Pattern& pattern : made->patterns) {
    pattern.value = substituted(pattern.value, values);
  }
  made->indices = in_indices(made->indices, values);
  made->copies = substituted(made->copies, values);
  return made;
}

bool is_skip(const Process& process) {
  return process.kind == ProcessKind::kSkip;
}

bool runs(const Process& process) {
  return process.kind != ProcessKind::kReference && process.number == 1;
}

Process operator_like(const Process& process,
                      std::vector<ProcessPtr> operands) {
  Process made;
  made.kind = process.kind;
  made.number = 1;
  made.events = process.events;
  made.copies = process.copies;
  made.unbounded = process.unbounded;
  made.span = process.span;
  made.children = std::move(operands);
  return made;
}

namespace {

class KeyWriter {
 public:
  explicit KeyWriter(const Owner& owner) : owner_(owner) {}

  std::string take() { return std::move(text_); }

  void process(const Process& p) {
    word("p", static_cast<std::int64_t>(p.kind));
    if (owner_) word("of", owner_(p));
    word("n", p.number);
    word("c", p.channel);
    if (p.unbounded) text_ += "..";
    for (const EventName& event : p.events) this->event(event);
    statement(p.block);
    expression(p.condition);
    list(p.conditions);
    list(p.arguments);
    expression(p.channel_index);
    list(p.fields);
    for (const Pattern& pattern : p.patterns) {
      if (pattern.slot) word("?", *pattern.slot);
      expression(pattern.value);
    }
    indices(p.indices);
    if (p.copies != nullptr) text_ += "#";
    if (!runs(p)) expression(p.copies);
    if (p.kind == ProcessKind::kParallel && runs(p)) {
      alphabets(static_cast<const RunningParallel&>(p));
    }
    text_ += "(";
    for (const ProcessPtr& child : p.children) process(*child);
    text_ += ")";
  }

 private:
  void word(const char* name, std::int64_t number) {
    text_ += name + std::to_string(number) + " ";
  }

  void expression(const ExprPtr& e) {
    if (e == nullptr) {
      text_ += "-";
      return;
    }
    word("e", static_cast<std::int64_t>(e->kind));
    word("o", static_cast<std::int64_t>(e->op));
    word("n", e->number);
    const bool is_named =
        e->kind == ExprKind::kNew || e->kind == ExprKind::kMethod ||
        e->kind == ExprKind::kField || e->kind == ExprKind::kStatic ||
        e->kind == ExprKind::kChannel;
    if (is_named) text_ += e->name;
    indices(e->indices);
    statement(e->block);
    list(e->children);
  }

  void list(const std::vector<ExprPtr>& all) {
    text_ += "[";
    for (const ExprPtr& each : all) expression(each);
    text_ += "]";
  }

  void indices(const std::vector<Index>& all) {
    for (const Index& index : all) {
      word("i", index.slot);
      list(index.values);
      expression(index.low);
      expression(index.high);
    }
  }

  void event(const EventName& event) {
    text_ += "'" + event.name + "'";
    indices(event.indices);
    list(event.fields);
  }

  void statement(const StatementPtr& s) {
    if (s == nullptr) return;
    word("s", static_cast<std::int64_t>(s->kind));
    word("n", s->slot);
    expression(s->expression);
    text_ += "{";
    for (const StatementPtr& child : s->children) statement(child);
    text_ += "}";
  }

  void alphabets(const RunningParallel& p) {
    for (const std::set<std::string>& alphabet : p.alphabets) {
      text_ += "<";
      for (const std::string& event : alphabet) text_ += event + ",";
      text_ += ">";
    }
  }

  const Owner& owner_;
  std::string text_;
};

}  // namespace

std::string key_of(const Process& process, const Owner& owner) {
  KeyWriter writer(owner);
  writer.process(process);
  return writer.take();
}

std::vector<Substitution> all_values(const std::vector<Index>& indices,
                                     const Evaluate& evaluate) {
  std::vector<Substitution> now = {{}};
  for (const Index& index : indices) {
    std::vector<Substitution> next;
    for (const Substitution& so_far : now) {
      const auto add = [&](std::int64_t x) {
        next.push_back(so_far);
        next.back()[index.slot] = literal_of(walked_number(x));
      };
      for (const ExprPtr& value : index.values) {
        add(evaluate(*substituted(value, so_far)));
      }
      if (index.high == nullptr) continue;
      const std::int64_t high = evaluate(*substituted(index.high, so_far));
      for (auto x = evaluate(*substituted(index.low, so_far)); x <= high; ++x) {
        add(x);
      }
    }
    now = std::move(next);
  }
  return now;
}

std::int64_t literal_number(const Expression& e) {
  if (!is_value(e)) throw WalkedFault{"not known yet"};
  const WalkedDatum datum = value_of_literal(e);
  if (!datum.is_plain()) throw WalkedFault{"no number"};
  return datum.number;
}

std::set<std::string> listed_events(
    const std::vector<EventName>& events,
    const std::function<WalkedDatum(const Expression&)>& evaluate) {
  std::set<std::string> made;
  for (const EventName& event : events) {
    if (event.name.empty()) continue;
    const auto number = [&](const Expression& e) { return evaluate(e).number; };
    for (const Substitution& values : all_values(event.indices, number)) {
      std::string text = event.name;
      for (const ExprPtr& field : event.fields) {
        text += "." + text_of(evaluate(*substituted(field, values)));
      }
      made.insert(std::move(text));
    }
  }
  return made;
}

namespace {

WalkedDatum literal_value(const Expression& e) {
  if (!is_value(e)) throw WalkedFault{"the alphabet depends on variables"};
  return value_of_literal(e);
}

// The events that are written in a process and in those it refers to, without
// those that have a program, those of channels, and those that are hidden.
class AlphabetWriter {
 public:
  explicit AlphabetWriter(const Module& module) : module_(module) {}

  std::set<std::string> take() { return std::move(found_); }

  void process(const ProcessPtr& p, const std::set<std::string>& hidden) {
    switch (p->kind) {
      case ProcessKind::kReference:
        return reference(*p, hidden);
      case ProcessKind::kHide: {
        std::set<std::string> more = listed_events(p->events, literal_value);
        more.insert(hidden.begin(), hidden.end());
        return process(p->children[0], more);
      }
      case ProcessKind::kPrefix:
      case ProcessKind::kEventSet:
        if (p->block == nullptr) add(p->events, hidden);
        break;
      default:
        break;
    }
    for (const Substitution& values : all_values(p->indices, literal_number)) {
      for (const ProcessPtr& child : p->children) {
        process(values.empty() ? child : substituted(child, values), hidden);
      }
    }
  }

 private:
  void add(const std::vector<EventName>& events,
           const std::set<std::string>& hidden) {
    for (const std::string& event : listed_events(events, literal_value)) {
      if (!hidden.contains(event)) found_.insert(event);
    }
  }

  void reference(const Process& p, const std::set<std::string>& hidden) {
    const Definition& definition = module_.processes[p.number];
    std::string key = std::to_string(p.number);
    Substitution values;
    for (std::uint32_t i = 0; i < p.arguments.size(); ++i) {
      key += ";";
      if (!is_value(*p.arguments[i])) continue;
      values[i] = p.arguments[i];
      key += key_of(value_of_literal(*p.arguments[i]));
    }
    for (const std::string& event : hidden) key += "\\" + event;
    if (!seen_.insert(key).second) return;
    if (seen_.size() > 10'000) throw WalkedFault{"an alphabet without end"};
    if (!definition.alphabet) {
      return process(substituted(definition.body, values), hidden);
    }
    std::vector<EventName> events;
    for (const EventName& event : *definition.alphabet) {
      events.push_back(substituted(event, values));
    }
    add(events, hidden);
  }

  const Module& module_;
  std::set<std::string> found_;
  std::set<std::string> seen_;
};

}  // namespace

std::set<std::string> alphabet_of(const ProcessPtr& process,
                                  const Module& module) {
  AlphabetWriter writer(module);
  writer.process(process, {});
  return writer.take();
}

}  // namespace plumb::walked
