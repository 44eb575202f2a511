// SPDX-License-Identifier: Apache-2.0
#include "harness/symbols.h"

#include <fmt/format.h>

#include <array>

namespace plumb::harness {

namespace {

// Headers that only wrap what the language should have had.
constexpr std::array<std::string_view, 8> kOfTheLanguage = {
    "/usr/include/c++/", "/usr/include/x86_64-linux-gnu/",
    "/usr/lib/",         "/usr/local/lib/",
    "/boost/atomic/",    "/boost/smart_ptr/",
    "/ck_pr.h",          "/urcu/uatomic"};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view base_name(std::string_view file) {
  return file.substr(file.rfind('/') + 1);
}

// Template arguments longer than this are left out.
constexpr std::size_t kLongestArguments = 24;

bool is_open(char c) {
  return c == '<' || c == '(' || c == '[' || c == '{';
}
bool is_close(char c) {
  return c == '>' || c == ')' || c == ']' || c == '}';
}

// The end of the bracket that opens at `at`: behind its partner.
std::size_t behind_bracket(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (is_open(text[at])) ++depth;
    if (is_close(text[at]) && text[at - 1] != '-' && --depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

// Copies what `operator` is followed by: its brackets are no brackets.
std::size_t behind_operator(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 9> kSigns = {
      "()", "[]", "<=>", "<<=", ">>=", "<<", ">>", "->*", "->"};
  for (const std::string_view sign : kSigns) {
    if (text.substr(at).starts_with(sign)) return at + sign.size();
  }
  while (at < text.size() && text[at] != '(') ++at;
  return at;
}

}  // namespace

std::string to_string(const CodePlace& place) {
  if (!place.file.empty()) {
    return fmt::format("{}:{}", base_name(place.file), place.line);
  }
  const std::string in =
      place.binary.empty() ? "" : fmt::format(" in {}", place.binary);
  if (place.function.empty()) return fmt::format("{:#x}{}", place.offset, in);
  return fmt::format("{}+{:#x}{}", place.function, place.offset, in);
}

Owner owner_of(std::string_view file) {
  if (file.empty()) return Owner::kNobody;
  if (contains(file, "/plumb/test.h") || contains(file, "/plumb/test/")) {
    return Owner::kPlumb;
  }
  for (const std::string_view part : kOfTheLanguage) {
    const bool is_root = part.starts_with("/usr/");
    if (is_root ? file.starts_with(part) : contains(file, part)) {
      return Owner::kLanguage;
    }
  }
  const bool is_system = file.starts_with("/usr/include/") ||
                         file.starts_with("/usr/local/include/");
  return is_system ? Owner::kLibrary : Owner::kUser;
}

CodePlace place_to_show(Symbols& symbols,
                        std::span<const std::uintptr_t> stack) {
  std::optional<CodePlace> nearest, in_library, of_user;
  for (const std::uintptr_t address : stack) {
    for (CodePlace& frame : symbols.frames_at(address)) {
      const Owner owner = owner_of(frame.file);
      if (!nearest) nearest = frame;
      if (owner == Owner::kPlumb) {
        // Nothing of the user's lies further out than this.
        if (in_library) return *in_library;
        if (of_user) return *of_user;
      }
      if (owner == Owner::kUser) {
        // A second one: the first is not only the way into a library.
        if (of_user || !in_library) return of_user ? *of_user : frame;
        of_user = std::move(frame);
      } else if (owner == Owner::kLibrary && !in_library && !of_user) {
        in_library = std::move(frame);
      }
    }
  }
  if (of_user) return *of_user;
  if (in_library) return *in_library;
  return nearest.value_or(CodePlace{});
}

std::string short_function_name(std::string_view demangled) {
  std::string name;
  std::size_t at = 0;
  while (at < demangled.size()) {
    const std::string_view rest = demangled.substr(at);
    const char c = rest[0];
    if (rest.starts_with("(anonymous namespace)::")) {
      at += std::string_view("(anonymous namespace)::").size();
    } else if (rest.starts_with("operator") &&
               (name.empty() || name.back() == ':' || name.back() == ' ')) {
      const std::size_t end = behind_operator(demangled, at + 8);
      name += demangled.substr(at, end - at);
      at = end;
    } else if (rest.starts_with("{lambda")) {
      name += "lambda";
      at = behind_bracket(demangled, at);
    } else if (c == '<') {
      const std::size_t end = behind_bracket(demangled, at);
      const std::string_view arguments = demangled.substr(at, end - at);
      name += arguments.size() > kLongestArguments ? "<...>" : arguments;
      at = end;
    } else if (c == '(' || c == '[') {
      at = behind_bracket(demangled, at);
      if (demangled.substr(at).starts_with(" const::")) at += 6;
      // What follows is within this function, or this was no function.
      const bool goes_on =
          demangled.substr(at).starts_with("::") || name.ends_with("decltype");
      if (c == '(' && !goes_on) break;
    } else if (c == ' ' && !name.ends_with("operator")) {
      name.clear();  // so far, that was the type of the result
      ++at;
    } else {
      name += c;
      ++at;
    }
  }
  constexpr std::string_view kCall = "lambda::operator()";
  if (name.ends_with(kCall)) name.resize(name.size() - 12);
  return name;
}

}  // namespace plumb::harness
