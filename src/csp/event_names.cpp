// SPDX-License-Identifier: Apache-2.0
#include "csp/event_names.h"

#include <vector>

namespace plumb::csp {

std::set<std::string> event_names(const Module& module) {
  std::set<std::string> names;
  for (const Channel& channel : module.channels) names.insert(channel.name);
  std::vector<const Process*> left;
  for (const Definition& definition : module.processes) {
    if (definition.body) left.push_back(definition.body.get());
  }
  std::set<const Process*> seen;  // trees may be shared
  while (!left.empty()) {
    const Process& process = *left.back();
    left.pop_back();
    if (!seen.insert(&process).second) continue;
    const bool happens = process.kind == ProcessKind::kPrefix ||
                         process.kind == ProcessKind::kEventSet;
    for (const EventName& event : process.events) {
      if (happens && !event.name.empty()) names.insert(event.name);
    }
    for (const ProcessPtr& child : process.children) {
      left.push_back(child.get());
    }
  }
  return names;
}

}  // namespace plumb::csp
