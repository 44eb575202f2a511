// SPDX-License-Identifier: Apache-2.0
// Which components of || take part in an event, and which events \ hides.
#include "csp/alphabet.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "csp/print.h"

namespace plumb::csp {

namespace {

std::vector<std::optional<Datum>> all_of(std::span<const Datum> values) {
  return {values.begin(), values.end()};
}

StepFault unknown(Span place) {
  return {StepFault::Kind::kAlphabet, place,
          "an event depends on a value that is known only when it happens; an "
          "#alphabet helps"};
}

bool reads_variables(const EventShape& event) {
  const auto is_open = [](const Compiled& code) { return code.open; };
  return std::any_of(event.fields.begin(), event.fields.end(), is_open) ||
         std::any_of(event.indices.begin(), event.indices.end(),
                     [&](const IndexShape& index) {
                       return index.low.open || index.high.open ||
                              std::any_of(index.values.begin(),
                                          index.values.end(), is_open);
                     });
}

template <typename T>
const T& kept(std::vector<const T*>& quick, std::size_t at, const T& value) {
  if (quick.size() <= at) quick.resize(at + 1);
  quick[at] = &value;
  return value;
}

}  // namespace

std::string Alphabets::key_of(const Node& frame,
                              std::span<const Datum> holes) const {
  lts::StateBytes bytes;
  write_number(static_cast<std::uint64_t>(&frame - nodes_.nodes.data()), bytes);
  for (const Datum& hole : holes) write_datum(hole, bytes);
  return {bytes.begin(), bytes.end()};
}

const Alphabets::Partners& Alphabets::partners(const Node& frame,
                                               std::span<const Datum> holes) {
  const auto id = static_cast<std::size_t>(&frame - nodes_.nodes.data());
  if (holes.empty() && id < partners_without_holes_.size() &&
      partners_without_holes_[id] != nullptr) {
    return *partners_without_holes_[id];
  }
  std::unique_ptr<Partners>& known = partners_[key_of(frame, holes)];
  if (known == nullptr) {
    known = std::make_unique<Partners>(compute(frame, holes));
  }
  return holes.empty() ? kept(partners_without_holes_, id, *known) : *known;
}

const Alphabets::Set& Alphabets::hidden(const Node& frame,
                                        std::span<const Datum> holes) {
  const auto id = static_cast<std::size_t>(&frame - nodes_.nodes.data());
  if (holes.empty() && id < hidden_without_holes_.size() &&
      hidden_without_holes_[id] != nullptr) {
    return *hidden_without_holes_[id];
  }
  std::unique_ptr<Set>& known = hidden_[key_of(frame, holes)];
  const bool is_open = std::any_of(
      frame.events.begin(), frame.events.end(),
      [](const EventShape& event) { return reads_variables(event); });
  if (known == nullptr || is_open) {
    std::vector<EventId> events;
    add_list(frame.events, holes, frame.span, events);
    known = std::make_unique<Set>(events.begin(), events.end());
  }
  return holes.empty() && !is_open ? kept(hidden_without_holes_, id, *known)
                                   : *known;
}

Alphabets::Partners Alphabets::compute(const Node& frame,
                                       std::span<const Datum> holes) {
  const Node& node = nodes_[frame.origin];
  Partners partners;
  std::uint32_t number = 0;
  const auto add = [&](const Child& child, std::span<const Datum> over) {
    for (const EventId event : of_component(child, all_of(over), node.span)) {
      partners[event].push_back(number);
    }
    ++number;
  };
  if (node.is_indexed) {
    terms_.for_each(node.indices, holes, node.span,
                    [&](Terms::Holes over) { add(node.children[0], over); });
  } else {
    for (const Child& child : node.children) add(child, holes);
  }
  return partners;
}

std::vector<EventId> Alphabets::of_component(const Child& child,
                                             const Partly& holes, Span place) {
  Work work;
  work.place = place;
  collect(child, holes, {}, work);
  for (std::size_t i = 0; i < work.jobs.size(); ++i) {
    if (i >= kMostInstances) {
      throw StepFault{StepFault::Kind::kAlphabet, place,
                      "it refers to too many processes; an #alphabet helps"};
    }
    const Job job = work.jobs[i];
    finish(job, work);
  }
  std::sort(work.found.begin(), work.found.end());
  work.found.erase(std::unique(work.found.begin(), work.found.end()),
                   work.found.end());
  return std::move(work.found);
}

void Alphabets::collect(const Child& child, const Partly& holes,
                        const Hidden& hidden, Work& work) {
  const Node& node = nodes_[child.node];
  const Partly own = all_known(child.holes, holes);
  if (node.kind == NodeKind::kReference) {
    refer(node, own, hidden, work);
    return;
  }
  if (node.kind == NodeKind::kPrefix && !node.has_block) {
    collect_events(node, own, hidden, work);
  }
  if (node.kind == NodeKind::kHide) {
    const Partly of_list = all_known(node.children[1].holes, own);
    collect(node.children[0], own,
            with_list(nodes_[node.frame], of_list, hidden, work), work);
    return;
  }
  collect_children(node, own, hidden, work);
}

void Alphabets::collect_events(const Node& node, const Partly& holes,
                               const Hidden& hidden, Work& work) {
  for (const EventShape& event : node.events) {
    if (event.is_tau) continue;
    const Partly fields = all_known(event.fields, holes);
    const EventId id = events_.find(event.name, needed(fields, work));
    if (!std::binary_search(hidden.begin(), hidden.end(), id)) {
      work.found.push_back(id);
    }
  }
}

void Alphabets::collect_children(const Node& node, const Partly& holes,
                                 const Hidden& hidden, Work& work) {
  if (!node.is_indexed) {
    Partly with_inputs = holes;
    with_inputs.resize(holes.size() + node.inputs);
    for (const Child& child : node.children) {
      collect(child, with_inputs, hidden, work);
    }
    return;
  }
  std::vector<Datum> values;
  for (const std::optional<Datum>& hole : holes) {
    values.push_back(hole.value_or(Datum()));
  }
  for (const IndexShape& index : node.indices) {
    for (const Compiled& value : index.values) need(value, holes, work);
    need(index.low, holes, work);
    need(index.high, holes, work);
  }
  terms_.for_each(node.indices, values, node.span, [&](Terms::Holes over) {
    Partly with_indices = holes;
    with_indices.insert(
        with_indices.end(),
        over.begin() + static_cast<std::ptrdiff_t>(holes.size()), over.end());
    collect(node.children[0], with_indices, hidden, work);
  });
}

void Alphabets::refer(const Node& node, const Partly& holes,
                      const Hidden& hidden, Work& work) {
  Partly arguments = all_known(node.arguments, holes);
  lts::StateBytes bytes;
  for (const std::optional<Datum>& argument : arguments) {
    write_number(argument ? 1 : 0, bytes);
    if (argument) write_datum(*argument, bytes);
  }
  std::string text(bytes.begin(), bytes.end());
  if (!work.seen.emplace(node.process, std::move(text), hidden).second) return;
  work.jobs.push_back({node.process, std::move(arguments), hidden});
}

void Alphabets::finish(const Job& job, Work& work) {
  const DefinitionShape& definition = nodes_.definitions[job.definition];
  if (!definition.alphabet) {
    collect(definition.body, job.arguments, job.hidden, work);
    return;
  }
  const Partly holes = all_known(definition.alphabet->holes, job.arguments);
  std::vector<EventId> events;
  add_list(definition.alphabet->events, needed(holes, work), definition.span,
           events);
  for (const EventId event : events) {
    if (!std::binary_search(job.hidden.begin(), job.hidden.end(), event)) {
      work.found.push_back(event);
    }
  }
}

Alphabets::Hidden Alphabets::with_list(const Node& frame, const Partly& holes,
                                       Hidden hidden, const Work& work) {
  if (std::any_of(frame.events.begin(), frame.events.end(), reads_variables)) {
    throw unknown(work.place);
  }
  add_list(frame.events, needed(holes, work), frame.span, hidden);
  std::sort(hidden.begin(), hidden.end());
  hidden.erase(std::unique(hidden.begin(), hidden.end()), hidden.end());
  return hidden;
}

void Alphabets::add_list(const std::vector<EventShape>& events,
                         std::span<const Datum> holes, Span place,
                         std::vector<EventId>& out) {
  for (const EventShape& event : events) {
    if (event.is_tau) continue;
    terms_.for_each(event.indices, holes, place, [&](Terms::Holes over) {
      std::vector<Datum> fields;
      for (const Compiled& field : event.fields) {
        fields.push_back(terms_.value(field, over));
      }
      out.push_back(events_.find(event.name, fields));
    });
  }
}

std::optional<Datum> Alphabets::known(const Compiled& code,
                                      const Partly& holes) {
  if (code.open) return std::nullopt;
  std::vector<Datum> values(holes.size());
  for (const std::uint32_t hole : code.uses) {
    if (!holes[hole]) return std::nullopt;
    values[hole] = *holes[hole];
  }
  return terms_.value(code, values);
}

Alphabets::Partly Alphabets::all_known(const std::vector<Compiled>& codes,
                                       const Partly& holes) {
  Partly values;
  for (const Compiled& code : codes) values.push_back(known(code, holes));
  return values;
}

std::vector<Datum> Alphabets::needed(const Partly& values,
                                     const Work& work) const {
  std::vector<Datum> all;
  for (const std::optional<Datum>& value : values) {
    if (!value) throw unknown(work.place);
    all.push_back(*value);
  }
  return all;
}

void Alphabets::need(const Compiled& code, const Partly& holes,
                     const Work& work) const {
  const bool is_known =
      std::all_of(code.uses.begin(), code.uses.end(), [&](std::uint32_t hole) {
        return hole >= holes.size() || holes[hole].has_value();
      });
  if (code.open || !is_known) throw unknown(work.place);
}

}  // namespace plumb::csp
