// SPDX-License-Identifier: Apache-2.0
// What addresses mean to people: places in the source, variables, types.
//
// Only asked once something was found, so nothing here is in a hurry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::harness {

// A place in the code.
struct CodePlace {
  std::string function;       // "Stack<int>::push"; "": not known
  std::string file;           // as the compiler named it; "": not known
  int line = 0;               // 0: not known
  std::string binary;         // "test", "libfoo.so"; "": none
  std::uintptr_t offset = 0;  // within the function, else the binary

  bool operator==(const CodePlace&) const = default;
};

// "stack.h:21"; without line numbers "push+0x12 in test"; at worst "0x1234".
std::string to_string(const CodePlace& place);

// Whose code is it?
enum class Owner : std::uint8_t {
  kNobody,    // no file is known
  kLanguage,  // the standard library, the compiler's headers, wrapped atomics
  kPlumb,     // what stands between a test and the object under test
  kLibrary,   // other headers of the system
  kUser,
};
Owner owner_of(std::string_view file);

// Types have numbers; 0 is one of which nothing is known.
using TypeId = std::uint32_t;
inline constexpr TypeId kNoType = 0;

// A variable that lives as long as the program.
struct Variable {
  std::string name;  // "head", "Pool::nodes"
  std::uintptr_t address = 0;
  std::size_t size = 0;  // 0: not known
  TypeId type = kNoType;
};

// A part of an object: how to say it, and what it is.
struct Member {
  std::string path;        // ".next", "[2].value"; "": the object itself
  std::size_t offset = 0;  // of what is left: not 0 in the middle of something
  TypeId type = kNoType;
};

class Symbols {
 public:
  virtual ~Symbols() = default;

  // Where a call returns to `return_address`: functions that were inlined
  // there, the innermost first, and the one that they are inlined into.  Never
  // empty.
  virtual std::vector<CodePlace> frames_at(std::uintptr_t return_address) = 0;

  // The variable that holds this byte.
  virtual std::optional<Variable> variable_at(std::uintptr_t address) = 0;

  // The smallest part of a `type` that holds `size` bytes from `offset` on.
  // Names that belong to the standard library are left out: a part of an
  // atomic is called what the atomic is called.
  virtual Member member_at(TypeId type, std::size_t offset,
                           std::size_t size) = 0;
  virtual std::size_t size_of(TypeId type) = 0;  // 0: not known
  // What a pointer points to; kNoType if it is no pointer.
  virtual TypeId target_of(TypeId type) = 0;
  // "true", "-1", "'a'", "kRed"; nothing for pointers other than null, and
  // for what is no single value.
  virtual std::optional<std::string> value_of(TypeId type,
                                              std::uint64_t bits) = 0;
  // The T of an object whose class, with virtual methods, is a template<T>:
  // what a MakerOf<T> makes.
  virtual TypeId argument_of(const void* object) = 0;

  // A line of a file without the spaces around; "" if it cannot be read.
  virtual std::string source_line(const std::string& file, int line) = 0;
};

// Of the program that runs now, from its debug information.  Where there is
// none, from its symbols.
std::unique_ptr<Symbols> symbols_of_this_process();

// The place to show of a stack of return addresses (innermost first): the
// innermost one in the user's files.  Where the user's only part is to call a
// library, it is the innermost one in that library.
CodePlace place_to_show(Symbols& symbols,
                        std::span<const std::uintptr_t> stack);

// A demangled name without what is long and says little: the types of the
// parameters and of the result, long template arguments.
std::string short_function_name(std::string_view demangled);

}  // namespace plumb::harness
