// SPDX-License-Identifier: Apache-2.0
// Boxes of arrays and objects, and how values become bytes.
#include "csp/datum.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <string>
#include <utility>

namespace plumb::csp {

struct Datum::Box {
  std::atomic<std::uint32_t> references{1};
  bool is_array = true;
  ClassId id = ClassId::kSet;
  Items items;        // of an array
  Contents contents;  // of an object
};

Datum Datum::boxed(Box* box) {
  return Datum(reinterpret_cast<std::uintptr_t>(box));
}

const Datum::Box& Datum::box() const {
  return *reinterpret_cast<const Box*>(static_cast<std::uintptr_t>(word_));
}

Datum Datum::array(Items items) {
  assert(std::none_of(items.begin(), items.end(),
                      [](const Datum& item) { return item.is_array(); }));
  Box* box = new Box;
  box->items = std::move(items);
  return boxed(box);
}

Datum Datum::object(ClassId id, Contents contents) {
  Box* box = new Box;
  box->is_array = false;
  box->id = id;
  box->contents = std::move(contents);
  return boxed(box);
}

// Somebody else may still look at the box: then the writer gets its own.
Datum::Box& Datum::own() {
  Box* mine = reinterpret_cast<Box*>(static_cast<std::uintptr_t>(word_));
  if (mine->references.load(std::memory_order_acquire) != 1) {
    Box* copy = new Box;
    copy->is_array = mine->is_array;
    copy->id = mine->id;
    copy->items = mine->items;
    copy->contents = mine->contents;
    *this = boxed(copy);
    mine = copy;
  }
  return *mine;
}

bool Datum::boxed_array() const {
  return box().is_array;
}

void Datum::retain() const {
  const_cast<Box&>(box()).references.fetch_add(1, std::memory_order_relaxed);
}

void Datum::release() {
  Box* mine = reinterpret_cast<Box*>(static_cast<std::uintptr_t>(word_));
  if (mine->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete mine;
  }
}

std::span<const Datum> Datum::items() const {
  assert(is_array());
  return box().items;
}

Datum::Items& Datum::own_items() {
  assert(is_array());
  return own().items;
}

ClassId Datum::class_id() const {
  assert(is_object());
  return box().id;
}

const Datum::Contents& Datum::contents() const {
  assert(is_object());
  return box().contents;
}

Datum::Contents& Datum::own_contents() {
  assert(is_object());
  return own().contents;
}

bool Datum::equal_boxes(const Datum& left, const Datum& right) {
  const Box& one = left.box();
  const Box& other = right.box();
  if (one.is_array != other.is_array) return false;
  if (one.is_array) return one.items == other.items;
  return one.id == other.id && one.contents == other.contents;
}

bool same_value(const Datum& left, const Datum& right) {
  if (left.is_plain() && right.is_plain()) {
    return left.number() == right.number();
  }
  if (left.is_array() && right.is_array()) {
    return std::equal(left.items().begin(), left.items().end(),
                      right.items().begin(), right.items().end(), same_value);
  }
  return left == right;
}

namespace {

template <typename Items, typename Text>
std::string listed(const Items& items, Text text) {
  std::string result = "[";
  for (const auto& item : items) {
    if (result.size() > 1) result += ',';
    result += text(item);
  }
  return result + "]";
}

std::string number_text(std::int32_t number) {
  return std::to_string(number);
}

std::string table_text(const Datum::Contents& contents) {
  std::string result = "{";
  for (std::size_t i = 0; i + 1 < contents.size(); i += 2) {
    if (i > 0) result += ',';
    result += number_text(contents[i]) + ":" + number_text(contents[i + 1]);
  }
  return result + "}";
}

}  // namespace

std::string Datum::text() const {
  if (is_boolean()) return number() == 0 ? "false" : "true";
  if (is_integer()) return number_text(number());
  if (is_array()) {
    return listed(items(), [](const Datum& item) { return item.text(); });
  }
  if (class_id() == ClassId::kHashTable) return table_text(contents());
  if (class_id() == ClassId::kList && !contents().empty()) {
    // The field comes first; people see it only if somebody has set it.
    const std::span<const std::int32_t> all(contents());
    const std::string field = all[0] == 0 ? "" : "$" + number_text(all[0]);
    return listed(all.subspan(1), number_text) + field;
  }
  return listed(contents(), number_text);
}

namespace {

// Plain numbers have codes below this.
constexpr std::uint64_t kFirstOther = std::uint64_t{1} << 32;
constexpr std::uint64_t kFalseCode = kFirstOther;
constexpr std::uint64_t kTrueCode = kFirstOther + 1;
constexpr std::uint64_t kArrayCode = kFirstOther + 2;
constexpr std::uint64_t kObjectCode = kFirstOther + 3;  // and the class

}  // namespace

void write_number(std::uint64_t number, lts::StateBytes& out) {
  while (number >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(number | 0x80));
    number >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(number));
}

std::uint64_t read_number(const std::uint8_t*& at) {
  std::uint64_t number = *at & 0x7F;
  for (int shift = 7; (*at++ & 0x80) != 0; shift += 7) {
    number |= static_cast<std::uint64_t>(*at & 0x7F) << shift;
  }
  return number;
}

void write_datum(const Datum& datum, lts::StateBytes& out,
                 std::uint64_t offset) {
  if (datum.is_integer()) {
    write_number(std::uint64_t{folded(datum.number())} + offset, out);
  } else if (datum.is_boolean()) {
    write_number((datum.number() == 0 ? kFalseCode : kTrueCode) + offset, out);
  } else if (datum.is_array()) {
    write_number(kArrayCode + offset, out);
    write_number(datum.items().size(), out);
    for (const Datum& item : datum.items()) write_datum(item, out);
  } else {
    write_number(
        kObjectCode + static_cast<std::uint64_t>(datum.class_id()) + offset,
        out);
    write_contents(datum, out);
  }
}

Datum read_datum(std::uint64_t code, const std::uint8_t*& at) {
  if (code < kFirstOther)
    return Datum::integer(unfolded(static_cast<std::uint32_t>(code)));
  if (code <= kTrueCode) return Datum::boolean(code == kTrueCode);
  if (code != kArrayCode) {
    return read_contents(static_cast<ClassId>(code - kObjectCode), at);
  }
  Datum::Items items(static_cast<std::size_t>(read_number(at)));
  for (Datum& item : items) item = read_datum(at);
  return Datum::array(std::move(items));
}

Datum read_datum(const std::uint8_t*& at) {
  const std::uint64_t code = read_number(at);
  return read_datum(code, at);
}

void write_contents(const Datum& object, lts::StateBytes& out) {
  write_number(object.contents().size(), out);
  for (const std::int32_t number : object.contents()) {
    write_number(folded(number), out);
  }
}

Datum read_contents(ClassId id, const std::uint8_t*& at) {
  Datum::Contents contents(static_cast<std::size_t>(read_number(at)));
  for (std::int32_t& number : contents) {
    number = unfolded(static_cast<std::uint32_t>(read_number(at)));
  }
  return Datum::object(id, std::move(contents));
}

}  // namespace plumb::csp
