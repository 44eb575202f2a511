// SPDX-License-Identifier: Apache-2.0
// Symbols of the running process, by elfutils (libdw).
#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "harness/data_types.h"
#include "harness/symbols.h"

namespace plumb::harness {

namespace {

bool is_of_the_system(std::string_view file) {
  return file.starts_with("/usr/lib") || file.starts_with("/lib") ||
         file.starts_with("[");
}

// Debug information in files of its own is looked for as usual, but not for
// the system's libraries: that might ask a server, and nobody will read it.
template <typename... More>
int find_debug_file(Dwfl_Module* module, void** data, const char* name,
                    More... more) {
  if (is_of_the_system(name ? name : "")) return -1;
  return dwfl_standard_find_debuginfo(module, data, name, more...);
}

const Dwfl_Callbacks* callbacks() {
  static const Dwfl_Callbacks all = [] {
    Dwfl_Callbacks result{};
    result.find_elf = dwfl_linux_proc_find_elf;
    result.find_debuginfo = find_debug_file;
    return result;
  }();
  return &all;
}

std::string demangled(const char* name) {
  if (name == nullptr) return "";
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  const std::string result = status == 0 && text ? text : name;
  std::free(text);
  return result;
}

std::string function_name(Dwarf_Die& die) {
  for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&die, kind, &attribute)) {
      if (const char* name = dwarf_formstring(&attribute)) {
        return short_function_name(demangled(name));
      }
    }
  }
  const char* name = dwarf_diename(&die);
  return name ? name : "";
}

// The class that a function belongs to, as an entry.
std::optional<Dwarf_Die> class_of(const Dwarf_Die& function) {
  Dwarf_Die declared = declaration_of(function);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declared, &scopes);
  std::optional<Dwarf_Die> result;
  if (count > 1) result = scopes[1];
  std::free(scopes);
  return result;
}

// Where a variable is, if that is the same for every thread and at all times.
std::optional<Dwarf_Addr> fixed_address(Dwarf_Die& variable) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (!dwarf_attr(&variable, DW_AT_location, &attribute) ||
      dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) {
    return std::nullopt;
  }
  if (operations[0].atom == DW_OP_addr) return operations[0].number;
  if (operations[0].atom != DW_OP_addrx) return std::nullopt;
  Dwarf_Attribute indirect;
  Dwarf_Addr address = 0;
  if (dwarf_getlocation_attr(&attribute, operations, &indirect) != 0 ||
      dwarf_formaddr(&indirect, &address) != 0) {
    return std::nullopt;
  }
  return address;
}

bool is_in_function(std::vector<Dwarf_Die>& scopes) {
  return std::any_of(scopes.begin(), scopes.end(), [](Dwarf_Die& scope) {
    return dwarf_tag(&scope) == DW_TAG_subprogram;
  });
}

// Looks for the entries around a pc below `scope`, innermost first, even where
// those further out do not have it: g++ puts the function of a lambda into the
// entry of the function that it was written in.
bool find_scopes(Dwarf_Die& scope, Dwarf_Addr pc,
                 std::vector<Dwarf_Die>& found) {
  const bool is_here = dwarf_haspc(&scope, pc) == 1;
  Dwarf_Die child;
  if (dwarf_child(&scope, &child) == 0) {
    do {
      switch (dwarf_tag(&child)) {
        case DW_TAG_namespace:
        case DW_TAG_subprogram:
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
          if (!find_scopes(child, pc, found)) break;
          if (is_here) found.push_back(scope);
          return true;
        default:
          break;
      }
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  const int tag = dwarf_tag(&scope);
  const bool is_code = tag != DW_TAG_compile_unit && tag != DW_TAG_namespace;
  if (is_here && is_code) found.push_back(scope);
  return is_here && is_code;
}

std::string variable_name(Dwarf_Die& variable) {
  const char* name = dwarf_diename(&variable);
  if (name == nullptr) return "";
  const auto around = class_of(variable);
  if (around) {
    Dwarf_Die type = *around;
    const int tag = dwarf_tag(&type);
    const char* scope = dwarf_diename(&type);
    if ((tag == DW_TAG_class_type || tag == DW_TAG_structure_type) && scope) {
      return std::string(scope) + "::" + name;
    }
  }
  return name;
}

class ProcessSymbols final : public Symbols {
 public:
  ProcessSymbols();
  ~ProcessSymbols() override;
  ProcessSymbols(const ProcessSymbols&) = delete;
  ProcessSymbols& operator=(const ProcessSymbols&) = delete;

  // Loops come to the same places again and again, and looking up takes long.
  std::vector<CodePlace> frames_at(std::uintptr_t return_address) override {
    const auto [entry, is_new] = frames_.try_emplace(return_address);
    if (is_new) entry->second = find_frames(return_address);
    return entry->second;
  }
  std::optional<Variable> variable_at(std::uintptr_t address) override;
  Member member_at(TypeId type, std::size_t offset, std::size_t size) override {
    return types_.member_at(type, offset, size);
  }
  std::size_t size_of(TypeId type) override { return types_.size_of(type); }
  TypeId target_of(TypeId type) override { return types_.target_of(type); }
  std::optional<std::string> value_of(TypeId type,
                                      std::uint64_t bits) override {
    return types_.value_of(type, bits);
  }
  TypeId argument_of(const void* object) override;
  std::string source_line(const std::string& file, int line) override;

 private:
  // A unit of code and how far it was moved when it was loaded.
  struct Unit {
    Dwarf_Die die;
    Dwarf_Addr bias = 0;
  };
  std::optional<Unit> unit_at(Dwfl_Module* module, Dwarf_Addr pc);
  // The entries around a pc, innermost first, as the code is nested.
  static std::vector<Dwarf_Die> scopes_at(Unit& unit, Dwarf_Addr pc);
  std::vector<CodePlace> find_frames(std::uintptr_t return_address);
  std::vector<CodePlace> inlined_frames(Unit& unit, Dwarf_Addr pc);
  CodePlace place_by_symbol(std::uintptr_t pc);
  std::string binary_of(Dwfl_Module* module) const;

  void find_variables();
  void find_variables_of(Dwfl_Module* module);
  void find_variables_in(Dwarf_Die scope, Dwarf_Addr bias);
  void add_variable(Dwarf_Die variable, Dwarf_Addr bias);
  std::optional<Variable> variable_by_symbol(std::uintptr_t address);

  Dwfl* dwfl_ = nullptr;
  DataTypes types_;
  std::map<Dwfl_Module*, std::vector<Unit>> units_;
  std::map<std::uintptr_t, std::vector<CodePlace>> frames_;
  std::map<std::uintptr_t, Variable> variables_;  // by address
  bool found_variables_ = false;
  std::map<std::string, std::vector<std::string>> files_;
};

ProcessSymbols::ProcessSymbols() {
  dwfl_ = dwfl_begin(callbacks());
  if (dwfl_ == nullptr) return;
  dwfl_report_begin(dwfl_);
  dwfl_linux_proc_report(dwfl_, getpid());
  dwfl_report_end(dwfl_, nullptr, nullptr);
}

ProcessSymbols::~ProcessSymbols() {
  if (dwfl_ != nullptr) dwfl_end(dwfl_);
}

// By the ranges of all units: not every compiler writes an index of them.
std::optional<ProcessSymbols::Unit> ProcessSymbols::unit_at(Dwfl_Module* module,
                                                            Dwarf_Addr pc) {
  const auto [entry, is_new] = units_.try_emplace(module);
  if (is_new) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* die = nullptr;
    while ((die = dwfl_module_nextcu(module, die, &bias)) != nullptr) {
      entry->second.push_back({*die, bias});
    }
  }
  for (Unit& unit : entry->second) {
    if (dwarf_haspc(&unit.die, pc - unit.bias) == 1) return unit;
  }
  return std::nullopt;
}

std::vector<Dwarf_Die> ProcessSymbols::scopes_at(Unit& unit, Dwarf_Addr pc) {
  std::vector<Dwarf_Die> result;
  Dwarf_Die* by_name = nullptr;
  if (dwarf_getscopes(&unit.die, pc - unit.bias, &by_name) > 0) {
    // Those are the scopes that names are looked up in: behind an inlined
    // function stands where it was written, not where it was put.
    Dwarf_Die innermost = by_name[0];
    std::free(by_name);
    Dwarf_Die* nested = nullptr;
    const int count = dwarf_getscopes_die(&innermost, &nested);
    result.assign(nested, nested + std::max(count, 0));
    std::free(nested);
  }
  if (is_in_function(result)) return result;
  result.clear();
  find_scopes(unit.die, pc - unit.bias, result);
  return result;
}

std::vector<CodePlace> ProcessSymbols::inlined_frames(Unit& unit,
                                                      Dwarf_Addr pc) {
  CodePlace place;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit.die, pc - unit.bias)) {
    const char* file = dwarf_linesrc(line, nullptr, nullptr);
    if (file) place.file = file;
    dwarf_lineno(line, &place.line);
  }
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  dwarf_getsrcfiles(&unit.die, &files, &count);
  std::vector<CodePlace> frames;
  for (Dwarf_Die& scope : scopes_at(unit, pc)) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    place.function = function_name(scope);
    frames.push_back(place);
    if (tag == DW_TAG_subprogram) break;
    const std::size_t file = number_of(scope, DW_AT_call_file).value_or(0);
    const char* name =
        file < count ? dwarf_filesrc(files, file, nullptr, nullptr) : nullptr;
    place.file = name ? name : "";
    place.line =
        static_cast<int>(number_of(scope, DW_AT_call_line).value_or(0));
  }
  return frames;
}

std::string ProcessSymbols::binary_of(Dwfl_Module* module) const {
  const char* name = dwfl_module_info(module, nullptr, nullptr, nullptr,
                                      nullptr, nullptr, nullptr, nullptr);
  const std::string path = name ? name : "";
  return path.substr(path.rfind('/') + 1);
}

CodePlace ProcessSymbols::place_by_symbol(std::uintptr_t pc) {
  CodePlace place;
  place.offset = pc;
  Dwfl_Module* module = dwfl_ ? dwfl_addrmodule(dwfl_, pc) : nullptr;
  if (module == nullptr) return place;
  place.binary = binary_of(module);
  Dwarf_Addr start = 0;
  dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr,
                   nullptr);
  place.offset = pc - start;
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(module, pc, &offset, &symbol, nullptr,
                                          nullptr, nullptr);
  if (name != nullptr) {
    place.function = short_function_name(demangled(name));
    place.offset = offset;
  }
  return place;
}

std::vector<CodePlace> ProcessSymbols::find_frames(
    std::uintptr_t return_address) {
  // The call itself stands in front of where it returns to.
  const std::uintptr_t pc = return_address == 0 ? 0 : return_address - 1;
  const CodePlace by_symbol = place_by_symbol(pc);
  Dwfl_Module* module = dwfl_ ? dwfl_addrmodule(dwfl_, pc) : nullptr;
  if (module == nullptr) return {by_symbol};
  std::vector<CodePlace> frames;
  if (auto unit = unit_at(module, pc)) frames = inlined_frames(*unit, pc);
  for (CodePlace& frame : frames) {
    frame.binary = by_symbol.binary;
    frame.offset = by_symbol.offset;
  }
  if (frames.empty()) frames.push_back(by_symbol);
  return frames;
}

void ProcessSymbols::add_variable(Dwarf_Die die, Dwarf_Addr bias) {
  const auto address = fixed_address(die);
  if (!address || *address == 0) return;
  Variable variable;
  variable.name = variable_name(die);
  variable.address = *address + bias;
  if (auto type = type_of(die)) {
    variable.type = types_.add(*type);
    variable.size = types_.size_of(variable.type);
  }
  if (!variable.name.empty() && variable.size > 0) {
    variables_.try_emplace(variable.address, variable);
  }
}

void ProcessSymbols::find_variables_in(Dwarf_Die scope, Dwarf_Addr bias) {
  Dwarf_Die child;
  if (dwarf_child(&scope, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable:
        add_variable(child, bias);
        break;
      case DW_TAG_namespace:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
        find_variables_in(child, bias);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

void ProcessSymbols::find_variables_of(Dwfl_Module* module) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    find_variables_in(*unit, bias);
  }
}

void ProcessSymbols::find_variables() {
  if (std::exchange(found_variables_, true) || dwfl_ == nullptr) return;
  const auto visit = [](Dwfl_Module* module, void**, const char* name,
                        Dwarf_Addr, void* self) -> int {
    if (!is_of_the_system(name ? name : "")) {
      static_cast<ProcessSymbols*>(self)->find_variables_of(module);
    }
    return DWARF_CB_OK;
  };
  dwfl_getmodules(dwfl_, visit, this, 0);
}

std::optional<Variable> ProcessSymbols::variable_by_symbol(
    std::uintptr_t address) {
  Dwfl_Module* module = dwfl_ ? dwfl_addrmodule(dwfl_, address) : nullptr;
  if (module == nullptr) return std::nullopt;
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(module, address, &offset, &symbol,
                                          nullptr, nullptr, nullptr);
  if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
      offset >= symbol.st_size) {
    return std::nullopt;
  }
  return Variable{short_function_name(demangled(name)), address - offset,
                  symbol.st_size, kNoType};
}

std::optional<Variable> ProcessSymbols::variable_at(std::uintptr_t address) {
  find_variables();
  auto next = variables_.upper_bound(address);
  if (next != variables_.begin()) {
    const Variable& variable = std::prev(next)->second;
    if (address - variable.address < variable.size) return variable;
  }
  return variable_by_symbol(address);
}

TypeId ProcessSymbols::argument_of(const void* object) {
  // An object with virtual methods begins with a pointer to a table of them:
  // two destructors and at least one more.
  const std::uintptr_t* table = nullptr;
  std::memcpy(&table, object, sizeof table);
  for (std::size_t slot = 0; slot < 3; ++slot) {
    Dwfl_Module* module = dwfl_ ? dwfl_addrmodule(dwfl_, table[slot]) : nullptr;
    auto unit = module ? unit_at(module, table[slot]) : std::nullopt;
    if (!unit) continue;
    for (const Dwarf_Die& scope : scopes_at(*unit, table[slot])) {
      auto owner = class_of(scope);
      Dwarf_Die child;
      if (!owner || dwarf_child(&*owner, &child) != 0) continue;
      do {
        if (dwarf_tag(&child) != DW_TAG_template_type_parameter) continue;
        if (const auto type = type_of(child)) return types_.add(*type);
      } while (dwarf_siblingof(&child, &child) == 0);
    }
  }
  return kNoType;
}

std::string ProcessSymbols::source_line(const std::string& file, int line) {
  const auto [entry, is_new] = files_.try_emplace(file);
  std::vector<std::string>& lines = entry->second;
  if (is_new) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) lines.push_back(text);
  }
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return "";
  const std::string& text = lines[static_cast<std::size_t>(line) - 1];
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

std::unique_ptr<Symbols> symbols_of_this_process() {
  return std::make_unique<ProcessSymbols>();
}

}  // namespace plumb::harness
