// SPDX-License-Identifier: Apache-2.0
#include "report/walk_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "report/cell_names.h"
#include "report/words.h"

namespace plumb::report {

namespace {

// Follows a trace in a system.  A step is known by who takes it, what the
// others see of it, its statement and the variables after it.  Should several
// states fit that, all of them are followed, and one run is given in the end.
class Walk {
 public:
  Walk(const lts::System& system, const Trace& trace, std::string name)
      : system_(system), trace_(trace), name_(std::move(name)) {}

  // Throws InputError if a step does not fit.
  lts::Path path();

 private:
  struct Reached {
    lts::StateBytes state;
    lts::Label label;
    std::size_t from;  // in the layer before
    CellNames names = {};
  };
  using Layer = std::vector<Reached>;

  Layer next(const Layer& layer, std::size_t number) const;
  [[noreturn]] void fail(const std::string& what,
                         const std::string& hint) const;
  std::string what_differs(const Layer& layer, const TraceStep& step) const;

  const lts::System& system_;
  const Trace& trace_;
  std::string name_;
};

bool same(const std::vector<lts::Variable>& a,
          const std::vector<lts::Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const lts::Variable& x, const lts::Variable& y) {
                      return x.name == y.name && x.value == y.value;
                    });
}

void Walk::fail(const std::string& what, const std::string& hint) const {
  throw InputError(Place{.source = name_, .text = ""}, what, hint);
}

// The same step, but for the variables after it?
bool is_like(const TraceStep& a, const TraceStep& b) {
  return a.process == b.process && a.kind == b.kind &&
         a.operation == b.operation && a.value == b.value &&
         a.statement == b.statement;
}

std::string difference(const std::vector<lts::Variable>& now,
                       const std::vector<lts::Variable>& then) {
  for (std::size_t i = 0; i < std::min(now.size(), then.size()); ++i) {
    if (now[i].name != then[i].name) break;
    if (now[i].value == then[i].value) continue;
    return fmt::format("then '{}' is {}, not {}", now[i].name, now[i].value,
                       then[i].value);
  }
  return "then there are other variables";
}

std::string Walk::what_differs(const Layer& layer,
                               const TraceStep& step) const {
  std::set<std::string> words;
  lts::Successors successors;
  for (const Reached& reached : layer) {
    system_.successors(reached.state, successors);
    for (std::size_t i = 0; i < successors.size(); ++i) {
      const lts::Label& label = successors.label(i);
      CellNames names = reached.names;
      const TraceStep found = describe_step(system_, reached.state, label,
                                            successors.state(i), names);
      if (is_like(found, step)) return difference(found.state, step.state);
      words.insert(fmt::format("process {}: {}", label.process,
                               fitted(found.statement, 60)));
    }
  }
  return "possible here: " + (words.empty()
                                  ? "nothing"
                                  : fmt::format("{}", fmt::join(words, "; ")));
}

Walk::Layer Walk::next(const Layer& layer, std::size_t number) const {
  const TraceStep& step = trace_.steps[number];
  Layer out;
  lts::Successors successors;
  for (std::size_t from = 0; from < layer.size(); ++from) {
    system_.successors(layer[from].state, successors);
    for (std::size_t i = 0; i < successors.size(); ++i) {
      const lts::StateView after = successors.state(i);
      CellNames names = layer[from].names;
      const TraceStep found = describe_step(system_, layer[from].state,
                                            successors.label(i), after, names);
      if (!is_like(found, step) || !same(found.state, step.state)) continue;
      const bool known =
          std::any_of(out.begin(), out.end(), [&](const Reached& other) {
            return std::equal(other.state.begin(), other.state.end(),
                              after.begin(), after.end());
          });
      if (known) continue;
      out.push_back({{after.begin(), after.end()},
                     successors.label(i),
                     from,
                     std::move(names)});
    }
  }
  if (out.empty()) {
    fail(fmt::format("step {} of the trace, '{}' of process {}, does not fit "
                     "the model",
                     number + 1, fitted(step.statement, 60), step.process),
         "the model has changed since; " + what_differs(layer, step));
  }
  return out;
}

lts::Path Walk::path() {
  std::vector<Layer> layers = {{{system_.initial(), {}, 0}}};
  Reached& first = layers[0][0];
  if (!same(describe_state(system_, first.state, first.names),
            trace_.initial)) {
    fail("the first state of the trace does not fit the model",
         "the model has changed since");
  }
  for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
    layers.push_back(next(layers.back(), i));
  }
  lts::Path path;
  std::size_t at = 0;
  for (std::size_t i = layers.size(); i-- > 0;) {
    Reached& reached = layers[i][at];
    if (i > 0) path.labels.push_back(reached.label);
    at = reached.from;
    path.states.push_back(std::move(reached.state));
  }
  std::reverse(path.labels.begin(), path.labels.end());
  std::reverse(path.states.begin(), path.states.end());
  return path;
}

// Throws InputError if the end of a lasso does not lead back.
void require_cycle(const lts::Path& path, const Trace& trace,
                   const std::string& name) {
  if (path.states[*trace.back_to] == path.states.back()) return;
  throw InputError(
      Place{.source = name, .text = ""},
      fmt::format("the last step of the trace does not lead back to the state "
                  "before step {}",
                  *trace.back_to + 1),
      "the model has changed since");
}

}  // namespace

lts::Path walk_trace(const lts::System& system, const Trace& trace,
                     const std::string& name) {
  lts::Path path = Walk(system, trace, name).path();
  if (trace.back_to) require_cycle(path, trace, name);
  return path;
}

}  // namespace plumb::report
