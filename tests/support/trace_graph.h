// SPDX-License-Identifier: Apache-2.0
// What can be seen of a system, straight from the definitions: all its traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lts/system.h"

namespace plumb::testing {

// Invocations, returns, faults and marks as numbers from 1 on; 0 is what
// nobody sees.
class Symbols {
 public:
  enum class Kind : std::uint8_t { kInvoke, kReturn, kFault, kMark };
  struct Symbol {
    Kind kind;
    std::size_t process;
    std::string text;
  };

  std::uint32_t number(Kind kind, std::size_t process, const std::string& text);
  const Symbol& operator[](std::uint32_t number) const {
    return symbols_[number - 1];
  }
  std::size_t size() const { return symbols_.size(); }

 private:
  std::map<std::tuple<Kind, std::size_t, std::string>, std::uint32_t> numbers_;
  std::vector<Symbol> symbols_;
};

struct TraceGraph {
  struct Edge {
    std::uint32_t symbol, to;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  std::vector<std::vector<Edge>> nodes;  // the first is initial
  std::size_t states = 0;                // of the system
  std::size_t transitions = 0;
  std::set<std::string> faults;
  std::uint64_t cut = 0;
};

// Nothing if the system has more than `limit` states.  `marks`: they are seen.
std::optional<TraceGraph> trace_graph(const lts::System& system, bool marks,
                                      std::size_t limit, Symbols& symbols);

// The same with calls that may begin earlier and end later, pending ones too.
std::optional<TraceGraph> loosened(const TraceGraph& graph,
                                   const Symbols& symbols,
                                   std::size_t processes, std::size_t limit);

struct Inclusion {
  bool known = false;                  // else the search was given up
  std::optional<std::string> missing;  // a trace of the first graph only
};
// Are all traces of `all` traces of `in`?
Inclusion find_missing_trace(const TraceGraph& all, const TraceGraph& in,
                             const Symbols& symbols, std::size_t limit);

}  // namespace plumb::testing
