// SPDX-License-Identifier: Apache-2.0
#include "lang/program_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/heap.h"
#include "lang/liveness.h"

namespace plumb::lang {

std::span<const FaultKind> faults_of(Op op) {
  static constexpr FaultKind kRange[] = {FaultKind::kRange};
  static constexpr FaultKind kDivision[] = {FaultKind::kDivision,
                                            FaultKind::kRange};
  static constexpr FaultKind kNumber[] = {FaultKind::kNotANumber};
  static constexpr FaultKind kCell[] = {FaultKind::kNull, FaultKind::kFreed};
  static constexpr FaultKind kIndex[] = {FaultKind::kIndex};
  static constexpr FaultKind kContainer[] = {
      FaultKind::kEmptyContainer, FaultKind::kIndex, FaultKind::kMissingKey};
  static constexpr FaultKind kDelete[] = {FaultKind::kNull,
                                          FaultKind::kDeletedTwice};
  static constexpr FaultKind kAssertion[] = {FaultKind::kAssertion};
  static constexpr FaultKind kNoResult[] = {FaultKind::kNoResult};
  if (op >= Op::kLoadByteField && op <= Op::kStoreReferenceField) return kCell;
  if (op >= Op::kLen && op <= Op::kMapSet) return kContainer;
  switch (op) {
    case Op::kCheckRange:
    case Op::kAny:
      return kRange;
    case Op::kDivide:
    case Op::kRemainder:
      return kDivision;
    case Op::kCheckNumber:
      return kNumber;
    case Op::kField:
      return kCell;
    case Op::kIndex:
      return kIndex;
    case Op::kDelete:
      return kDelete;
    case Op::kAssert:
      return kAssertion;
    case Op::kFail:
      return kNoResult;
    default:
      return {};
  }
}

namespace {

std::string_view reason(FaultKind kind) {
  switch (kind) {
    case FaultKind::kAssertion:
      return "assertion failed:";
    case FaultKind::kNull:
      return "null reference in";
    case FaultKind::kIndex:
      return "index out of range in";
    case FaultKind::kRange:
      return "value out of range in";
    case FaultKind::kNotANumber:
      return "'empty' is no number in";
    case FaultKind::kDivision:
      return "division by zero in";
    case FaultKind::kEmptyContainer:
      return "nothing to take in";
    case FaultKind::kMissingKey:
      return "missing key in";
    case FaultKind::kEndless:
      return "runs for ever without a step:";
    case FaultKind::kFreed:
      return "freed cell used in";
    case FaultKind::kDeletedTwice:
      return "cell deleted twice in";
    case FaultKind::kNoResult:
      return "no result is returned by";
  }
  return "";
}

// A source text on one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

}  // namespace

std::string fault_text(const Program& program, std::uint32_t at,
                       FaultKind kind) {
  Span span = program.spans[at];
  if (kind == FaultKind::kEndless) {
    for (const OperationCode& operation : program.operations) {
      if (operation.entry <= at) span = operation.span;
    }
  }
  return fmt::format("line {}: {} `{}`", program.source->line(span),
                     reason(kind), one_line(program.source->text(span)));
}

std::string number_text(const Shape& shape, std::int32_t number) {
  switch (shape.kind) {
    case ShapeKind::kBool:
      return number != 0 ? "true" : "false";
    case ShapeKind::kEnum:
      return shape.members[static_cast<std::size_t>(number)];
    case ShapeKind::kProcess:
      return number < 0 ? "nobody" : fmt::format("process {}", number);
    case ShapeKind::kReference:
      return number == 0 ? "null" : fmt::format("#{}", number);
    default:
      return number == kEmptyNumber ? "empty" : std::to_string(number);
  }
}

std::string content_text(const Shape& shape, const std::uint8_t* at) {
  if (shape.is_number()) return number_text(shape, load_number(shape, at));
  const bool container = shape.is_container();
  const bool braces = container && shape.kind != ShapeKind::kSeq;
  const std::uint32_t count = container ? *at : shape.count;
  std::string text(1, braces ? '{' : '[');
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t* slot = at + (container ? 1 : 0) + i * shape.stride();
    if (i != 0) text += ", ";
    if (shape.key != nullptr) {
      text += content_text(*shape.key, slot) + ": ";
      slot += shape.key->size;
    }
    text += content_text(*shape.element, slot);
  }
  return text + (braces ? '}' : ']');
}

void add_leaves(const Shape& shape, const std::string& name,
                std::uint32_t offset, std::vector<Leaf>& leaves) {
  if (shape.kind != ShapeKind::kArray) {
    leaves.push_back({name, offset, &shape});
    return;
  }
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    add_leaves(*shape.element, fmt::format("{}[{}]", name, i),
               offset + i * shape.element->size, leaves);
  }
}

std::vector<std::uint16_t> structures_of(const Program& program,
                                         const std::uint8_t* state,
                                         std::uint32_t cells) {
  constexpr std::uint16_t kUnknown = 0xFFFF;
  std::vector<std::uint16_t> structures(cells + 1, kUnknown);
  std::vector<std::uint32_t> open;
  const auto visit = [&](const std::vector<ReferenceSlot>& slots,
                         const std::uint8_t* base) {
    for (const ReferenceSlot& slot : slots) {
      const std::uint8_t name = base[slot.offset];
      if (name == 0 || structures[name] != kUnknown) continue;
      structures[name] = slot.structure;
      open.push_back(name);
    }
  };
  visit(program.references, state);
  for (std::size_t p = 0; p < program.processes; ++p) {
    const std::uint8_t* frame = state + program.frames + p * program.frame_size;
    visit(program.rests[rest_of(program, frame)].references, frame);
  }
  while (!open.empty()) {
    const std::uint32_t name = open.back();
    open.pop_back();
    visit(program.layouts->structs[structures[name]].references,
          state + program.heap + std::size_t{name - 1} * program.cell_size);
  }
  return structures;
}

std::vector<Leaf> leaves_of(const Program& program,
                            const std::vector<std::uint16_t>& structures) {
  std::vector<Leaf> leaves;
  for (const VariableLayout& variable : program.variables) {
    add_leaves(*variable.shape, variable.name, variable.offset, leaves);
  }
  for (std::size_t cell = 1; cell < structures.size(); ++cell) {
    if (structures[cell] == 0xFFFF) continue;
    const auto base = static_cast<std::uint32_t>(
        program.heap + (cell - 1) * program.cell_size);
    for (const FieldLayout& field :
         program.layouts->structs[structures[cell]].fields) {
      add_leaves(*field.shape, fmt::format("#{}.{}", cell, field.name),
                 base + field.offset, leaves);
    }
  }
  return leaves;
}

std::string cell_text(const Program& program, const std::uint8_t* state,
                      std::uint16_t structure, std::size_t cell) {
  const StructLayout& layout = program.layouts->structs[structure];
  const std::uint8_t* base =
      state + program.heap + (cell - 1) * program.cell_size;
  const bool freed = program.frees() && *base != 0;
  if (freed && program.memory == Memory::kManual) {
    return fmt::format("freed {}", layout.name);
  }
  std::string text = fmt::format("{}{} {{", freed ? "freed " : "", layout.name);
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    const FieldLayout& field = layout.fields[i];
    text += fmt::format("{} {} = {}", i == 0 ? "" : ",", field.name,
                        content_text(*field.shape, base + field.offset));
  }
  return text + " }";
}

namespace {

// Looks at all ways through the code from one place of rest to another.
class Ways {
 public:
  Ways(const Program& program, std::uint32_t to, bool succeeded)
      : program_(program),
        to_(to),
        succeeded_(succeeded),
        on_way_(program.code.size()) {}

  struct Way {
    std::vector<std::string> facts;
    bool succeeded = false;
    bool writes = false;
    bool chooses = false;
  };

  void follow(std::uint32_t at, Way way) {
    if (on_way_[at] || left_ == 0) return;
    --left_;
    const Instruction& instruction = program_.code[at];
    if (instruction.op == Op::kStep) {
      const auto kind = static_cast<StepKind>(instruction.a);
      if (!way.chooses || kind == StepKind::kReturn) {
        arrive(static_cast<std::uint32_t>(instruction.imm), way);
        return;
      }
      way.chooses = kind == StepKind::kChoose;
    }
    if (instruction.op == Op::kSucceeded) way.succeeded = true;
    way.writes |= writes(at);
    on_way_[at] = true;
    const Condition& condition = program_.conditions[at];
    const Targets targets = targets_of(program_, at);
    for (int i = 0; i < targets.count; ++i) {
      Way next = way;
      // Jumps give first what follows, then where they lead.
      if (condition.kind != Condition::Kind::kNone) {
        add_fact(condition, i == 1, next.facts);
      }
      follow(targets.places[i], std::move(next));
    }
    on_way_[at] = false;
  }

  bool writes() const { return writes_ || left_ == 0; }
  std::string outcome() const {
    std::string text;
    if (left_ == 0) return text;  // there may be ways where it is not so
    for (std::size_t i = 0; i < facts_.size() && i < kMostFacts; ++i) {
      text += (i == 0 ? "when " : " and ") + facts_[i];
    }
    return text;
  }

 private:
  static constexpr std::size_t kMostFacts = 2;

  void add_fact(const Condition& condition, bool taken,
                std::vector<std::string>& facts) const {
    const bool holds = taken == condition.if_taken;
    std::string fact;
    if (condition.kind == Condition::Kind::kCas) {
      // Succeeding is told by the path: a dcas makes two comparisons.
      fact = succeeded_ ? "the cas succeeds" : "the cas fails";
      if (holds != succeeded_ && succeeded_) return;
    } else {
      fact = (holds ? "" : "not ") +
             one_line(program_.source->text(condition.text));
    }
    if (std::find(facts.begin(), facts.end(), fact) == facts.end()) {
      facts.push_back(std::move(fact));
    }
  }

  void arrive(std::uint32_t rest, const Way& way) {
    if (rest != to_ || way.succeeded != succeeded_) return;
    writes_ |= way.writes;
    if (!found_) {
      facts_ = way.facts;
    } else {
      std::erase_if(facts_, [&](const std::string& fact) {
        return std::find(way.facts.begin(), way.facts.end(), fact) ==
               way.facts.end();
      });
    }
    found_ = true;
  }

  // Is the address in `reg` one of the local memory?  It was made just
  // before.
  bool is_local(std::uint32_t at, Register reg) const {
    while (at-- > 0) {
      const Instruction& instruction = program_.code[at];
      if (instruction.a != reg || operand_use(instruction.op).a != 'd') {
        continue;
      }
      if (instruction.op != Op::kIndex) {
        return (instruction.op == Op::kAddress && instruction.b != 0) ||
               program_.is_private[at];
      }
      reg = instruction.b;
    }
    return false;
  }

  // Does the instruction change what others can see?
  bool writes(std::uint32_t at) const {
    const Instruction& instruction = program_.code[at];
    switch (instruction.op) {
      case Op::kStoreByte:
      case Op::kStoreShort:
      case Op::kStoreWord:
      case Op::kStoreReference:
      case Op::kDelete:
        return true;
      case Op::kStoreByteField:
      case Op::kStoreShortField:
      case Op::kStoreWordField:
      case Op::kStoreReferenceField:
        return !program_.is_private[at];
      case Op::kCopy:
        return !is_local(at, instruction.a);
      case Op::kStoreByteAt:
      case Op::kStoreShortAt:
      case Op::kStoreWordAt:
      case Op::kStoreReferenceAt:
      case Op::kPushBack:
      case Op::kPushFront:
      case Op::kPopBack:
      case Op::kPopFront:
      case Op::kSetAt:
      case Op::kRemoveAt:
      case Op::kInsertAt:
      case Op::kInsert:
      case Op::kRemove:
      case Op::kClear:
      case Op::kMapSet:
        return !is_local(at, instruction.b);
      default:
        return false;
    }
  }

  const Program& program_;
  std::uint32_t to_;
  bool succeeded_;
  std::vector<bool> on_way_;
  std::vector<std::string> facts_;  // that hold on all ways so far
  bool found_ = false;
  bool writes_ = false;
  int left_ = 20'000;  // instructions to look at
};

}  // namespace

lts::Edge describe_edge(const Program& program, std::uint32_t from,
                        std::uint32_t to, bool succeeded) {
  lts::Edge edge;
  const std::uint32_t known = from == 0 ? to : from;
  edge.operation = program.rests[known].operation;
  const OperationCode& operation = program.operations[edge.operation];
  if (from == 0) {
    edge.line = program.source->line(operation.span);
    edge.statement = operation.name;
    return edge;
  }
  const Rest& rest = program.rests[from];
  edge.line = program.source->line(rest.text.access);
  edge.statement = one_line(program.source->text(rest.text.statement));
  if (rest.kind == StepKind::kReturn) edge.statement = "return";
  if (to == 0) return edge;
  Ways ways(program, to, succeeded);
  Ways::Way start;
  start.chooses = rest.kind == StepKind::kChoose;
  ways.follow(rest.at, start);
  edge.outcome = ways.outcome();
  edge.writes = ways.writes();
  return edge;
}

}  // namespace plumb::lang
