// SPDX-License-Identifier: Apache-2.0
// Which types fit which, and what the built-in functions are called.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ast.h"

namespace plumb::lang {

std::optional<Builtin> find_builtin(std::string_view name);
std::string_view name_of(Builtin builtin);
const std::vector<std::string>& builtin_names();
// How many of its operands, from the first on, name places that it changes.
std::size_t places_changed(Builtin builtin);

// A type that is nothing but its kind.
TypePtr simple_type(TypeKind kind);
TypePtr reference_to(const Struct& structure);
TypePtr enumeration_type(const Enum& enumeration);

// A container of values: seq, set or map.
bool is_container(const Type& type);
// A whole that is made of parts: an array or a container.
bool is_compound(const Type& type);
// One value that clients can see: a number, a truth value, a name.
bool is_plain(const Type& type);
bool is_int(const Type& type);        // or `empty`
bool is_reference(const Type& type);  // or `null`

// The same type, to the last size and range.
bool same_type(const Type& a, const Type& b);
// May a value of type `from` be stored where `to` is declared?  All ranges of
// int fit each other: whether the value does is seen when the model runs.
bool fits(const Type& from, const Type& to);
// The same kind of values, so that two specifications can be compared?
bool same_kind(const Type& a, const Type& b);
// May values of these types be compared with `==`?
bool comparable(const Type& a, const Type& b);
// The same expression, once names are known?
bool same_expression(const Expression& a, const Expression& b);

// For messages: "int", "Node", "bool[2]", "seq<int>".
std::string describe(const Type& type, const Source& source);

}  // namespace plumb::lang
