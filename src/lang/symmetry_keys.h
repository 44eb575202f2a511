// SPDX-License-Identifier: Apache-2.0
// What processes are sorted by, whatever they and their cells are called.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lang/client.h"
#include "lang/program.h"
#include "lang/symmetry_regions.h"
#include "lts/symmetry.h"
#include "lts/system.h"

namespace plumb::lang {

// What a symmetry knows of its program.
struct SymmetryPlan {
  const Program& program;
  const Client& client;
  Regions regions;
  ValueNumbers values;
  bool names_processes = false;  // somewhere, or something is indexed by them

  const std::uint8_t* frame(lts::StateView state, std::size_t process) const {
    return state.data() + program.frames + process * program.frame_size;
  }
  std::uint8_t calls_of(lts::StateView state, std::size_t process) const {
    return client.calls ? state[program.client + process] : std::uint8_t{0};
  }
  std::uint32_t cells(lts::StateView state) const {
    if (!program.has_heap()) return 0;
    return static_cast<std::uint32_t>(state.size() - program.heap) /
           program.cell_size;
  }
  const std::uint8_t* cell(lts::StateView state, std::uint32_t name) const {
    return state.data() + program.heap +
           std::size_t{name - 1} * program.cell_size;
  }
};

// A string of bytes for each process of a state.  It says what the process
// holds and where it is named, and is the same in all renamings of the state:
//
// - a cell that can be found from the variables without looking at names has
//   a number that no renaming changes; others are numbered as the process
//   finds them, and what they hold becomes a part of the key;
// - a process is the process itself, or some other;
// - a value that the variables show has a name by where it is found first;
//   others are numbered as the process finds them.
//
// Processes with different keys are not exchanged by any renaming that leaves
// the state as it is.  Those with equal keys may still be different.
class SortKeys {
 public:
  void make(const SymmetryPlan& plan, lts::StateView state);

  // Less than, equal to or greater than 0.
  int compare(std::size_t p, std::size_t q) const;
  // Does exchanging the two, whose keys are equal, change nothing?  True only
  // where that is plain to see.
  bool are_twins(std::size_t p, std::size_t q) const;

 private:
  static constexpr std::size_t kMost = lts::Permutation::kMost;
  static constexpr std::uint8_t kNoName = 0xFF;

  struct Own {
    std::uint32_t begin = 0, end = 0;  // of the key
    bool has_cells = false;            // that the variables do not show
    bool shares_cells = false;         // ... with other processes
    bool names_others = false;
  };

  void number_cells();
  void follow(const std::vector<ReferenceSlot>& slots,
              const std::uint8_t* bytes);
  void name_values();
  void name_values(const Region& region, const std::uint8_t* bytes);
  void find_named();
  void find_named(const Region& region, const std::uint8_t* bytes,
                  std::uint8_t where);
  void note_named(std::int32_t process, std::uint8_t where, std::size_t slot);
  void mark_all_named() { named_ = 0xFFFF; }

  void make_key(std::size_t process);
  void add_shared_elements();
  void add_elements(const Region& region, const std::uint8_t* bytes);
  void add_region(const Region& region, const std::uint8_t* bytes);
  void add_container(const ContainerSlot& slot, const std::uint8_t* from,
                     std::size_t at);
  // What stands for a name, or -1 for a number that no renaming changes.
  int token(Naming naming, std::int32_t number);
  std::uint8_t cell_token(std::uint8_t name, std::uint16_t structure);
  bool same_elements(std::size_t p, std::size_t q) const;

  const SymmetryPlan* plan_ = nullptr;
  lts::StateView state_;
  std::vector<std::uint8_t> bytes_;  // of all keys
  std::array<Own, kMost> own_;
  std::uint16_t named_ = 0;  // processes that are named somewhere
  std::array<std::vector<std::uint8_t>, kMost> where_named_;

  // Cells that variables show: their numbers, and back.
  std::uint32_t stable_cells_ = 0;
  std::array<std::uint8_t, 256> stable_, stable_name_, structure_;
  std::array<std::uint8_t, 256> owner_;  // 0, process + 1, kNoName: several
  // Of the process whose key is being made.
  std::size_t process_ = 0;
  std::uint32_t local_cells_ = 0;
  std::array<std::uint8_t, 256> local_, local_name_, local_structure_;

  std::array<std::uint8_t, kMost> shared_value_, local_value_;
  std::uint8_t shared_values_ = 0, local_values_ = 0;
};

}  // namespace plumb::lang
