// SPDX-License-Identifier: Apache-2.0
// Reading and writing variables and channels, and their bytes.
#include "csp/valuation.h"
#include "base/invariant.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace plumb::csp {

namespace {

using Entry = Layout::Entry;

// Slots of a variable; one even for an array without elements.
std::uint32_t slots_of(const Entry& entry) {
  return std::max(entry.length, 1u);
}

std::string range_text(const Entry& entry) {
  return "{" + std::to_string(entry.low) + ".." + std::to_string(entry.high) +
         "}";
}

using Slot = Layout::Slot;

Datum read_slot(const Slot& slot, const std::uint8_t*& at) {
  const std::uint64_t code = read_number(at);
  switch (slot.kind) {
    case Slot::Kind::kBoolean:
      return code < 2 ? Datum::boolean(code == 1) : read_datum(code - 2, at);
    case Slot::Kind::kObject:
      return code == 0 ? read_contents(slot.type, at)
                       : read_datum(code - 1, at);
    default:
      return read_datum(code, at);
  }
}

[[noreturn]] void bad_index(const Entry& entry, std::int64_t index,
                            std::size_t length) {
  throw RuntimeFault{FaultKind::kIndex,
                     std::to_string(index) + " where '" + entry.name +
                         "' has " + std::to_string(length) + " elements"};
}

}  // namespace

Valuation::Valuation(const Layout& layout)
    : layout_(&layout),
      slots_(layout.slot_values()),
      counts_(layout.buffers().size(), 0) {}

void Valuation::encode(lts::StateBytes& out) const {
  encode_slots(out);
  const std::uint32_t* length = lengths_.data();
  const Datum* field = fields_.data();
  for (const std::uint32_t count : counts_) {
    write_number(count, out);
    for (std::uint32_t i = 0; i < count; ++i, ++length) {
      write_number(*length, out);
      for (std::uint32_t j = 0; j < *length; ++j) write_datum(*field++, out);
    }
  }
}

// Booleans of a variable that was declared as one, and objects of its class,
// have the smallest codes; everything else comes behind.
void Valuation::encode_slots(lts::StateBytes& out) const {
  const std::vector<Slot>& kinds = layout_->slots();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Datum& datum = slots_[i];
    switch (kinds[i].kind) {
      case Slot::Kind::kNumber:
        write_datum(datum, out);
        break;
      case Slot::Kind::kBoolean:
        if (datum.is_boolean()) {
          out.push_back(static_cast<std::uint8_t>(datum.number()));
        } else {
          write_datum(datum, out, 2);
        }
        break;
      case Slot::Kind::kObject:
        if (datum.is_object() && datum.class_id() == kinds[i].type) {
          write_number(0, out);
          write_contents(datum, out);
        } else {
          write_datum(datum, out, 1);
        }
        break;
      case Slot::Kind::kLeftOut:
        continue;
    }
    // An array of another length: all of the variable is in it.
    if (datum.is_array()) i += kinds[i].behind;
  }
}

const std::uint8_t* Valuation::decode(const std::uint8_t* begin,
                                      const std::uint8_t* end) {
  const std::uint8_t* at = begin;
  decode_slots(at);
  lengths_.clear();
  fields_.clear();
  for (std::uint32_t& count : counts_) {
    count = static_cast<std::uint32_t>(read_number(at));
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto length = static_cast<std::uint32_t>(read_number(at));
      lengths_.push_back(length);
      for (std::uint32_t j = 0; j < length; ++j) {
        fields_.push_back(read_datum(at));
      }
    }
  }
  PLUMB_CHECK(at <= end);
  static_cast<void>(end);
  return at;
}

void Valuation::decode_slots(const std::uint8_t*& at) {
  const std::vector<Slot>& kinds = layout_->slots();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    Datum& datum = slots_[i];
    const Slot::Kind kind = kinds[i].kind;
    if (kind == Slot::Kind::kNumber && *at < 0x80) {  // nearly always
      datum.set_integer(unfolded(*at++));
      continue;
    }
    if (kind == Slot::Kind::kLeftOut) {
      datum = layout_->slot_values()[i];
      continue;
    }
    datum = read_slot(kinds[i], at);
    if (datum.is_array()) {
      const std::size_t behind = kinds[i].behind;
      std::fill_n(slots_.begin() + static_cast<std::ptrdiff_t>(i) + 1, behind,
                  Datum());
      i += behind;
    }
  }
}

Datum Valuation::get(std::uint32_t variable) const {
  const Entry& entry = layout_->variables()[variable];
  const Datum& first = slots_[entry.first];
  if (!entry.is_array || first.is_array()) return first;
  const auto begin = slots_.begin() + entry.first;
  return Datum::array(Datum::Items(begin, begin + entry.length));
}

void Valuation::check(const Entry& entry, const Datum& value) const {
  if (!value.is_plain()) return;
  if (value.number() < entry.low || value.number() > entry.high) {
    throw RuntimeFault{FaultKind::kRange, value.text() + " for '" + entry.name +
                                              ":" + range_text(entry) + "'"};
  }
}

void Valuation::set(std::uint32_t variable, const Datum& value) {
  const Entry& entry = layout_->variables()[variable];
  if (!value.is_array()) {
    if (entry.is_array) {
      throw RuntimeFault{FaultKind::kType, "'" + entry.name +
                                               "' is an array and cannot "
                                               "become " +
                                               value.text()};
    }
    if (entry.has_range) check(entry, value);
    slots_[entry.first] = value;
    return;
  }
  if (entry.has_range) {
    for (const Datum& item : value.items()) check(entry, item);
  }
  const auto begin = slots_.begin() + entry.first;
  const Datum kept = value;  // `value` may be a slot of ours
  const auto items = kept.items();
  if (entry.is_array && items.size() == entry.length) {
    *begin = Datum();  // for an array without elements
    std::copy(items.begin(), items.end(), begin);
  } else {
    std::fill(begin, begin + slots_of(entry), Datum());
    *begin = kept;
  }
}

std::size_t Valuation::length(std::uint32_t variable) const {
  const Entry& entry = layout_->variables()[variable];
  const Datum& first = slots_[entry.first];
  if (first.is_array()) return first.items().size();
  return entry.is_array ? entry.length : 1;
}

const Datum& Valuation::element(std::uint32_t variable,
                                std::int64_t index) const {
  const Entry& entry = layout_->variables()[variable];
  const Datum& first = slots_[entry.first];
  if (first.is_array()) {
    if (index < 0 || index >= std::ssize(first.items())) {
      bad_index(entry, index, first.items().size());
    }
    return first.items()[static_cast<std::size_t>(index)];
  }
  if (!entry.is_array) {
    throw RuntimeFault{FaultKind::kType, "'" + entry.name + "' is no array"};
  }
  if (index < 0 || index >= std::int64_t{entry.length}) {
    bad_index(entry, index, entry.length);
  }
  return slots_[entry.first + static_cast<std::size_t>(index)];
}

Datum& Valuation::own_element(std::uint32_t variable, std::int64_t index) {
  element(variable, index);  // is there one?
  const Entry& entry = layout_->variables()[variable];
  Datum& first = slots_[entry.first];
  const auto offset = static_cast<std::size_t>(index);
  return first.is_array() ? first.own_items()[offset]
                          : slots_[entry.first + offset];
}

void Valuation::set_element(std::uint32_t variable, std::int64_t index,
                            Datum value) {
  const Entry& entry = layout_->variables()[variable];
  if (value.is_array()) {
    throw RuntimeFault{FaultKind::kType, "an element of '" + entry.name +
                                             "' cannot be an array itself"};
  }
  Datum& place = own_element(variable, index);
  if (entry.has_range) check(entry, value);
  place = std::move(value);
}

std::size_t Valuation::first_message(std::uint32_t buffer) const {
  std::size_t first = 0;
  for (std::uint32_t i = 0; i < buffer; ++i) first += counts_[i];
  return first;
}

std::size_t Valuation::first_field(std::size_t message) const {
  std::size_t first = 0;
  for (std::size_t i = 0; i < message; ++i) first += lengths_[i];
  return first;
}

std::span<const Datum> Valuation::front(std::uint32_t buffer) const {
  PLUMB_CHECK(counts_[buffer] > 0);
  const std::size_t message = first_message(buffer);
  return {fields_.data() + first_field(message), lengths_[message]};
}

void Valuation::pop(std::uint32_t buffer) {
  PLUMB_CHECK(counts_[buffer] > 0);
  const std::size_t message = first_message(buffer);
  const auto field =
      fields_.begin() + static_cast<std::ptrdiff_t>(first_field(message));
  fields_.erase(field, field + lengths_[message]);
  lengths_.erase(lengths_.begin() + static_cast<std::ptrdiff_t>(message));
  --counts_[buffer];
}

void Valuation::push(std::uint32_t buffer, std::span<const Datum> message) {
  const std::size_t place = first_message(buffer) + counts_[buffer];
  const auto field = static_cast<std::ptrdiff_t>(first_field(place));
  fields_.insert(fields_.begin() + field, message.begin(), message.end());
  lengths_.insert(lengths_.begin() + static_cast<std::ptrdiff_t>(place),
                  static_cast<std::uint32_t>(message.size()));
  ++counts_[buffer];
}

std::vector<std::vector<Datum>> Valuation::messages(
    std::uint32_t buffer) const {
  std::vector<std::vector<Datum>> result;
  const std::size_t first = first_message(buffer);
  const Datum* field = fields_.data() + first_field(first);
  for (std::size_t i = first; i < first + counts_[buffer]; ++i) {
    result.emplace_back(field, field + lengths_[i]);
    field += lengths_[i];
  }
  return result;
}

std::vector<lts::Variable> Valuation::describe() const {
  std::vector<lts::Variable> result;
  const auto& variables = layout_->variables();
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    result.push_back({variables[i].name, get(i).text()});
  }
  for (std::uint32_t i = 0; i < layout_->buffers().size(); ++i) {
    if (layout_->buffers()[i].capacity == 0) continue;
    std::string text = "<";
    for (const auto& message : messages(i)) {
      if (text.size() > 1) text += ", ";
      for (std::size_t j = 0; j < message.size(); ++j) {
        text += (j > 0 ? "." : "") + message[j].text();
      }
    }
    result.push_back({layout_->buffers()[i].name, text + ">"});
  }
  return result;
}

}  // namespace plumb::csp
