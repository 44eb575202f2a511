// SPDX-License-Identifier: Apache-2.0
// Where the parts of a state lie in its bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/bytecode.h"
#include "lang/constants.h"
#include "lts/system.h"

namespace plumb::lang {

enum class ShapeKind : std::uint8_t {
  kBool,
  kInt,
  kEnum,
  kProcess,
  kReference,
  kArray,
  kSeq,
  kSet,
  kMap,
};

// How a number is kept in memory.
enum class Codec : std::uint8_t {
  kByte,   // number - bias
  kShort,  // 16 bits; -32768 is `empty`
  kWord,   // 32 bits
};

// Invariant: low <= high.
struct Range {
  std::int32_t low = 0, high = 0;
  bool empty = false;  // may also be `empty`

  bool contains(std::int64_t number) const {
    return low <= number && number <= high;
  }
  bool contains(const Range& other) const {
    return low <= other.low && other.high <= high && (empty || !other.empty);
  }
};

// The results of arithmetic on numbers of two ranges, never `empty`.
Range result_range(Operator op, const Range& x, const Range& y);

// A type of which everything is known: its bytes, and what they mean.
struct Shape {
  ShapeKind kind = ShapeKind::kBool;
  std::uint32_t size = 1;  // bytes

  // Numbers.
  Range range;
  Codec codec = Codec::kByte;
  std::int16_t bias = 0;
  std::uint16_t structure = 0;       // kReference: index of the struct
  std::vector<std::string> members;  // kEnum

  // Arrays and containers.  A container is one byte for the number of its
  // elements, then these; unused ones are zero.  Sets are sorted, and so are
  // maps, by key.
  std::uint32_t count = 0;  // elements, or the capacity
  const Shape* element = nullptr;
  const Shape* key = nullptr;
  std::uint16_t bound = 0;  // containers: index in Layouts::bounds
  std::uint16_t id = 0;     // containers: index in Layouts::containers

  bool is_number() const { return kind <= ShapeKind::kReference; }
  bool is_container() const { return kind >= ShapeKind::kSeq; }
  // Of a container's slot: key and element.
  std::uint32_t stride() const {
    return element->size + (key == nullptr ? 0 : key->size);
  }
  bool same_bytes_as(const Shape& other) const;
};

// A place that holds a reference.
struct ReferenceSlot {
  std::uint32_t offset = 0;
  std::uint16_t structure = 0;
};

struct FieldLayout {
  std::string name;
  std::uint32_t offset = 0;  // from the beginning of the cell
  const Shape* shape = nullptr;
};

struct StructLayout {
  std::string name;
  std::vector<FieldLayout> fields;
  std::vector<std::uint8_t> initial;  // a new cell
  std::vector<ReferenceSlot> references;
};

struct VariableLayout {
  std::string name;
  std::uint32_t offset = 0;
  const Shape* shape = nullptr;
};

// Makes shapes; owns them.
class Layouts {
 public:
  Layouts(const Source& source, const ConstantValues& values)
      : source_(source), values_(values) {}

  // `name` is the variable's, for the messages of its bounds.
  const Shape* shape(const Type& type, const std::string& name, Span span);
  // All structs of an object at once, because they refer to each other.
  // `header`: bytes in front of the fields of every cell.
  void add_structs(const Object& object, std::uint32_t header);
  std::uint16_t index_of(const Struct& structure) const;

  // A number of this range, not in memory yet.
  static void choose_codec(Shape& shape);
  const Shape* number(const Range& range);
  const Shape* boolean();
  const Shape* process();
  const Shape* reference(std::uint16_t structure);

  std::vector<StructLayout> structs;
  std::vector<const Shape*> containers;
  std::vector<lts::Bound> bounds;
  std::uint32_t cell_size = 0;

 private:
  const Shape* keep(Shape shape);
  Shape number(const Type& type, Span span);
  void store_initial(const Shape& shape, const Expression& given,
                     std::uint8_t* at) const;
  Shape container(const Type& type, const std::string& name, Span span);
  Shape array(const Type& type, const std::string& name, Span span);
  std::uint16_t add_bound(const Type& type, const std::string& name,
                          std::uint32_t capacity);
  [[noreturn]] void fail(Span span, std::string what,
                         std::string hint = "") const;

  const Source& source_;
  const ConstantValues& values_;
  std::vector<const Struct*> sources_of_structs_;
  std::deque<Shape> shapes_;
};

// One number in memory.
std::int32_t load_number(const Shape& shape, const std::uint8_t* at);
void store_number(const Shape& shape, std::uint8_t* at, std::int32_t number);
// What a variable is if nothing else is said: 0 (or what is nearest to it),
// false, the first member, nobody, null, no elements.
void store_default(const Shape& shape, std::uint8_t* at);
std::int32_t default_number(const Shape& shape);
// Appends the places in a `shape` at `offset` that hold references.
void find_references(const Shape& shape, std::uint32_t offset,
                     std::vector<ReferenceSlot>& slots);

}  // namespace plumb::lang
