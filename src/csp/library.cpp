// SPDX-License-Identifier: Apache-2.0
// Finds the classes and functions of PAT's library by their names.
#include "csp/library.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "csp/library_parts.h"
#include "text/diagnostics.h"

namespace plumb::csp {

namespace {

template <typename Items>
auto found(const Items& items, std::string_view name) {
  const auto at = std::find_if(items.begin(), items.end(),
                               [&](const auto& i) { return i.name == name; });
  return at == items.end() ? nullptr : &*at;
}

template <typename Items>
std::vector<std::string> names(const Items& items) {
  std::vector<std::string> result;
  for (const auto& item : items) result.emplace_back(item.name);
  return result;
}

template <typename Items>
std::string all_names(const Items& items) {
  std::string result;
  for (const auto& item : items) {
    result += (result.empty() ? "" : ", ") + std::string(item.name);
  }
  return result;
}

// Functions of PAT's Example library whose tables or meanings are nowhere
// described.
constexpr std::array<std::string_view, 2> kUndescribed = {"dominate",
                                                          "mailorder"};

constexpr std::string_view kPrefix = "PAT.Lib.";
constexpr std::array<std::string_view, 3> kLibraries = {"Array", "Example",
                                                        "Math"};

// "Lib/PAT.Lib.Set.dll" and "PAT.Lib.Set" are both in use.
std::string_view library_name(std::string_view import) {
  const std::size_t slash = import.find_last_of("/\\");
  if (slash != import.npos) import.remove_prefix(slash + 1);
  if (import.ends_with(".dll")) import.remove_suffix(4);
  if (import.starts_with(kPrefix)) {
    import.remove_prefix(kPrefix.size());
  } else if (import.starts_with("PAT.")) {
    import.remove_prefix(4);
  }
  return import;
}

const std::vector<StaticInfo>& all_statics() {
  static const std::vector<StaticInfo> all = [] {
    std::vector<StaticInfo> result;
    for (const auto part : {array_functions(), math_functions()}) {
      result.insert(result.end(), part.begin(), part.end());
    }
    return result;
  }();
  return all;
}

}  // namespace

std::span<const ClassInfo> classes() {
  // In the order of ClassId.
  static const std::array<ClassInfo, 6> all = {
      kSetClass,   kListClass,      kQueueClass,
      kStackClass, kHashTableClass, kEntryListClass};
  return all;
}

std::span<const StaticInfo> statics() {
  return all_statics();
}

const ClassInfo& class_info(ClassId id) {
  return classes()[static_cast<std::size_t>(id)];
}

const ClassInfo* find_class(std::string_view name) {
  return found(classes(), name);
}

const MethodInfo* find_method(const ClassInfo& type, std::string_view name) {
  return found(type.methods, name);
}

const FieldInfo* find_field(const ClassInfo& type, std::string_view name) {
  return found(type.fields, name);
}

const StaticInfo* find_static(std::string_view name) {
  return found(statics(), name);
}

bool is_known_import(std::string_view name) {
  const std::string_view library = library_name(name);
  return find_class(library) != nullptr ||
         std::find(kLibraries.begin(), kLibraries.end(), library) !=
             kLibraries.end();
}

std::string hint_for_class(std::string_view name) {
  return text::suggestion(
      std::string(name), names(classes()),
      "C# code cannot be run here; the classes of the library are " +
          all_names(classes()));
}

std::string hint_for_method(const ClassInfo& type, std::string_view name) {
  return text::suggestion(
      std::string(name), names(type.methods),
      std::string(type.name) + " has " + all_names(type.methods));
}

std::string hint_for_field(const ClassInfo& type, std::string_view name) {
  const std::string otherwise =
      type.fields.empty()
          ? std::string(type.name) + " has no fields"
          : std::string(type.name) + " has " + all_names(type.fields);
  return text::suggestion(std::string(name), names(type.fields), otherwise);
}

std::string hint_for_static(std::string_view name) {
  if (std::find(kUndescribed.begin(), kUndescribed.end(), name) !=
      kUndescribed.end()) {
    return "'" + std::string(name) +
           "' of PAT's Example library reads a table that is not published; "
           "write it as an array of the model";
  }
  return text::suggestion(
      std::string(name), names(statics()),
      "C# code cannot be run here; the functions of the library are " +
          all_names(statics()));
}

std::string hint_for_import(std::string_view name) {
  std::vector<std::string> known = names(classes());
  known.insert(known.end(), kLibraries.begin(), kLibraries.end());
  return text::suggestion(
      std::string(library_name(name)), known,
      "C# code cannot be run here; PAT.Math and the PAT.Lib classes " +
          all_names(classes()) + ", Array are built in");
}

Datum copied(const Datum& datum) {
  if (!datum.is_object()) return datum;
  const auto copy = class_info(datum.class_id()).copy;
  return copy == nullptr ? datum : copy(datum);
}

std::size_t checked_index(std::int32_t index, std::size_t size) {
  if (index < 0 || static_cast<std::size_t>(index) >= size) {
    throw RuntimeFault{
        FaultKind::kIndex,
        std::to_string(index) + " of " + std::to_string(size) + " elements"};
  }
  return static_cast<std::size_t>(index);
}

}  // namespace plumb::csp
