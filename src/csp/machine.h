// SPDX-License-Identifier: Apache-2.0
// Walks flat code: one evaluation of a Program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "csp/evaluate.h"
#include "csp/instruction.h"

namespace plumb::csp {

// Numbers and booleans never become Datums on their way up (number()), as
// nearly all that a model evaluates are conditions and sums.
class Machine {
 public:
  Machine(const Code& code, Context& context)
      : code_(code), context_(context), valuation_(context.valuation) {
    if (context.locals.size() < code.locals) context.locals.resize(code.locals);
  }

  Datum value(std::uint32_t i);
  std::int32_t number(std::uint32_t i);
  // As a statement: what it gives is of no interest.
  void execute(std::uint32_t i);

  // Puts the place into a fault that was thrown by what knows no places.
  RuntimeFault located(RuntimeFault fault) const;

 private:
  // What can be written: a variable, an element of one, a local, an item of
  // a local, or a field of any of them.
  struct Place {
    enum class Kind : std::uint8_t { kVariable, kElement, kLocal, kItem };
    Kind kind = Kind::kVariable;
    std::uint32_t number = 0;  // variable or slot
    std::int64_t index = 0;
    const FieldInfo* field = nullptr;
  };

  const Instruction& at(std::uint32_t i) const { return code_.instructions[i]; }
  std::span<const std::uint32_t> list(const Instruction& in) const {
    return {code_.lists.data() + in.b, in.c};
  }
  // Before a call that may throw without a place.
  void enter(const Instruction& in) { entered_ = &in; }
  [[noreturn]] static void fail(const Instruction& in, FaultKind kind,
                                std::string detail = "");
  static std::int32_t plain(const Datum& datum, const Instruction& in);

  bool equal(const Instruction& in);
  bool known_number(std::uint32_t i, std::int32_t& number);
  Datum bitwise(const Instruction& in);
  static std::int32_t divide(const Instruction& in, std::int64_t left,
                             std::int64_t right);
  static std::int32_t modulo(const Instruction& in, std::int64_t left,
                             std::int64_t right);
  std::int32_t other_number(const Instruction& in, std::uint32_t i);

  const Datum& element(const Instruction& in);
  std::int64_t table_index(const Instruction& in);
  Datum item(const Instruction& in);
  Datum record(const Instruction& in);
  bool indexed(const Instruction& in, std::size_t from);

  Place place(const Instruction& in);
  Datum read(const Place& place);
  void write(const Place& place, const Datum& value);
  Datum& target(const Place& place);
  Datum assign(const Instruction& in);
  Datum step(const Instruction& in);

  Datum method(const Instruction& in, bool needs_value);
  const MethodInfo& method_of(const Instruction& in, const Datum& object) const;
  Datum static_call(const Instruction& in);
  Datum channel(const Instruction& in);
  Datum field(const Instruction& in);
  Datum construct(const Instruction& in);
  Datum processes(const Instruction& in) const;
  std::vector<Datum> arguments(std::span<const std::uint32_t> nodes);
  Datum& receiver(std::uint32_t i, Datum& temporary);
  const FieldInfo& field_of(const Instruction& in, const Datum& object) const;

  Datum block(const Instruction& in);
  void loop(const Instruction& in);
  void count_round(const Instruction& in);

  const Code& code_;
  Context& context_;
  Valuation& valuation_;
  const Instruction* entered_ = nullptr;
  std::uint32_t rounds_ = 0;
};

}  // namespace plumb::csp
