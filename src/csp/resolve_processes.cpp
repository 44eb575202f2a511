// SPDX-License-Identifier: Apache-2.0
// Statements and processes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "csp/constants.h"
#include "csp/resolve.h"
#include "csp/resolve_depth.h"

namespace plumb::csp {

using syntax::Term;
using syntax::TermKind;

std::uint32_t Resolver::bind(const syntax::Name& name, Role role) {
  Binding made;
  made.name = name.text;
  made.role = role;
  made.slot = role == Role::kLocal ? locals_++ : slots_++;
  scope_.push_back(made);
  return made.slot;
}

void Resolver::forget_since(std::size_t mark) {
  for (std::size_t i = mark; i < scope_.size(); ++i) {
    if (scope_[i].role == Role::kInput || scope_[i].role == Role::kIndex) {
      left_.push_back(scope_[i].name);
    }
  }
  scope_.resize(mark);
}

// A block that is run by itself.
StatementPtr Resolver::program(const syntax::Statement& written) {
  locals_ = 0;
  may_assign_ = true;
  StatementPtr made = statement(written);
  may_assign_ = false;
  most_locals_ = std::max(most_locals_, locals_);
  return made;
}

StatementPtr Resolver::statement(const syntax::Statement& written) {
  const Deeper deeper(*this, written.span);
  count(1, 0, written.span);
  if (written.kind == StatementKind::kDeclare) return declare(written);
  auto made = std::make_shared<Statement>();
  made->kind = written.kind;
  made->span = written.span;
  if (written.term != nullptr) made->expression = term(*written.term);
  const std::size_t mark = scope_.size();
  for (const syntax::StatementPtr& child : written.children) {
    made->children.push_back(statement(*child));
    if (written.kind != StatementKind::kBlock) forget_since(mark);
  }
  forget_since(mark);
  return made;
}

StatementPtr Resolver::declare(const syntax::Statement& written) {
  auto made = std::make_shared<Statement>();
  made->kind = StatementKind::kDeclare;
  made->span = written.span;
  std::vector<std::int64_t> dimensions;
  std::int64_t elements = 1;
  for (const syntax::TermPtr& dimension : written.dimensions) {
    dimensions.push_back(bounded(*dimension, "the size of the array", 1,
                                 kMostElements / elements));
    elements *= std::max<std::int64_t>(dimensions.back(), 1);
  }
  if (written.term != nullptr) {
    made->expression = term(*written.term);
    const bool is_record = made->expression->kind == ExprKind::kRecord;
    const auto given =
        static_cast<std::int64_t>(made->expression->children.size());
    if (!dimensions.empty() && (!is_record || given != elements)) {
      report(written.term->span,
             is_record ? fmt::format("'{}' has {} elements, but {} are given",
                                     written.name.text, elements, given)
                       : fmt::format("'{}' is an array", written.name.text),
             fmt::format("write '[0({})]' for zeros", elements));
    }
  } else if (!dimensions.empty()) {
    auto record = make(ExprKind::kRecord, written.span);
    count(static_cast<std::size_t>(elements), 0, written.span);
    record->children.assign(static_cast<std::size_t>(elements),
                            number(0, written.span));
    made->expression = std::move(record);
  }
  made->slot = bind(written.name, Role::kLocal);
  scope_.back().dimensions = std::move(dimensions);
  return made;
}

std::optional<std::uint32_t> Resolver::find_process(const syntax::Name& name,
                                                    bool may_be_event) {
  const auto found = processes_.find(name.text);
  if (found != processes_.end()) {
    return static_cast<std::uint32_t>(found->second);
  }
  const auto value = values_.find(name.text);
  if (value != values_.end()) {
    const Kind kind = value->second.kind;
    const char* what = kind == Kind::kVariable  ? "a variable"
                       : kind == Kind::kChannel ? "a channel"
                       : kind == Kind::kMacro   ? "a '#define'"
                                                : "a constant";
    report(name.span, fmt::format("'{}' is {}, not a process", name.text, what),
           kind == Kind::kChannel
               ? fmt::format("write '{0}!x -> P' or '{0}?x -> P'", name.text)
               : "");
    return std::nullopt;
  }
  std::vector<std::string> near;
  if (may_be_event) near = {"Skip", "Stop"};
  for (const auto& [other, index] : processes_) near.push_back(other);
  std::sort(near.begin(), near.end());
  std::string hint = fmt::format("define it with '{}() = ...;'", name.text);
  if (may_be_event) {
    hint += fmt::format(", or write '{} -> Skip' if it is an event", name.text);
  }
  report(name.span, fmt::format("there is no process '{}'", name.text),
         text::suggestion(name.text, near, std::move(hint)));
  return std::nullopt;
}

ProcessPtr Resolver::process(const syntax::Process& written) {
  const Deeper deeper(*this, written.span);
  count(1, 0, written.span);
  auto made = std::make_shared<Process>();
  made->kind = written.kind;
  made->span = written.span;
  made->unbounded = written.unbounded;
  const std::size_t mark = scope_.size();
  switch (written.kind) {
    case ProcessKind::kSend:
    case ProcessKind::kReceive:
      communication(written, *made);
      break;
    case ProcessKind::kReference:
      reference(written, *made);
      break;
    default:
      parts(written, *made);
      break;
  }
  for (const syntax::ProcessPtr& child : written.children) {
    made->children.push_back(process(*child));
  }
  const bool lacks_else =
      made->children.size() == 1 && (written.kind == ProcessKind::kIf ||
                                     written.kind == ProcessKind::kIfAtomic);
  if (lacks_else) {
    auto skip = std::make_shared<Process>();
    skip->kind = ProcessKind::kSkip;
    skip->span = written.span;
    made->children.push_back(std::move(skip));
  }
  forget_since(mark);
  return made;
}

void Resolver::parts(const syntax::Process& written, Process& made) {
  for (const syntax::Event& event : written.events) {
    made.events.push_back(this->event(event));
    const auto found = values_.find(event.name.text);
    if (written.kind == ProcessKind::kHide || found == values_.end() ||
        found->second.kind != Kind::kChannel) {
      continue;
    }
    warn(
        event.name.span,
        fmt::format("'{}' is a channel, but this is an event of that name: "
                    "nothing is sent or received",
                    event.name.text),
        fmt::format("write '{0}!x -> ...' or '{0}?x -> ...'", event.name.text));
  }
  if (written.condition != nullptr) made.condition = root(*written.condition);
  for (const syntax::TermPtr& condition : written.conditions) {
    made.conditions.push_back(root(*condition));
  }
  if (written.block != nullptr) made.block = program(*written.block);
  indices(written.indices, made.indices, false);
  if (written.copies != nullptr) copies(written, made);
}

void Resolver::copies(const syntax::Process& written, Process& made) {
  made.copies = root(*written.copies);
  const auto number = constant_of(*made.copies);
  if (!number || (*number >= 1 && *number <= kMostValues)) return;
  report(written.copies->span,
         fmt::format("there cannot be {} copies of a process", *number),
         fmt::format("1 to {} are allowed", kMostValues));
}

EventName Resolver::event(const syntax::Event& written) {
  EventName made;
  made.name = written.name.text;
  made.span = written.span;
  const std::size_t mark = scope_.size();
  indices(written.indices, made.indices, true);
  for (const syntax::TermPtr& field : written.fields) {
    if (field->kind == TermKind::kName && find(field->name.text) == nullptr &&
        !values_.contains(field->name.text)) {
      report_unknown_field(written.name.text, field->name);
    } else {
      made.fields.push_back(root(*field));
    }
  }
  forget_since(mark);
  return made;
}

// Behind the dots of an event stand values, never more names.
void Resolver::report_unknown_field(const std::string& event,
                                    const syntax::Name& field) {
  const bool was_bound =
      std::find(left_.begin(), left_.end(), field.text) != left_.end();
  if (was_bound) return report_unknown(field);
  report(field.span, fmt::format("'{}' is not defined", field.text),
         text::suggestion(field.text, names(),
                          fmt::format("behind the dots of an event stand "
                                      "values; for a name, write '{}_{}'",
                                      event, field.text)));
}

void Resolver::indices(const std::vector<syntax::Index>& written,
                       std::vector<Index>& made, bool may_be_empty) {
  std::int64_t product = 1;
  for (const syntax::Index& index : written) {
    Index next;
    next.name = index.name.text;
    std::int64_t count = 0;
    if (index.high != nullptr) {
      next.low = root(*index.low);
      next.high = root(*index.high);
      const auto low = constant_of(*next.low), high = constant_of(*next.high);
      count = low && high ? *high - *low + 1 : 1;
    } else {
      for (const syntax::TermPtr& value : index.values) {
        next.values.push_back(root(*value));
      }
      count = static_cast<std::int64_t>(next.values.size());
    }
    if (count <= 0 && !may_be_empty) {
      report(index.name.span,
             fmt::format("'{}' has no values", index.name.text),
             "the first must not be larger than the last");
    }
    if (count > 0 && count <= kMostValues) product *= count;
    if (count > kMostValues || product > kMostValues) {
      report(
          index.name.span,
          fmt::format("there are {} values in all", std::max(count, product)),
          fmt::format("at most {} are allowed", kMostValues));
      product = 1;
    }
    next.slot = bind(index.name, Role::kIndex);
    made.push_back(std::move(next));
  }
}

void Resolver::communication(const syntax::Process& written, Process& made) {
  if (const auto channel = find_channel(written.name)) {
    made.channel = *channel;
    locals_ = 0;
    made.channel_index =
        channel_index(*channel, written.channel_index.get(), written.name.span);
    most_locals_ = std::max(most_locals_, locals_);
  }
  if (written.kind == ProcessKind::kReceive) {
    receive(written, made);
  } else {
    for (const syntax::TermPtr& field : written.fields) {
      made.fields.push_back(root(*field));
    }
  }
  if (written.block != nullptr) made.block = program(*written.block);
}

// Names of fields are known in the guard, but not in other fields: what must
// match is known before anything is received.
void Resolver::receive(const syntax::Process& written, Process& made) {
  std::vector<const syntax::Name*> fresh;
  for (const syntax::TermPtr& field : written.fields) {
    pattern(*field, made);
    if (!made.patterns.back().slot) continue;
    for (const syntax::Name* other : fresh) {
      if (other->text != field->name.text) continue;
      report(field->span,
             fmt::format("'{}' stands twice in one input", other->text),
             fmt::format("to receive two equal values, write "
                         "'[{0} == y]{0}.y'",
                         other->text));
    }
    fresh.push_back(&field->name);
  }
  // As a name takes the next slot, so the slots are those of the patterns.
  slots_ -= static_cast<std::uint32_t>(fresh.size());
  for (const syntax::Name* name : fresh) bind(*name, Role::kInput);
  if (written.condition != nullptr) made.condition = root(*written.condition);
}

// Whether a field of an input is a fresh name.
bool Resolver::binds(const Term& field) const {
  if (field.kind != TermKind::kName) return false;
  if (find(field.name.text) != nullptr) return false;
  const auto found = values_.find(field.name.text);
  return found == values_.end() || found->second.kind == Kind::kChannel;
}

void Resolver::pattern(const Term& field, Process& made) {
  Pattern pattern;
  if (binds(field)) {
    pattern.name = field.name.text;
    pattern.slot = slots_++;
  } else {
    pattern.value = root(field);
    if (pattern.value->kind == ExprKind::kGlobal &&
        field.kind == TermKind::kName) {
      warn(field.span,
           fmt::format("'{}' is a variable: only a value equal to it is "
                       "received here, and nothing is assigned",
                       field.name.text),
           fmt::format("to keep what is received, write 'c?v{{{} = v}} -> ...'",
                       field.name.text));
    }
  }
  made.patterns.push_back(std::move(pattern));
}

void Resolver::reference(const syntax::Process& written, Process& made) {
  for (const syntax::TermPtr& argument : written.arguments) {
    made.arguments.push_back(root(*argument));
  }
  const auto found = find_process(written.name, !in_assertion_);
  if (!found) return;
  made.number = *found;
  check_count(written.name, "the process",
              made_.processes[*found].parameters.size(),
              written.arguments.size());
}

}  // namespace plumb::csp
