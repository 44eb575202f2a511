// SPDX-License-Identifier: Apache-2.0
#include "lang/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>

#include "base/limit_error.h"

namespace plumb::lang {
namespace {

// A step that runs longer is watched: is it endless?
constexpr std::int32_t kUnwatched = 10'000;
constexpr std::uint64_t kMostWatched = 20'000'000;
constexpr std::uint32_t kMostCellNumbers = 255;

std::int32_t load_short(const std::uint8_t* at) {
  std::int16_t number;
  std::memcpy(&number, at, sizeof number);
  return number == INT16_MIN ? kEmptyNumber : number;
}

std::int32_t load_word(const std::uint8_t* at) {
  std::int32_t number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

void store_short(std::uint8_t* at, std::int32_t number) {
  const auto small =
      static_cast<std::int16_t>(number == kEmptyNumber ? INT16_MIN : number);
  std::memcpy(at, &small, sizeof small);
}

void store_word(std::uint8_t* at, std::int32_t number) {
  std::memcpy(at, &number, sizeof number);
}

}  // namespace

Machine::Machine(const Program& program) : program_(&program) {
  registers_.resize(program.registers.size());
  std::copy(program.constants.begin(), program.constants.end(),
            registers_.begin() + program.first_constant);
  // A step may make more cells than a state may have: some of them may be
  // garbage at its end.
  memory_.resize(program.local_size + program.heap +
                 std::size_t{kMostCellNumbers} * program.cell_size);
}

std::uint64_t Machine::next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

Machine& Machine::of_thread(std::uint64_t id, const Program& program) {
  struct Slot {
    std::uint64_t id = 0;
    std::unique_ptr<Machine> machine;
  };
  thread_local std::array<Slot, 4> slots;
  thread_local std::size_t next = 0;
  for (Slot& slot : slots) {
    if (slot.id == id) return *slot.machine;
  }
  Slot& slot = slots[next];
  next = (next + 1) % slots.size();
  slot = {id, std::make_unique<Machine>(program)};
  return *slot.machine;
}

void Machine::load_state(lts::StateView from) {
  std::memcpy(state(), from.data(), from.size());
  if (program_->cell_size == 0) return;
  // 32 bits: this division is felt.
  const auto heap = static_cast<std::uint32_t>(from.size()) - program_->heap;
  cells = heap / program_->cell_size;
}

std::uint32_t Machine::choose(std::uint32_t count) {
  if (count == 1) return 0;
  if (choices_made_ == choices_.size()) choices_.push_back({0, count});
  return choices_[choices_made_++].taken;
}

bool Machine::next_choices() {
  while (!choices_.empty() &&
         choices_.back().taken + 1 == choices_.back().count) {
    choices_.pop_back();
  }
  if (choices_.empty()) return false;
  ++choices_.back().taken;
  return true;
}

bool Machine::usable(std::int32_t number) {
  if (number == 0) return stop_with(FaultKind::kNull);
  if (program_->memory == Memory::kManual && *cell(number) != 0) {
    return stop_with(FaultKind::kFreed);
  }
  return true;
}

// A new cell is one that was freed and that somebody still knows, or the next
// one behind all that are in use.  (Freed cells that nobody knows are gone.)
bool Machine::make_cell(const Instruction& instruction) {
  const auto structure = static_cast<std::uint8_t>(instruction.imm);
  std::int32_t taken = 0;
  if (program_->frees()) {
    std::uint32_t freed = 0;
    for (std::uint32_t i = 1; i <= cells; ++i) {
      if (*cell(static_cast<std::int32_t>(i)) == structure + 1) ++freed;
    }
    std::uint32_t skip = choose(freed + 1);
    for (std::uint32_t i = 1; skip != 0; ++i) {
      if (*cell(static_cast<std::int32_t>(i)) != structure + 1) continue;
      taken = static_cast<std::int32_t>(i);
      --skip;
    }
  }
  if (taken == 0) {
    if (cells == kMostCellNumbers) {
      return stop_at_bound(static_cast<std::uint16_t>(program_->cells_bound));
    }
    taken = static_cast<std::int32_t>(++cells);
  }
  const auto& initial = program_->layouts->structs[structure].initial;
  std::memcpy(cell(taken), initial.data(), initial.size());
  registers_[instruction.a] = taken;
  references_changed = true;
  return true;
}

bool Machine::delete_cell(std::int32_t number, std::int32_t structure) {
  if (number == 0) return stop_with(FaultKind::kNull);
  std::uint8_t* freed = cell(number);
  if (*freed != 0) return stop_with(FaultKind::kDeletedTwice);
  if (program_->memory == Memory::kManual) {
    // Nobody can look at it any more.
    std::memset(freed, 0, program_->cell_size);
  }
  *freed = static_cast<std::uint8_t>(structure + 1);
  references_changed = true;
  return true;
}

Stop Machine::run(std::uint32_t from, bool chooses) {
  return execute<false>(from, chooses);
}

Stop Machine::run_and_record(std::uint32_t from, bool chooses,
                             std::vector<Touched>& touched) {
  touched_ = &touched;
  const Stop stop = execute<true>(from, chooses);
  touched_ = nullptr;
  return stop;
}

// Is it where it has been since it was watched?  The moment that is compared is
// renewed after 1, 2, 4, ... instructions [Brent80].
bool Machine::goes_round(std::uint32_t now) {
  if (watched_ != 0 && now == before_.at && cells == before_.cells &&
      registers_ == before_.registers && memory_ == before_.memory) {
    return true;
  }
  if (std::has_single_bit(++watched_)) {
    before_ = {now, cells, registers_, memory_};
  }
  if (watched_ > kMostWatched) {
    const Source& source = *program_->source;
    throw LimitError(
        Place{.source = source.name(), .text = ""},
        fmt::format("line {}: one step takes more than {} instructions",
                    source.line(program_->spans[now]),
                    fmt::group_digits(kMostWatched)));
  }
  return false;
}

template <bool kRecord>
Stop Machine::execute(std::uint32_t from, bool chooses) {
  const Instruction* const code = program_->code.data();
  const Instruction* i = code + from;
  std::int32_t* const r = registers_.data();
  std::uint8_t* const memory = state();
  std::int32_t left = kUnwatched;
  watched_ = 0;
  choices_made_ = 0;
  marked = false;
  succeeded = false;
  references_changed = false;
  stop_ = Stop::kBlocked;

  const auto bias = [&] { return static_cast<std::int16_t>(i->c); };
  const auto touch = [&](const std::uint8_t* place, std::int32_t number,
                         bool wrote) {
    if constexpr (kRecord) {
      touched_->push_back({static_cast<std::uint32_t>(i - code), place - memory,
                           number, wrote});
    }
  };
  const auto finish = [&](Stop stop) {
    at = static_cast<std::uint32_t>(i - code);
    return stop;
  };
  const auto load = [&](const std::uint8_t* place, auto decode) {
    const std::int32_t number = decode(place);
    r[i->a] = number;
    touch(place, number, false);
  };
  const auto byte = [&](const std::uint8_t* place) { return *place + bias(); };
  const auto store_byte = [&](std::uint8_t* place) {
    *place = static_cast<std::uint8_t>(r[i->a] - bias());
    touch(place, r[i->a], true);
  };
  const auto store_reference = [&](std::uint8_t* place) {
    *place = static_cast<std::uint8_t>(r[i->a]);
    references_changed = true;
    touch(place, r[i->a], true);
  };
  const auto field = [&] { return cell(r[i->b]) + i->imm; };
  const auto jump_if = [&](bool condition) {
    i = condition ? code + i->imm : i + 1;
  };

  const auto fail = [&](FaultKind kind) {
    fault = kind;
    return finish(Stop::kFault);
  };
  const auto beyond_int = [&] {
    stop_at_bound(program_->int_bound);
    return finish(stop_);
  };

  for (;;) {
    if (--left < 0 && goes_round(static_cast<std::uint32_t>(i - code))) {
      return fail(FaultKind::kEndless);
    }
    switch (i->op) {
      case Op::kMove:
        r[i->a] = r[i->b];
        break;
      case Op::kAdd:
        if (__builtin_add_overflow(r[i->b], r[i->c], &r[i->a])) {
          return beyond_int();
        }
        break;
      case Op::kSubtract:
        if (__builtin_sub_overflow(r[i->b], r[i->c], &r[i->a])) {
          return beyond_int();
        }
        break;
      case Op::kMultiply:
        if (__builtin_mul_overflow(r[i->b], r[i->c], &r[i->a])) {
          return beyond_int();
        }
        break;
      case Op::kDivide:
      case Op::kRemainder:
        if (r[i->c] == 0) {
          return fail(FaultKind::kDivision);
        }
        r[i->a] = i->op == Op::kDivide ? r[i->b] / r[i->c] : r[i->b] % r[i->c];
        break;
      case Op::kMin:
        r[i->a] = std::min(r[i->b], r[i->c]);
        break;
      case Op::kMax:
        r[i->a] = std::max(r[i->b], r[i->c]);
        break;
      case Op::kNot:
        r[i->a] = r[i->b] == 0 ? 1 : 0;
        break;
      case Op::kEqual:
        r[i->a] = r[i->b] == r[i->c] ? 1 : 0;
        break;
      case Op::kUnequal:
        r[i->a] = r[i->b] != r[i->c] ? 1 : 0;
        break;
      case Op::kLess:
        r[i->a] = r[i->b] < r[i->c] ? 1 : 0;
        break;
      case Op::kLessEqual:
        r[i->a] = r[i->b] <= r[i->c] ? 1 : 0;
        break;
      case Op::kJump:
        jump_if(true);
        continue;
      case Op::kJumpIf:
        jump_if(r[i->a] != 0);
        continue;
      case Op::kJumpUnless:
        jump_if(r[i->a] == 0);
        continue;
      case Op::kJumpEqual:
        jump_if(r[i->b] == r[i->c]);
        continue;
      case Op::kJumpUnequal:
        jump_if(r[i->b] != r[i->c]);
        continue;
      case Op::kJumpLess:
        jump_if(r[i->b] < r[i->c]);
        continue;
      case Op::kJumpLessEqual:
        jump_if(r[i->b] <= r[i->c]);
        continue;
      case Op::kCheckRange: {
        const std::int32_t number = r[i->a];
        const bool in_range = r[i->b] <= number && number <= r[i->c];
        if (in_range || (i->imm != 0 && number == kEmptyNumber)) break;
        if (i->imm != 0) return beyond_int();  // no range was declared
        return fail(FaultKind::kRange);
      }
      case Op::kCheckNumber:
        if (r[i->a] == kEmptyNumber) {
          return fail(FaultKind::kNotANumber);
        }
        break;
      case Op::kLoadByte:
        load(memory + i->imm, byte);
        break;
      case Op::kLoadShort:
        load(memory + i->imm, load_short);
        break;
      case Op::kLoadWord:
        load(memory + i->imm, load_word);
        break;
      case Op::kStoreByte:
        store_byte(memory + i->imm);
        break;
      case Op::kStoreShort:
        store_short(memory + i->imm, r[i->a]);
        touch(memory + i->imm, r[i->a], true);
        break;
      case Op::kStoreWord:
        store_word(memory + i->imm, r[i->a]);
        touch(memory + i->imm, r[i->a], true);
        break;
      case Op::kStoreReference:
        store_reference(memory + i->imm);
        break;
      case Op::kLoadByteAt:
        load(memory + r[i->b] + i->imm, byte);
        break;
      case Op::kLoadShortAt:
        load(memory + r[i->b] + i->imm, load_short);
        break;
      case Op::kLoadWordAt:
        load(memory + r[i->b] + i->imm, load_word);
        break;
      case Op::kStoreByteAt:
        store_byte(memory + r[i->b] + i->imm);
        break;
      case Op::kStoreShortAt:
        store_short(memory + r[i->b] + i->imm, r[i->a]);
        touch(memory + r[i->b] + i->imm, r[i->a], true);
        break;
      case Op::kStoreWordAt:
        store_word(memory + r[i->b] + i->imm, r[i->a]);
        touch(memory + r[i->b] + i->imm, r[i->a], true);
        break;
      case Op::kStoreReferenceAt:
        store_reference(memory + r[i->b] + i->imm);
        break;
      case Op::kLoadByteField:
        if (!usable(r[i->b])) return finish(stop_);
        load(field(), byte);
        break;
      case Op::kLoadShortField:
        if (!usable(r[i->b])) return finish(stop_);
        load(field(), load_short);
        break;
      case Op::kLoadWordField:
        if (!usable(r[i->b])) return finish(stop_);
        load(field(), load_word);
        break;
      case Op::kStoreByteField:
        if (!usable(r[i->b])) return finish(stop_);
        store_byte(field());
        break;
      case Op::kStoreShortField:
        if (!usable(r[i->b])) return finish(stop_);
        store_short(field(), r[i->a]);
        touch(field(), r[i->a], true);
        break;
      case Op::kStoreWordField:
        if (!usable(r[i->b])) return finish(stop_);
        store_word(field(), r[i->a]);
        touch(field(), r[i->a], true);
        break;
      case Op::kStoreReferenceField:
        if (!usable(r[i->b])) return finish(stop_);
        store_reference(field());
        break;
      case Op::kAddress:
        r[i->a] = i->imm;
        break;
      case Op::kField:
        if (!usable(r[i->b])) return finish(stop_);
        r[i->a] = static_cast<std::int32_t>(field() - memory);
        break;
      case Op::kIndex: {
        const auto packed = static_cast<std::uint32_t>(i->imm);
        const auto index = static_cast<std::uint32_t>(r[i->c]);
        if (index >= (packed & 0xFFFF)) {
          return fail(FaultKind::kIndex);
        }
        r[i->a] = r[i->b] + static_cast<std::int32_t>(index * (packed >> 16));
        break;
      }
      case Op::kLen:
      case Op::kContains:
      case Op::kPushBack:
      case Op::kPushFront:
      case Op::kPopBack:
      case Op::kPopFront:
      case Op::kFront:
      case Op::kBack:
      case Op::kAt:
      case Op::kSetAt:
      case Op::kRemoveAt:
      case Op::kInsertAt:
      case Op::kInsert:
      case Op::kRemove:
      case Op::kSmallest:
      case Op::kAnyOf:
      case Op::kClear:
      case Op::kMapGet:
      case Op::kMapSet:
        touch(memory + r[i->b], 0, false);
        if (!in_container(*i)) return finish(stop_);
        break;
      case Op::kCopy:
        std::memmove(memory + r[i->a], memory + r[i->b],
                     static_cast<std::size_t>(i->imm));
        references_changed |= i->c != 0;
        break;
      case Op::kSame:
        r[i->a] = std::memcmp(memory + r[i->b], memory + r[i->c],
                              static_cast<std::size_t>(i->imm)) == 0
                      ? 1
                      : 0;
        break;
      case Op::kDefault: {
        const auto& block = program_->blocks[static_cast<std::size_t>(i->imm)];
        std::memcpy(memory + block.address, block.initial.data(),
                    block.initial.size());
        break;
      }
      case Op::kNew:
        if (!make_cell(*i)) return finish(stop_);
        break;
      case Op::kDelete:
        if (!delete_cell(r[i->a], i->imm)) return finish(stop_);
        break;
      case Op::kChoose:
        r[i->a] = static_cast<std::int32_t>(
            choose(static_cast<std::uint32_t>(i->imm)));
        break;
      case Op::kAny: {
        const std::int64_t count = std::int64_t{r[i->c]} - r[i->b] + 1;
        if (count <= 0 || count > UINT16_MAX) {
          return fail(FaultKind::kRange);
        }
        r[i->a] = r[i->b] + static_cast<std::int32_t>(
                                choose(static_cast<std::uint32_t>(count)));
        break;
      }
      case Op::kAwait:
        if (r[i->a] == 0) return finish(Stop::kBlocked);
        break;
      case Op::kAssert:
        if (r[i->a] == 0) {
          return fail(FaultKind::kAssertion);
        }
        break;
      case Op::kFail:
        fault = static_cast<FaultKind>(i->imm);
        return finish(Stop::kFault);
      case Op::kStep:
        if (!chooses || static_cast<StepKind>(i->a) == StepKind::kReturn) {
          rest = static_cast<std::uint16_t>(i->imm);
          return finish(Stop::kRest);
        }
        chooses = static_cast<StepKind>(i->a) == StepKind::kChoose;
        break;
      case Op::kMark:
        marked = true;
        break;
      case Op::kSucceeded:
        succeeded = true;
        break;
      case Op::kNothing:
        break;
      case Op::kReturn:
        return finish(Stop::kReturn);
    }
    ++i;
  }
}

}  // namespace plumb::lang
