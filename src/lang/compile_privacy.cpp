// SPDX-License-Identifier: Apache-2.0
// Cells that nobody else can know yet: their fields are no step.
#include <deque>

#include "lang/liveness.h"

namespace plumb::lang {
namespace {

// A forward analysis.  Each `new` of the code is a token; a register holds a
// token where, on every path to here, it holds a cell from that `new` which
// the process has shown to nobody: it was not stored anywhere.  As soon as
// one register with the token is stored, or the paths that meet disagree
// about one that is still read, no register may hold it any more: they may
// all be names of the same cell.
class Privacy {
 public:
  explicit Privacy(const Program& program)
      : program_(program),
        live_(find_live(program)),
        before_(program.code.size()),
        index_(program.registers.size(), 0) {
    for (const Instruction& instruction : program.code) {
      tokens_ += instruction.op == Op::kNew ? 1 : 0;
    }
    // Index 0 stands for all registers that hold no references.
    references_.push_back(kNoRegister);
    for (std::size_t r = 0; r < program.first_constant; ++r) {
      const Shape* shape = program.registers[r].shape;
      if (shape == nullptr || shape->kind != ShapeKind::kReference) continue;
      index_[r] = references_.size();
      references_.push_back(static_cast<Register>(r));
    }
  }

  void run() {
    enter(program_.init, Holders(references_.size(), 0));
    for (const OperationCode& operation : program_.operations) {
      enter(operation.entry, Holders(references_.size(), 0));
    }
    while (!work_.empty()) {
      const std::uint32_t at = work_.front();
      work_.pop_front();
      Holders holders = before_[at];
      pass(at, holders);
      const Targets targets = targets_of(program_, at);
      for (int i = 0; i < targets.count; ++i) {
        enter(targets.places[i], holders);
      }
    }
  }

  // Does `reg` hold a private cell before instruction `at`?
  bool is_private(std::uint32_t at, Register reg) const {
    const Holders& holders = before_[at];
    return reg < index_.size() && !holders.empty() && holders[index_[reg]] != 0;
  }
  bool any() const { return tokens_ != 0; }

 private:
  // The token of each register that holds references.
  using Holders = std::vector<std::uint32_t>;

  static void forget(Holders& holders, std::uint32_t token) {
    if (token == 0) return;
    for (std::uint32_t& held : holders) {
      if (held == token) held = 0;
    }
  }

  void pass(std::uint32_t at, Holders& holders) const {
    const Instruction& instruction = program_.code[at];
    switch (instruction.op) {
      case Op::kStoreReference:
      case Op::kStoreReferenceAt:
      case Op::kStoreReferenceField:
      case Op::kSetAt:
      case Op::kInsertAt:
      case Op::kMapSet:
      case Op::kDelete:
        forget(holders, holders[index_[instruction.a]]);
        break;
      case Op::kPushBack:
      case Op::kPushFront:
      case Op::kInsert:
        forget(holders, holders[index_[instruction.c]]);
        break;
      default:
        break;
    }
    if (operand_use(instruction.op).a != 'd') return;
    std::uint32_t token = 0;
    if (instruction.op == Op::kNew) token = at + 1;
    if (instruction.op == Op::kMove) token = holders[index_[instruction.b]];
    if (index_[instruction.a] != 0) holders[index_[instruction.a]] = token;
  }

  // Control comes to `at` with `holders`.
  void enter(std::uint32_t at, Holders holders) {
    for (std::size_t i = 1; i < holders.size(); ++i) {
      if (!live_[at].test(references_[i])) holders[i] = 0;
    }
    Holders& known = before_[at];
    if (known.empty()) {
      known = std::move(holders);
      work_.push_back(at);
      return;
    }
    bool changed = false;
    for (std::size_t r = 0; r < known.size(); ++r) {
      if (known[r] == holders[r]) continue;
      changed |= known[r] != 0;
      const std::uint32_t lost[] = {known[r], holders[r]};
      for (const std::uint32_t token : lost) {
        if (token == 0) continue;
        for (std::uint32_t& held : known) {
          if (held != token) continue;
          held = 0;
          changed = true;
        }
        forget(holders, token);
      }
    }
    if (changed) work_.push_back(at);
  }

  const Program& program_;
  std::vector<BitSet> live_;
  std::vector<Holders> before_;  // each instruction; empty: not reached
  std::deque<std::uint32_t> work_;
  std::vector<std::size_t> index_;    // of registers, in Holders
  std::vector<Register> references_;  // the registers of Holders
  std::size_t tokens_ = 0;
};

}  // namespace

void fold_private_accesses(Program& program) {
  Privacy privacy(program);
  if (!privacy.any()) return;
  privacy.run();
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    Instruction& instruction = program.code[i];
    const bool field = (instruction.op >= Op::kLoadByteField &&
                        instruction.op <= Op::kStoreReferenceField) ||
                       instruction.op == Op::kField;
    if (instruction.op != Op::kStep && !field) continue;
    if (!privacy.is_private(static_cast<std::uint32_t>(i), instruction.b)) {
      continue;
    }
    program.is_private[i] = true;
    if (instruction.op == Op::kStep) instruction.op = Op::kNothing;
  }
}

}  // namespace plumb::lang
