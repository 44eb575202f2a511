// SPDX-License-Identifier: Apache-2.0
#include "cli/write_lts.h"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>
#include <utility>

#include "base/input_error.h"
#include "base/terminal_text.h"
#include "cli/outputs.h"
#include "explore/write_graph.h"
#include "report/words.h"

namespace plumb::cli {

void require_lts_name(const std::string& path) {
  if (path.ends_with(".aut") || path.ends_with(".dot")) return;
  throw InputError(
      fmt::format("--lts {}: the name tells the format", path),
      "let it end in .aut (Aldebaran: mCRL2, CADP) or .dot (Graphviz)");
}

void write_lts(const std::string& path, const LoadedCheck& check,
               std::uint64_t state_limit, Budget budget) {
  const auto system = check.subject->whole().system;
  const explore::Reached reached(*system, state_limit, budget);
  std::ostringstream file;
  const explore::Written written =
      path.ends_with(".aut") ? explore::write_aut(reached, file, budget)
                             : explore::write_dot(reached, file, budget);
  write_output(path, std::move(file).str());
  const bool is_all = reached.why_not_all.empty();
  const std::string why = is_all ? std::string() : ", " + reached.why_not_all;
  if (!written.finished || !is_all) {
    print_text(stderr, fmt::format("plumb: '{}' is not complete{}\n",
                                   one_line(path), why));
  } else if (written.left_out > 0) {
    print_text(stderr, fmt::format("plumb: '{}' shows the nearest {} only\n",
                                   one_line(path),
                                   report::counted(written.states, "state")));
  }
}

}  // namespace plumb::cli
