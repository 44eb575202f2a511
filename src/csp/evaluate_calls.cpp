// SPDX-License-Identifier: Apache-2.0
// Assignments, and calls of the library and of channel functions.
#include <string>
#include <utility>

#include "csp/channels.h"
#include "csp/machine.h"

namespace plumb::csp {

namespace {

std::string class_name(const Datum& object) {
  return object.is_object() ? std::string(class_info(object.class_id()).name)
                            : "no object: " + object.text();
}

}  // namespace

Machine::Place Machine::place(const Instruction& in) {
  using Kind = Place::Kind;
  switch (in.opcode) {
    case Opcode::kScalar:
      return {Kind::kVariable, in.b};
    case Opcode::kWhole:
      return {Kind::kVariable, in.a};
    case Opcode::kElement:
      return {Kind::kElement, in.a, number(in.b)};
    case Opcode::kTable:
      return {Kind::kElement, in.a, table_index(in)};
    case Opcode::kLocal:
      return {Kind::kLocal, in.a};
    case Opcode::kItem:
      return {Kind::kItem, at(in.a).a, number(in.b)};
    default:
      break;
  }
  Place result = place(at(in.b));  // kField; of a field there is none
  if (result.field != nullptr) fail(in, FaultKind::kType, "a field of a field");
  enter(in);
  result.field = &field_of(in, target(result));
  return result;
}

// Requires: no whole array of the valuation, but for looking at it.
Datum& Machine::target(const Place& place) {
  switch (place.kind) {
    case Place::Kind::kVariable:
      return valuation_.slot(
          valuation_.layout().variables()[place.number].first);
    case Place::Kind::kElement:
      return valuation_.own_element(place.number, place.index);
    case Place::Kind::kLocal:
      return context_.locals[place.number];
    case Place::Kind::kItem:
      break;
  }
  Datum& local = context_.locals[place.number];
  if (!local.is_array()) {
    throw RuntimeFault{FaultKind::kType, local.text() + " is no array"};
  }
  if (place.index < 0 || place.index >= std::ssize(local.items())) {
    throw RuntimeFault{FaultKind::kIndex,
                       std::to_string(place.index) + " of " +
                           std::to_string(local.items().size()) + " elements"};
  }
  return local.own_items()[static_cast<std::size_t>(place.index)];
}

Datum Machine::read(const Place& place) {
  if (place.field != nullptr) return place.field->read(target(place));
  if (place.kind == Place::Kind::kVariable) {
    return valuation_.get(place.number);
  }
  return target(place);
}

void Machine::write(const Place& place, const Datum& value) {
  if (place.field != nullptr) {
    place.field->write(target(place), value);
    return;
  }
  switch (place.kind) {
    case Place::Kind::kVariable:
      valuation_.set(place.number, value);
      return;
    case Place::Kind::kElement:
      valuation_.set_element(place.number, place.index, value);
      return;
    case Place::Kind::kLocal:
      context_.locals[place.number] = value;
      return;
    case Place::Kind::kItem:
      if (value.is_array()) {
        throw RuntimeFault{FaultKind::kType, "an array cannot hold an array"};
      }
      target(place) = value;
  }
}

// The place first, then the value, as in C#.
Datum Machine::assign(const Instruction& in) {
  enter(in);
  const Place to = place(at(in.a));
  Datum assigned = value(in.b);
  enter(in);
  write(to, assigned);
  return assigned;
}

// x++ is short for x = x + 1, and so gives the new value.
Datum Machine::step(const Instruction& in) {
  enter(in);
  const Place to = place(at(in.a));
  enter(in);
  const std::int64_t old = plain(read(to), in);
  const auto now =
      static_cast<std::int32_t>(static_cast<std::uint64_t>(old + in.number));
  write(to, Datum::integer(now));
  return Datum::integer(now);
}

std::vector<Datum> Machine::arguments(std::span<const std::uint32_t> nodes) {
  std::vector<Datum> result;
  result.reserve(nodes.size());
  for (const std::uint32_t node : nodes) result.push_back(value(node));
  return result;
}

// What a method works on: the variable itself, or a value that is nobody's.
Datum& Machine::receiver(std::uint32_t i, Datum& temporary) {
  const Instruction& in = at(i);
  switch (in.opcode) {
    case Opcode::kItem:
      if (at(in.a).opcode != Opcode::kLocal) break;
      [[fallthrough]];
    case Opcode::kScalar:
    case Opcode::kElement:
    case Opcode::kTable:
    case Opcode::kLocal: {
      enter(in);
      const Place found = place(in);
      enter(in);
      return target(found);
    }
    default:
      break;
  }
  temporary = value(i);
  return temporary;
}

Datum Machine::method(const Instruction& in, bool needs_value) {
  const auto nodes = list(in);
  // Arguments first: they may change what the receiver is.
  const std::vector<Datum> values = arguments(nodes.subspan(1));
  Datum temporary;
  Datum& object = receiver(nodes[0], temporary);
  const MethodInfo& info = method_of(in, object);
  if (needs_value && !info.returns) {
    fail(in, FaultKind::kType, std::string(info.name) + " gives no value");
  }
  if (info.changes && at(nodes[0]).opcode == Opcode::kBound) {
    fail(in, FaultKind::kType, "parameters and inputs cannot be changed");
  }
  enter(in);
  return info.invoke(object, values);
}

const MethodInfo& Machine::method_of(const Instruction& in,
                                     const Datum& object) const {
  const MethodTable& table = code_.methods[in.a];
  const MethodInfo* info =
      object.is_object()
          ? table.of_class[static_cast<std::size_t>(object.class_id())]
          : nullptr;
  if (info == nullptr) {
    fail(in, FaultKind::kType,
         "there is no " + table.name + " of " + std::to_string(in.c - 1) +
             " arguments for " + class_name(object));
  }
  return *info;
}

const FieldInfo& Machine::field_of(const Instruction& in,
                                   const Datum& object) const {
  const FieldTable& table = code_.fields[in.a];
  const FieldInfo* info =
      object.is_object()
          ? table.of_class[static_cast<std::size_t>(object.class_id())]
          : nullptr;
  if (info == nullptr) {
    fail(in, FaultKind::kType,
         "there is no " + table.name + " for " + class_name(object));
  }
  return *info;
}

Datum Machine::field(const Instruction& in) {
  Datum temporary;
  const Datum& object = receiver(in.b, temporary);
  return field_of(in, object).read(object);
}

Datum Machine::static_call(const Instruction& in) {
  const std::vector<Datum> values = arguments(list(in));
  enter(in);
  return code_.functions[in.a]->invoke(values);
}

Datum Machine::construct(const Instruction& in) {
  const std::vector<Datum> values = arguments(list(in));
  enter(in);
  return class_info(static_cast<ClassId>(in.a)).make(values);
}

Datum Machine::channel(const Instruction& in) {
  const Channel& asked = valuation_.layout().channels()[in.b];
  const std::int32_t index = in.c == kAbsent ? 0 : number(in.c);
  enter(in);
  return ask_channel(static_cast<ChannelFunction>(in.a), valuation_,
                     buffer_of(asked, index));
}

Datum Machine::processes(const Instruction& in) const {
  if (context_.processes == nullptr) {
    fail(in, FaultKind::kType, "there are no processes to count here");
  }
  return Datum::integer(context_.processes->count(in.a));
}

}  // namespace plumb::csp
