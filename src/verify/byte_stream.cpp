// SPDX-License-Identifier: Apache-2.0
#include "verify/byte_stream.h"

#include <bit>
#include <vector>

#include "base/input_error.h"
#include "explore/varint.h"

namespace plumb::verify {

void fail_to_read() {
  throw InputError("the checkpoint is damaged", "begin again without --resume");
}

void ByteWriter::number(std::uint64_t number) {
  std::uint8_t bytes[explore::kMostVarintBytes];
  std::uint8_t* const end = explore::write_varint(bytes, number);
  written_.append(&bytes[0], end);
}

void ByteWriter::bytes(std::span<const std::uint8_t> bytes) {
  text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void ByteWriter::text(std::string_view text) {
  number(text.size());
  written_ += text;
}

namespace {

// How values begin.  Real and large numbers do not occur in models.
enum class ValueTag : std::uint8_t {
  kNull,
  kFalse,
  kTrue,
  kInteger,
  kText,
  kList
};

}  // namespace

void ByteWriter::value(Value value) {
  const auto tag = [this](ValueTag which) {
    number(static_cast<std::uint64_t>(which));
  };
  if (value.is_null()) return tag(ValueTag::kNull);
  if (value.is_boolean()) {
    return tag(value.is_true() ? ValueTag::kTrue : ValueTag::kFalse);
  }
  if (value.is_integer()) {
    tag(ValueTag::kInteger);
    const std::int64_t n = value.as_integer();
    // The sign goes to the lowest bit, so that small ones stay short.
    return number(static_cast<std::uint64_t>(n) << 1 ^
                  static_cast<std::uint64_t>(n >> 63));
  }
  if (value.is_list()) {
    tag(ValueTag::kList);
    number(value.items().size());
    for (const Value item : value.items()) this->value(item);
    return;
  }
  tag(ValueTag::kText);
  text(value.as_text());
}

void ByteWriter::label(const lts::Label& label) {
  number(static_cast<std::uint64_t>(label.kind) << 1 | (label.marked ? 1 : 0));
  number(label.process);
  number(label.operation);
  number(label.edge);
  value(label.value);
}

void ByteWriter::renaming(const lts::Renaming& renaming) {
  for (const lts::Permutation& each : {renaming.processes, renaming.values}) {
    for (std::size_t i = 0; i < lts::Permutation::kMost; ++i) number(each[i]);
  }
}

void ByteWriter::real(double number_) {
  number(std::bit_cast<std::uint64_t>(number_));
}

std::string_view ByteReader::take(std::size_t count) {
  if (count > rest_.size()) fail_to_read();
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

std::uint64_t ByteReader::number() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(take(1)[0]);
    number |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return number;
  }
  fail_to_read();
}

std::uint32_t ByteReader::number_up_to(std::uint32_t most) {
  const std::uint64_t read = number();
  if (read > most) fail_to_read();
  return static_cast<std::uint32_t>(read);
}

std::span<const std::uint8_t> ByteReader::bytes() {
  const std::string_view read = text();
  return {reinterpret_cast<const std::uint8_t*>(read.data()), read.size()};
}

std::string_view ByteReader::text() {
  return take(number());
}

Value ByteReader::value() {
  const std::uint32_t most = static_cast<std::uint32_t>(ValueTag::kList);
  switch (static_cast<ValueTag>(number_up_to(most))) {
    case ValueTag::kNull:
      return Value();
    case ValueTag::kFalse:
      return Value::boolean(false);
    case ValueTag::kTrue:
      return Value::boolean(true);
    case ValueTag::kInteger: {
      const std::uint64_t n = number();
      return Value::integer(static_cast<std::int64_t>(n >> 1) ^
                            -static_cast<std::int64_t>(n & 1));
    }
    case ValueTag::kText:
      return Value::text(text());
    case ValueTag::kList:
      break;
  }
  constexpr int kDeepest = 8;  // models have lists of pairs, no more
  if (++depth_ > kDeepest) fail_to_read();
  std::vector<Value> items;
  for (std::uint64_t left = number(); left > 0; --left) {
    if (at_end()) fail_to_read();
    items.push_back(value());
  }
  --depth_;
  return Value::list(items);
}

lts::Label ByteReader::label() {
  lts::Label label;
  const std::uint32_t kind = number_up_to(
      static_cast<std::uint32_t>(lts::LabelKind::kTerminate) * 2 + 1);
  label.kind = static_cast<lts::LabelKind>(kind / 2);
  label.marked = kind % 2 != 0;
  label.process = static_cast<std::uint16_t>(number_up_to(UINT16_MAX));
  label.operation = static_cast<std::uint16_t>(number_up_to(UINT16_MAX));
  label.edge = number_up_to(UINT32_MAX);
  label.value = value();
  return label;
}

lts::Permutation ByteReader::permutation() {
  lts::Permutation permutation;
  std::uint64_t met = 0;  // each number occurs once
  for (std::size_t i = 0; i < lts::Permutation::kMost; ++i) {
    const std::uint32_t number = number_up_to(lts::Permutation::kMost - 1);
    permutation.set(i, number);
    met |= std::uint64_t{1} << number;
  }
  if (std::popcount(met) != int{lts::Permutation::kMost}) fail_to_read();
  return permutation;
}

lts::Renaming ByteReader::renaming() {
  const lts::Permutation processes = permutation();
  return {processes, permutation()};
}

double ByteReader::real() {
  return std::bit_cast<double>(number());
}

}  // namespace plumb::verify
