// SPDX-License-Identifier: Apache-2.0
#include "lang/symmetry_flow.h"

#include <algorithm>
#include <utility>

namespace plumb::lang {
namespace {

constexpr std::string_view kComputesWith = "computes with";
constexpr std::string_view kComputes = "computes what is mixed with";
constexpr std::string_view kOrders = "asks for the order of";
constexpr std::string_view kPositions = "counts positions with";

bool is_field_access(Op op) {
  return (op >= Op::kLoadByteField && op <= Op::kStoreReferenceField) ||
         op == Op::kField;
}

bool is_access_by_address(Op op) {
  return op >= Op::kLoadByteAt && op <= Op::kStoreReferenceAt;
}

void add_misuse(std::optional<Misuse>& first, const Misuse& other) {
  if (!first || other.span.begin < first->span.begin) first = other;
}

}  // namespace

std::int64_t FlowFacts::Split::answer(std::int64_t number) const {
  switch (kind) {
    case Kind::kRemainder:
      return number % by;
    case Kind::kQuotient:
      return number / by;
    default:
      return number < by ? 1 : 0;
  }
}

Flow::Flow(const Program& program)
    : program_(program), addresses_(program.registers.size(), kNone) {
  for (std::size_t r = 0; r < program.registers.size(); ++r) {
    const Node node = fresh();
    const Shape* shape = program.registers[r].shape;
    if (shape != nullptr && r < program.first_constant) {
      note(node).shapes.push_back(shape);
      note(node).process = shape->kind == ShapeKind::kProcess;
    }
  }
  for (const VariableLayout& variable : program.variables) {
    variables_.push_back(add_place(*variable.shape));
  }
  for (const LocalBlock& block : program.blocks) {
    blocks_.push_back(add_place(*block.shape));
  }
  for (const StructLayout& structure : program.layouts->structs) {
    fields_.emplace_back();
    for (const FieldLayout& field : structure.fields) {
      fields_.back().push_back(add_place(*field.shape));
    }
  }
  note_clients();
  // The code that makes the first state comes before all operations.
  const auto size = static_cast<std::uint32_t>(program.code.size());
  std::uint32_t first = size;
  for (const OperationCode& operation : program.operations) {
    first = std::min(first, operation.entry);
  }
  for (std::uint32_t at = first; at < size; ++at) pass(at);
  collect_facts();
}

Flow::Node Flow::fresh() {
  const auto node = static_cast<Node>(parents_.size());
  parents_.push_back(node);
  facts_.emplace_back();
  return node;
}

Flow::Node Flow::find(Node node) const {
  while (parents_[node] != node) {
    parents_[node] = parents_[parents_[node]];
    node = parents_[node];
  }
  return node;
}

void Flow::unite(Node x, Node y) {
  x = find(x);
  y = find(y);
  parents_[std::max(x, y)] = std::min(x, y);
}

void Flow::unite_places(PlaceId x, PlaceId y) {
  if (x == kNone || y == kNone || x == y) return;
  const Place a = places_[x];
  const Place b = places_[y];
  if (a.number != kNone) unite(a.number, b.number);
  if (a.index != kNone) unite(a.index, b.index);
  if (a.element != kNone) unite_places(a.element, b.element);
  if (a.key != kNone) unite_places(a.key, b.key);
}

Flow::PlaceId Flow::add_place(const Shape& shape) {
  Place made;
  made.shape = &shape;
  if (shape.is_number()) {
    made.number = fresh();
    note(made.number).shapes.push_back(&shape);
    note(made.number).process = shape.kind == ShapeKind::kProcess;
  } else {
    made.element = add_place(*shape.element);
    if (shape.key != nullptr) made.key = add_place(*shape.key);
    if (shape.kind == ShapeKind::kArray) made.index = fresh();
  }
  places_.push_back(made);
  return static_cast<PlaceId>(places_.size() - 1);
}

FlowFacts& Flow::note(Node node) {
  return facts_[node];
}

Flow::Node Flow::operand(Register reg) {
  if (reg < program_.first_constant) return reg;
  const Node node = fresh();
  if (reg == program_.self) {
    note(node).process = true;
  } else {
    add_constant(node, program_.constants[reg - program_.first_constant]);
  }
  return node;
}

void Flow::misuse(Node node, std::string_view what) {
  add_misuse(note(node).misuse, {span_, what});
}

void Flow::add_constant(Node node, std::int32_t number) {
  for (const FlowFacts::Fixed& known : note(node).constants) {
    if (known.number == number) return;
  }
  note(node).constants.push_back({number, span_});
}

void Flow::add_constants(PlaceId id, const std::uint8_t* bytes) {
  const Place place = places_[id];
  const Shape& shape = *place.shape;
  if (shape.is_number()) {
    if (shape.kind != ShapeKind::kReference) {
      add_constant(place.number, load_number(shape, bytes));
    }
  } else if (shape.kind == ShapeKind::kArray) {
    for (std::uint32_t i = 0; i < shape.count; ++i) {
      add_constants(place.element, bytes + i * shape.element->size);
    }
  }
}

void Flow::note_clients() {
  const auto see = [&](Node node, Span span) { note(node).visible = span; };
  for (const OperationCode& operation : program_.operations) {
    for (const Parameter& parameter : operation.parameters) {
      see(parameter.reg, operation.span);
    }
    if (operation.result == nullptr) continue;
    if (operation.result->is_number()) {
      see(operation.result_register, operation.span);
      continue;
    }
    std::vector<PlaceId> open = {blocks_[operation.result_block]};
    while (!open.empty()) {
      const Place place = places_[open.back()];
      open.pop_back();
      if (place.number != kNone) see(place.number, operation.span);
      if (place.element != kNone) open.push_back(place.element);
      if (place.key != kNone) open.push_back(place.key);
    }
  }
}

void Flow::collect_facts() {
  for (Node node = 0; node < parents_.size(); ++node) {
    const Node root = find(node);
    if (root == node) continue;
    FlowFacts& to = facts_[root];
    FlowFacts& from = facts_[node];
    to.process |= from.process;
    if (from.visible) to.visible = from.visible;
    if (from.misuse) add_misuse(to.misuse, *from.misuse);
    const auto append = [](auto& all, const auto& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    append(to.constants, from.constants);
    append(to.splits, from.splits);
    append(to.indexes, from.indexes);
    append(to.checks, from.checks);
    append(to.shapes, from.shapes);
    from = {};
  }
}

Flow::PlaceId Flow::variable_at(std::int32_t offset) const {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (program_.variables[i].offset == static_cast<std::uint32_t>(offset)) {
      return variables_[i];
    }
  }
  return kNone;
}

Flow::PlaceId Flow::field_at(Register cell, std::int32_t offset) const {
  const Shape* shape = program_.registers[cell].shape;
  if (shape == nullptr || shape->kind != ShapeKind::kReference) return kNone;
  const StructLayout& layout = program_.layouts->structs[shape->structure];
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    if (layout.fields[i].offset == static_cast<std::uint32_t>(offset)) {
      return fields_[shape->structure][i];
    }
  }
  return kNone;
}

Flow::PlaceId Flow::place_of(const Instruction& instruction) const {
  if (is_field_access(instruction.op)) {
    return field_at(instruction.b, instruction.imm);
  }
  if (is_access_by_address(instruction.op)) return addresses_[instruction.b];
  if (instruction.op == Op::kAddress && instruction.b != 0) {
    return blocks_[instruction.b - 1];
  }
  return variable_at(instruction.imm);
}

void Flow::pass(std::uint32_t at) {
  const Instruction& instruction = program_.code[at];
  span_ = program_.spans[at];
  const Op op = instruction.op;
  if (op <= Op::kCheckNumber) {
    pass_numbers(instruction);
  } else if (op <= Op::kStoreReferenceField) {
    pass_memory(instruction);
  } else if (op <= Op::kIndex || op == Op::kCopy || op == Op::kSame) {
    pass_addresses(instruction);
  } else if (op <= Op::kMapSet) {
    pass_container(instruction);
  } else if (op == Op::kDefault) {
    const auto block = static_cast<std::size_t>(instruction.imm);
    add_constants(blocks_[block], program_.blocks[block].initial.data());
  } else if (op == Op::kNew) {
    pass_new(at);
  } else if (op == Op::kChoose) {
    misuse(instruction.a, kComputes);
  } else if (op == Op::kAny) {
    misuse(instruction.a, kComputes);
    misuse(operand(instruction.b), kComputesWith);
    misuse(operand(instruction.c), kComputesWith);
  }
}

void Flow::pass_numbers(const Instruction& instruction) {
  const auto [op, a, b, c, imm] = instruction;
  switch (op) {
    case Op::kMove:
      unite(a, operand(b));
      break;
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kRemainder:
      pass_arithmetic(instruction);
      break;
    case Op::kMin:
    case Op::kMax:
      misuse(a, kComputes);
      misuse(operand(b), kOrders);
      misuse(operand(c), kOrders);
      break;
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kJumpLess:
    case Op::kJumpLessEqual:
      pass_order(instruction);
      break;
    case Op::kEqual:
    case Op::kUnequal:
    case Op::kJumpEqual:
    case Op::kJumpUnequal:
      unite(operand(b), operand(c));
      break;
    case Op::kCheckRange:
      note(operand(a)).checks.push_back({*constant(b), *constant(c), span_});
      break;
    default:
      // Truth values, and CheckNumber: `empty` is none of the numbers.
      break;
  }
}

std::optional<std::int32_t> Flow::constant(Register reg) const {
  if (reg < program_.first_constant || reg == program_.self) return {};
  return program_.constants[reg - program_.first_constant];
}

void Flow::pass_arithmetic(const Instruction& instruction) {
  misuse(instruction.a, kComputes);
  const Node left = operand(instruction.b);
  const Node right = operand(instruction.c);
  const auto by = constant(instruction.c);
  if (instruction.op == Op::kRemainder && by && *by > 0) {
    note(left).splits.push_back(
        {FlowFacts::Split::Kind::kRemainder, *by, span_});
  } else if (instruction.op == Op::kDivide && by && *by > 0) {
    note(left).splits.push_back(
        {FlowFacts::Split::Kind::kQuotient, *by, span_});
  } else {
    misuse(left, kComputesWith);
  }
  misuse(right, kComputesWith);
}

void Flow::pass_order(const Instruction& instruction) {
  const Node left = operand(instruction.b);
  const Node right = operand(instruction.c);
  const bool strict =
      instruction.op == Op::kLess || instruction.op == Op::kJumpLess;
  if (const auto limit = constant(instruction.c)) {
    // x < limit; x <= limit.
    note(left).splits.push_back({FlowFacts::Split::Kind::kBelow,
                                 *limit + (strict ? std::int64_t{0} : 1),
                                 span_});
  } else if (const auto least = constant(instruction.b)) {
    // Not least < x: x <= least.
    note(right).splits.push_back({FlowFacts::Split::Kind::kBelow,
                                  *least + (strict ? std::int64_t{1} : 0),
                                  span_});
  } else {
    misuse(left, kOrders);
    misuse(right, kOrders);
  }
}

Flow::PlaceId Flow::known(PlaceId place) {
  if (place == kNone) lost_ = span_;
  return place;
}

void Flow::pass_memory(const Instruction& instruction) {
  const PlaceId id = known(place_of(instruction));
  if (id == kNone || places_[id].number == kNone) return;
  unite(places_[id].number, operand(instruction.a));
}

void Flow::pass_addresses(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::kIndex: {
      const PlaceId whole = known(addresses_[instruction.b]);
      if (whole == kNone) return;
      const Node index = operand(instruction.c);
      unite(index, places_[whole].index);
      note(index).indexes.push_back({places_[whole].shape->count, span_});
      addresses_[instruction.a] = places_[whole].element;
      break;
    }
    case Op::kCopy:
      unite_places(known(addresses_[instruction.a]),
                   known(addresses_[instruction.b]));
      break;
    case Op::kSame:
      unite_places(known(addresses_[instruction.b]),
                   known(addresses_[instruction.c]));
      break;
    default:
      addresses_[instruction.a] = known(place_of(instruction));
  }
}

void Flow::pass_container(const Instruction& instruction) {
  const PlaceId id = known(addresses_[instruction.b]);
  if (id == kNone) return;
  const Place container = places_[id];
  const Node element = places_[container.element].number;
  const Node key =
      container.key == kNone ? element : places_[container.key].number;
  switch (instruction.op) {
    case Op::kLen:
      misuse(instruction.a, kComputes);
      break;
    case Op::kClear:
      break;
    case Op::kAnyOf:
      unite(instruction.a, element);
      break;
    case Op::kSmallest:
      misuse(element, kOrders);
      unite(instruction.a, element);
      break;
    case Op::kContains:
    case Op::kInsert:
    case Op::kRemove:
      unite(operand(instruction.c), key);
      break;
    case Op::kMapGet:
    case Op::kMapSet:
      unite(operand(instruction.c), key);
      unite(operand(instruction.a), element);
      break;
    default:
      pass_sequence(instruction, container);
  }
}

void Flow::pass_sequence(const Instruction& instruction,
                         const Place& container) {
  const Node element = places_[container.element].number;
  switch (instruction.op) {
    case Op::kPushBack:
    case Op::kPushFront:
      unite(operand(instruction.c), element);
      break;
    case Op::kAt:
    case Op::kSetAt:
    case Op::kRemoveAt:
    case Op::kInsertAt:
      misuse(operand(instruction.c), kPositions);
      [[fallthrough]];
    default:
      unite(operand(instruction.a), element);
  }
}

// The fields that are given with `new` never have the values that cells have
// at first, as far as others can see.
void Flow::pass_new(std::uint32_t at) {
  const Instruction& made = program_.code[at];
  const auto structure = static_cast<std::size_t>(made.imm);
  const StructLayout& layout = program_.layouts->structs[structure];
  std::vector<bool> given(layout.fields.size());
  for (std::size_t i = at + 1; i < program_.code.size(); ++i) {
    const Instruction& store = program_.code[i];
    if (store.op < Op::kStoreByteField || store.op > Op::kStoreReferenceField ||
        store.b != made.a) {
      break;
    }
    for (std::size_t f = 0; f < layout.fields.size(); ++f) {
      if (layout.fields[f].offset == static_cast<std::uint32_t>(store.imm)) {
        given[f] = true;
      }
    }
  }
  for (std::size_t f = 0; f < layout.fields.size(); ++f) {
    if (given[f]) continue;
    add_constants(fields_[structure][f],
                  layout.initial.data() + layout.fields[f].offset);
  }
}

}  // namespace plumb::lang
