// SPDX-License-Identifier: Apache-2.0
#include "runtime/unhooked_code.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "runtime/audit_objects.h"
#include "runtime/elf_tables.h"
#include "runtime/libraries.h"

namespace plumb::runtime {

constinit bool float_state_matters = true;

namespace {

template <typename T>
T read_at(std::uintptr_t at) {
  T out;
  std::memcpy(&out, reinterpret_cast<const void*>(at), sizeof(out));
  return out;
}

// --- functions, from the tables that unwinding needs

// Of `.eh_frame_hdr`, as every linker writes it: distances from itself, of 32
// bits, in pairs that are sorted.
constexpr std::size_t kHeaderBytes = 12;
constexpr std::uint8_t kUsual[] = {1, 0x1b, 0x03, 0x3b};

// Where a function ends, by its entry in `.eh_frame`; 0: it is not known.
std::uintptr_t end_of(std::uintptr_t begin, std::uintptr_t entry) {
  constexpr std::uintptr_t kBegin = 8, kLength = 12;
  const std::uintptr_t told = entry + kBegin +
                              static_cast<std::uintptr_t>(std::intptr_t{
                                  read_at<std::int32_t>(entry + kBegin)});
  return told == begin ? begin + read_at<std::uint32_t>(entry + kLength) : 0;
}

void add_functions(std::uintptr_t table, std::vector<AddressRange>& out) {
  if (std::memcmp(reinterpret_cast<const void*>(table), kUsual,
                  sizeof(kUsual)) != 0) {
    return;
  }
  const auto count = read_at<std::uint32_t>(table + 8);
  const auto place = [&](std::size_t i) {
    return table + static_cast<std::uintptr_t>(std::intptr_t{
                       read_at<std::int32_t>(table + kHeaderBytes + 4 * i)});
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::uintptr_t begin = place(2 * i);
    std::uintptr_t end = end_of(begin, place(2 * i + 1));
    if (end == 0 && i + 1 < count) end = place(2 * i + 2);
    if (end > begin) out.push_back({begin, end});
  }
}

// --- instructions

using Instruction = ZydisDecodedInstruction;

class Decoder {
 public:
  Decoder() {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64,
                     ZYDIS_STACK_WIDTH_64);
  }
  bool read(std::uintptr_t at, Instruction& out) const {
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
        &decoder_, nullptr, reinterpret_cast<const void*>(at),
        ZYDIS_MAX_INSTRUCTION_LENGTH, &out));
  }

  // How many bytes it reads and writes by what it names.
  struct Bytes {
    std::uint32_t read = 0;
    std::uint32_t written = 0;
    bool is_of_number = false;  // that the instruction holds itself
    bool is_of_vector = false;  // of 16 bytes or more
  };
  Bytes bytes_of(std::uintptr_t at) const {
    Bytes bytes;
    Instruction code;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(
            &decoder_, reinterpret_cast<const void*>(at),
            ZYDIS_MAX_INSTRUCTION_LENGTH, &code, operands))) {
      return bytes;
    }
    for (std::size_t i = 0; i < code.operand_count; ++i) {
      bytes.is_of_number |= operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
      bytes.is_of_vector |= operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                            operands[i].size >= 128;
      if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
      const auto actions = operands[i].actions;
      const std::uint32_t size = operands[i].size / 8u;
      if (actions & ZYDIS_OPERAND_ACTION_MASK_READ) bytes.read += size;
      if (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) bytes.written += size;
    }
    return bytes;
  }

 private:
  ZydisDecoder decoder_;
};

bool names_memory(const Instruction& code) {
  return (code.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 &&
         code.raw.modrm.mod != 3 && code.mnemonic != ZYDIS_MNEMONIC_LEA &&
         code.mnemonic != ZYDIS_MNEMONIC_NOP;
}
bool is_by_distance(const Instruction& code) {
  return (code.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 &&
         code.raw.modrm.mod == 0 && code.raw.modrm.rm == 5;
}
std::uintptr_t place_by_distance(std::uintptr_t at, const Instruction& code) {
  return at + code.length + static_cast<std::uintptr_t>(code.raw.disp.value);
}

// Found by the pointer of the stack, or of the frame if it is one.
bool is_in_frame(const Instruction& code, bool has_frame) {
  constexpr std::uint8_t kStack = 4, kFrame = 5;
  const bool has_sib = code.raw.modrm.rm == 4;
  const bool is_extended = code.raw.rex.B != 0;
  if (is_extended) return false;
  if (has_sib) {
    return code.raw.sib.base == kStack ||
           (has_frame && code.raw.sib.base == kFrame &&
            code.raw.modrm.mod != 0);
  }
  return has_frame && code.raw.modrm.rm == kFrame && code.raw.modrm.mod != 0;
}

bool is_locked(const Instruction& code) {
  return (code.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 ||
         (code.mnemonic == ZYDIS_MNEMONIC_XCHG && names_memory(code));
}

// Of the old floating-point unit, or of the state of either.
bool is_of_float_state(const Instruction& code) {
  switch (code.mnemonic) {
    case ZYDIS_MNEMONIC_LDMXCSR:
    case ZYDIS_MNEMONIC_STMXCSR:
    case ZYDIS_MNEMONIC_VLDMXCSR:
    case ZYDIS_MNEMONIC_VSTMXCSR:
      return true;
    default:
      return code.meta.category == ZYDIS_CATEGORY_X87_ALU ||
             code.meta.category == ZYDIS_CATEGORY_MMX ||
             code.meta.category == ZYDIS_CATEGORY_XSAVE ||
             code.meta.isa_set == ZYDIS_ISA_SET_FXSAVE ||
             code.meta.isa_set == ZYDIS_ISA_SET_FXSAVE64;
  }
}

bool is_of_cfenv(std::string_view name) {
  constexpr std::string_view kStarts[] = {"feclear", "fedis",  "feenable",
                                          "feget",   "fehold", "feraise",
                                          "feset",   "fetest", "feupdate"};
  return std::any_of(
      std::begin(kStarts), std::end(kStarts),
      [&](std::string_view start) { return name.starts_with(start); });
}

// By registers that it does not name.
bool is_of_strings(const Instruction& code) {
  switch (code.mnemonic) {
    case ZYDIS_MNEMONIC_XLAT:
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_CLZERO:
      return true;
    default:
      return code.meta.category == ZYDIS_CATEGORY_STRINGOP;
  }
}

// What stack protectors compare with, and where thread-local data begins.
bool is_of_protector(const Instruction& code) {
  return (code.attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS) != 0 &&
         code.raw.modrm.rm == 4 &&
         (code.raw.disp.value == 0x28 || code.raw.disp.value == 0);
}

// Of ranges that are sorted and lie apart.
bool is_in_any(const std::vector<AddressRange>& all, std::uintptr_t at) {
  auto after = std::upper_bound(
      all.begin(), all.end(), at,
      [](std::uintptr_t a, const AddressRange& b) { return a < b.begin; });
  return after != all.begin() && (--after)->contains(at);
}

bool is_data(std::uintptr_t address) {
  const auto all = data_of_test();
  return std::any_of(all.begin(), all.end(), [&](const AddressRange& range) {
    return range.contains(address);
  });
}

// Does it touch memory that others may know of?
bool may_share(std::uintptr_t at, const Instruction& code, bool has_frame) {
  if (is_of_strings(code)) return true;
  if (!names_memory(code) || is_of_protector(code)) return false;
  if (code.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE) return false;
  if (is_by_distance(code)) return is_data(place_by_distance(at, code));
  return !is_in_frame(code, has_frame);
}

// What hooks announce, by their names.
struct Announced {
  bool is_hook = false;
  bool is_write = false;
  std::uint32_t bytes = 0;  // of plain accesses; kAny: who knows how many
  static constexpr std::uint32_t kAny = 1 << 20;
};

Announced announced_by(std::string_view name) {
  constexpr std::string_view kPrefix = "__tsan_";
  Announced out;
  if (!name.starts_with(kPrefix)) return out;
  name.remove_prefix(kPrefix.size());
  out.is_hook = true;
  out.is_write = name.find("write") != name.npos;
  const bool is_plain = out.is_write || name.find("read") != name.npos;
  if (name.find("vptr") != name.npos) {
    out.bytes = 8;
    out.is_write = name == "vptr_update";
  } else if (is_plain && name.find("range") == name.npos) {
    while (!name.empty() && (name.back() < '0' || name.back() > '9')) {
      name.remove_suffix(1);
    }
    for (std::uint32_t one = 1;
         !name.empty() && name.back() >= '0' && name.back() <= '9';
         one *= 10, name.remove_suffix(1)) {
      out.bytes += one * static_cast<std::uint32_t>(name.back() - '0');
    }
  } else if (is_plain || name.starts_with("mem")) {
    out.bytes = Announced::kAny;
  }
  return out;
}

std::set<std::uintptr_t>& plain_instructions() {
  static auto* const all = new std::set<std::uintptr_t>;
  return *all;
}

std::vector<AddressRange>& hooked_functions() {
  static auto* const all = new std::vector<AddressRange>;  // sorted
  return *all;
}

// Which registers hold places in the frame, as far as a stretch of code tells.
class FramePlaces {
 public:
  void note(const Instruction& code, bool has_frame) {
    constexpr std::uint8_t kToOperand = 0x89, kToRegister = 0x8B;
    const auto named =
        static_cast<std::size_t>(code.raw.modrm.reg + 8 * (code.raw.rex.R & 1));
    const auto other =
        static_cast<std::size_t>(code.raw.modrm.rm + 8 * (code.raw.rex.B & 1));
    if (code.mnemonic == ZYDIS_MNEMONIC_LEA) {
      is_in_frame_[named] = is_in_frame(code, has_frame);
    } else if (code.mnemonic == ZYDIS_MNEMONIC_MOV) {
      const bool is_register = code.raw.modrm.mod == 3;
      if (code.opcode == kToOperand && is_register) {
        is_in_frame_[other] = is_in_frame_[named];
      } else if (code.opcode == kToRegister) {
        is_in_frame_[named] = is_register && is_in_frame_[other];
      }
    }
  }
  bool is_first_argument() const { return is_in_frame_[7]; }  // rdi

 private:
  bool is_in_frame_[16] = {};
};

// What of a stretch of code was announced so far, and what it touches: but for
// its locals, which compilers touch without a word where nobody else can.
class Stretch {
 public:
  explicit Stretch(std::uintptr_t begin) : begin_(begin) {}

  void announces(const Announced& told) {
    (told.is_write ? announced_.written : announced_.read) += told.bytes;
    if (told.bytes == Announced::kAny) announced_.read += told.bytes;
  }
  void touches(const Decoder::Bytes& bytes) {
    touched_.read += bytes.read;
    touched_.written += bytes.written;
  }
  // Parts of words that are written are read first, and some compilers announce
  // x = x + 1 as a write alone.
  bool hides_something() const {
    return touched_.written > announced_.written ||
           touched_.read > announced_.read + announced_.written;
  }
  std::uintptr_t begin() const { return begin_; }

 private:
  std::uintptr_t begin_;
  Decoder::Bytes announced_, touched_;
};

class Search {
 public:
  void add_object(const dl_phdr_info& info) {
    functions_.clear();
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const auto& header = info.dlpi_phdr[i];
      const std::uintptr_t at = info.dlpi_addr + header.p_vaddr;
      if (header.p_type == PT_GNU_EH_FRAME) add_functions(at, functions_);
      if (header.p_type == PT_LOAD && (header.p_flags & PF_X)) {
        code_ = {at, at + header.p_memsz};
      }
    }
    for (const AddressRange& function : functions_) look_at(function);
    ElfTables(&info).each_relocation(
        [this](const ElfW(Rela) & entry, const ElfW(Sym)&, const char* name) {
          has_float_state_ |=
              ELF64_R_SYM(entry.r_info) != 0 && is_of_cfenv(name);
        });
  }

  bool has_float_state() const { return has_float_state_; }

  std::vector<UnhookedPlace> found() const {
    std::vector<UnhookedPlace> out;
    for (const auto& [at, what] : found_) out.push_back({at, what});
    return out;
  }

 private:
  // The function behind a stub that jumps to it, in `.plt`.
  std::optional<std::uintptr_t> behind_stub(std::uintptr_t at) const {
    Instruction code;
    if (!decoder_.read(at, code)) return {};
    if (code.mnemonic == ZYDIS_MNEMONIC_ENDBR64) {
      at += code.length;
      if (!decoder_.read(at, code)) return {};
    }
    if (code.mnemonic != ZYDIS_MNEMONIC_JMP || !is_by_distance(code)) return {};
    return read_at<std::uintptr_t>(place_by_distance(at, code));
  }

  Announced hook_at(std::uintptr_t target) {
    if (!own_library().contains(target)) return {};
    const auto [known, is_new] = hooks_.try_emplace(target);
    if (is_new) {
      Dl_info info = {};
      if (dladdr(reinterpret_cast<void*>(target), &info) != 0 &&
          info.dli_sname != nullptr) {
        known->second = announced_by(info.dli_sname);
      }
    }
    return known->second;
  }

  // Returns what the hook announces that it calls.
  Announced look_at_branch(std::uintptr_t at, const Instruction& code) {
    if (code.mnemonic != ZYDIS_MNEMONIC_CALL &&
        code.mnemonic != ZYDIS_MNEMONIC_JMP) {
      return {};
    }
    if (is_by_distance(code)) {
      const std::uintptr_t slot = place_by_distance(at, code);
      if (is_data(slot)) return {};  // a pointer of the test's
      return hook_at(read_at<std::uintptr_t>(slot));
    }
    if (!code.raw.imm[0].is_relative) return {};
    const std::uintptr_t target =
        at + code.length + static_cast<std::uintptr_t>(code.raw.imm[0].value.s);
    if (!code_.contains(target)) return {};
    if (const auto behind = behind_stub(target)) return hook_at(*behind);
    if (!is_in_any(functions_, target)) {
      found_.emplace(target, Unhooked::kFunction);  // has no tables: assembly
      has_float_state_ = true;                      // which nobody has read
    }
    return {};
  }

  void look_at(const AddressRange& function) {
    if (behind_stub(function.begin)) return;
    bool calls_hooks = false, shares = false, has_frame = false;
    std::vector<std::uintptr_t> locked;
    Instruction code;
    for (std::uintptr_t at = function.begin; at < function.end;
         at += code.length) {
      if (!decoder_.read(at, code)) {
        shares = true;  // data among code, or what is newer than the decoder
        break;
      }
      if (at == function.begin && code.mnemonic == ZYDIS_MNEMONIC_PUSH &&
          is_by_distance(code)) {
        return;  // `.plt` itself
      }
      constexpr std::uint8_t kSetFrame[] = {0x48, 0x89, 0xe5};
      has_frame |= std::memcmp(reinterpret_cast<const void*>(at), kSetFrame,
                               sizeof(kSetFrame)) == 0;
      calls_hooks |= look_at_branch(at, code).is_hook;
      has_float_state_ |= is_of_float_state(code);
      shares |= may_share(at, code, has_frame);
      if (is_locked(code)) locked.push_back(at);
    }
    if (!calls_hooks && shares) {
      found_.emplace(function.begin, Unhooked::kFunction);
    }
    if (!calls_hooks) return;
    hooked_functions().push_back(function);
    for (const std::uintptr_t at : locked) {
      found_.emplace(at, Unhooked::kAssembly);
    }
    look_at_stretches(function, has_frame);
  }

  // Where branches within the function lead to.
  std::set<std::uintptr_t> targets_in(const AddressRange& function) const {
    std::set<std::uintptr_t> targets;
    Instruction code;
    for (std::uintptr_t at = function.begin;
         at < function.end && decoder_.read(at, code); at += code.length) {
      if (code.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE ||
          !code.raw.imm[0].is_relative) {
        continue;
      }
      const std::uintptr_t target =
          at + code.length +
          static_cast<std::uintptr_t>(code.raw.imm[0].value.s);
      if (function.contains(target)) targets.insert(target);
    }
    return targets;
  }

  void look_at_stretches(const AddressRange& function, bool has_frame) {
    const std::set<std::uintptr_t> targets = targets_in(function);
    Stretch stretch(function.begin);
    const auto end_stretch = [&](std::uintptr_t next) {
      if (stretch.hides_something()) {
        found_.emplace(stretch.begin(), Unhooked::kStretch);
      }
      stretch = Stretch(next);
    };
    constexpr int kNear = 6;
    int since_call = kNear;
    FramePlaces places;
    Instruction code;
    for (std::uintptr_t at = function.begin;
         at < function.end && decoder_.read(at, code); at += code.length) {
      if (targets.contains(at)) {
        end_stretch(at);
        since_call = kNear;
        places = {};
      }
      const auto category = code.meta.category;
      const Announced told = look_at_branch(at, code);
      if (!places.is_first_argument()) stretch.announces(told);
      places.note(code, has_frame);
      ++since_call;
      if (category == ZYDIS_CATEGORY_CALL) {
        since_call = told.is_hook ? kNear : 0;
      }
      if (!is_locked(code) && may_share(at, code, has_frame)) {
        const Decoder::Bytes bytes = decoder_.bytes_of(at);
        stretch.touches(bytes);
        const bool is_result = since_call <= kNear && !bytes.is_of_number;
        const bool is_vector = bytes.is_of_vector && bytes.written >= 16;
        if (bytes.written != 0 && (bytes.read != 0 || is_result || is_vector)) {
          plain_instructions().insert(at);
        }
      }
      if (category == ZYDIS_CATEGORY_COND_BR ||
          category == ZYDIS_CATEGORY_UNCOND_BR ||
          category == ZYDIS_CATEGORY_RET) {
        end_stretch(at + code.length);
      }
    }
    end_stretch(function.end);
  }

  Decoder decoder_;
  bool has_float_state_ = false;
  AddressRange code_;  // of the object at hand
  std::vector<AddressRange> functions_;
  std::map<std::uintptr_t, Announced> hooks_;
  std::map<std::uintptr_t, Unhooked> found_;
};

}  // namespace

std::vector<UnhookedPlace> find_unhooked() {
  Search search;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        if (is_tests_own(info)) static_cast<Search*>(to)->add_object(*info);
        return 0;
      },
      &search);
  std::sort(hooked_functions().begin(), hooked_functions().end(),
            [](const AddressRange& a, const AddressRange& b) {
              return a.begin < b.begin;
            });
  float_state_matters = search.has_float_state();
  return search.found();
}

bool is_plain_for_certain(std::uintptr_t pc) {
  return plain_instructions().contains(pc);
}

bool is_hooked(std::uintptr_t pc) {
  return is_in_any(hooked_functions(), pc);
}

}  // namespace plumb::runtime
