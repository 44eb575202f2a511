// SPDX-License-Identifier: Apache-2.0
// The events that one thread has met, by number.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "base/value.h"
#include "csp/datum.h"
#include "csp/edges.h"
#include "csp/node.h"

namespace plumb::csp {

using EventId = std::uint32_t;

// Events with the same text have the same number, internal ones too.
class Events {
 public:
  // Requires: both outlive it.
  Events(const Nodes& nodes, Edges& edges);

  EventId find(std::uint32_t name, std::span<const Datum> fields);
  // What is shown for an event that is hidden: "[push.1]".
  EventId hidden(EventId event);

  const std::string& text(EventId event) const { return all_[event].text; }
  Value value(EventId event) const { return all_[event].value; }
  // A number for the event and who takes part, the same on all threads.
  std::uint32_t edge(EventId event, std::uint64_t actors, NodeId node);

 private:
  static constexpr EventId kNone = ~EventId{0};
  struct Entry {
    std::string text;
    Value value;
    EventId hidden = kNone;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> edges;
  };

  EventId by_text(std::string text);
  std::string render(const NameShape& name,
                     std::span<const Datum> fields) const;

  const Nodes& nodes_;
  Edges& edges_;
  std::deque<Entry> all_;
  std::vector<EventId> without_fields_;  // by name
  FlatMap<std::string, EventId> texts_;
  // By name and bytes of the fields.
  FlatMap<std::string, EventId> known_;
  lts::StateBytes scratch_;
};

}  // namespace plumb::csp
