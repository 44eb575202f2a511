// SPDX-License-Identifier: Apache-2.0
#include "harness/story_sources.h"

#include <algorithm>
#include <map>

#include "harness/graph_order.h"

namespace plumb::harness {

using sched::EventId;
using sched::GraphEvent;
using sched::GraphKind;

namespace {

class Sources {
 public:
  Sources(const sched::GraphScheduler& run, const StoryInput& input)
      : run_(run), numbers_(numbers_of(run)) {
    for (std::size_t i = 0; i < input.steps.size(); ++i) {
      const std::uint32_t number = input.steps[i].number;
      if (number != UINT32_MAX) steps_.emplace(number, i);
    }
  }

  void add(StoryStep& step) const {
    if (step.number >= run_.events().size()) return;
    const EventId first = run_.first_of(step.number);
    const GraphEvent& event = run_.graph()[first];
    if (event.kind == GraphKind::kRead && !event.label.is_sync) {
      add_newer(event, run_.graph().place_of(event.source), step);
      const bool is_first = event.source == sched::kInitially;
      step.source = is_first ? -1 : step_of(event.source);
    } else if (event.kind == GraphKind::kWrite) {
      add_newer(event, event.place, step);
    }
  }

 private:
  int step_of(EventId id) const {
    const auto step = steps_.find(numbers_[id.thread][id.index]);
    return step == steps_.end() ? StoryStep::kNotKnown
                                : static_cast<int>(step->second);
  }

  // What was written later, as the order of writes has it, and done before.
  void add_newer(const GraphEvent& event, std::size_t place,
                 StoryStep& step) const {
    const auto& writes = run_.graph().location(event.location).writes;
    for (std::size_t i = place; i < writes.size(); ++i) {
      const EventId write = writes[i];
      const int at = step_of(write);
      if (numbers_[write.thread][write.index] >= step.number || at < 0) {
        continue;
      }
      step.newer.push_back(static_cast<std::size_t>(at));
    }
    std::sort(step.newer.begin(), step.newer.end());
  }

  const sched::GraphScheduler& run_;
  const std::vector<std::vector<std::uint32_t>> numbers_;
  std::map<std::uint32_t, std::size_t> steps_;  // by number of the event
};

}  // namespace

void add_sources(const sched::GraphScheduler& run, StoryInput& input) {
  const Sources sources(run, input);
  for (StoryStep& step : input.steps) sources.add(step);
}

}  // namespace plumb::harness
