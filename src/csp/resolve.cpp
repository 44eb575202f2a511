// SPDX-License-Identifier: Apache-2.0
// Names and declarations.
#include "csp/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "csp/constants.h"
#include "csp/library.h"
#include "csp/resolve_depth.h"

namespace plumb::csp {

using syntax::Term;
using syntax::TermKind;

void Resolver::run() {
  try {
    collect();
    imports();
    made_.variables.resize(written_.variables.size());
    for (std::size_t i = 0; i < written_.variables.size(); ++i) {
      variables_known_ = i;
      variable(written_.variables[i], made_.variables[i]);
    }
    variables_known_ = written_.variables.size();
    made_.channels.resize(written_.channels.size());
    for (std::size_t i = 0; i < written_.channels.size(); ++i) {
      channel(written_.channels[i], made_.channels[i]);
    }
    for (std::size_t i = 0; i < written_.macros.size(); ++i) macro(i);
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
      definition(*definitions_[i], made_.processes[i]);
    }
    for (const syntax::Alphabet& one : written_.alphabets) alphabet(one);
    for (const syntax::Assertion& one : written_.assertions) assertion(one);
  } catch (const TooLarge&) {
    // Reported already; the rest is not looked at.
  }
}

void Resolver::warn(Span span, std::string what, std::string hint) {
  made_.warnings.push_back({span, std::move(what), std::move(hint)});
}

void Resolver::report_taken(const syntax::Name& name, Span other) {
  const Place first = made_.source->place(other);
  const bool is_same = first.source == made_.source->place(name.span).source;
  report(name.span,
         fmt::format("'{}' is defined already, on line {}{}", name.text,
                     first.line, is_same ? "" : " of " + first.source),
         "choose another name");
}

void Resolver::add(const syntax::Name& name, const Symbol& symbol) {
  const auto [entry, is_new] = values_.try_emplace(name.text, symbol);
  if (!is_new) report_taken(name, entry->second.span);
}

// Declarations may stand in any order, so all names are known first.
void Resolver::collect() {
  for (const std::vector<syntax::Name>& names : written_.enums) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      add(names[i],
          {Kind::kConstant, 0, static_cast<std::int64_t>(i), names[i].span});
    }
  }
  for (std::size_t i = 0; i < written_.macros.size(); ++i) {
    const syntax::Name& name = written_.macros[i].name;
    add(name, {Kind::kMacro, i, 0, name.span});
  }
  for (std::size_t i = 0; i < written_.variables.size(); ++i) {
    const syntax::Name& name = written_.variables[i].name;
    add(name, {Kind::kVariable, i, 0, name.span});
  }
  for (std::size_t i = 0; i < written_.channels.size(); ++i) {
    const syntax::Name& name = written_.channels[i].name;
    add(name, {Kind::kChannel, i, 0, name.span});
  }
  for (const syntax::Definition& definition : written_.processes) {
    const auto [entry, is_new] =
        processes_.try_emplace(definition.name.text, definitions_.size());
    if (!is_new) {
      report_taken(definition.name, definitions_[entry->second]->name.span);
      continue;
    }
    definitions_.push_back(&definition);
    Definition made;
    made.name = definition.name.text;
    made.span = definition.name.span;
    for (const syntax::Parameter& parameter : definition.parameters) {
      made.parameters.push_back(parameter.name.text);
    }
    made_.processes.push_back(std::move(made));
  }
}

void Resolver::imports() {
  for (const syntax::Import& import : written_.imports) {
    if (!import.is_library || is_known_import(import.path)) continue;
    warn(import.span,
         fmt::format("'{}' is not known: what it declares cannot be used",
                     import.path),
         hint_for_import(import.path));
  }
}

// A number that must be known before anything runs.
std::optional<std::int64_t> Resolver::whole(const Term& written,
                                            std::string_view what) {
  const std::size_t before = reported_;
  const auto number = constant_of(*term(written));
  if (number || is_looking_ || reported_ > before) return number;
  report(written.span, fmt::format("{} must be a constant", what),
         "use numbers and what '#define' and 'enum' give a name");
  return std::nullopt;
}

// `least` if it is wrong, which was reported then.
std::uint32_t Resolver::bounded(const Term& written, std::string_view what,
                                std::int64_t least, std::int64_t most) {
  const auto number = whole(written, what);
  if (!number || (*number >= least && *number <= most)) {
    return static_cast<std::uint32_t>(number.value_or(least));
  }
  report(written.span, fmt::format("{} is {}", what, *number),
         fmt::format("{} to {} are allowed", least, most));
  return static_cast<std::uint32_t>(least);
}

std::optional<Range> Resolver::range(
    const std::optional<syntax::Range>& written) {
  if (!written) return std::nullopt;
  Range made;
  if (written->low != nullptr) {
    made.low = whole(*written->low, "the lower bound");
  }
  if (written->high != nullptr) {
    made.high = whole(*written->high, "the upper bound");
  }
  if (made.low && made.high && *made.low > *made.high) {
    report(written->low->span,
           fmt::format("no number is from {} to {}", *made.low, *made.high));
  }
  return made;
}

void Resolver::variable(const syntax::Variable& written, Variable& made) {
  made.name = written.name.text;
  made.span = written.name.span;
  made.type = written.type.text;
  made.hidden = written.hidden;
  made.any = written.any;
  made.range = range(written.range);
  std::int64_t elements = 1;
  for (const syntax::TermPtr& dimension : written.dimensions) {
    made.dimensions.push_back(bounded(*dimension, "the size of the array", 1,
                                      kMostElements / elements));
    elements *= std::max<std::int64_t>(made.dimensions.back(), 1);
  }
  if (!made.type.empty() && find_class(made.type) == nullptr) {
    report(written.type.span, fmt::format("there is no class '{}'", made.type),
           hint_for_class(made.type));
  }
  if (written.any && (!made.range || !made.range->low || !made.range->high)) {
    report(written.name.span,
           fmt::format("'{}' may begin with any value, but has no range",
                       made.name),
           fmt::format("write 'var {}:{{0..3}} = *;'", made.name));
  }
  if (written.initial != nullptr) initial_value(written, made);
  if (!written.hidden) return;
  warn(written.name.span,
       fmt::format("'{}' is an 'hvar': PAT leaves it out of states, and may "
                   "miss errors that depend on it",
                   made.name),
       "it is an ordinary variable here; write 'var'");
}

void Resolver::initial_value(const syntax::Variable& written, Variable& made) {
  made.initial = root(*written.initial);
  made.is_boolean = made.initial->kind == ExprKind::kBoolean;
  const bool is_record = made.initial->kind == ExprKind::kRecord;
  const std::size_t given = made.initial->children.size();
  if (is_record && made.dimensions.empty()) {
    made.dimensions.push_back(static_cast<std::uint32_t>(given));
    return;
  }
  if (made.dimensions.empty()) return;
  std::size_t elements = 1;
  for (const std::uint32_t dimension : made.dimensions) elements *= dimension;
  if (is_record && given == elements) return;
  report(written.initial->span,
         is_record
             ? fmt::format("'{}' has {} elements, but {} {} given", made.name,
                           elements, given, given == 1 ? "is" : "are")
             : fmt::format("'{}' is an array", made.name),
         fmt::format("write '[0({})]' for zeros", elements));
}

void Resolver::channel(const syntax::Channel& written, Channel& made) {
  made.name = written.name.text;
  made.span = written.name.span;
  made.first = made_.buffers;
  made.is_array = written.elements != nullptr;
  if (made.is_array) {
    made.elements =
        bounded(*written.elements, "the number of channels", 1, kMostValues);
  }
  made.capacity =
      bounded(*written.capacity, "the size of the buffer", 0, kMostElements);
  made_.buffers += made.elements;
}

// Looks through a macro even if nobody uses it.
void Resolver::macro(std::size_t index) {
  const syntax::Macro& written = written_.macros[index];
  scope_.clear();
  left_.clear();
  locals_ = 0;
  for (const syntax::Name& parameter : written.parameters) {
    if (find(parameter.text) != nullptr) {
      report(parameter.span,
             fmt::format("two parameters are called '{}'", parameter.text));
    }
    bind(parameter, Role::kLocal);
    scope_.back().role = Role::kUnknown;
  }
  is_looking_ = written.has_parameters;
  may_assign_ = true;
  unfolding_.push_back(index);
  ExprPtr tree = term(*written.body);
  unfolding_.pop_back();
  may_assign_ = false;
  is_looking_ = false;
  scope_.clear();
  if (written.has_parameters || changes(*tree)) return;
  made_.locals = std::max(made_.locals, locals_);
  made_.propositions.push_back(
      {written.name.text, std::move(tree), written.name.span});
}

void Resolver::definition(const syntax::Definition& written, Definition& made) {
  scope_.clear();
  left_.clear();
  slots_ = most_locals_ = 0;
  for (const syntax::Parameter& parameter : written.parameters) {
    if (find(parameter.name.text) != nullptr) {
      report(parameter.name.span, fmt::format("two parameters are called '{}'",
                                              parameter.name.text));
    }
    bind(parameter.name, Role::kParameter);
    made.ranges.push_back(range(parameter.range));
  }
  made.body = process(*written.body);
  made.slots = slots_;
  made.locals = most_locals_;
  made_.locals = std::max(made_.locals, most_locals_);
}

void Resolver::alphabet(const syntax::Alphabet& written) {
  const auto found = find_process(written.process);
  if (!found) return;
  Definition& made = made_.processes[*found];
  if (made.alphabet) {
    report(written.process.span,
           fmt::format("'{}' has an alphabet already", made.name),
           "list all events in one '#alphabet'");
    return;
  }
  scope_.clear();
  left_.clear();
  slots_ = most_locals_ = 0;
  for (const syntax::Parameter& parameter : definitions_[*found]->parameters) {
    bind(parameter.name, Role::kParameter);
  }
  slots_ = made.slots;
  made.alphabet.emplace();
  for (const syntax::Event& event : written.events) {
    made.alphabet->push_back(this->event(event));
  }
  made.slots = slots_;
  made.locals = std::max(made.locals, most_locals_);
  made_.locals = std::max(made_.locals, most_locals_);
  scope_.clear();
}

void Resolver::assertion(const syntax::Assertion& written) {
  scope_.clear();
  left_.clear();
  slots_ = most_locals_ = 0;
  Assertion made;
  made.kind = written.kind;
  made.model = written.model;
  made.extreme = written.extreme;
  made.span = written.span;
  for (const char c : made_.source->text(written.text)) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space) made.text += c;
    if (is_space && !made.text.ends_with(' ')) made.text += ' ';
  }
  in_assertion_ = true;
  made.subject = process(*written.subject);
  if (written.other != nullptr) made.other = process(*written.other);
  in_assertion_ = false;
  if (written.measure != nullptr) made.measure = root(*written.measure);
  if (written.kind == AssertionKind::kReaches) proposition(written, made);
  if (written.kind == AssertionKind::kSatisfies) {
    made.formula = made_.source->text(written.formula);
    made.formula_span = written.formula;
  }
  made_.locals = std::max(made_.locals, most_locals_);
  made_.assertions.push_back(std::move(made));
}

void Resolver::proposition(const syntax::Assertion& written, Assertion& made) {
  const std::string& name = written.proposition.text;
  std::vector<std::string> near;
  for (std::size_t i = 0; i < made_.propositions.size(); ++i) {
    near.push_back(made_.propositions[i].name);
    if (near.back() != name) continue;
    made.proposition = static_cast<std::uint32_t>(i);
    return;
  }
  const auto found = values_.find(name);
  std::string what = fmt::format("there is no condition '{}'", name);
  std::string hint = text::suggestion(
      name, near,
      fmt::format("give it a meaning with '#define {} x == 3;'", name));
  if (found != values_.end() && found->second.kind == Kind::kMacro) {
    what = fmt::format("'{}' has parameters or changes variables", name);
    hint = "'reaches' needs a '#define' that is a condition";
  } else if (found != values_.end()) {
    what = fmt::format("'{}' is not a condition", name);
    hint = fmt::format("give one a name: '#define reached {} == 3;'", name);
  }
  report(written.proposition.span, std::move(what), std::move(hint));
}

}  // namespace plumb::csp
