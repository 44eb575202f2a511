// SPDX-License-Identifier: Apache-2.0
#include "support/tree_walker.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/tree_walker_call.h"

namespace plumb::lang {

TreeWalker::TreeWalker(const Module& module, const Check& check)
    : module_(module), object_(*check.object) {
  constants_.processes = check.processes->number;
  define_constants(module.constants, constants_, *module.source);
  define_constants(object_.constants, constants_, *module.source);
  if (check.low) low_ = high_ = evaluated(*check.low);
  if (check.high) high_ = evaluated(*check.high);
  if (check.operations) calls_ = evaluated(*check.operations);
  for (const auto& function : object_.functions) {
    if (function->is_operation) operations_.push_back(function.get());
  }
}

std::int64_t TreeWalker::evaluated(const Expression& expression) const {
  return evaluate(expression, constants_, *module_.source);
}

bool TreeWalker::range(const Type& type, std::int64_t& low,
                       std::int64_t& high) const {
  low = type.low ? evaluated(*type.low) : -32767;
  high = type.high ? evaluated(*type.high) : 32767;
  return type.low != nullptr;
}

std::size_t TreeWalker::capacity(const Type& type) const {
  return type.size ? static_cast<std::size_t>(evaluated(*type.size)) : 8;
}

Datum TreeWalker::default_of(const Type& type) const {
  Datum datum;
  if (type.kind == TypeKind::kInt) {
    std::int64_t low, high;
    range(type, low, high);
    datum.number = std::clamp<std::int64_t>(0, low, high);
  } else if (type.kind == TypeKind::kProcess) {
    datum.number = -1;
  } else if (type.kind == TypeKind::kArray) {
    const std::int64_t count =
        type.size ? evaluated(*type.size) : constants_.processes;
    datum.items.assign(static_cast<std::size_t>(count),
                       default_of(*type.element));
  }
  return datum;
}

WalkedState TreeWalker::initial() const {
  WalkedState state;
  for (const auto& variable : object_.variables) {
    state.variables.push_back(default_of(*variable->type));
  }
  state.processes.resize(static_cast<std::size_t>(constants_.processes));
  WalkChoices choices;
  // The log of its accesses goes into a process that is not there later.
  state.processes.emplace_back();
  WalkedCall(*this, state, static_cast<int>(constants_.processes), 0, choices)
      .run_init();
  state.processes.pop_back();
  return state;
}

std::vector<std::vector<Datum>> TreeWalker::arguments_of(
    const Function& function) const {
  std::vector<std::vector<Datum>> all(1);
  for (const auto& parameter : function.parameters) {
    const Type& type = *parameter->type;
    std::int64_t low = 0, high = 1;
    if (type.kind == TypeKind::kInt && !range(type, low, high)) {
      low = low_;
      high = high_;
    }
    if (type.kind == TypeKind::kProcess) high = constants_.processes - 1;
    if (type.kind == TypeKind::kEnum) {
      high = static_cast<std::int64_t>(type.enumeration->members.size()) - 1;
    }
    std::vector<std::vector<Datum>> longer;
    for (const auto& so_far : all) {
      for (std::int64_t n = low; n <= high; ++n) {
        longer.push_back(so_far);
        longer.back().push_back({n, {}});
      }
    }
    all = std::move(longer);
  }
  return all;
}

namespace {

Value value_of(const Type& type, const Datum& datum) {
  switch (type.kind) {
    case TypeKind::kVoid:
      return Value();
    case TypeKind::kBool:
      return Value::boolean(datum.number != 0);
    case TypeKind::kEnum:
      return Value::text(
          type.enumeration->members[static_cast<std::size_t>(datum.number)]);
    case TypeKind::kProcess:
      return datum.number < 0 ? Value() : Value::integer(datum.number);
    case TypeKind::kArray: {
      std::vector<Value> items;
      for (const Datum& item : datum.items) {
        items.push_back(value_of(*type.element, item));
      }
      return Value::list(items);
    }
    default:
      return datum.number == kEmptyDatum ? Value()
                                         : Value::integer(datum.number);
  }
}

Value argument_of(const Function& function, const std::vector<Datum>& given) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < given.size(); ++i) {
    values.push_back(value_of(*function.parameters[i]->type, given[i]));
  }
  if (values.empty()) return Value();
  return values.size() == 1 ? values[0] : Value::list(values);
}

}  // namespace

WalkedSuccessors TreeWalker::successors(const WalkedState& state) const {
  WalkedSuccessors out;
  for (std::size_t p = 0; p < state.processes.size(); ++p) {
    const WalkedProcess& process = state.processes[p];
    lts::Label label;
    label.process = static_cast<std::uint16_t>(p);
    if (process.status == WalkedProcess::Status::kReturning) {
      const Function& function = *operations_[process.operation];
      label.kind = lts::LabelKind::kReturn;
      label.operation = static_cast<std::uint16_t>(process.operation);
      label.value = value_of(*function.result, process.result);
      WalkedStep step{label, "", state};
      step.next.processes[p] = {};
      step.next.processes[p].calls = process.calls;
      out.steps.push_back(std::move(step));
    } else if (process.status == WalkedProcess::Status::kRunning) {
      label.operation = static_cast<std::uint16_t>(process.operation);
      run(state, p, label, 1, out);
    } else if (calls_ < 0 || process.calls < calls_) {
      label.kind = lts::LabelKind::kInvoke;
      for (std::size_t o = 0; o < operations_.size(); ++o) {
        for (const auto& given : arguments_of(*operations_[o])) {
          WalkedState begun = state;
          begun.processes[p].operation = o;
          begun.processes[p].arguments = given;
          if (calls_ >= 0) ++begun.processes[p].calls;
          label.operation = static_cast<std::uint16_t>(o);
          label.value = argument_of(*operations_[o], given);
          run(begun, p, label, 0, out);
        }
      }
    }
  }
  return out;
}

void TreeWalker::run(const WalkedState& state, std::size_t process,
                     lts::Label label, std::int64_t budget,
                     WalkedSuccessors& out) const {
  using Kind = WalkEnd::Kind;
  WalkChoices choices;
  bool only_blocked = true;
  const lts::LabelKind kind = label.kind;
  do {
    choices.position = 0;
    WalkedStep step{label, "", state};
    WalkedCall call(*this, step.next, static_cast<int>(process), budget,
                    choices);
    const WalkEnd end = call.run(*operations_[label.operation]);
    only_blocked &= end.kind == Kind::kBlocked;
    out.cut |= end.kind == Kind::kCut;
    if (end.kind == Kind::kBlocked || end.kind == Kind::kCut) continue;
    step.label.marked = call.marked();
    if (end.kind == Kind::kFault) {
      step.label.kind = lts::LabelKind::kFault;
      step.fault = end.fault;
      step.next = state;
    } else if (end.kind == Kind::kReturn) {
      step.next.processes[process].status = WalkedProcess::Status::kReturning;
      step.next.processes[process].log.clear();
      step.next.processes[process].arguments.clear();
      step.next.processes[process].result = end.result;
    } else {
      step.next.processes[process].status = WalkedProcess::Status::kRunning;
    }
    out.steps.push_back(std::move(step));
  } while (choices.next());
  if (only_blocked && kind == lts::LabelKind::kInternal) {
    out.waiting |= std::uint64_t{1} << process;
  }
}

namespace {

// Names cells in the order in which they are found.
class Describer {
 public:
  Describer(const TreeWalker& walker, const WalkedState& state)
      : walker_(walker), state_(state) {}

  std::vector<std::string> list() {
    std::vector<std::string> lines;
    const Object& object = walker_.object();
    // Names are given breadth first, so the variables are looked at before
    // the cells.
    for (std::size_t i = 0; i < state_.variables.size(); ++i) {
      lines.push_back(
          fmt::format("{} = {}", object.variables[i]->name,
                      text(*object.variables[i]->type, state_.variables[i])));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const WalkedCell& cell = state_.cells.at(found_[i]);
      lines.push_back(fmt::format("#{} = {}", i + 1, cell_text(cell)));
    }
    return lines;
  }

 private:
  std::string cell_text(const WalkedCell& cell) {
    const std::string& name = cell.structure->name;
    if (cell.freed && walker_.object().memory == Memory::kManual) {
      return fmt::format("freed {}", name);
    }
    std::string line = fmt::format("{}{} {{", cell.freed ? "freed " : "", name);
    for (std::size_t i = 0; i < cell.fields.size(); ++i) {
      const Variable& field = *cell.structure->fields[i];
      line += fmt::format("{} {} = {}", i == 0 ? "" : ",", field.name,
                          text(*field.type, cell.fields[i]));
    }
    return line + " }";
  }

  std::string name_of(std::int64_t cell) {
    const auto known = std::find(found_.begin(), found_.end(), cell);
    const auto place = known - found_.begin();
    if (known == found_.end()) found_.push_back(cell);
    return fmt::format("#{}", place + 1);
  }

  std::string text(const Type& type, const Datum& datum) {
    switch (type.kind) {
      case TypeKind::kBool:
        return datum.number != 0 ? "true" : "false";
      case TypeKind::kEnum:
        return type.enumeration
            ->members[static_cast<std::size_t>(datum.number)];
      case TypeKind::kProcess:
        return datum.number < 0 ? "nobody"
                                : fmt::format("process {}", datum.number);
      case TypeKind::kReference:
        return datum.number == 0 ? "null" : name_of(datum.number);
      case TypeKind::kArray:
      case TypeKind::kSeq:
      case TypeKind::kSet:
      case TypeKind::kMap:
        return items_text(type, datum);
      default:
        return datum.number == kEmptyDatum ? "empty"
                                           : std::to_string(datum.number);
    }
  }

  std::string items_text(const Type& type, const Datum& datum) {
    const bool braces =
        type.kind == TypeKind::kSet || type.kind == TypeKind::kMap;
    std::string line(1, braces ? '{' : '[');
    for (std::size_t i = 0; i < datum.items.size(); ++i) {
      if (i != 0) line += ", ";
      const Datum& item = datum.items[i];
      if (type.kind == TypeKind::kMap) {
        line += text(*type.key, item.items[0]) + ": " +
                text(*type.element, item.items[1]);
      } else {
        line += text(*type.element, item);
      }
    }
    return line + (braces ? '}' : ']');
  }

  const TreeWalker& walker_;
  const WalkedState& state_;
  std::vector<std::int64_t> found_;
};

}  // namespace

std::vector<std::string> TreeWalker::describe(const WalkedState& state) const {
  return Describer(*this, state).list();
}

}  // namespace plumb::lang
