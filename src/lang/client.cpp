// SPDX-License-Identifier: Apache-2.0
#include "lang/client.h"

#include <algorithm>
#include <cstring>

namespace plumb::lang {

void Client::choose_debt() {
  // A few more states where calls are not bounded, and an object is wrong.
  constexpr std::uint32_t kFew = 4;
  constexpr std::uint64_t kMost = 10'000;
  const std::uint64_t most =
      calls ? std::uint64_t{*calls} * allowed.size() : kFew;
  debt = static_cast<std::uint32_t>(std::min(most, kMost));
}

std::int16_t Client::items(const std::uint8_t* state) const {
  std::int16_t count = 0;
  std::memcpy(&count, state + (calls ? allowed.size() : 0), sizeof count);
  return count;
}

bool Client::set_items(std::uint8_t* state, int count) const {
  const auto least = -static_cast<int>(debt);
  const auto kept = static_cast<std::int16_t>(std::max(count, least));
  std::memcpy(state + (calls ? allowed.size() : 0), &kept, sizeof kept);
  return kept == count;
}

bool Client::may_invoke(const std::uint8_t* state, std::size_t process,
                        std::uint16_t operation) const {
  if (calls && state[process] >= *calls) return false;
  if (!room || parts[operation] != Part::kPut) return true;
  return items(state) < static_cast<int>(*room);
}

void Client::invoked(std::uint8_t* state, std::size_t process,
                     std::uint16_t operation) const {
  if (calls) ++state[process];
  if (room && parts[operation] == Part::kPut) {
    set_items(state, items(state) + 1);
  }
}

bool Client::returned(std::uint8_t* state, std::uint16_t operation,
                      Value result) const {
  if (!room || parts[operation] != Part::kTake || result.is_null()) {
    return false;
  }
  return !set_items(state, items(state) - 1);
}

Value value_of(const Shape& shape, std::int32_t number) {
  switch (shape.kind) {
    case ShapeKind::kBool:
      return Value::boolean(number != 0);
    case ShapeKind::kEnum:
      return Value::text(shape.members[static_cast<std::size_t>(number)]);
    case ShapeKind::kProcess:
      return number < 0 ? Value() : Value::integer(number);
    default:
      return number == kEmptyNumber ? Value() : Value::integer(number);
  }
}

Value value_of(const Shape& shape, const std::uint8_t* at) {
  if (shape.is_number()) return value_of(shape, load_number(shape, at));
  // Arrays; containers show their elements, maps their keys and elements.
  const bool container = shape.is_container();
  const std::uint32_t count = container ? *at : shape.count;
  std::vector<Value> items;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t* slot = at + (container ? 1 : 0) + i * shape.stride();
    if (shape.key == nullptr) {
      items.push_back(value_of(*shape.element, slot));
    } else {
      const Value pair[] = {value_of(*shape.key, slot),
                            value_of(*shape.element, slot + shape.key->size)};
      items.push_back(Value::list(pair));
    }
  }
  return Value::list(items);
}

std::optional<std::int32_t> number_of(const Shape& shape, Value value) {
  if (shape.kind == ShapeKind::kBool) {
    if (!value.is_boolean()) return std::nullopt;
    return value.is_true() ? 1 : 0;
  }
  if (shape.kind == ShapeKind::kEnum) {
    if (!value.is_text()) return std::nullopt;
    const auto found =
        std::find(shape.members.begin(), shape.members.end(), value.as_text());
    if (found == shape.members.end()) return std::nullopt;
    return static_cast<std::int32_t>(found - shape.members.begin());
  }
  if (value.is_null()) {
    if (shape.kind == ShapeKind::kProcess) return -1;
    if (shape.range.empty) return kEmptyNumber;
    return std::nullopt;
  }
  if (!value.is_integer()) return std::nullopt;
  const std::int64_t number = value.as_integer();
  if (number < shape.range.low || number > shape.range.high) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(number);
}

std::vector<Arguments> arguments_of(const OperationCode& operation) {
  std::vector<Arguments> all(1);
  for (const Parameter& parameter : operation.parameters) {
    std::vector<Arguments> longer;
    for (const Arguments& so_far : all) {
      for (std::int32_t n = parameter.low; n <= parameter.high; ++n) {
        longer.push_back(so_far);
        longer.back().numbers.push_back(n);
      }
    }
    all = std::move(longer);
  }
  for (Arguments& one : all) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < one.numbers.size(); ++i) {
      values.push_back(
          value_of(*operation.parameters[i].shape, one.numbers[i]));
    }
    if (values.size() == 1) one.value = values[0];
    if (values.size() > 1) one.value = Value::list(values);
  }
  return all;
}

}  // namespace plumb::lang
