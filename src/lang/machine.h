// SPDX-License-Identifier: Apache-2.0
// Runs the instructions of one step on the bytes of a state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lang/program.h"
#include "lts/system.h"

namespace plumb::lang {

// How a step ended.
enum class Stop : std::uint8_t {
  kRest,     // at Machine::rest
  kReturn,   // the program is over
  kBlocked,  // something that it waits for is not so
  kCut,      // a bound was reached: Machine::bound
  kFault,    // Machine::fault, at Machine::at
};

// An access that a step made, for people.
struct Touched {
  std::uint32_t at = 0;  // the instruction
  std::int64_t address = 0;
  std::int32_t number = 0;
  bool wrote = false;
};

// Working memory for one thread.  A step with choices is run once for each
// combination: run(), then again while next_choices() says so.
class Machine {
 public:
  explicit Machine(const Program& program);
  // The machine of this thread for `program`, whose number came from
  // next_id().  A thread keeps a few.
  static Machine& of_thread(std::uint64_t id, const Program& program);
  static std::uint64_t next_id();

  // The memory of a state; the cells follow.
  std::uint8_t* state() { return memory_.data() + program_->local_size; }
  std::size_t state_size() const {
    return program_->heap + std::size_t{cells} * program_->cell_size;
  }
  void load_state(lts::StateView state);
  lts::StateView stored() { return {state(), state_size()}; }

  std::int32_t& reg(Register r) { return registers_[r]; }
  std::uint8_t* block(std::size_t i) {
    return state() + program_->blocks[i].address;
  }
  void set_self(std::size_t process) {
    registers_[program_->self] = static_cast<std::int32_t>(process);
  }

  // Runs from instruction `at` to the next place of rest.  `chooses`: it
  // begins with a choice, which takes the first access along.
  Stop run(std::uint32_t at, bool chooses);
  // The same, keeping a list of what was touched.
  Stop run_and_record(std::uint32_t at, bool chooses,
                      std::vector<Touched>& touched);

  void forget_choices() { choices_.clear(); }
  // Turns to the next combination of choices; false: that was the last.
  bool next_choices();

  // Valid after run().
  std::uint32_t at = 0;  // the last instruction
  std::uint16_t rest = 0;
  std::uint16_t bound = 0;
  FaultKind fault{};
  std::uint32_t cells = 0;
  bool marked = false;
  bool succeeded = false;           // a cas
  bool references_changed = false;  // in memory

  // An instruction that cannot go on stores one of these.
  bool stop_with(FaultKind kind) {
    fault = kind;
    stop_ = Stop::kFault;
    return false;
  }
  bool stop_at_bound(std::uint16_t reached) {
    bound = reached;
    stop_ = Stop::kCut;
    return false;
  }
  // Any of 0 .. count - 1.
  std::uint32_t choose(std::uint32_t count);

 private:
  struct Choice {
    std::uint32_t taken, count;
  };

  // What decides how a step goes on, but for its choices.
  struct Moment {
    std::uint32_t at = 0, cells = 0;
    std::vector<std::int32_t> registers;
    std::vector<std::uint8_t> memory;
  };

  bool goes_round(std::uint32_t now);
  template <bool kRecord>
  Stop execute(std::uint32_t from, bool chooses);
  std::uint8_t* cell(std::int32_t number) {
    return state() + program_->heap +
           static_cast<std::size_t>(number - 1) * program_->cell_size;
  }
  // Faults unless the cell exists and may be used.
  bool usable(std::int32_t number);
  bool make_cell(const Instruction& instruction);
  bool delete_cell(std::int32_t number, std::int32_t structure);
  bool in_container(const Instruction& instruction);
  bool in_sequence(const Instruction& instruction, std::uint8_t* container);
  bool in_sorted(const Instruction& instruction, std::uint8_t* container);

  const Program* program_;
  std::vector<std::int32_t> registers_;
  std::vector<std::uint8_t> memory_;  // local, then the state
  std::vector<Choice> choices_;
  std::size_t choices_made_ = 0;
  Stop stop_{};
  std::uint64_t watched_ = 0;  // instructions of a step that takes long
  Moment before_;              // one of those
  std::vector<Touched>* touched_ = nullptr;
};

}  // namespace plumb::lang
