// SPDX-License-Identifier: Apache-2.0
#include "runtime/audit_code.h"

#include <Zydis/Zydis.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "runtime/audit_objects.h"
#include "runtime/tls.h"

namespace plumb::runtime {

namespace {

constexpr std::size_t kPage = 4096;
constexpr greg_t kTrapFlag = 0x100;
constexpr greg_t kDownwards = 0x400;  // how strings are walked
constexpr std::uint8_t kBreakpoint = 0xCC;

struct Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

bool decode(std::uintptr_t pc, Decoded& out) {
  static const ZydisDecoder decoder = [] {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return made;
  }();
  return ZYAN_SUCCESS(ZydisDecoderDecodeFull(
      &decoder, reinterpret_cast<const void*>(pc), ZYDIS_MAX_INSTRUCTION_LENGTH,
      &out.instruction, out.operands));
}

constexpr int kRegisters[16] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

bool place_of(const Decoded& code, const ZydisDecodedOperand& operand,
              const greg_t* registers, std::uintptr_t& place) {
  static ZydisRegisterContext context;
  for (std::size_t i = 0; i < 16; ++i) {
    context.values[static_cast<std::size_t>(ZYDIS_REGISTER_RAX) + i] =
        static_cast<ZyanU64>(registers[kRegisters[i]]);
  }
  ZyanU64 found = 0;
  if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(
          &code.instruction, &operand, static_cast<ZyanU64>(registers[REG_RIP]),
          &context, &found))) {
    return false;
  }
  place = found;
  // Thread-local data: of the thread that runs.
  if (operand.mem.segment == ZYDIS_REGISTER_FS)
    place += tls::bases[tls::current];
  return true;
}

// Some find what they want by a number in a register that is no part of the
// place that they name: a bit that may lie far to either side of it, ...
std::uintptr_t bytes_beside(const Decoded& code, const greg_t* registers) {
  switch (code.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_XLAT:
      return static_cast<std::uintptr_t>(registers[REG_RAX]) & 0xFF;
    case ZYDIS_MNEMONIC_BT:
    case ZYDIS_MNEMONIC_BTC:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTS:
      break;
    default:
      return 0;
  }
  const ZydisDecodedOperand& bit = code.operands[1];
  if (bit.type != ZYDIS_OPERAND_TYPE_REGISTER) return 0;
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(
      ZYDIS_MACHINE_MODE_LONG_64, bit.reg.value);
  std::int64_t number =
      registers[kRegisters[static_cast<std::size_t>(whole) -
                           static_cast<std::size_t>(ZYDIS_REGISTER_RAX)]];
  if (bit.size == 32) number = static_cast<std::int32_t>(number);
  if (bit.size == 16) number = static_cast<std::int16_t>(number);
  const std::int64_t words = (number - (number & (bit.size - 1))) / bit.size;
  return static_cast<std::uintptr_t>(words * (bit.size / 8));
}

// As often as a register says, to either side.
void repeat(const greg_t* registers, std::uintptr_t& place,
            std::uint32_t& size) {
  const auto count = static_cast<std::uint64_t>(registers[REG_RCX]);
  const std::uint32_t one = size;
  size = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::uint64_t{one} * count, 1 << 20));
  if ((registers[REG_EFL] & kDownwards) && size != 0) place -= size - one;
}

// It reads or writes at as many places as a vector has numbers.
Touch somewhere_on(std::uintptr_t page, bool writes) {
  Touch touch{page, kPage, !writes, writes};
  touch.is_vague = true;
  return touch;
}

// It reads or writes some numbers of a vector only, as a mask says.
bool is_masked(const ZydisDecodedInstruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
      return true;
    default:
      return instruction.avx.mask.mode > ZYDIS_MASK_MODE_DISABLED;
  }
}

// It moves vectors that may lie anywhere, so it is no way to move them at once.
bool is_unaligned_move(const ZydisDecodedInstruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_VMOVUPS:
    case ZYDIS_MNEMONIC_VMOVUPD:
    case ZYDIS_MNEMONIC_VMOVDQU:
      return true;
    default:
      return false;
  }
}

// A copy of the instruction lies here, with a breakpoint behind it: a trap by
// the processor's flag takes twice as long.
struct Step {
  std::uint8_t* copy = nullptr;
  std::uintptr_t pc = 0;    // of the original; 0: none is under way
  std::uintptr_t next = 0;  // behind it
  bool copied = false;
};
Step step;

// Near the executable, whose instructions name their data by distance.
void make_place_for_copy() {
  if (step.copy != nullptr) return;
  const auto data = data_of_test();
  std::uintptr_t wanted = 0;
  for (const AddressRange& range : data) wanted = std::max(wanted, range.end);
  void* const memory = mmap(reinterpret_cast<void*>(wanted + (64 << 20)), kPage,
                            PROT_READ | PROT_WRITE | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static std::uint8_t nowhere[1];
  step.copy =
      memory == MAP_FAILED ? nowhere : static_cast<std::uint8_t*>(memory);
}

bool can_copy() {
  make_place_for_copy();
  return (reinterpret_cast<std::uintptr_t>(step.copy) & (kPage - 1)) == 0;
}

bool copy_of(std::uintptr_t pc) {
  Decoded code;
  if (!can_copy() || !decode(pc, code) ||
      code.instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE) {
    return false;
  }
  const ZydisDecodedInstruction& instruction = code.instruction;
  std::memcpy(step.copy, reinterpret_cast<const void*>(pc), instruction.length);
  step.copy[instruction.length] = kBreakpoint;
  if ((instruction.attributes & ZYDIS_ATTRIB_HAS_MODRM) &&
      instruction.raw.modrm.mod == 0 && instruction.raw.modrm.rm == 5) {
    std::int32_t distance = 0;
    std::uint8_t* const at = step.copy + instruction.raw.disp.offset;
    std::memcpy(&distance, at, sizeof(distance));
    const std::int64_t moved =
        distance + static_cast<std::int64_t>(
                       pc - reinterpret_cast<std::uintptr_t>(step.copy));
    const auto fits = static_cast<std::int32_t>(moved);
    if (fits != moved) return false;
    std::memcpy(at, &fits, sizeof(fits));
  }
  step.next = pc + instruction.length;
  return true;
}

}  // namespace

Touches touches_of(const greg_t* registers, std::uintptr_t at, bool was_write) {
  Touches found{1, {{at, 1, !was_write, was_write}}};
  Decoded code;
  if (!decode(static_cast<std::uintptr_t>(registers[REG_RIP]), code)) {
    return found;
  }
  const ZydisDecodedInstruction& instruction = code.instruction;
  const bool locked = (instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 ||
                      instruction.mnemonic == ZYDIS_MNEMONIC_XCHG;
  const bool compares = (instruction.attributes &
                         (ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
  const bool repeats =
      compares || (instruction.attributes & ZYDIS_ATTRIB_HAS_REP) != 0;
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    const ZydisDecodedOperand& operand = code.operands[i];
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY ||
        operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
      continue;
    }
    if (operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
      found.all[0] = somewhere_on(at & ~(kPage - 1), was_write);
      return found;
    }
    std::uintptr_t place = 0;
    std::uint32_t size = operand.size / 8u;
    if (!place_of(code, operand, registers, place)) continue;
    place += bytes_beside(code, registers);
    if (repeats) repeat(registers, place, size);
    const bool in_frame = operand.mem.base == ZYDIS_REGISTER_RBP ||
                          operand.mem.base == ZYDIS_REGISTER_RSP;
    const bool reads = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    const bool writes =
        (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    const bool is_of_stack =
        in_frame && operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    const bool pushes = is_of_stack && writes;
    const bool pops = is_of_stack && !writes;
    if (pushes) place -= size;  // below what they find
    const Touch touch{place,
                      size,
                      reads,
                      writes,
                      locked,
                      !compares && (size <= 8 || writes),
                      in_frame,
                      pushes,
                      pops,
                      is_masked(instruction),
                      is_unaligned_move(instruction)};
    if (at - place < size) {
      found.all[0] = touch;
    } else if (found.count < Touches::kMost && size != 0) {
      found.all[found.count++] = touch;
    }
  }
  return found;
}

bool calls_nobody(std::uintptr_t function) {
  constexpr std::size_t kMostBytes = 512;
  std::uintptr_t at = function;
  Decoded code;
  while (at - function < kMostBytes && decode(at, code)) {
    const ZydisInstructionCategory category = code.instruction.meta.category;
    if (category == ZYDIS_CATEGORY_CALL) return false;
    if (category == ZYDIS_CATEGORY_RET) return true;
    at += code.instruction.length;
  }
  return false;
}

bool can_run_copy(std::uintptr_t pc) {
  return step.pc == 0 && copy_of(pc);
}

void run_one(greg_t* registers) {
  step.pc = static_cast<std::uintptr_t>(registers[REG_RIP]);
  step.copied = copy_of(step.pc);
  if (step.copied) {
    registers[REG_RIP] =
        static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(step.copy));
  } else {
    registers[REG_EFL] |= kTrapFlag;
  }
}

bool ran_one(greg_t* registers) {
  if (step.pc == 0) return false;
  if (step.copied) {
    registers[REG_RIP] = static_cast<greg_t>(step.next);
  } else {
    // A string instruction traps after each round.
    if (static_cast<std::uintptr_t>(registers[REG_RIP]) == step.pc) return true;
    registers[REG_EFL] &= ~kTrapFlag;
  }
  step.pc = 0;
  return true;
}

bool is_running_one(std::uintptr_t pc) {
  return step.pc != 0 &&
         pc == (step.copied ? reinterpret_cast<std::uintptr_t>(step.copy)
                            : step.pc);
}

}  // namespace plumb::runtime
