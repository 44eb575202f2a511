// SPDX-License-Identifier: Apache-2.0
#include "lang/program_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/input_error.h"
#include "lang/heap.h"
#include "lang/liveness.h"
#include "lang/program_text.h"

namespace plumb::lang {
struct ProgramSystem::Work {
  lts::StateView state;
  lts::Successors& out;
  Machine& machine;
  Names names = Names::kCanonical;
  // Cells that can be reached from the variables; found when first asked.
  std::uint32_t known_to_all = kUnknown;
};

ProgramSystem::ProgramSystem(Program program, Client client)
    : program_(std::move(program)),
      client_(std::move(client)),
      id_(Machine::next_id()) {
  for (const OperationCode& operation : program_.operations) {
    names_.push_back(operation.name);
  }
  number_faults();
  initial_ = first_state(program_);
  prepare_starts();
}

void ProgramSystem::number_faults() {
  for (std::uint32_t i = 0; i < program_.code.size(); ++i) {
    for (const FaultKind kind : faults_of(program_.code[i].op)) {
      faults_.push_back({i, kind});
    }
  }
  for (const OperationCode& operation : program_.operations) {
    faults_.push_back({operation.entry, FaultKind::kEndless});
  }
  if (faults_.size() > UINT16_MAX) {
    throw InputError("the object is too large", "split it up");
  }
}

std::uint16_t ProgramSystem::fault_number(std::uint32_t at,
                                          FaultKind kind) const {
  if (kind == FaultKind::kEndless) {
    // Told by operation: the last one that begins before.
    std::uint32_t entry = 0;
    for (const OperationCode& operation : program_.operations) {
      if (operation.entry <= at) entry = operation.entry;
    }
    at = entry;
  }
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (faults_[i].at == at && faults_[i].kind == kind) {
      return static_cast<std::uint16_t>(i);
    }
  }
  return 0;
}

std::string ProgramSystem::fault(std::uint16_t number) const {
  if (number >= faults_.size()) return "";
  return fault_text(program_, faults_[number].at, faults_[number].kind);
}

lts::StateBytes first_state(const Program& program) {
  Machine machine(program);
  lts::StateBytes state(program.heap, 0);
  for (const VariableLayout& variable : program.variables) {
    store_default(*variable.shape, state.data() + variable.offset);
  }
  machine.load_state(state);
  const Stop stop = machine.run(program.init, false);
  if (stop != Stop::kReturn) {
    const Span span = program.spans[machine.at];
    const std::string why = stop == Stop::kFault
                                ? fault_text(program, machine.at, machine.fault)
                                : "a bound is reached";
    throw InputError(program.source->place(span),
                     "the first state cannot be made: " + why);
  }
  if (program.has_heap()) {
    machine.cells = collect(program, machine.state(), machine.cells);
    if (machine.cells > program.most_cells) {
      throw InputError(
          program.source->place(program.spans[machine.at]),
          fmt::format("the first state has {} cells already", machine.cells),
          "allow more with 'cells'");
    }
  }
  const lts::StateView made = machine.stored();
  state.assign(made.begin(), made.end());
  return state;
}

// Can the code from `entry` up to the first step do anything but compute with
// its arguments?
bool ProgramSystem::depends_on_state(std::uint32_t entry) const {
  std::vector<bool> seen(program_.code.size());
  std::vector<std::uint32_t> open = {entry};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const Op op = program_.code[at].op;
    if (op == Op::kStep) continue;
    if (op == Op::kNew || op == Op::kChoose || op == Op::kAny ||
        op == Op::kAnyOf) {
      return true;
    }
    const Targets targets = targets_of(program_, at);
    for (int i = 0; i < targets.count; ++i) open.push_back(targets.places[i]);
  }
  return false;
}

void ProgramSystem::prepare_starts() {
  Machine machine(program_);
  for (std::uint16_t o = 0; o < program_.operations.size(); ++o) {
    const OperationCode& operation = program_.operations[o];
    Start start;
    start.arguments = arguments_of(operation);
    start.prepared.resize(program_.processes);
    const bool depends = depends_on_state(operation.entry);
    for (std::size_t p = 0; p < program_.processes; ++p) {
      start.prepared[p].resize(start.arguments.size());
      for (std::size_t i = 0; i < start.arguments.size() && !depends; ++i) {
        lts::Label label;
        label.process = static_cast<std::uint16_t>(p);
        label.operation = o;
        const std::uint32_t from =
            set_up(machine, initial_, label, 0, &start.arguments[i]);
        machine.forget_choices();
        if (machine.run(from, false) != Stop::kRest) continue;
        store_frame(machine, p, machine.rest);
        const std::uint8_t* frame = machine.state() + frame_at(p);
        start.prepared[p][i] = {true,
                                machine.marked,
                                machine.rest,
                                {frame, frame + program_.frame_size}};
      }
    }
    starts_.push_back(std::move(start));
  }
}

void ProgramSystem::successors(lts::StateView state,
                               lts::Successors& out) const {
  out.clear();
  Work work{state, out, Machine::of_thread(id_, program_)};
  for (std::size_t p = 0; p < program_.processes; ++p) move(work, p);
}

void ProgramSystem::successors_of(lts::StateView state, std::size_t process,
                                  lts::Successors& out, Names names) const {
  Work work{state, out, Machine::of_thread(id_, program_), names};
  move(work, process);
}

void ProgramSystem::move(Work& work, std::size_t process) const {
  const std::uint32_t rest =
      rest_of(program_, work.state.data() + frame_at(process));
  if (rest == 0) {
    invoke(work, process);
  } else if (program_.rests[rest].kind == StepKind::kReturn) {
    give_back(work, process, rest);
  } else {
    step(work, process, rest);
  }
}

std::vector<lts::Bound> ProgramSystem::bounds() const {
  std::vector<lts::Bound> all = program_.layouts->bounds;
  if (client_.room && !client_.never_forgets()) {
    all.push_back({fmt::format("{} takes ahead of the puts", client_.debt),
                   false, "bound the operations: '5 operations', say"});
  }
  return all;
}

std::vector<std::uint32_t> ProgramSystem::cuts() const {
  std::vector<std::uint32_t> cuts;
  const auto add = [&](std::size_t at) {
    if (at != (cuts.empty() ? 0 : cuts.back())) {
      cuts.push_back(static_cast<std::uint32_t>(at));
    }
  };
  add(program_.client);
  for (std::size_t p = 0; p < program_.processes; ++p) add(frame_at(p));
  if (program_.has_heap()) add(program_.heap);
  return cuts;
}

void ProgramSystem::invoke(Work& work, std::size_t process) const {
  const std::uint8_t* client = work.state.data() + program_.client;
  for (const std::uint16_t operation : client_.allowed[process]) {
    if (client_.may_invoke(client, process, operation)) {
      invoke(work, process, operation);
    }
  }
}

void ProgramSystem::invoke(Work& work, std::size_t process,
                           std::uint16_t operation) const {
  lts::Label label;
  label.kind = lts::LabelKind::kInvoke;
  label.process = static_cast<std::uint16_t>(process);
  label.operation = operation;
  const Start& start = starts_[operation];
  for (std::size_t i = 0; i < start.arguments.size(); ++i) {
    label.value = start.arguments[i].value;
    const Prepared& prepared = start.prepared[process][i];
    if (!prepared.ready) {
      run(work, label, 0, &start.arguments[i]);
      continue;
    }
    Machine& machine = work.machine;
    machine.load_state(work.state);
    std::memcpy(machine.state() + frame_at(process), prepared.frame.data(),
                prepared.frame.size());
    client_.invoked(machine.state() + program_.client, process, operation);
    label.marked = prepared.marked;
    label.edge = edge_of(0, prepared.rest, false);
    work.out.add(label, machine.stored());
  }
}

Value ProgramSystem::result_of(const OperationCode& operation, const Rest& rest,
                               const std::uint8_t* frame) const {
  if (operation.result == nullptr) return Value();
  if (operation.result->is_number()) {
    const FrameNumber& number = rest.numbers.front();
    return value_of(*operation.result,
                    load_number(*number.shape, frame + number.offset));
  }
  return value_of(*operation.result, frame + rest.blocks.front().offset);
}

// What a call leaves behind: nothing but its result was live, and that is no
// reference.
void ProgramSystem::give_back(Work& work, std::size_t process,
                              std::uint32_t rest) const {
  const Rest& at = program_.rests[rest];
  const std::uint8_t* frame = work.state.data() + frame_at(process);
  lts::Label label;
  label.kind = lts::LabelKind::kReturn;
  label.process = static_cast<std::uint16_t>(process);
  label.operation = at.operation;
  label.value = result_of(program_.operations[at.operation], at, frame);
  label.edge = edge_of(rest, 0, false);
  Machine& machine = work.machine;
  machine.load_state(work.state);
  std::memset(machine.state() + frame_at(process), 0, program_.frame_size);
  const bool forgets = client_.returned(machine.state() + program_.client,
                                        at.operation, label.value);
  if (forgets) {
    work.out.cut |= std::uint64_t{1} << program_.layouts->bounds.size();
  }
  work.out.add(label, machine.stored());
}

void ProgramSystem::step(Work& work, std::size_t process,
                         std::uint32_t rest) const {
  lts::Label label;
  label.process = static_cast<std::uint16_t>(process);
  label.operation = program_.rests[rest].operation;
  run(work, label, rest, nullptr);
}

std::uint32_t ProgramSystem::set_up(Machine& machine, lts::StateView state,
                                    const lts::Label& label, std::uint32_t rest,
                                    const Arguments* start) const {
  machine.load_state(state);
  machine.set_self(label.process);
  if (start != nullptr) {
    const OperationCode& operation = program_.operations[label.operation];
    for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
      machine.reg(operation.parameters[i].reg) = start->numbers[i];
    }
    return operation.entry;
  }
  const Rest& from = program_.rests[rest];
  const std::uint8_t* frame = state.data() + frame_at(label.process);
  for (const FrameNumber& number : from.numbers) {
    machine.reg(number.reg) = load_number(*number.shape, frame + number.offset);
  }
  for (const FrameBlock& block : from.blocks) {
    std::memcpy(machine.block(block.block), frame + block.offset,
                program_.blocks[block.block].shape->size);
  }
  return from.at;
}

void ProgramSystem::run(Work& work, lts::Label label, std::uint32_t rest,
                        const Arguments* start) const {
  Machine& machine = work.machine;
  const bool chooses = program_.rests[rest].kind == StepKind::kChoose;
  const lts::LabelKind kind = label.kind;
  bool only_blocked = true;
  machine.forget_choices();
  do {
    const std::uint32_t from = set_up(machine, work.state, label, rest, start);
    if (kind == lts::LabelKind::kInvoke) {
      client_.invoked(machine.state() + program_.client, label.process,
                      label.operation);
    }
    const Stop stop = machine.run(from, chooses);
    only_blocked &= stop == Stop::kBlocked;
    label.kind = kind;
    label.fault = 0;
    label.marked = machine.marked;
    switch (stop) {
      case Stop::kRest:
        add(work, label, rest);
        break;
      case Stop::kFault:
        label.kind = lts::LabelKind::kFault;
        label.fault = fault_number(machine.at, machine.fault);
        label.edge = edge_of(rest, rest, machine.succeeded);
        work.out.add(label, work.state);
        // Choices in an endless loop have no end either.
        if (machine.fault == FaultKind::kEndless) return;
        break;
      case Stop::kCut:
        work.out.cut |= std::uint64_t{1} << machine.bound;
        break;
      case Stop::kBlocked:
      case Stop::kReturn:
        break;
    }
  } while (machine.next_choices());
  if (only_blocked && kind != lts::LabelKind::kInvoke) {
    work.out.waiting |= std::uint64_t{1} << label.process;
  }
}

void ProgramSystem::store_frame(Machine& machine, std::size_t process,
                                std::uint16_t rest) const {
  std::uint8_t* frame = machine.state() + frame_at(process);
  std::memset(frame, 0, program_.frame_size);
  frame[0] = static_cast<std::uint8_t>(rest);
  if (program_.wide_pc()) frame[1] = static_cast<std::uint8_t>(rest >> 8);
  const Rest& to = program_.rests[rest];
  for (const FrameNumber& number : to.numbers) {
    store_number(*number.shape, frame + number.offset, machine.reg(number.reg));
  }
  for (const FrameBlock& block : to.blocks) {
    std::memcpy(frame + block.offset, machine.block(block.block),
                program_.blocks[block.block].shape->size);
  }
}

// A step that changed no reference in memory leaves all names as they are if
// the process holds the same cells as before, in the same order, of those
// that only processes know.
bool ProgramSystem::same_private_cells(lts::StateView before,
                                       const std::uint8_t* after,
                                       std::size_t process,
                                       std::uint32_t& known_to_all) const {
  const std::uint8_t* old_frame = before.data() + frame_at(process);
  const std::uint8_t* new_frame = after + frame_at(process);
  const auto& old_slots =
      program_.rests[rest_of(program_, old_frame)].references;
  const auto& new_slots =
      program_.rests[rest_of(program_, new_frame)].references;
  if (old_slots.empty() && new_slots.empty()) return true;
  if (known_to_all == kUnknown) {
    known_to_all = reachable_by_all(program_, before.data());
  }
  const std::uint32_t known = known_to_all;
  std::size_t i = 0;
  std::size_t j = 0;
  for (;;) {
    while (i < old_slots.size() && old_frame[old_slots[i].offset] <= known) {
      ++i;
    }
    while (j < new_slots.size() && new_frame[new_slots[j].offset] <= known) {
      ++j;
    }
    if (i == old_slots.size() || j == new_slots.size()) {
      return i == old_slots.size() && j == new_slots.size();
    }
    if (old_frame[old_slots[i].offset] != new_frame[new_slots[j].offset]) {
      return false;
    }
    ++i;
    ++j;
  }
}

bool ProgramSystem::keeps_names(lts::StateView before, lts::StateView after,
                                std::size_t process,
                                std::uint32_t& known_to_all) const {
  const std::size_t heap = program_.heap;
  return before.size() == after.size() &&
         std::memcmp(before.data() + heap, after.data() + heap,
                     before.size() - heap) == 0 &&
         std::memcmp(before.data(), after.data(), program_.client) == 0 &&
         same_private_cells(before, after.data(), process, known_to_all);
}

// Returns whether there are not too many.
bool ProgramSystem::name_cells(Work& work, std::size_t process) const {
  Machine& machine = work.machine;
  if (work.names == Names::kKept) {
    const std::size_t before =
        (work.state.size() - program_.heap) / program_.cell_size;
    if (machine.cells == before) return true;
    thread_local lts::StateBytes copy;
    const lts::StateView made = machine.stored();
    copy.assign(made.begin(), made.end());
    return collect(program_, copy.data(), machine.cells) <= program_.most_cells;
  }
  if (!machine.references_changed &&
      same_private_cells(work.state, machine.state(), process,
                         work.known_to_all)) {
    return true;
  }
  machine.cells = collect(program_, machine.state(), machine.cells);
  return machine.cells <= program_.most_cells;
}

void ProgramSystem::add(Work& work, lts::Label& label,
                        std::uint32_t rest) const {
  Machine& machine = work.machine;
  store_frame(machine, label.process, machine.rest);
  if (program_.has_heap() && !name_cells(work, label.process)) {
    work.out.cut |= std::uint64_t{1} << program_.cells_bound;
    return;
  }
  label.edge = edge_of(rest, machine.rest, machine.succeeded);
  work.out.add(label, machine.stored());
}

}  // namespace plumb::lang
