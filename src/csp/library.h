// SPDX-License-Identifier: Apache-2.0
// PAT's library: its classes, methods and static functions, natively.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "csp/datum.h"

namespace plumb::csp {

// Objects are values here: assigning, sending and passing one copies it.  PAT
// copies all objects from state to state, so two names for one object live no
// longer than a block there.

struct MethodInfo {
  std::string_view name;
  std::uint8_t arguments;
  bool returns;  // a value; else it can only be a statement
  bool changes;  // its receiver
  // Throws RuntimeFault without a place.
  Datum (*invoke)(Datum& receiver, std::span<const Datum> arguments);
};

struct FieldInfo {
  std::string_view name;
  Datum (*read)(const Datum& receiver);
  void (*write)(Datum& receiver, const Datum& value);
};

struct ClassInfo {
  std::string_view name;
  ClassId id;
  std::span<const MethodInfo> methods;
  std::span<const FieldInfo> fields;
  // Arguments that `new` takes: none, or this many.
  std::uint8_t constructor_arguments;
  Datum (*make)(std::span<const Datum> arguments);
  // A copy as assignment makes it; null: the same value.
  Datum (*copy)(const Datum& object) = nullptr;
};

// A function for call(name, ...).
struct StaticInfo {
  std::string_view name;
  std::string_view library;  // "PAT.Math"
  std::uint8_t arguments;
  Datum (*invoke)(std::span<const Datum> arguments);
};

// All give null if there is none.
const ClassInfo* find_class(std::string_view name);
const MethodInfo* find_method(const ClassInfo& type, std::string_view name);
const FieldInfo* find_field(const ClassInfo& type, std::string_view name);
const StaticInfo* find_static(std::string_view name);
const ClassInfo& class_info(ClassId id);
std::span<const ClassInfo> classes();
std::span<const StaticInfo> statics();

// Does `#import "name"` name something that is here: "PAT.Lib.Set"?
bool is_known_import(std::string_view name);

// What to say of names that are not here: a hint, with what is near.
std::string hint_for_class(std::string_view name);
std::string hint_for_method(const ClassInfo& type, std::string_view name);
std::string hint_for_field(const ClassInfo& type, std::string_view name);
std::string hint_for_static(std::string_view name);
std::string hint_for_import(std::string_view name);

// A copy as assignment, sending and passing make it.  LIMIT: PAT's List loses
// its Field with every copy, and so does this one.
Datum copied(const Datum& datum);

}  // namespace plumb::csp
