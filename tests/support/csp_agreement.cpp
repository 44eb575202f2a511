// SPDX-License-Identifier: Apache-2.0
#include "support/csp_agreement.h"

#include <fmt/format.h>

#include <optional>

#include "base/input_error.h"
#include "csp/model.h"
#include "csp/read.h"
#include "support/csp_graph.h"
#include "support/csp_walker_data.h"

namespace plumb::walked {
namespace {

// Systems may have states that the walker takes for one.
constexpr std::size_t kFiner = 4;

std::string compare_with(const StepGraph& walked,
                         const std::shared_ptr<const csp::Module>& module,
                         const csp::ModelOptions& options,
                         std::size_t most_states) {
  const csp::Model model(module, options);
  const auto graph = system_graph(*model.system(*module->assertions[0].subject),
                                  kFiner * most_states);
  if (!graph) return "the system has far more states";
  std::string found = difference(walked, *graph);
  if (!found.empty()) return found;
  // Whose a part is belongs to the state where processes are counted, and
  // there are several ways to say that.
  const bool counts = module->source->text().find("#D1()") != std::string::npos;
  if (!options.pat_identity || counts) return "";
  const std::size_t ours = walked.proper_states();
  const std::size_t theirs = graph->proper_states();
  if (ours == theirs && walked.transitions() == graph->transitions()) return "";
  return fmt::format("the walker has {} states, {} steps; the system {}, {}",
                     ours, walked.transitions(), theirs, graph->transitions());
}

}  // namespace

Agreement compare_semantics(const std::string& text, std::size_t most_states) {
  Agreement made;
  const csp::ReadResult read = csp::read_module("model", text, {});
  if (read.module == nullptr) {
    made.difference = read.errors[0].what();
    return made;
  }
  std::optional<StepGraph> walked;
  try {
    walked = walked_graph(*read.module, read.module->assertions[0].subject,
                          most_states);
  } catch (const WalkedFault& fault) {
    made.difference = "no initial state: " + fault.what;
    return made;
  }
  if (!walked) return made;
  made.compared = true;
  made.states = walked->edges.size();
  for (const auto& edges : walked->edges) {
    for (const StepGraph::Edge& edge : edges) {
      made.has_fault |= edge.label == "fault";
      made.has_end |= edge.label == "terminate";
    }
  }
  csp::ModelOptions plain, as_pat, forgetful;
  as_pat.pat_identity = true;
  forgetful.reset_dead_variables = true;
  for (const auto& [name, options] :
       {std::pair("plain", plain), std::pair("pat_identity", as_pat),
        std::pair("reset_dead_variables", forgetful)}) {
    const std::string found =
        compare_with(*walked, read.module, options, most_states);
    if (found.empty()) continue;
    made.difference = fmt::format("{}: {}", name, found);
    return made;
  }
  return made;
}

}  // namespace plumb::walked
