// SPDX-License-Identifier: Apache-2.0
#include "lang/footprint.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "lang/liveness.h"

namespace plumb::lang {
namespace {

constexpr std::uint8_t kLastPlace = 63;

// How an instruction that is given an address uses it.
enum class Use : std::uint8_t { kNone, kReads, kWrites, kBoth };

Use use_of_container(Op op) {
  switch (op) {
    case Op::kLen:
    case Op::kContains:
    case Op::kFront:
    case Op::kBack:
    case Op::kAt:
    case Op::kSmallest:
    case Op::kAnyOf:
    case Op::kMapGet:
      return Use::kReads;
    default:
      return Use::kBoth;
  }
}

bool is_between(Op op, Op first, Op last) {
  return first <= op && op <= last;
}

std::uint32_t width_of(Op op, Op first_of_kind) {
  // Byte, short, word; stores have references as a fourth.
  switch (static_cast<int>(op) - static_cast<int>(first_of_kind)) {
    case 1:
      return 2;
    case 2:
      return 4;
    default:
      return 1;
  }
}

}  // namespace

bool operator==(const Access::Index& x, const Access::Index& y) {
  return x.reg == y.reg && x.stride == y.stride && x.count == y.count;
}

// Walks over the code from each place of rest to the next ones.
class FootprintMaker {
 public:
  FootprintMaker(const Program& program, Footprints& made)
      : program_(program),
        made_(made),
        releases_(find_releases(program)),
        defined_at_(program.registers.size(), kUnknown) {
    number_places();
    for (std::uint32_t i = 0; i < program.code.size(); ++i) {
      const Instruction& instruction = program.code[i];
      if (operand_use(instruction.op).a != 'd') continue;
      std::uint32_t& at = defined_at_[instruction.a];
      at = at == kUnknown ? i : kSeveral;
    }
  }

  void make() {
    made_.rests_.resize(program_.rests.size());
    for (std::size_t r = 1; r < program_.rests.size(); ++r) {
      const Rest& rest = program_.rests[r];
      if (rest.kind == StepKind::kReturn) continue;
      walk(rest.at, rest.kind == StepKind::kChoose, made_.rests_[r]);
    }
    for (const OperationCode& operation : program_.operations) {
      made_.invocations_.emplace_back();
      walk(operation.entry, false, made_.invocations_.back());
    }
    find_later();
  }

 private:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;
  static constexpr std::uint32_t kSeveral = UINT32_MAX - 1;

  void number_places() {
    const auto next = [&] {
      return static_cast<std::uint8_t>(
          std::min<std::size_t>(places_++, kLastPlace));
    };
    freeing_ = next();
    for (std::size_t i = 0; i < program_.variables.size(); ++i) {
      variables_.push_back(next());
    }
    for (const StructLayout& structure : program_.layouts->structs) {
      fields_.emplace_back();
      for (std::size_t i = 0; i < structure.fields.size(); ++i) {
        fields_.back().push_back(next());
      }
    }
  }

  // An instruction; does control come to it before the first access of a
  // choice, which goes over one place of rest?
  struct Point {
    std::uint32_t at;
    bool chooses;
    friend auto operator<=>(const Point&, const Point&) = default;
  };

  void walk(std::uint32_t from, bool chooses, StepFootprint& out) {
    // With the registers that may no longer be what they were at the place of
    // rest.
    std::map<Point, BitSet> visits;
    std::vector<Point> open;
    const auto enter = [&](Point point, const BitSet& changed) {
      const auto [entry, is_new] =
          visits.try_emplace(point, program_.registers.size());
      if (entry->second.add(changed) || is_new) open.push_back(point);
    };
    enter({from, chooses}, BitSet(program_.registers.size()));
    while (!open.empty()) {
      Point point = open.back();
      open.pop_back();
      const Instruction& instruction = program_.code[point.at];
      BitSet changed = visits.at(point);
      if (instruction.op == Op::kStep && !passes(instruction, point, out)) {
        continue;
      }
      if (operand_use(instruction.op).a == 'd') changed.set(instruction.a);
      const Targets targets = targets_of(program_, point.at);
      for (int i = 0; i < targets.count; ++i) {
        enter({targets.places[i], point.chooses}, changed);
      }
    }
    for (const auto& [point, changed] : visits) look_at(point.at, changed, out);
    for (const Access& access : out.accesses) add(access, out.places);
  }

  // Does the step go on behind this place of rest?  As in Machine::execute().
  static bool passes(const Instruction& step, Point& point,
                     StepFootprint& out) {
    const auto kind = static_cast<StepKind>(step.a);
    if (point.chooses && kind != StepKind::kReturn) {
      point.chooses = kind == StepKind::kChoose;
      return true;
    }
    const auto rest = static_cast<std::uint16_t>(step.imm);
    if (std::find(out.next.begin(), out.next.end(), rest) == out.next.end()) {
      out.next.push_back(rest);
    }
    return false;
  }

  static void add(const Access& access, Places& places) {
    const PlaceMask bit = PlaceMask{1} << access.place;
    if (access.own) {
      (access.writes ? places.own_written : places.own_read) |= bit;
    } else {
      (access.writes ? places.written : places.read) |= bit;
    }
  }

  void look_at(std::uint32_t at, const BitSet& changed, StepFootprint& out) {
    const Instruction& i = program_.code[at];
    changed_ = &changed;
    at_ = at;
    const auto imm = static_cast<std::uint32_t>(i.imm);
    if (is_between(i.op, Op::kLoadByte, Op::kLoadWord)) {
      fixed(i.imm, width_of(i.op, Op::kLoadByte), Use::kReads, out);
    } else if (is_between(i.op, Op::kStoreByte, Op::kStoreReference)) {
      fixed(i.imm, width_of(i.op, Op::kStoreByte), Use::kWrites, out);
    } else if (is_between(i.op, Op::kLoadByteAt, Op::kLoadWordAt)) {
      pointed(i.b, i.imm, width_of(i.op, Op::kLoadByteAt), Use::kReads, out);
    } else if (is_between(i.op, Op::kStoreByteAt, Op::kStoreReferenceAt)) {
      pointed(i.b, i.imm, width_of(i.op, Op::kStoreByteAt), Use::kWrites, out);
    } else if (is_between(i.op, Op::kLoadByteField, Op::kLoadWordField)) {
      field(at, imm, {}, width_of(i.op, Op::kLoadByteField), Use::kReads, out);
    } else if (is_between(i.op, Op::kStoreByteField,
                          Op::kStoreReferenceField)) {
      field(at, imm, {}, width_of(i.op, Op::kStoreByteField), Use::kWrites,
            out);
    } else if (is_between(i.op, Op::kLen, Op::kMapSet)) {
      pointed(i.b, 0, program_.layouts->containers[imm]->size,
              use_of_container(i.op), out);
    } else if (i.op == Op::kCopy) {
      pointed(i.a, 0, imm, Use::kWrites, out);
      pointed(i.b, 0, imm, Use::kReads, out);
    } else if (i.op == Op::kSame) {
      pointed(i.b, 0, imm, Use::kReads, out);
      pointed(i.c, 0, imm, Use::kReads, out);
    } else if (i.op == Op::kField) {
      // It faults where the cell may not be used.
      if (!program_.is_private[at]) header(i.b, Use::kReads, out);
    } else if (i.op == Op::kNew || i.op == Op::kDelete) {
      (i.op == Op::kNew ? out.allocates : out.deletes) = true;
      if (program_.frees()) touch_all_cells(out);
    } else if (i.op == Op::kMark) {
      out.marks = true;
    }
  }

  bool is_changed(Register reg) const {
    return reg < program_.first_constant && changed_->test(reg);
  }

  void put(Access access, Use use, StepFootprint& out) {
    for (const bool writes : {false, true}) {
      if (use == (writes ? Use::kReads : Use::kWrites)) continue;
      access.writes = writes;
      access.releases = writes && releases_[at_];
      if (std::find(out.accesses.begin(), out.accesses.end(), access) ==
          out.accesses.end()) {
        out.accesses.push_back(access);
      }
    }
  }

  void fixed(std::int32_t offset, std::uint32_t size, Use use,
             StepFootprint& out) {
    variable(static_cast<std::uint32_t>(offset), size, {}, use, out);
  }

  void variable(std::uint32_t offset, std::uint32_t size,
                std::vector<Access::Index> indices, Use use,
                StepFootprint& out) {
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
      const VariableLayout& layout = program_.variables[v];
      if (offset < layout.offset ||
          offset >= layout.offset + layout.shape->size) {
        continue;
      }
      Access access;
      access.place = variables_[v];
      access.begin = offset;
      access.size = size;
      access.own = !indices.empty() && indices[0].reg == program_.self &&
                   access.place != kLastPlace;
      if (!keep(indices, access)) {
        access.begin = layout.offset;
        access.size = layout.shape->size;
      }
      put(access, use, out);
    }
  }

  // Indices that the frame tells, all or none.
  bool keep(const std::vector<Access::Index>& indices, Access& access) const {
    for (const Access::Index& index : indices) {
      if (is_changed(index.reg)) return false;
    }
    access.indices = indices;
    return true;
  }

  // Memory at the address in a register, plus `offset`.
  void pointed(Register address, std::int32_t offset, std::uint32_t size,
               Use use, StepFootprint& out) {
    std::vector<Access::Index> indices;
    for (;;) {
      const std::uint32_t at = defined_at_[address];
      if (at >= kSeveral) return anything(use, out);
      const Instruction& i = program_.code[at];
      if (i.op == Op::kIndex) {
        const auto packed = static_cast<std::uint32_t>(i.imm);
        indices.insert(indices.begin(), {i.c, packed >> 16, packed & 0xFFFF});
        address = i.b;
      } else if (i.op == Op::kAddress) {
        // A local block is the process's own.
        if (i.b != 0 || i.imm < 0) return;
        return variable(static_cast<std::uint32_t>(i.imm + offset), size,
                        std::move(indices), use, out);
      } else if (i.op == Op::kField) {
        return field(at, static_cast<std::uint32_t>(i.imm + offset),
                     std::move(indices), size, use, out);
      } else {
        return anything(use, out);
      }
    }
  }

  // Bytes of the cell in the second register of instruction `at`.
  void field(std::uint32_t at, std::uint32_t offset,
             std::vector<Access::Index> indices, std::uint32_t size, Use use,
             StepFootprint& out) {
    if (program_.is_private[at]) return;
    const Register cell = program_.code[at].b;
    const Shape* shape = program_.registers[cell].shape;
    const bool known = shape != nullptr && shape->kind == ShapeKind::kReference;
    for (std::size_t s = 0; s < fields_.size(); ++s) {
      if (known && shape->structure != s) continue;
      const StructLayout& structure = program_.layouts->structs[s];
      for (std::size_t f = 0; f < fields_[s].size(); ++f) {
        const FieldLayout& layout = structure.fields[f];
        if (offset < layout.offset ||
            offset >= layout.offset + layout.shape->size) {
          continue;
        }
        Access access;
        access.place = fields_[s][f];
        access.base = base_of(cell);
        access.cell = cell;
        access.begin = offset;
        access.size = size;
        if (!keep(indices, access)) {
          access.begin = layout.offset;
          access.size = layout.shape->size;
        }
        put(access, use, out);
      }
    }
    header(cell, Use::kReads, out);
  }

  Access::Base base_of(Register cell) const {
    return is_changed(cell) ? Access::Base::kSomeCell : Access::Base::kCell;
  }

  // Whether a cell was freed.
  void header(Register cell, Use use, StepFootprint& out) {
    if (!program_.frees()) return;
    Access access;
    access.place = freeing_;
    access.base = base_of(cell);
    access.cell = cell;
    access.size = 1;
    put(access, use, out);
  }

  void touch_all_cells(StepFootprint& out) {
    Access access;
    access.base = Access::Base::kSomeCell;
    access.size = program_.cell_size;
    access.place = freeing_;
    put(access, Use::kBoth, out);
    for (const auto& places : fields_) {
      for (const std::uint8_t place : places) {
        access.place = place;
        put(access, Use::kBoth, out);
      }
    }
  }

  void anything(Use use, StepFootprint& out) {
    for (const VariableLayout& layout : program_.variables) {
      variable(layout.offset, layout.shape->size, {}, use, out);
    }
    touch_all_cells(out);
  }

  // Backward, until nothing changes.
  void find_later() {
    const auto gather = [&](StepFootprint& step) {
      const Places before = step.later;
      for (const std::uint16_t rest : step.next) {
        step.later.add(made_.rests_[rest].places);
        step.later.add(made_.rests_[rest].later);
      }
      return !(step.later == before);
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t r = made_.rests_.size(); r-- > 1;) {
        changed |= gather(made_.rests_[r]);
      }
    }
    for (StepFootprint& invocation : made_.invocations_) gather(invocation);
  }

  const Program& program_;
  Footprints& made_;
  std::vector<bool> releases_;
  // Where each register gets its value, if that is one instruction.
  std::vector<std::uint32_t> defined_at_;
  std::size_t places_ = 0;
  std::uint8_t freeing_ = 0;  // the place of "was it freed?", of all cells
  std::vector<std::uint8_t> variables_;
  std::vector<std::vector<std::uint8_t>> fields_;  // by struct
  std::uint32_t at_ = 0;                           // the instruction looked at
  const BitSet* changed_ = nullptr;
};

Footprints::Footprints(const Program& program) : program_(program) {
  FootprintMaker(program, *this).make();
}

Places Footprints::of_calls(
    const std::vector<std::uint16_t>& operations) const {
  Places places;
  for (const std::uint16_t operation : operations) {
    places.add(invocations_[operation].places);
    places.add(invocations_[operation].later);
  }
  return places;
}

Location Footprints::location(const Access& access, std::uint32_t rest,
                              std::size_t process,
                              const std::uint8_t* frame) const {
  const auto number = [&](Register reg) -> std::int32_t {
    if (reg == program_.self) return static_cast<std::int32_t>(process);
    if (reg >= program_.first_constant) {
      return program_.constants[reg - program_.first_constant];
    }
    // What a step reads before it writes is kept in the frame.
    const auto& kept = program_.rests[rest].numbers;
    const auto found = std::find_if(
        kept.begin(), kept.end(),
        [&](const FrameNumber& number_kept) { return number_kept.reg == reg; });
    assert(found != kept.end());
    return load_number(*found->shape, frame + found->offset);
  };
  Location made;
  made.writes = access.writes;
  made.begin = access.begin;
  if (access.base == Access::Base::kSomeCell) made.cell = Location::kAnyCell;
  if (access.base == Access::Base::kCell) {
    made.cell = static_cast<std::uint16_t>(number(access.cell));
    // Null is no cell and no variable: it faults, and meets nothing.
    if (made.cell == 0) return {Location::kAnyCell - 1, false, 0, 0};
  }
  for (const Access::Index& index : access.indices) {
    const auto i = static_cast<std::uint32_t>(number(index.reg));
    if (i >= index.count) return {Location::kAnyCell - 1, false, 0, 0};
    made.begin += i * index.stride;
  }
  made.end = made.begin + access.size;
  return made;
}

}  // namespace plumb::lang
