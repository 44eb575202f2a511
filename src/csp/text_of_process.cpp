// SPDX-License-Identifier: Apache-2.0
// Processes as texts.
#include <fmt/format.h>

#include "csp/text_of.h"

namespace plumb::csp {
namespace {

class ProcessWriter {
 public:
  explicit ProcessWriter(const Module& module) : module_(module) {}

  std::string take() { return std::move(text_); }

  void process(const Process& process) {
    switch (process.kind) {
      case ProcessKind::kStop:
      case ProcessKind::kSkip:
        text_ += spelling(process.kind);
        return;
      case ProcessKind::kPrefix:
      case ProcessKind::kEventSet:
      case ProcessKind::kSend:
      case ProcessKind::kReceive:
        return prefix(process);
      case ProcessKind::kGuard:
        text_ += "[" + text_of(*process.condition) + "]";
        return this->process(*process.children[0]);
      case ProcessKind::kIf:
      case ProcessKind::kIfAtomic:
      case ProcessKind::kIfBlocking:
        return conditional(process);
      case ProcessKind::kCase:
        return cases(process);
      case ProcessKind::kAtomic:
        text_ += "atomic{";
        this->process(*process.children[0]);
        text_ += "}";
        return;
      case ProcessKind::kHide:
        text_ += "(";
        this->process(*process.children[0]);
        text_ += " \\ ";
        events(process, "{", "}");
        text_ += ")";
        return;
      case ProcessKind::kReference:
        text_ += module_.processes[process.number].name;
        return arguments(process.arguments, "(", ",", ")");
      case ProcessKind::kAssert:
        text_ += "assert(" + text_of(*process.condition) + ")";
        return;
      default:
        return operators(process);
    }
  }

 private:
  void arguments(const std::vector<ExprPtr>& all, std::string_view open,
                 std::string_view between, std::string_view close) {
    text_ += open;
    for (const ExprPtr& argument : all) {
      if (&argument != &all[0]) text_ += between;
      text_ += text_of(*argument);
    }
    text_ += close;
  }

  void events(const Process& process, std::string_view open,
              std::string_view close) {
    text_ += open;
    for (const EventName& event : process.events) {
      if (&event != &process.events[0]) text_ += ",";
      text_ += text_of(event);
    }
    text_ += close;
  }

  void prefix(const Process& process) {
    if (process.kind == ProcessKind::kPrefix) {
      events(process, "", "");
    } else if (process.kind == ProcessKind::kEventSet) {
      events(process, "(", ")");
    } else {
      communication(process);
    }
    if (process.block != nullptr) text_ += text_of(*process.block);
    text_ += " -> ";
    this->process(*process.children[0]);
  }

  void communication(const Process& process) {
    text_ += module_.channels[process.channel].name;
    if (process.channel_index != nullptr) {
      text_ += "[" + text_of(*process.channel_index) + "]";
    }
    if (process.kind == ProcessKind::kSend) {
      return arguments(process.fields, "!", ".", "");
    }
    text_ += "?";
    if (process.condition != nullptr) {
      text_ += "[" + text_of(*process.condition) + "]";
    }
    for (const Pattern& pattern : process.patterns) {
      if (&pattern != &process.patterns[0]) text_ += ".";
      text_ += pattern.slot ? pattern.name
                            : fmt::format("={}", text_of(*pattern.value));
    }
  }

  void conditional(const Process& process) {
    text_ += spelling(process.kind);
    text_ += " (" + text_of(*process.condition) + ") {";
    this->process(*process.children[0]);
    text_ += "}";
    if (process.children.size() < 2) return;
    text_ += " else {";
    this->process(*process.children[1]);
    text_ += "}";
  }

  void cases(const Process& process) {
    text_ += "case {";
    for (std::size_t i = 0; i < process.children.size(); ++i) {
      if (i > 0) text_ += " ";
      text_ += i < process.conditions.size() ? text_of(*process.conditions[i])
                                             : "default";
      text_ += ": ";
      this->process(*process.children[i]);
    }
    text_ += "}";
  }

  void operators(const Process& process) {
    text_ += "(";
    if (process.children.size() == 1) {
      text_ += spelling(process.kind);
      EventName bound;
      bound.name = "x";
      bound.indices = process.indices;
      std::string indices = text_of(bound);
      indices.pop_back();
      if (process.unbounded) indices = "{..}@";
      if (process.copies != nullptr) {
        indices = "{" + text_of(*process.copies) + "}@";
      }
      text_ += indices;
    }
    for (const ProcessPtr& child : process.children) {
      if (&child != process.children.data()) {
        text_ += fmt::format(" {} ", spelling(process.kind));
      }
      this->process(*child);
    }
    text_ += ")";
  }

  const Module& module_;
  std::string text_;
};

}  // namespace

std::string_view spelling(ProcessKind kind) {
  switch (kind) {
    case ProcessKind::kStop:
      return "Stop";
    case ProcessKind::kSkip:
      return "Skip";
    case ProcessKind::kIf:
      return "if";
    case ProcessKind::kIfAtomic:
      return "ifa";
    case ProcessKind::kIfBlocking:
      return "ifb";
    case ProcessKind::kSequence:
      return ";";
    case ProcessKind::kGeneral:
      return "[]";
    case ProcessKind::kInternal:
      return "<>";
    case ProcessKind::kExternal:
      return "[*]";
    case ProcessKind::kInterleave:
      return "|||";
    case ProcessKind::kParallel:
      return "||";
    case ProcessKind::kInterrupt:
      return "interrupt";
    default:
      return "";
  }
}

std::string text_of(const Process& process, const Module& module) {
  ProcessWriter writer(module);
  writer.process(process);
  return writer.take();
}

}  // namespace plumb::csp
