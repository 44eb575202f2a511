// SPDX-License-Identifier: Apache-2.0
// States and steps for people.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lang/heap.h"
#include "lang/program_system.h"
#include "lang/program_text.h"

namespace plumb::lang {
namespace {

std::string call_text(const std::string& operation, Value argument) {
  if (argument.is_null()) return operation + "()";
  if (!argument.is_list()) {
    return fmt::format("{}({})", operation, argument.to_string());
  }
  std::string text;
  for (const Value item : argument.items()) {
    text += (text.empty() ? "" : ", ") + item.to_string();
  }
  return fmt::format("{}({})", operation, text);
}

// A step run again: memory before it and, the cells not yet renamed, after.
class Effects {
 public:
  Effects(const Program& program, lts::StateView before, lts::StateBytes after,
          const std::vector<Touched>& touched)
      : program_(program),
        before_(before),
        after_(std::move(after)),
        touched_(touched) {}

  std::vector<lts::Effect> list() {
    const std::uint32_t old_cells = cells_of(before_.size());
    structures_ =
        structures_of(program_, after_.data(), cells_of(after_.size()));
    // A cell that was dropped in this step is still worth a word.
    const auto old_structures =
        structures_of(program_, before_.data(), old_cells);
    for (std::size_t i = 1; i <= old_cells; ++i) {
      if (structures_[i] == 0xFFFF) structures_[i] = old_structures[i];
    }
    leaves_ = leaves_of(program_, structures_);
    add_reads();
    for (std::size_t i = old_cells + 1; i < structures_.size(); ++i) {
      if (structures_[i] == 0xFFFF) continue;
      add(Kind::kNew, cell_name(i), "",
          cell_text(program_, after_.data(), structures_[i], i));
    }
    add_changes();
    return effects_;
  }

 private:
  using Kind = lts::Effect::Kind;

  std::uint32_t cells_of(std::size_t size) const {
    if (program_.cell_size == 0) return 0;
    return static_cast<std::uint32_t>((size - program_.heap) /
                                      program_.cell_size);
  }

  static std::string cell_name(std::size_t i) { return fmt::format("#{}", i); }
  static std::string text_of(const Leaf& leaf, const std::uint8_t* state) {
    return content_text(*leaf.shape, state + leaf.offset);
  }
  void add(Kind kind, std::string place, std::string before,
           std::string after) {
    effects_.push_back(
        {kind, std::move(place), std::move(before), std::move(after)});
  }

  const Leaf* leaf_at(std::int64_t address) const {
    for (const Leaf& leaf : leaves_) {
      if (leaf.offset <= address && address < leaf.offset + leaf.shape->size) {
        return &leaf;
      }
    }
    return nullptr;
  }
  bool changed(const Leaf& leaf) const {
    return leaf.offset + leaf.shape->size <= before_.size() &&
           std::memcmp(before_.data() + leaf.offset,
                       after_.data() + leaf.offset, leaf.shape->size) != 0;
  }

  void add_reads() {
    for (const Touched& touch : touched_) {
      if (touch.wrote) continue;
      const Leaf* leaf = leaf_at(touch.address);
      if (leaf == nullptr || changed(*leaf) || leaf->offset >= before_.size()) {
        continue;
      }
      lts::Effect read{Kind::kRead, leaf->name, text_of(*leaf, before_.data()),
                       ""};
      if (std::find(effects_.begin(), effects_.end(), read) == effects_.end()) {
        effects_.push_back(std::move(read));
      }
    }
  }

  void add_changes() {
    for (const Leaf& leaf : leaves_) {
      if (!changed(leaf)) continue;
      add(Kind::kWrite, leaf.name, text_of(leaf, before_.data()),
          text_of(leaf, after_.data()));
    }
    add_repeated_writes();
    if (!program_.frees()) return;
    for (std::size_t i = 1; i <= cells_of(before_.size()); ++i) {
      const std::size_t at = program_.heap + (i - 1) * program_.cell_size;
      if ((before_[at] != 0) == (after_[at] != 0)) continue;
      add(after_[at] != 0 ? Kind::kFree : Kind::kReuse, cell_name(i), "", "");
    }
  }

  // A write that leaves things as they are is worth a word too: that is what
  // a lost update looks like.
  void add_repeated_writes() {
    for (const Touched& touch : touched_) {
      if (!touch.wrote) continue;
      const Leaf* leaf = leaf_at(touch.address);
      if (leaf == nullptr || changed(*leaf) ||
          leaf->offset + leaf->shape->size > before_.size()) {
        continue;
      }
      const std::string same = text_of(*leaf, after_.data());
      add(Kind::kWrite, leaf->name, same, same);
    }
  }

  const Program& program_;
  lts::StateView before_;
  lts::StateBytes after_;
  const std::vector<Touched>& touched_;
  std::vector<std::uint16_t> structures_;
  std::vector<Leaf> leaves_;
  std::vector<lts::Effect> effects_;
};

}  // namespace

lts::Edge ProgramSystem::edge(std::uint32_t edge) const {
  const auto count = static_cast<std::uint32_t>(program_.rests.size());
  const std::uint32_t pair = edge / 2;
  return describe_edge(program_, pair / count, pair % count, edge % 2 != 0);
}

// The step is run again, with all choices, until it leads to `after`.
void ProgramSystem::add_effects(lts::StateView before, const lts::Label& label,
                                lts::StateView after,
                                lts::StepText& text) const {
  Machine machine(program_);
  const std::uint32_t rest =
      rest_of(program_, before.data() + frame_at(label.process));
  const bool chooses = program_.rests[rest].kind == StepKind::kChoose;
  const Arguments* start = nullptr;
  if (label.kind == lts::LabelKind::kInvoke) {
    for (const Arguments& one : starts_[label.operation].arguments) {
      if (one.value == label.value) start = &one;
    }
    if (start == nullptr) return;
  }
  std::vector<Touched> touched;
  do {
    touched.clear();
    const std::uint32_t from = set_up(machine, before, label, rest, start);
    if (start != nullptr) {
      client_.invoked(machine.state() + program_.client, label.process,
                      label.operation);
    }
    if (machine.run_and_record(from, chooses, touched) != Stop::kRest) continue;
    store_frame(machine, label.process, machine.rest);
    const lts::StateView made = machine.stored();
    lts::StateBytes raw(made.begin(), made.end());
    std::vector<std::uint32_t> names;
    if (program_.has_heap()) {
      machine.cells = collect(program_, machine.state(), machine.cells, &names);
    }
    const lts::StateView final_state = machine.stored();
    if (std::equal(final_state.begin(), final_state.end(), after.begin(),
                   after.end())) {
      text.effects = Effects(program_, before, std::move(raw), touched).list();
      text.names = std::move(names);
      return;
    }
  } while (machine.next_choices());
}

lts::StepText ProgramSystem::explain(lts::StateView before,
                                     const lts::Label& label,
                                     lts::StateView after) const {
  lts::StepText text;
  const OperationCode& operation = program_.operations[label.operation];
  const std::uint32_t at =
      rest_of(program_, before.data() + frame_at(label.process));
  const lts::Edge here =
      describe_edge(program_, at, at == 0 ? operation.return_rest : 0, false);
  text.line = here.line;
  text.statement = here.statement;
  switch (label.kind) {
    case lts::LabelKind::kInvoke:
      text.statement = call_text(operation.name, label.value);
      add_effects(before, label, after, text);
      break;
    case lts::LabelKind::kReturn:
      text.statement = "return";
      if (operation.result != nullptr) {
        text.statement +=
            label.value.is_null() ? " empty" : " " + label.value.to_string();
      }
      break;
    case lts::LabelKind::kFault:
      break;
    default:
      add_effects(before, label, after, text);
      break;
  }
  return text;
}

void ProgramSystem::describe_process(lts::StateView state, std::size_t process,
                                     std::vector<lts::Variable>& out) const {
  const std::uint8_t* frame = state.data() + frame_at(process);
  const std::uint32_t number = rest_of(program_, frame);
  const std::string name = fmt::format("process {}", process);
  if (number == 0) {
    out.push_back({name, "idle"});
    return;
  }
  const Rest& rest = program_.rests[number];
  const lts::Edge here = describe_edge(program_, number, 0, false);
  const std::string& operation = program_.operations[rest.operation].name;
  if (rest.kind == StepKind::kReturn) {
    out.push_back({name, fmt::format("{}: about to return", operation)});
  } else {
    out.push_back({name, fmt::format("{}: line {}, `{}`", operation, here.line,
                                     here.statement)});
  }
  for (const FrameNumber& kept : rest.numbers) {
    const std::string& local = program_.registers[kept.reg].name;
    if (local.empty()) continue;
    out.push_back({fmt::format("{}: {}", name, local),
                   content_text(*kept.shape, frame + kept.offset)});
  }
  for (const FrameBlock& kept : rest.blocks) {
    const LocalBlock& block = program_.blocks[kept.block];
    out.push_back({fmt::format("{}: {}", name, block.name),
                   content_text(*block.shape, frame + kept.offset)});
  }
}

std::vector<lts::Variable> ProgramSystem::describe(lts::StateView state) const {
  std::vector<lts::Variable> all;
  for (const VariableLayout& variable : program_.variables) {
    all.push_back(
        {variable.name,
         content_text(*variable.shape, state.data() + variable.offset)});
  }
  if (program_.has_heap()) {
    const auto cells = static_cast<std::uint32_t>(
        (state.size() - program_.heap) / program_.cell_size);
    const auto structures = structures_of(program_, state.data(), cells);
    for (std::size_t i = 1; i < structures.size(); ++i) {
      if (structures[i] == 0xFFFF) continue;
      all.push_back({fmt::format("#{}", i),
                     cell_text(program_, state.data(), structures[i], i)});
    }
  }
  for (std::size_t p = 0; p < program_.processes; ++p) {
    describe_process(state, p, all);
  }
  return all;
}

}  // namespace plumb::lang
