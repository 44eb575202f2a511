// SPDX-License-Identifier: Apache-2.0
// Locks: who holds one need not wait for anybody to give it back.
#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "lang/footprint.h"
#include "lang/liveness.h"

namespace plumb::lang {
namespace {

// A variable or a field of a struct that may be a lock.
struct Lock {
  bool in_cell = false;
  std::uint16_t structure = 0;
  std::int32_t offset = 0;

  friend auto operator<=>(const Lock&, const Lock&) = default;
};

// A step that waits for a lock and takes it: the instructions of it, and when
// the lock counts as free.
struct Taking {
  std::uint32_t load = 0, store = 0;
  Op test = Op::kNot;  // free: Not: 0, Equal: `number`, Unequal: anything else
  std::int32_t number = 0;
};

bool is_load(Op op) {
  return (op >= Op::kLoadByte && op <= Op::kLoadWord) ||
         (op >= Op::kLoadByteField && op <= Op::kLoadWordField);
}
bool is_store(Op op) {
  return (op >= Op::kStoreByte && op <= Op::kStoreReference) ||
         (op >= Op::kStoreByteField && op <= Op::kStoreReferenceField);
}
bool is_of_cell(Op op) {
  return (op >= Op::kLoadByteField && op <= Op::kStoreReferenceField) ||
         op == Op::kField;
}

class LockFinder {
 public:
  explicit LockFinder(const Program& program)
      : program_(program),
        targets_(program.code.size()),
        made_(program.code.size()) {
    first_ = static_cast<std::uint32_t>(program.code.size());
    for (const OperationCode& operation : program.operations) {
      first_ = std::min(first_, operation.entry);
    }
    for (const Instruction& instruction : program.code) {
      if (is_jump(instruction.op)) {
        targets_[static_cast<std::size_t>(instruction.imm)] = true;
      }
    }
  }

  std::vector<bool> find() {
    for (const Lock& lock : candidates()) {
      takings_.clear();
      gives_.clear();
      if (sort_accesses(lock) && values_block()) add_if_held(lock);
    }
    return made_;
  }

 private:
  // What holds of registers before an instruction: those that hold the same
  // cell have the same group; 0: nothing is known.  The lowest bit: its lock is
  // held by this process.  Two groups whose locks are held are two cells, or
  // the second could not have been locked.
  using Groups = std::vector<std::uint16_t>;

  std::optional<Lock> lock_of(std::uint32_t at) const {
    const Instruction& i = program_.code[at];
    if (!is_of_cell(i.op)) return Lock{false, 0, i.imm};
    const Shape* shape = program_.registers[i.b].shape;
    if (shape == nullptr || shape->kind != ShapeKind::kReference) return {};
    return Lock{true, shape->structure, i.imm};
  }

  // What some step waits for.
  std::set<Lock> candidates() const {
    std::set<Lock> found;
    for (std::uint32_t at = first_; at < program_.code.size(); ++at) {
      if (!is_load(program_.code[at].op) || !taking_at(at)) continue;
      if (const auto lock = lock_of(at)) found.insert(*lock);
    }
    return found;
  }

  bool is_constant(Register reg) const {
    return reg >= program_.first_constant && reg != program_.self;
  }
  std::int32_t constant(Register reg) const {
    return program_.constants[reg - program_.first_constant];
  }

  // Does a step begin at this load that waits for what it loads and then
  // stores there, with nothing that leads into the middle of it?
  std::optional<Taking> taking_at(std::uint32_t load) const {
    const auto& code = program_.code;
    if (load + 3 >= code.size()) return {};
    std::uint32_t step = load - 1;
    while (code[step].op == Op::kNothing && !targets_[step + 1]) --step;
    if (code[step].op != Op::kStep || targets_[step + 1]) return {};
    Taking made;
    made.load = load;
    const Instruction& test = code[load + 1];
    made.test = test.op;
    if (test.op == Op::kEqual || test.op == Op::kUnequal) {
      if (!is_constant(test.c)) return {};
      made.number = constant(test.c);
    } else if (test.op != Op::kNot) {
      return {};
    }
    const Instruction& wait = code[load + 2];
    if (test.b != code[load].a || wait.op != Op::kAwait || wait.a != test.a) {
      return {};
    }
    for (std::uint32_t at = load + 1; at < code.size(); ++at) {
      const Instruction& i = code[at];
      if (targets_[at] || is_jump(i.op) || i.op == Op::kStep ||
          i.op == Op::kReturn || i.op == Op::kFail) {
        return {};
      }
      if (is_store(i.op) && is_same_place(load, at)) {
        made.store = at;
        return made;
      }
      if (operand_use(i.op).a == 'd' && is_of_cell(code[load].op) &&
          i.a == code[load].b) {
        return {};
      }
    }
    return {};
  }

  bool is_same_place(std::uint32_t x, std::uint32_t y) const {
    const auto lock = lock_of(x);
    if (!lock || lock != lock_of(y)) return false;
    return !lock->in_cell || program_.code[x].b == program_.code[y].b;
  }

  // Every access must be one that takes the lock or gives it back.
  bool sort_accesses(const Lock& lock) {
    std::set<std::uint32_t> part_of_taking;
    for (std::uint32_t at = first_; at < program_.code.size(); ++at) {
      const Instruction& i = program_.code[at];
      if (program_.is_private[at]) continue;
      if ((i.op == Op::kAddress && i.b == 0 && i.imm >= 0) ||
          i.op == Op::kField) {
        if (may_point_to(at, lock)) return false;
      }
      if (!is_load(i.op) && !is_store(i.op)) continue;
      const auto accessed = lock_of(at);
      // Of an unknown struct.
      if (!accessed && lock.in_cell) return false;
      if (!accessed || *accessed != lock || part_of_taking.contains(at)) {
        continue;
      }
      if (is_store(i.op)) {
        gives_.push_back(at);
      } else if (const auto taking = taking_at(at)) {
        takings_.push_back(*taking);
        part_of_taking.insert(taking->store);
      } else {
        return false;
      }
    }
    return true;
  }

  // Can the address that instruction `at` computes lead to the lock?  It is
  // that of a whole variable or field.
  bool may_point_to(std::uint32_t at, const Lock& lock) const {
    const Instruction& i = program_.code[at];
    if ((i.op == Op::kField) != lock.in_cell) return false;
    const auto covers = [&](std::uint32_t offset, const Shape& shape) {
      const auto begin = static_cast<std::int32_t>(offset);
      const auto end = begin + static_cast<std::int32_t>(shape.size);
      return begin <= i.imm && i.imm < end && begin <= lock.offset &&
             lock.offset < end;
    };
    if (!lock.in_cell) {
      return std::any_of(program_.variables.begin(), program_.variables.end(),
                         [&](const VariableLayout& variable) {
                           return covers(variable.offset, *variable.shape);
                         });
    }
    const auto pointed = lock_of(at);
    if (pointed && pointed->structure != lock.structure) return false;
    const auto& fields = program_.layouts->structs[lock.structure].fields;
    return std::any_of(fields.begin(), fields.end(),
                       [&](const FieldLayout& field) {
                         return covers(field.offset, *field.shape);
                       });
  }

  // Does what is stored by taking the lock keep everybody else waiting?
  bool values_block() const {
    for (const Taking& taking : takings_) {
      const Register stored = program_.code[taking.store].a;
      for (const Taking& other : takings_) {
        if (!blocks(stored, other)) return false;
      }
    }
    return !gives_.empty();
  }

  bool blocks(Register stored, const Taking& taking) const {
    // A process is a number from 0 on.
    if (stored == program_.self) {
      return taking.test == Op::kEqual && taking.number < 0;
    }
    if (!is_constant(stored)) return false;
    const std::int32_t number = constant(stored);
    if (taking.test == Op::kNot) return number != 0;
    return (number == taking.number) == (taking.test == Op::kUnequal);
  }

  void add_if_held(const Lock& lock);
  void number_references();
  bool pass(std::uint32_t at, const Lock& lock, Groups& groups) const;
  void enter(std::uint32_t at, Groups groups);
  std::size_t holder(std::uint32_t at, const Lock& lock) const {
    return lock.in_cell ? index_[program_.code[at].b] : 0;
  }
  static std::uint16_t fresh(const Groups& groups) {
    return static_cast<std::uint16_t>(
        (*std::max_element(groups.begin(), groups.end()) | 1) + 1);
  }

  const Program& program_;
  std::uint32_t first_ = 0;    // instruction of the operations
  std::vector<bool> targets_;  // of jumps
  std::vector<bool> made_;
  std::vector<Taking> takings_;       // of the lock that is looked at
  std::vector<std::uint32_t> gives_;  // stores that give it back

  std::vector<BitSet> live_;
  std::vector<std::size_t> index_;    // of registers, in Groups
  std::vector<Register> references_;  // [0]: the lock, if it is a variable
  std::vector<Groups> before_;        // each instruction; empty: not reached
  std::deque<std::uint32_t> work_;
};

// More than this is not worth the time.
constexpr std::size_t kMostFacts = 20'000'000;

void LockFinder::number_references() {
  live_ = find_live(program_);
  index_.assign(program_.registers.size(), 0);
  references_.assign(1, kNoRegister);
  for (std::size_t r = 0; r < program_.first_constant; ++r) {
    const Shape* shape = program_.registers[r].shape;
    if (shape == nullptr || shape->kind != ShapeKind::kReference) continue;
    index_[r] = references_.size();
    references_.push_back(static_cast<Register>(r));
  }
}

// A forward analysis: does the process hold the lock wherever it gives it back?
void LockFinder::add_if_held(const Lock& lock) {
  if (references_.empty()) number_references();
  if (references_.size() * program_.code.size() > kMostFacts) return;
  before_.assign(program_.code.size(), {});
  for (const OperationCode& operation : program_.operations) {
    enter(operation.entry, Groups(references_.size(), 0));
  }
  while (!work_.empty()) {
    const std::uint32_t at = work_.front();
    work_.pop_front();
    Groups groups = before_[at];
    if (!pass(at, lock, groups)) {
      work_.clear();
      return;
    }
    const Targets targets = targets_of(program_, at);
    for (int i = 0; i < targets.count; ++i) enter(targets.places[i], groups);
  }
  for (const std::uint32_t at : gives_) made_[at] = true;
}

// Over one instruction.  Returns whether it gives back only what is held.
bool LockFinder::pass(std::uint32_t at, const Lock& lock,
                      Groups& groups) const {
  const Instruction& i = program_.code[at];
  const bool takes =
      std::any_of(takings_.begin(), takings_.end(),
                  [&](const Taking& taking) { return taking.store == at; });
  if (takes) {
    std::uint16_t& group = groups[holder(at, lock)];
    if (group == 0) group = fresh(groups);
    const std::uint16_t before = group;
    for (std::uint16_t& each : groups) {
      if (each == before) each |= 1;
    }
  } else if (std::find(gives_.begin(), gives_.end(), at) != gives_.end()) {
    const std::uint16_t group = groups[holder(at, lock)];
    if ((group & 1) == 0) return false;
    for (std::uint16_t& each : groups) {
      if (each == group) each &= 0xFFFE;
    }
  }
  if (operand_use(i.op).a != 'd' || index_[i.a] == 0) return true;
  std::uint16_t now = 0;
  if (i.op == Op::kMove && i.b < index_.size() && index_[i.b] != 0) {
    std::uint16_t& from = groups[index_[i.b]];
    if (from == 0) from = fresh(groups);
    now = from;
  }
  groups[index_[i.a]] = now;
  return true;
}

// Control comes to `at` with `groups`: what is known there is what holds on
// all ways.  Registers that are one cell on one way and two on the other count
// as two that are not locked.
void LockFinder::enter(std::uint32_t at, Groups groups) {
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (!live_[at].test(references_[i])) groups[i] = 0;
  }
  Groups& known = before_[at];
  if (known.empty()) {
    known = std::move(groups);
    work_.push_back(at);
    return;
  }
  const Groups old = known;
  const std::size_t count = known.size();
  std::uint16_t next = 2;
  std::vector<bool> done(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (done[i]) continue;
    done[i] = true;
    if (old[i] == 0 || groups[i] == 0) {
      known[i] = 0;
      continue;
    }
    bool held = (old[i] & groups[i] & 1) != 0;
    for (std::size_t j = 0; j < count; ++j) {
      held &= (old[j] == old[i]) == (groups[j] == groups[i]) || old[j] == 0 ||
              groups[j] == 0;
    }
    for (std::size_t j = i; j < count; ++j) {
      if (old[j] != old[i] || groups[j] != groups[i]) continue;
      done[j] = true;
      known[j] = static_cast<std::uint16_t>(next | (held ? 1 : 0));
    }
    next = static_cast<std::uint16_t>(next + 2);
  }
  // Numbers of groups are arbitrary: compare what they mean.
  for (std::size_t i = 0; i < count; ++i) {
    bool same =
        (known[i] == 0) == (old[i] == 0) && (known[i] & 1) == (old[i] & 1);
    for (std::size_t j = 0; j < i && same; ++j) {
      same = (known[i] == known[j]) == (old[i] == old[j]);
    }
    if (same) continue;
    work_.push_back(at);
    return;
  }
}

}  // namespace

std::vector<bool> find_releases(const Program& program) {
  // A cell that is freed and made again is another lock by the same name.
  if (program.frees()) return std::vector<bool>(program.code.size());
  return LockFinder(program).find();
}

}  // namespace plumb::lang
