// SPDX-License-Identifier: Apache-2.0
// States as numbers of their parts, each part stored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "explore/gate.h"
#include "explore/shared_store.h"
#include "lts/system.h"

namespace plumb::explore {

// Many states have few different frames, variables and heaps, so a state is a
// short record: for each of its parts, the number of that part among all that
// were seen in its place, as in [Holzmann97].  Numbers have as many bits as
// the largest one needs; when there are more parts, widen() makes records
// longer, and those that exist have to be written anew.
class Parts {
 public:
  // `cuts`: where parts begin, from the second on; the last has any length.
  Parts(std::vector<std::uint32_t> cuts, std::size_t threads, Gate& gate);

  std::size_t count() const { return tables_.size(); }
  std::size_t record_bytes() const { return record_bytes_; }
  // Fills in the numbers of the parts of `state`, and keeps those parts.  May
  // wait at the gate.  Returns false if there is no more memory.
  bool number(std::size_t thread, lts::StateView state,
              std::span<std::uint32_t> numbers);
  // Are there enough bits for these numbers?
  bool fits(std::span<const std::uint32_t> numbers) const;
  void pack(std::span<const std::uint32_t> numbers, std::uint8_t* record) const;
  bool is_of(const std::uint8_t* record, lts::StateView state) const;
  lts::StateView unpack(const std::uint8_t* record,
                        lts::StateBytes& state) const;
  // Memory held by the parts.
  std::size_t bytes() const;

  // Requires: this thread is alone.  Numbers may have more bits from now on.
  void widen();
  // Of the numbers, in bits: to read records that are older than widen(), or
  // to go back to them.
  std::vector<std::uint8_t> widths() const { return widths_; }
  void set_widths(std::vector<std::uint8_t> widths);
  void unpack(const std::uint8_t* record, std::span<const std::uint8_t> widths,
              std::span<std::uint32_t> numbers) const;

 private:
  lts::StateView part(lts::StateView state, std::size_t i) const;

  const std::vector<std::uint32_t> cuts_;
  std::vector<std::unique_ptr<SharedStore>> tables_;  // by part
  std::vector<std::uint8_t> widths_;                  // in bits, by part
  std::size_t record_bytes_ = 0;
};

}  // namespace plumb::explore
