// SPDX-License-Identifier: Apache-2.0
#include "report/graph_dot.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/escaped_text.h"

namespace plumb::report {

namespace {

std::string quoted(const std::string& text) {
  return '"' + with_escapes(text) + '"';
}

const char* style_of(const std::string& kind) {
  if (kind == "rf") return "color=darkgreen, label=rf, constraint=false";
  if (kind == "mo") return "color=chocolate, label=mo, constraint=false";
  if (kind == "sw") return "color=blue, label=sw, style=dashed";
  return "color=gray";
}

// Events of each thread below each other, what they did beside their number.
std::string dot_of(const Json& result, std::size_t number) {
  const Json& steps = result["evidence"]["steps"];
  const Json& edges = result["evidence"]["graph"];
  std::set<std::size_t> used;
  std::map<std::string, std::vector<std::size_t>> by_thread;
  for (const Json& edge : edges) {
    used.insert({edge[0].get<std::size_t>(), edge[1].get<std::size_t>()});
  }
  for (const std::size_t at : used) {
    by_thread[steps[at]["thread"].get<std::string>()].push_back(at);
  }
  std::string out =
      fmt::format("  subgraph cluster_{} {{\n    label={}\n", number,
                  quoted(result["name"].get<std::string>()));
  for (const auto& [thread, events] : by_thread) {
    out += fmt::format("    subgraph cluster_{}_{} {{\n      label={}\n",
                       number, thread, quoted(thread));
    for (const std::size_t at : events) {
      out += fmt::format(
          "      e{}_{} [label={}]\n", number, at,
          quoted(fmt::format("{}: {}", at + 1,
                             steps[at]["text"].get<std::string>())));
    }
    out += "    }\n";
  }
  for (const Json& edge : edges) {
    out += fmt::format("    e{}_{} -> e{}_{} [{}]\n", number,
                       edge[0].get<std::size_t>(), number,
                       edge[1].get<std::size_t>(),
                       style_of(edge[2].get<std::string>()));
  }
  return out + "  }\n";
}

}  // namespace

std::string graphs_as_dot(const Json& file) {
  std::string graphs;
  std::size_t number = 0;
  for (const Json& result : file["results"]) {
    const auto evidence = result.find("evidence");
    if (evidence == result.end() || !evidence->is_object() ||
        !evidence->contains("graph") || !(*evidence)["steps"].is_array()) {
      continue;
    }
    graphs += dot_of(result, number++);
  }
  return "digraph executions {\n  node [shape=box, fontname=monospace]\n" +
         graphs + "}\n";
}

}  // namespace plumb::report
