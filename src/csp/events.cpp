// SPDX-License-Identifier: Apache-2.0
// The events that one thread has met, by number.
#include "csp/events.h"

#include <absl/strings/string_view.h>

#include "csp/print.h"

namespace plumb::csp {

Events::Events(const Nodes& nodes, Edges& edges)
    : nodes_(nodes),
      edges_(edges),
      without_fields_(nodes.names.size(), kNone) {}

EventId Events::find(std::uint32_t name, std::span<const Datum> fields) {
  if (fields.empty()) {
    EventId& known = without_fields_[name];
    if (known == kNone) known = by_text(render(nodes_.names[name], fields));
    return known;
  }
  scratch_.clear();
  write_number(name, scratch_);
  for (const Datum& field : fields) write_datum(field, scratch_);
  const absl::string_view bytes(reinterpret_cast<const char*>(scratch_.data()),
                                scratch_.size());
  const auto found = known_.find(bytes);
  if (found != known_.end()) return found->second;
  const EventId id = by_text(render(nodes_.names[name], fields));
  known_.emplace(std::string(bytes), id);
  return id;
}

EventId Events::by_text(std::string text) {
  const auto next = static_cast<EventId>(all_.size());
  const auto [found, is_new] = texts_.try_emplace(text, next);
  if (is_new) {
    const Value value = Value::text(text);
    all_.push_back({std::move(text), value, kNone, {}});
  }
  return found->second;
}

EventId Events::hidden(EventId event) {
  if (all_[event].hidden == kNone) {
    const EventId id = by_text("[" + all_[event].text + "]");
    all_[event].hidden = id;
  }
  return all_[event].hidden;
}

std::uint32_t Events::edge(EventId event, std::uint64_t actors, NodeId node) {
  auto& edges = all_[event].edges;
  for (const auto& [who, number] : edges) {
    if (who == actors) return number;
  }
  edges.emplace_back(actors, edges_.number(all_[event].text, actors, node));
  return edges.back().second;
}

std::string Events::render(const NameShape& name,
                           std::span<const Datum> fields) const {
  using Kind = NameShape::Kind;
  std::string text = name.text;
  if (name.kind == Kind::kTau) return text;
  if (name.kind == Kind::kEvent) {
    if (name.indexed) {
      text += "[" + fields[0].text() + "]";
      fields = fields.subspan(1);
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      text += i == 0 && name.sign != '\0' ? name.sign : '.';
      text += fields[i].text();
    }
    if (fields.empty() && name.sign != '\0') text += name.sign;
    return text;
  }
  std::vector<Datum> bound;
  for (std::size_t i = 0; i < name.uses.size(); ++i) {
    if (bound.size() <= name.uses[i]) bound.resize(name.uses[i] + 1);
    bound[name.uses[i]] = fields[i];
  }
  const std::string condition = to_text(*name.condition, *nodes_.module, bound);
  switch (name.kind) {
    case Kind::kIf:
      return "[if(" + condition + ")]";
    case Kind::kIfNot:
      return "[if!(" + condition + ")]";
    case Kind::kIfBlocking:
      return "[ifb(" + condition + ")]";
    default:
      return "[case(" + condition + ")]";
  }
}

}  // namespace plumb::csp
