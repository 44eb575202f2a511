// SPDX-License-Identifier: Apache-2.0
#include "assertions/names.h"

#include <absl/hash/hash.h>

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

std::size_t LabelHash::operator()(const lts::Label& label) const {
  return absl::HashOf(label.kind, label.marked, label.process, label.operation,
                      label.fault, label.edge, label.value);
}

}  // namespace plumb::assertions
