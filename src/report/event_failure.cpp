// SPDX-License-Identifier: Apache-2.0
#include "report/event_failure.h"

#include <fmt/format.h>

#include <cstddef>
#include <set>

namespace plumb::report {

namespace {

using lts::LabelKind;
using verify::EventFailure;

std::string list(const EventFailure::Events& events,
                 std::span<const std::string> operations) {
  constexpr std::size_t kMost = 12;
  if (events.empty()) return "nothing";
  std::set<std::string> words;
  for (const lts::Label& event : events) {
    words.insert(event_text(event, operations));
  }
  std::string text;
  std::size_t count = 0;
  for (const std::string& word : words) {
    if (count++ == kMost) {
      return text + fmt::format(" and {} more", words.size() - kMost);
    }
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

}  // namespace

std::string event_text(const lts::Label& label,
                       std::span<const std::string> operations) {
  switch (label.kind) {
    case LabelKind::kTerminate:
      return "terminate";
    case LabelKind::kEvent:
      return label.value.is_text() ? std::string(label.value.as_text())
                                   : label.value.to_string();
    case LabelKind::kInvoke:
    case LabelKind::kReturn: {
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

std::string reason_of(const EventFailure& failure,
                      std::span<const std::string> operations) {
  switch (failure.kind) {
    case EventFailure::Kind::kAmbiguous:
      return fmt::format("the last step, '{}', may lead to another state",
                         event_text(failure.events.front(), operations));
    case EventFailure::Kind::kNotAllowed:
      return fmt::format("the specification does not allow '{}' here",
                         event_text(failure.events.front(), operations));
    case EventFailure::Kind::kRefused:
      break;
  }
  if (failure.accepted.empty()) {
    return "the implementation comes to rest where the specification never "
           "does";
  }
  return "the implementation refuses more than the specification: " +
         list(failure.events, operations);
}

std::vector<std::string> details_of(const EventFailure& failure,
                                    std::span<const std::string> operations) {
  switch (failure.kind) {
    case EventFailure::Kind::kAmbiguous:
      return {};
    case EventFailure::Kind::kNotAllowed:
      return {"the specification allows here: " +
              list(failure.offered, operations)};
    case EventFailure::Kind::kRefused:
      break;
  }
  std::vector<std::string> out = {"the implementation accepts only: " +
                                  list(failure.offered, operations)};
  for (const EventFailure::Events& events : failure.accepted) {
    out.push_back("the specification accepts at least: " +
                  list(events, operations));
  }
  return out;
}

}  // namespace plumb::report
