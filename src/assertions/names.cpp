// SPDX-License-Identifier: Apache-2.0
#include "assertions/names.h"

#include <absl/hash/hash.h>
#include <fmt/format.h>

#include <tuple>

namespace plumb::assertions {

using lts::LabelKind;

lts::Label name_of(const lts::Label& label) {
  lts::Label name;
  name.kind = label.kind;
  if (label.kind == LabelKind::kTerminate) return name;
  name.value = label.value;
  if (label.kind == LabelKind::kEvent) return name;
  name.process = label.process;
  name.operation = label.operation;
  return name;
}

std::string words_of(const lts::Label& label, const lts::System& system) {
  switch (label.kind) {
    case LabelKind::kTerminate:
      return "terminate";
    case LabelKind::kEvent:
      return label.value.is_text() ? std::string(label.value.as_text())
                                   : label.value.to_string();
    case LabelKind::kInvoke:
    case LabelKind::kReturn: {
      const auto operations = system.operations();
      return fmt::format("process {}: {}({}{}{})", label.process,
                         label.kind == LabelKind::kInvoke ? "inv" : "res",
                         label.operation < operations.size()
                             ? operations[label.operation]
                             : "?",
                         label.value.is_null() ? "" : ", ",
                         label.value.is_null() ? "" : label.value.to_string());
    }
    default:
      return "tau";
  }
}

std::size_t LabelHash::operator()(const lts::Label& label) const {
  return absl::HashOf(label.kind, label.marked, label.process, label.operation,
                      label.fault, label.edge, label.value);
}

}  // namespace plumb::assertions
