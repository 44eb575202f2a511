// SPDX-License-Identifier: Apache-2.0
// Texts of events by other names.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csp/symmetry.h"

namespace plumb::csp {

namespace {

// "c[2]!3.4": a name, an index if there is one, a sign and fields.
struct EventText {
  std::string_view name, index;
  char sign = '\0';
  std::vector<std::string_view> fields;
};

EventText parts_of(std::string_view text) {
  EventText parts;
  std::size_t at = text.find_first_of(".!?[");
  parts.name = text.substr(0, at);
  if (at == text.npos) return parts;
  if (text[at] == '[') {
    const std::size_t end = text.find(']', at);
    if (end == text.npos || end == at + 1) {
      parts.name = text;  // no event
      return parts;
    }
    parts.index = text.substr(at + 1, end - at - 1);
    at = end + 1;
  }
  if (at >= text.size()) return parts;
  parts.sign = text[at];
  while (at < text.size()) {
    const std::size_t end = text.find('.', at + 1);
    parts.fields.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return parts;
}

// None: it is no number.
std::optional<std::int32_t> number_in(std::string_view field) {
  std::int32_t number = 0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string with_name(std::string_view field, SetNumber set,
                      const SymmetryPlan& plan, lts::Permutation names) {
  const auto number = number_in(field);
  if (set == kNoSet || !number) return std::string(field);
  return renamed(Datum::integer(*number), set, plan, names).text();
}

// Which sets the index and the fields of an event are of.
struct EventSets {
  SetNumber index = kNoSet;
  std::vector<SetNumber> fields;
};

EventSets sets_of(const EventText& parts, const SymmetryPlan& plan) {
  EventSets sets;
  const auto& channels = plan.nodes->module->channels;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c].name != parts.name) continue;
    sets.fields = plan.channels[c].fields;
    sets.index = plan.channels[c].index;
  }
  const auto known =
      plan.events.find({std::string(parts.name), parts.fields.size()});
  if (known != plan.events.end()) sets.fields = known->second;
  sets.fields.resize(parts.fields.size(), kNoSet);
  return sets;
}

}  // namespace

std::string NameSymmetry::renamed(std::string_view event,
                                  lts::Permutation names) const {
  const EventText parts = parts_of(event);
  const EventSets sets = sets_of(parts, plan_);
  std::string text(parts.name);
  if (!parts.index.empty()) {
    text += "[" + with_name(parts.index, sets.index, plan_, names) + "]";
  }
  for (std::size_t i = 0; i < parts.fields.size(); ++i) {
    text += i == 0 ? parts.sign : '.';
    text += with_name(parts.fields[i], sets.fields[i], plan_, names);
  }
  return text;
}

lts::Permutation NameSymmetry::by_first_use(
    std::span<const lts::Label> labels) const {
  std::vector<std::size_t> used;
  const auto use = [&](std::string_view field, SetNumber set) {
    const auto number = number_in(field);
    if (set == kNoSet || !number) return;
    const int name = plan_.sets[static_cast<std::size_t>(set)].name_of(*number);
    const auto known = static_cast<std::size_t>(name);
    if (name >= 0 && std::ranges::find(used, known) == used.end()) {
      used.push_back(known);
    }
  };
  for (const lts::Label& label : labels) {
    if (label.kind != lts::LabelKind::kEvent) continue;
    const EventText parts = parts_of(label.value.as_text());
    const EventSets sets = sets_of(parts, plan_);
    use(parts.index, sets.index);
    for (std::size_t i = 0; i < parts.fields.size(); ++i) {
      use(parts.fields[i], sets.fields[i]);
    }
  }
  for (std::size_t name = 0; name < plan_.names; ++name) {
    if (std::ranges::find(used, name) == used.end()) used.push_back(name);
  }
  lts::Permutation made;
  std::vector<std::size_t> next;
  for (const NameSet& set : plan_.sets) next.push_back(set.first);
  for (const std::size_t name : used) {
    const std::size_t number = set_of_name_[name];
    const NameSet& set = plan_.sets[number];
    if (!set.is_ring) {
      made.set(name, next[number]++);
    } else if (next[number]++ == set.first) {
      const std::size_t size = set.values.size();
      made = made.then(set.rotation(size - (name - set.first)));
    }
  }
  return made;
}

bool NameSymmetry::keeps(std::string_view event) const {
  for (const NameSet& set : plan_.sets) {
    for (const lts::Permutation names : set.generators()) {
      if (renamed(event, names) != event) return false;
    }
  }
  return true;
}

}  // namespace plumb::csp
