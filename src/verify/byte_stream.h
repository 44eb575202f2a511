// SPDX-License-Identifier: Apache-2.0
// Numbers, labels and renamings as bytes, and back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/value.h"
#include "lts/symmetry.h"
#include "lts/system.h"

namespace plumb::verify {

class ByteWriter {
 public:
  // Seven bits a byte, the low ones first.
  void number(std::uint64_t number);
  void bytes(std::span<const std::uint8_t> bytes);  // with their length
  void text(std::string_view text);
  void value(Value value);
  void label(const lts::Label& label);
  void renaming(const lts::Renaming& renaming);
  void real(double number);

  const std::string& written() const { return written_; }
  void clear() { written_.clear(); }

 private:
  std::string written_;
};

// Throws InputError where bytes are missing or make no sense.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number();
  // A number that is at most `most`.
  std::uint32_t number_up_to(std::uint32_t most);
  std::span<const std::uint8_t> bytes();
  std::string_view text();
  Value value();
  lts::Label label();
  lts::Renaming renaming();
  double real();
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t count);
  lts::Permutation permutation();

  std::string_view rest_;
  int depth_ = 0;  // of lists
};

// Says that the file is damaged.
[[noreturn]] void fail_to_read();

}  // namespace plumb::verify
