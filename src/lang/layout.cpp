// SPDX-License-Identifier: Apache-2.0
#include "lang/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/input_error.h"

namespace plumb::lang {
namespace {

constexpr std::int64_t kIntLimit = 32767;
constexpr std::int64_t kWidest = INT32_MAX;
constexpr std::uint32_t kLargest = 60'000;
constexpr std::uint32_t kDefaultCapacity = 8;
constexpr std::uint32_t kMostCapacity = 255;
constexpr std::size_t kMostBounds = 64;

}  // namespace

bool Shape::same_bytes_as(const Shape& other) const {
  if (kind != other.kind || size != other.size) return false;
  if (is_number()) {
    return codec == other.codec && bias == other.bias &&
           range.low == other.range.low && range.high == other.range.high &&
           structure == other.structure;
  }
  return count == other.count && element->same_bytes_as(*other.element) &&
         (key == nullptr || key->same_bytes_as(*other.key));
}

void Layouts::fail(Span span, std::string what, std::string hint) const {
  throw InputError(source_.place(span), std::move(what), std::move(hint));
}

void Layouts::choose_codec(Shape& shape) {
  const std::int64_t low = shape.range.low;
  const std::int64_t high = shape.range.high;
  shape.bias = 0;
  if (!shape.range.empty && high - low <= 255 && low >= -kIntLimit &&
      low <= kIntLimit) {
    shape.codec = Codec::kByte;
    shape.size = 1;
    if (low < 0 || high > 255) shape.bias = static_cast<std::int16_t>(low);
  } else if (low >= -kIntLimit && high <= kIntLimit) {
    shape.codec = Codec::kShort;
    shape.size = 2;
  } else {
    shape.codec = Codec::kWord;
    shape.size = 4;
  }
}

Shape Layouts::number(const Type& type, Span span) {
  Shape shape;
  std::int64_t low = 0;
  std::int64_t high = 1;
  switch (type.kind) {
    case TypeKind::kInt:
    case TypeKind::kValue:
      shape.kind = ShapeKind::kInt;
      shape.range.empty = type.low == nullptr;
      low = type.low ? evaluate(*type.low, values_, source_) : -kIntLimit;
      high = type.high ? evaluate(*type.high, values_, source_) : kIntLimit;
      break;
    case TypeKind::kEnum:
      shape.kind = ShapeKind::kEnum;
      shape.members = type.enumeration->members;
      high = static_cast<std::int64_t>(shape.members.size()) - 1;
      break;
    case TypeKind::kProcess:
      shape.kind = ShapeKind::kProcess;
      low = -1;
      high = values_.processes - 1;
      break;
    case TypeKind::kReference:
      shape.kind = ShapeKind::kReference;
      shape.structure = index_of(*type.structure);
      high = 255;
      break;
    default:
      break;
  }
  if (low > high) {
    fail(span, fmt::format("the range {}..{} is empty", low, high),
         "write the smaller number first");
  }
  if (low < -kWidest || high > kWidest) {
    fail(span, fmt::format("the range {}..{} is too large", low, high));
  }
  shape.range.low = static_cast<std::int32_t>(low);
  shape.range.high = static_cast<std::int32_t>(high);
  choose_codec(shape);
  return shape;
}

Shape Layouts::array(const Type& type, const std::string& name, Span span) {
  Shape shape;
  shape.kind = ShapeKind::kArray;
  shape.element = this->shape(*type.element, name, span);
  const std::int64_t count =
      type.size ? evaluate(*type.size, values_, source_) : values_.processes;
  if (count <= 0) {
    fail(span, fmt::format("'{}' has {} elements", name, count),
         "an array has at least one");
  }
  if (count * shape.element->size > kLargest) {
    fail(span, fmt::format("'{}' is too large: {} elements of {} bytes", name,
                           count, shape.element->size));
  }
  shape.count = static_cast<std::uint32_t>(count);
  shape.size = shape.count * shape.element->size;
  return shape;
}

std::uint16_t Layouts::add_bound(const Type& type, const std::string& name,
                                 std::uint32_t capacity) {
  if (bounds.size() + 1 >= kMostBounds) {
    // The last bit stands for all the others.
    bounds.resize(kMostBounds - 1);
    bounds.push_back({"the capacity of some container", false,
                      "give the containers larger capacities"});
    return kMostBounds - 1;
  }
  const char* word = type.kind == TypeKind::kSeq   ? "seq<T"
                     : type.kind == TypeKind::kSet ? "set<T"
                                                   : "map<K, V";
  bounds.push_back({fmt::format("{} {} in '{}'", capacity,
                                capacity == 1 ? "item" : "items", name),
                    type.size != nullptr,
                    fmt::format("declare '{}' with a larger capacity: {}, {}>",
                                name, word, 2 * capacity)});
  return static_cast<std::uint16_t>(bounds.size() - 1);
}

Shape Layouts::container(const Type& type, const std::string& name, Span span) {
  Shape shape;
  shape.kind = type.kind == TypeKind::kSeq   ? ShapeKind::kSeq
               : type.kind == TypeKind::kSet ? ShapeKind::kSet
                                             : ShapeKind::kMap;
  const std::int64_t capacity =
      type.size ? evaluate(*type.size, values_, source_) : kDefaultCapacity;
  if (capacity <= 0 || capacity > kMostCapacity) {
    fail(span, fmt::format("the capacity of '{}' is {}", name, capacity),
         fmt::format("a capacity is 1 to {}", kMostCapacity));
  }
  shape.count = static_cast<std::uint32_t>(capacity);
  shape.element = this->shape(*type.element, name, span);
  if (type.kind == TypeKind::kMap)
    shape.key = this->shape(*type.key, name, span);
  // LIMIT: containers hold numbers only, no arrays and no containers.
  if (!shape.element->is_number() ||
      (shape.key != nullptr && !shape.key->is_number())) {
    fail(span, fmt::format("'{}' holds arrays or containers", name),
         "containers hold single values; use an array of containers");
  }
  shape.size = 1 + shape.count * shape.stride();
  shape.bound = add_bound(type, name, shape.count);
  return shape;
}

const Shape* Layouts::shape(const Type& type, const std::string& name,
                            Span span) {
  Shape made;
  switch (type.kind) {
    case TypeKind::kArray:
      made = array(type, name, span);
      break;
    case TypeKind::kSeq:
    case TypeKind::kSet:
    case TypeKind::kMap:
      made = container(type, name, span);
      break;
    default:
      made = number(type, span);
  }
  shapes_.push_back(std::move(made));
  Shape* kept = &shapes_.back();
  if (kept->is_container()) {
    kept->id = static_cast<std::uint16_t>(containers.size());
    containers.push_back(kept);
  }
  return kept;
}

const Shape* Layouts::keep(Shape shape) {
  for (const Shape& kept : shapes_) {
    if (kept.is_number() && kept.kind == shape.kind &&
        kept.same_bytes_as(shape) && kept.range.empty == shape.range.empty) {
      return &kept;
    }
  }
  shapes_.push_back(std::move(shape));
  return &shapes_.back();
}

const Shape* Layouts::number(const Range& range) {
  Shape shape;
  shape.kind = ShapeKind::kInt;
  shape.range = range;
  choose_codec(shape);
  return keep(shape);
}

const Shape* Layouts::boolean() {
  Shape shape;
  shape.range = {0, 1, false};
  return keep(shape);
}

const Shape* Layouts::process() {
  Type type;
  type.kind = TypeKind::kProcess;
  return keep(number(type, {}));
}

const Shape* Layouts::reference(std::uint16_t structure) {
  Shape shape;
  shape.kind = ShapeKind::kReference;
  shape.range = {0, 255, false};
  shape.structure = structure;
  return keep(shape);
}

std::uint16_t Layouts::index_of(const Struct& structure) const {
  const auto found = std::find(sources_of_structs_.begin(),
                               sources_of_structs_.end(), &structure);
  return static_cast<std::uint16_t>(found - sources_of_structs_.begin());
}

void Layouts::add_structs(const Object& object, std::uint32_t header) {
  for (const auto& structure : object.structs) {
    sources_of_structs_.push_back(structure.get());
  }
  for (const auto& structure : object.structs) {
    StructLayout layout;
    layout.name = structure->name;
    std::uint32_t offset = header;
    for (const auto& field : structure->fields) {
      const Shape* of_field = shape(*field->type, field->name, field->span);
      layout.fields.push_back({field->name, offset, of_field});
      find_references(*of_field, offset, layout.references);
      offset += of_field->size;
    }
    if (offset > kLargest) {
      fail(structure->span, fmt::format("'{}' is too large", structure->name));
    }
    layout.initial.resize(offset);
    for (std::size_t i = 0; i < layout.fields.size(); ++i) {
      const FieldLayout& field = layout.fields[i];
      std::uint8_t* at = layout.initial.data() + field.offset;
      store_default(*field.shape, at);
      const ExpressionPtr& given = structure->fields[i]->initial;
      if (given && field.shape->is_number())
        store_initial(*field.shape, *given, at);
    }
    cell_size = std::max(cell_size, offset);
    structs.push_back(std::move(layout));
  }
  for (StructLayout& layout : structs) layout.initial.resize(cell_size);
}

void Layouts::store_initial(const Shape& shape, const Expression& given,
                            std::uint8_t* at) const {
  if (given.kind == ExpressionKind::kNull ||
      given.kind == ExpressionKind::kNobody) {
    return;
  }
  const std::int64_t number = given.kind == ExpressionKind::kEmpty
                                  ? kEmptyNumber
                                  : evaluate(given, values_, source_);
  const bool fits = number == kEmptyNumber ? shape.range.empty
                                           : shape.range.low <= number &&
                                                 number <= shape.range.high;
  if (!fits) {
    fail(given.span, fmt::format("the value is not in {}..{}", shape.range.low,
                                 shape.range.high));
  }
  store_number(shape, at, static_cast<std::int32_t>(number));
}

std::int32_t load_number(const Shape& shape, const std::uint8_t* at) {
  if (shape.codec == Codec::kByte) return *at + shape.bias;
  if (shape.codec == Codec::kShort) {
    std::int16_t number;
    std::memcpy(&number, at, sizeof number);
    return number == INT16_MIN ? kEmptyNumber : number;
  }
  std::int32_t number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

void store_number(const Shape& shape, std::uint8_t* at, std::int32_t number) {
  if (shape.codec == Codec::kByte) {
    *at = static_cast<std::uint8_t>(number - shape.bias);
  } else if (shape.codec == Codec::kShort) {
    const auto small =
        static_cast<std::int16_t>(number == kEmptyNumber ? INT16_MIN : number);
    std::memcpy(at, &small, sizeof small);
  } else {
    std::memcpy(at, &number, sizeof number);
  }
}

std::int32_t default_number(const Shape& shape) {
  if (shape.kind == ShapeKind::kProcess) return -1;
  return std::clamp(0, shape.range.low, shape.range.high);
}

void store_default(const Shape& shape, std::uint8_t* at) {
  if (shape.is_number()) {
    store_number(shape, at, default_number(shape));
  } else if (shape.kind == ShapeKind::kArray) {
    for (std::uint32_t i = 0; i < shape.count; ++i) {
      store_default(*shape.element, at + i * shape.element->size);
    }
  } else {
    std::memset(at, 0, shape.size);
  }
}

void find_references(const Shape& shape, std::uint32_t offset,
                     std::vector<ReferenceSlot>& slots) {
  if (shape.kind == ShapeKind::kReference) {
    slots.push_back({offset, shape.structure});
  } else if (shape.kind == ShapeKind::kArray) {
    for (std::uint32_t i = 0; i < shape.count; ++i) {
      find_references(*shape.element, offset + i * shape.element->size, slots);
    }
  } else if (shape.is_container()) {
    // Only the elements in use matter, and the others are null.
    const std::uint32_t key_size = shape.key == nullptr ? 0 : shape.key->size;
    for (std::uint32_t i = 0; i < shape.count; ++i) {
      const std::uint32_t at = offset + 1 + i * shape.stride() + key_size;
      find_references(*shape.element, at, slots);
    }
  }
}

}  // namespace plumb::lang
