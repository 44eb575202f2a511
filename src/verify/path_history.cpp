// SPDX-License-Identifier: Apache-2.0
#include "verify/path_history.h"

#include <optional>

namespace plumb::verify {

history::History history_of(std::span<const lts::Label> labels,
                            const std::vector<std::uint16_t>& codes,
                            std::size_t processes) {
  history::History history;
  for (std::size_t p = 0; p < processes; ++p) {
    history.processes.push_back(Value::integer(static_cast<std::int64_t>(p)));
  }
  std::vector<std::optional<std::size_t>> pending(processes);
  history::Moment now = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const lts::Label& label = labels[i];
    if (label.process >= processes) continue;
    std::optional<std::size_t>& mine = pending[label.process];
    if (label.kind == lts::LabelKind::kInvoke) {
      mine = history.operations.size();
      history::Operation o;
      o.argument = label.value;
      o.invoked = now++;
      o.process = label.process;
      o.line = static_cast<std::uint32_t>(i + 1);
      if (label.operation < codes.size()) o.code = codes[label.operation];
      history.operations.push_back(o);
    } else if (label.kind == lts::LabelKind::kReturn && mine) {
      history::Operation& o = history.operations[*mine];
      o.result = label.value;
      o.returned = now++;
      o.returned_line = static_cast<std::uint32_t>(i + 1);
      mine.reset();
    }
  }
  return history;
}

}  // namespace plumb::verify
