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

  // The next step of its thread, the next write there, what is read.
  void add_edges(StoryInput& input) const {
    std::map<sched::ThreadId, std::size_t> last;
    for (const auto& [number, at] : steps_) {
      if (number >= run_.events().size()) continue;
      const auto [before, is_first] =
          last.try_emplace(run_.events()[number].thread, at);
      if (!is_first) input.edges.push_back({before->second, at, "po"});
      before->second = at;
      const int source = input.steps[at].source;
      if (source < 0) continue;
      const auto from = static_cast<std::size_t>(source);
      input.edges.push_back({from, at, "rf"});
      const EventId write = run_.last_of(input.steps[from].number);
      const bool is_others = write.thread != run_.first_of(number).thread;
      if (is_others && run_.graph().hb(write, run_.first_of(number))) {
        input.edges.push_back({from, at, "sw"});
      }
    }
    add_order_of_writes(input);
  }

 private:
  void add_order_of_writes(StoryInput& input) const {
    const sched::ExecutionGraph& graph = run_.graph();
    for (std::size_t l = 0; l < graph.locations(); ++l) {
      int before = -1;
      for (const EventId write : graph.location(l).writes) {
        if (is_of_memory(write)) {
          const int at = step_of(write);
          if (at >= 0 && before >= 0) {
            input.edges.push_back({static_cast<std::size_t>(before),
                                   static_cast<std::size_t>(at), "mo"});
          }
          before = at;
        }
      }
    }
  }

  bool is_of_memory(EventId write) const {
    const GraphEvent& event = run_.graph()[write];
    if (!event.exclusive) return true;
    const EventId half = {write.thread,
                          static_cast<std::uint16_t>(write.index - 1)};
    return !run_.graph()[half].label.is_sync;
  }

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
  sources.add_edges(input);
}

}  // namespace plumb::harness
