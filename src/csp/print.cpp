// SPDX-License-Identifier: Apache-2.0
// Expressions and processes as text for people, with values put in.
#include "csp/print.h"

#include <cstddef>
#include <string_view>
#include <vector>

#include "csp/text_of.h"

namespace plumb::csp {

namespace {

class Printer {
 public:
  Printer(const Module& module, std::span<const Datum> bound)
      : module_(module), bound_(bound) {}

  std::string expression(const Expression& e) const {
    return text_of(e, [this](const Expression& name) -> std::string {
      const auto slot = static_cast<std::size_t>(name.number);
      const bool has_value =
          name.kind == ExprKind::kBound && slot < bound_.size();
      return has_value ? bound_[slot].text() : name.name;
    });
  }
  std::string process(const Process& p, int depth) const;
  std::string event(const EventName& event) const {
    if (event.name.empty()) return "tau";
    std::string text = event.name;
    for (const ExprPtr& field : event.fields) text += "." + expression(*field);
    return text;
  }

 private:
  std::string list(const std::vector<ExprPtr>& items, std::size_t from,
                   std::string_view between) const {
    std::string text;
    for (std::size_t i = from; i < items.size(); ++i) {
      if (i > from) text += between;
      text += expression(*items[i]);
    }
    return text;
  }
  std::string joined(const Process& p, std::string_view sign, int depth) const;
  std::string channel(const Process& p) const;
  std::string first_step(const Process& p) const;
  std::string branches(const Process& p, int depth) const;

  const Module& module_;
  std::span<const Datum> bound_;
};

std::string Printer::joined(const Process& p, std::string_view sign,
                            int depth) const {
  if (!p.indices.empty()) {
    return "(" + std::string(sign) + " " + p.indices[0].name + "@" +
           process(*p.children[0], depth) + ")";
  }
  std::string text = "(";
  for (std::size_t i = 0; i < p.children.size(); ++i) {
    if (i > 0) text += " " + std::string(sign) + " ";
    text += process(*p.children[i], depth);
  }
  return text + ")";
}

std::string Printer::channel(const Process& p) const {
  std::string text = module_.channels[p.channel].name;
  if (p.channel_index != nullptr) {
    text += "[" + expression(*p.channel_index) + "]";
  }
  if (p.kind == ProcessKind::kSend) return text + "!" + list(p.fields, 0, ".");
  text += "?";
  if (p.condition != nullptr) text += "[" + expression(*p.condition) + "]";
  for (std::size_t i = 0; i < p.patterns.size(); ++i) {
    const Pattern& pattern = p.patterns[i];
    if (i > 0) text += ".";
    text += pattern.slot ? pattern.name : expression(*pattern.value);
  }
  return text;
}

std::string Printer::first_step(const Process& p) const {
  std::string text;
  if (p.kind == ProcessKind::kSend || p.kind == ProcessKind::kReceive) {
    text = channel(p);
  } else {
    for (const EventName& one : p.events) {
      if (!text.empty()) text += ", ";
      text += event(one);
    }
    if (p.events.size() > 1) text = "(" + text + ")";
  }
  return p.block == nullptr ? text : text + "{...}";
}

std::string Printer::branches(const Process& p, int depth) const {
  if (p.kind == ProcessKind::kCase) {
    std::string text = "case{";
    for (std::size_t i = 0; i < p.children.size(); ++i) {
      text +=
          i < p.conditions.size() ? expression(*p.conditions[i]) : "default";
      text += ": " + process(*p.children[i], depth) + " ";
    }
    return text + "}";
  }
  std::string text = p.kind == ProcessKind::kIf         ? "if"
                     : p.kind == ProcessKind::kIfAtomic ? "ifa"
                                                        : "ifb";
  text += "(" + expression(*p.condition) + "){";
  text += process(*p.children[0], depth) + "}";
  if (p.children.size() > 1 && p.children[1]->kind != ProcessKind::kSkip) {
    text += " else {" + process(*p.children[1], depth) + "}";
  }
  return text;
}

std::string Printer::process(const Process& p, int depth) const {
  if (depth == 0 && !p.children.empty()) return "...";
  const int below = depth - 1;
  switch (p.kind) {
    case ProcessKind::kStop:
      return "Stop";
    case ProcessKind::kSkip:
      return "Skip";
    case ProcessKind::kPrefix:
    case ProcessKind::kEventSet:
    case ProcessKind::kSend:
    case ProcessKind::kReceive:
      return first_step(p) + " -> " + process(*p.children[0], below);
    case ProcessKind::kGuard:
      return "[" + expression(*p.condition) + "]" +
             process(*p.children[0], depth);
    case ProcessKind::kIf:
    case ProcessKind::kIfAtomic:
    case ProcessKind::kIfBlocking:
    case ProcessKind::kCase:
      return branches(p, below);
    case ProcessKind::kAtomic:
      return "atomic{" + process(*p.children[0], below) + "}";
    case ProcessKind::kSequence:
      return joined(p, ";", below);
    case ProcessKind::kGeneral:
      return joined(p, "[]", depth);
    case ProcessKind::kInternal:
      return joined(p, "<>", depth);
    case ProcessKind::kExternal:
      return joined(p, "[*]", depth);
    case ProcessKind::kInterleave:
      return joined(p, "|||", below);
    case ProcessKind::kParallel:
      return joined(p, "||", below);
    case ProcessKind::kInterrupt:
      return joined(p, "interrupt", below);
    case ProcessKind::kHide:
      return process(*p.children[0], below) + " \\ {...}";
    case ProcessKind::kReference:
      return module_.processes[p.number].name + "(" +
             list(p.arguments, 0, ",") + ")";
    case ProcessKind::kAssert:
      return "assert(" + expression(*p.condition) + ")";
  }
  return "";
}

}  // namespace

std::string to_text(const Expression& expression, const Module& module,
                    std::span<const Datum> bound) {
  return Printer(module, bound).expression(expression);
}

std::string to_text(const Process& process, const Module& module,
                    std::span<const Datum> bound) {
  constexpr int kStepsShown = 2;
  return Printer(module, bound).process(process, kStepsShown);
}

}  // namespace plumb::csp
