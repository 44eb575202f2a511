// SPDX-License-Identifier: Apache-2.0
#include "lang/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace plumb::lang {
namespace {

// In the order of Builtin.
constexpr std::array<std::string_view, 23> kBuiltins = {
    "cas",      "dcas",      "fetch_add", "exchange", "min",       "max",
    "any",      "index",     "len",       "contains", "push_back", "push_front",
    "pop_back", "pop_front", "front",     "back",     "remove_at", "insert_at",
    "insert",   "remove",    "smallest",  "any_of",   "clear"};
static_assert(kBuiltins.size() ==
              static_cast<std::size_t>(Builtin::kClear) + 1);

bool same_bound(const std::shared_ptr<const Expression>& a,
                const std::shared_ptr<const Expression>& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return same_expression(*a, *b);
}

bool same_part(const TypePtr& a, const TypePtr& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return same_type(*a, *b);
}

}  // namespace

std::optional<Builtin> find_builtin(std::string_view name) {
  const auto* const found = std::find(kBuiltins.begin(), kBuiltins.end(), name);
  if (found == kBuiltins.end()) return std::nullopt;
  return static_cast<Builtin>(found - kBuiltins.begin());
}

std::string_view name_of(Builtin builtin) {
  return kBuiltins[static_cast<std::size_t>(builtin)];
}

const std::vector<std::string>& builtin_names() {
  static const auto* const names =
      new std::vector<std::string>(kBuiltins.begin(), kBuiltins.end());
  return *names;
}

TypePtr simple_type(TypeKind kind) {
  static const auto* const types = [] {
    auto* made = new std::vector<TypePtr>;
    for (int i = 0; i <= static_cast<int>(TypeKind::kError); ++i) {
      auto type = std::make_shared<Type>();
      type->kind = static_cast<TypeKind>(i);
      made->push_back(std::move(type));
    }
    return made;
  }();
  return (*types)[static_cast<std::size_t>(kind)];
}

TypePtr reference_to(const Struct& structure) {
  auto made = std::make_shared<Type>();
  made->kind = TypeKind::kReference;
  made->structure = &structure;
  return made;
}

TypePtr enumeration_type(const Enum& enumeration) {
  auto made = std::make_shared<Type>();
  made->kind = TypeKind::kEnum;
  made->enumeration = &enumeration;
  return made;
}

bool is_container(const Type& type) {
  return type.kind == TypeKind::kSeq || type.kind == TypeKind::kSet ||
         type.kind == TypeKind::kMap;
}

bool is_compound(const Type& type) {
  return type.kind == TypeKind::kArray || is_container(type);
}

std::size_t places_changed(Builtin builtin) {
  switch (builtin) {
    case Builtin::kMin:
    case Builtin::kMax:
    case Builtin::kAny:
    case Builtin::kIndex:
    case Builtin::kLen:
    case Builtin::kContains:
    case Builtin::kFront:
    case Builtin::kBack:
    case Builtin::kSmallest:
    case Builtin::kAnyOf:
      return 0;
    case Builtin::kDcas:
      return 2;
    default:
      return 1;
  }
}

bool is_plain(const Type& type) {
  return type.kind == TypeKind::kInt || type.kind == TypeKind::kBool ||
         type.kind == TypeKind::kEnum || type.kind == TypeKind::kProcess ||
         type.kind == TypeKind::kValue || type.kind == TypeKind::kError;
}

bool is_int(const Type& type) {
  return type.kind == TypeKind::kInt || type.kind == TypeKind::kEmpty;
}

bool is_reference(const Type& type) {
  return type.kind == TypeKind::kReference || type.kind == TypeKind::kNull;
}

bool same_expression(const Expression& a, const Expression& b) {
  if (a.kind != b.kind || a.number != b.number || a.op != b.op ||
      a.builtin != b.builtin || a.constant != b.constant ||
      a.operands.size() != b.operands.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if (!same_expression(*a.operands[i], *b.operands[i])) return false;
  }
  return true;
}

bool same_type(const Type& a, const Type& b) {
  return a.kind == b.kind && a.structure == b.structure &&
         a.enumeration == b.enumeration && same_bound(a.low, b.low) &&
         same_bound(a.high, b.high) && same_bound(a.size, b.size) &&
         same_part(a.element, b.element) && same_part(a.key, b.key);
}

bool fits(const Type& from, const Type& to) {
  if (from.kind == TypeKind::kError || to.kind == TypeKind::kError) return true;
  switch (to.kind) {
    case TypeKind::kInt:
    case TypeKind::kValue:
      return is_int(from) || from.kind == TypeKind::kValue;
    case TypeKind::kReference:
      return from.kind == TypeKind::kNull ||
             (from.kind == to.kind && from.structure == to.structure);
    case TypeKind::kEnum:
      return from.kind == to.kind && from.enumeration == to.enumeration;
    case TypeKind::kArray:
    case TypeKind::kSeq:
    case TypeKind::kSet:
    case TypeKind::kMap:
      return same_type(from, to);
    default:
      return from.kind == to.kind;
  }
}

bool comparable(const Type& a, const Type& b) {
  if (a.kind == TypeKind::kVoid || b.kind == TypeKind::kVoid) return false;
  return fits(a, b) || fits(b, a);
}

namespace {

// Parts are named with their ranges and capacities, for there they matter.
std::string describe_part(const Type& type, const Source& source) {
  if (type.kind != TypeKind::kInt || type.low == nullptr) {
    return describe(type, source);
  }
  const std::string_view low = source.text(type.low->span);
  if (low == "bit") return "bit";
  return fmt::format("int {}..{}", low, source.text(type.high->span));
}

std::string describe_compound(const Type& type, const Source& source) {
  const std::string element = describe_part(*type.element, source);
  if (type.kind == TypeKind::kArray) {
    return fmt::format("{}[{}]", element,
                       type.size ? source.text(type.size->span) : "process");
  }
  const std::string capacity =
      type.size ? fmt::format(", {}", source.text(type.size->span)) : "";
  if (type.kind == TypeKind::kMap) {
    return fmt::format("map<{}, {}{}>", describe_part(*type.key, source),
                       element, capacity);
  }
  return fmt::format("{}<{}{}>", type.kind == TypeKind::kSeq ? "seq" : "set",
                     element, capacity);
}

}  // namespace

bool same_kind(const Type& a, const Type& b) {
  if (a.kind == TypeKind::kError || b.kind == TypeKind::kError) return true;
  // Models have no other values than int.
  const auto kind = [](const Type& type) {
    return type.kind == TypeKind::kValue ? TypeKind::kInt : type.kind;
  };
  if (kind(a) != kind(b)) return false;
  if (a.kind == TypeKind::kEnum) {
    return a.enumeration == b.enumeration ||
           (a.enumeration->name == b.enumeration->name &&
            a.enumeration->members == b.enumeration->members);
  }
  return a.kind != TypeKind::kArray || same_kind(*a.element, *b.element);
}

std::string describe(const Type& type, const Source& source) {
  switch (type.kind) {
    case TypeKind::kVoid:
      return "void";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kInt:
      return "int";
    case TypeKind::kEnum:
      return type.enumeration->name;
    case TypeKind::kProcess:
      return "process";
    case TypeKind::kReference:
      return type.structure->name;
    case TypeKind::kNull:
      return "null";
    case TypeKind::kEmpty:
      return "empty";
    case TypeKind::kValue:
      return "value";
    case TypeKind::kError:
      return "unknown";
    default:
      return describe_compound(type, source);
  }
}

}  // namespace plumb::lang
