// SPDX-License-Identifier: Apache-2.0
// Operators, elements and statements.
#include "csp/evaluate.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "csp/machine.h"

namespace plumb::csp {

namespace {

// Arithmetic of 32 bits that wraps.
std::int32_t wrapped(std::int64_t number) {
  return static_cast<std::int32_t>(static_cast<std::uint64_t>(number));
}

}  // namespace

void Machine::fail(const Instruction& in, FaultKind kind, std::string detail) {
  throw RuntimeFault{kind, std::move(detail), in.span};
}

RuntimeFault Machine::located(RuntimeFault fault) const {
  if (fault.span.length == 0 && entered_ != nullptr) {
    fault.span = entered_->span;
  }
  return fault;
}

std::int32_t Machine::plain(const Datum& datum, const Instruction& in) {
  if (!datum.is_plain()) {
    fail(in, FaultKind::kType, datum.text() + " where a number is needed");
  }
  return datum.number();
}

std::int32_t Machine::number(std::uint32_t i) {
  const Instruction& in = at(i);
  switch (in.opcode) {
    case Opcode::kInteger:
    case Opcode::kBoolean:
      return in.number;
    case Opcode::kScalar:
      return plain(std::as_const(valuation_).slot(in.a), in);
    case Opcode::kBound:
      return plain(context_.bound[in.a], in);
    case Opcode::kLocal:
      return plain(context_.locals[in.a], in);
    case Opcode::kElement:
    case Opcode::kTable:
      return plain(element(in), in);
    case Opcode::kOr:
      return number(in.a) != 0 || number(in.b) != 0;
    case Opcode::kAnd:
      return number(in.a) != 0 && number(in.b) != 0;
    case Opcode::kXor: {
      const bool left = number(in.a) != 0;
      return left != (number(in.b) != 0);
    }
    case Opcode::kEqual:
      return equal(in);
    case Opcode::kUnequal:
      return !equal(in);
    default:
      return other_number(in, i);
  }
}

std::int32_t Machine::other_number(const Instruction& in, std::uint32_t i) {
  if (in.opcode < Opcode::kLess || in.opcode > Opcode::kNot) {
    return plain(value(i), in);
  }
  const std::int64_t left = number(in.a);
  if (in.opcode == Opcode::kNegate) return wrapped(-left);
  if (in.opcode == Opcode::kNot) return left == 0;
  const std::int64_t right = number(in.b);
  switch (in.opcode) {
    case Opcode::kLess:
      return left < right;
    case Opcode::kLessEqual:
      return left <= right;
    case Opcode::kGreater:
      return left > right;
    case Opcode::kGreaterEqual:
      return left >= right;
    case Opcode::kAdd:
      return wrapped(left + right);
    case Opcode::kSubtract:
      return wrapped(left - right);
    case Opcode::kMultiply:
      return wrapped(left * right);
    case Opcode::kDivide:
      return divide(in, left, right);
    default:
      return modulo(in, left, right);
  }
}

// Truncates.  The one quotient that does not fit throws in C# too.
std::int32_t Machine::divide(const Instruction& in, std::int64_t left,
                             std::int64_t right) {
  if (right == 0) fail(in, FaultKind::kDivision);
  const std::int64_t quotient = left / right;
  if (quotient > std::numeric_limits<std::int32_t>::max()) {
    fail(in, FaultKind::kOverflow);
  }
  return static_cast<std::int32_t>(quotient);
}

// From 0 to |right| - 1.  For negative divisors nothing is known of PAT.
std::int32_t Machine::modulo(const Instruction& in, std::int64_t left,
                             std::int64_t right) {
  if (right == 0) fail(in, FaultKind::kDivision);
  const std::int64_t rest = left % right;
  return static_cast<std::int32_t>(
      rest < 0 ? rest + (right < 0 ? -right : right) : rest);
}

// Is the node's value surely a number, or a variable that holds one now?  If
// not, nothing has been evaluated.
bool Machine::known_number(std::uint32_t i, std::int32_t& result) {
  const Instruction& in = at(i);
  const Datum* leaf = nullptr;
  switch (in.opcode) {
    case Opcode::kInteger:
    case Opcode::kBoolean:
      result = in.number;
      return true;
    case Opcode::kScalar:
      leaf = &valuation_.slot(in.a);
      break;
    case Opcode::kBound:
      leaf = &context_.bound[in.a];
      break;
    case Opcode::kLocal:
      leaf = &context_.locals[in.a];
      break;
    default:
      if (in.opcode < Opcode::kOr || in.opcode > Opcode::kNot) return false;
      result = number(i);
      return true;
  }
  if (!leaf->is_plain()) return false;
  result = leaf->number();
  return true;
}

bool Machine::equal(const Instruction& in) {
  std::int32_t left = 0, right = 0;
  if (!known_number(in.a, left)) {
    const Datum one = value(in.a);
    return same_value(one, value(in.b));
  }
  if (known_number(in.b, right)) return left == right;
  const Datum other = value(in.b);
  return other.is_plain() && other.number() == left;
}

// & | ^ on two booleans give a boolean.
Datum Machine::bitwise(const Instruction& in) {
  const Datum left = value(in.a);
  const Datum right = value(in.b);
  const std::int32_t one = plain(left, at(in.a));
  const std::int32_t other = plain(right, at(in.b));
  const std::int32_t result = in.opcode == Opcode::kBitAnd  ? one & other
                              : in.opcode == Opcode::kBitOr ? one | other
                                                            : one ^ other;
  return left.is_boolean() && right.is_boolean() ? Datum::boolean(result != 0)
                                                 : Datum::integer(result);
}

Datum Machine::value(std::uint32_t i) {
  const Instruction& in = at(i);
  switch (in.opcode) {
    case Opcode::kInteger:
      return Datum::integer(in.number);
    case Opcode::kBoolean:
      return Datum::boolean(in.number != 0);
    case Opcode::kConstant:
      return code_.constants[in.a];
    case Opcode::kScalar:
      return copied(std::as_const(valuation_).slot(in.a));
    case Opcode::kWhole:
      return valuation_.get(in.a);
    case Opcode::kBound:
      return context_.bound[in.a];
    case Opcode::kLocal:
      return copied(context_.locals[in.a]);
    case Opcode::kElement:
    case Opcode::kTable:
      return copied(element(in));
    case Opcode::kItem:
      return item(in);
    case Opcode::kRecord:
      return record(in);
    case Opcode::kOr:
    case Opcode::kAnd:
    case Opcode::kXor:
    case Opcode::kEqual:
    case Opcode::kUnequal:
    case Opcode::kLess:
    case Opcode::kLessEqual:
    case Opcode::kGreater:
    case Opcode::kGreaterEqual:
    case Opcode::kNot:
      return Datum::boolean(number(i) != 0);
    case Opcode::kBitAnd:
    case Opcode::kBitOr:
    case Opcode::kBitXor:
      return bitwise(in);
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kModulo:
    case Opcode::kNegate:
      return Datum::integer(number(i));
    case Opcode::kIndexed:
      return Datum::boolean(indexed(in, 0));
    case Opcode::kAssign:
      return assign(in);
    case Opcode::kStep:
      return step(in);
    case Opcode::kStatic:
      return static_call(in);
    case Opcode::kChannel:
      return channel(in);
    case Opcode::kMethod:
      return method(in, true);
    case Opcode::kField:
      return field(in);
    case Opcode::kNew:
      return construct(in);
    case Opcode::kProcesses:
      return processes(in);
    case Opcode::kBlock:
      return block(in);
    case Opcode::kIf:
      if (number(in.a) != 0) return value(in.b);
      if (in.c != kAbsent) return value(in.c);
      break;
    case Opcode::kFail:
      fail(in, FaultKind::kType, code_.reasons[in.a]);
    case Opcode::kDeclare:
    case Opcode::kWhile:
      break;
  }
  fail(in, FaultKind::kType, "this gives no value");
}

const Datum& Machine::element(const Instruction& in) {
  const std::int64_t index =
      in.opcode == Opcode::kTable ? table_index(in) : number(in.b);
  enter(in);
  return std::as_const(valuation_).element(in.a, index);
}

// Row by row.  A variable that holds an array of another length has no rows.
std::int64_t Machine::table_index(const Instruction& in) {
  const Layout::Entry& entry = valuation_.layout().variables()[in.a];
  std::int64_t result = 0;
  for (std::uint32_t i = 0; i < in.c; ++i) {
    const std::int64_t index = number(code_.lists[in.b + i]);
    const std::int64_t size = entry.dimensions[i];
    if (index < 0 || index >= size) {
      fail(in, FaultKind::kIndex,
           std::to_string(index) + " where dimension " + std::to_string(i + 1) +
               " of '" + entry.name + "' has " + std::to_string(size));
    }
    result = result * size + index;
  }
  return result;
}

Datum Machine::item(const Instruction& in) {
  const Datum array = value(in.a);
  const std::int32_t index = number(in.b);
  if (!array.is_array()) {
    fail(in, FaultKind::kType, array.text() + " is no array");
  }
  if (index < 0 || index >= std::ssize(array.items())) {
    fail(in, FaultKind::kIndex,
         std::to_string(index) + " of " + std::to_string(array.items().size()) +
             " elements");
  }
  return array.items()[static_cast<std::size_t>(index)];
}

Datum Machine::record(const Instruction& in) {
  Datum::Items items = arguments(list(in));
  for (const Datum& one : items) {
    if (one.is_array()) {
      fail(in, FaultKind::kType, "an array cannot hold an array");
    }
  }
  return Datum::array(std::move(items));
}

// `from` is where the next index begins in the list: its slot, how many values
// it has (or kAbsent: two bounds), these.
bool Machine::indexed(const Instruction& in, std::size_t from) {
  const auto all = list(in);
  if (from == all.size()) return number(in.a) != 0;
  const std::uint32_t count = all[from + 1];
  const std::size_t first = from + 2;
  const auto op = static_cast<Opcode>(in.number);
  bool result = op == Opcode::kAnd;
  const auto settled = [&](std::int32_t value, std::size_t next) {
    count_round(in);
    context_.locals[all[from]] = Datum::integer(value);
    const bool one = indexed(in, next);
    result = op == Opcode::kXor ? result != one : one;
    return op != Opcode::kXor && one == (op == Opcode::kOr);
  };
  if (count == kAbsent) {
    const std::int64_t low = number(all[first]), high = number(all[first + 1]);
    for (std::int64_t x = low; x <= high; ++x) {
      if (settled(static_cast<std::int32_t>(x), first + 2)) break;
    }
    return result;
  }
  for (std::size_t k = first; k < first + count; ++k) {
    if (settled(number(all[k]), first + count)) break;
  }
  return result;
}

void Machine::execute(std::uint32_t i) {
  const Instruction& in = at(i);
  switch (in.opcode) {
    case Opcode::kBlock:
      for (const std::uint32_t child : list(in)) execute(child);
      return;
    case Opcode::kDeclare:
      context_.locals[in.a] = value(in.b);
      return;
    case Opcode::kIf:
      if (number(in.a) != 0) {
        execute(in.b);
      } else if (in.c != kAbsent) {
        execute(in.c);
      }
      return;
    case Opcode::kWhile:
      loop(in);
      return;
    case Opcode::kMethod:
      method(in, false);
      return;
    default:
      value(i);
  }
}

Datum Machine::block(const Instruction& in) {
  const auto all = list(in);
  if (all.empty()) fail(in, FaultKind::kType, "this gives no value");
  for (const std::uint32_t child : all.first(all.size() - 1)) execute(child);
  return value(all.back());
}

void Machine::loop(const Instruction& in) {
  while (number(in.a) != 0) {
    count_round(in);
    execute(in.b);
  }
}

void Machine::count_round(const Instruction& in) {
  if (++rounds_ > kMostRounds) {
    fail(in, FaultKind::kLoop,
         "more than " + std::to_string(kMostRounds) + " rounds");
  }
}

namespace {

template <typename Work>
auto worked(const Program& program, Context& context, Work work) {
  Machine machine(program.code(), context);
  try {
    return work(machine, program.code().root);
  } catch (RuntimeFault& fault) {
    throw machine.located(std::move(fault));
  }
}

}  // namespace

Datum evaluate(const Program& program, Context& context) {
  return worked(program, context, [](Machine& machine, auto root) {
    return machine.value(root);
  });
}

std::int32_t evaluate_number(const Program& program, Context& context) {
  return worked(program, context, [](Machine& machine, auto root) {
    return machine.number(root);
  });
}

bool holds(const Program& program, Context& context) {
  return evaluate_number(program, context) != 0;
}

void run(const Program& program, Context& context) {
  worked(program, context,
         [](Machine& machine, auto root) { machine.execute(root); });
}

Datum evaluate(const Expression& expression, Context& context) {
  return evaluate(compile(expression, context.valuation.layout()), context);
}

void run(const Statement& statement, Context& context) {
  run(compile(statement, context.valuation.layout()), context);
}

}  // namespace plumb::csp
