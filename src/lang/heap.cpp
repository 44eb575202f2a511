// SPDX-License-Identifier: Apache-2.0
#include "lang/heap.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace plumb::lang {
namespace {

class Collector {
 public:
  Collector(const Program& program, std::uint8_t* state)
      : program_(program), state_(state), cells_(state + program.heap) {}

  std::uint32_t run(std::uint32_t cells) {
    std::memset(new_name_, 0, cells + 1);
    visit_all(program_.references, state_);
    follow();
    for (std::size_t p = 0; p < program_.processes; ++p) {
      visit_all(program_.rests[rest_of(program_, frame(p))].references,
                frame(p));
      follow();
    }
    if (found_ == cells && keeps_names()) return cells;
    rename();
    return found_;
  }
  std::vector<std::uint32_t> old_names() const {
    return {old_name_ + 1, old_name_ + 1 + found_};
  }

 private:
  std::uint8_t* frame(std::size_t process) {
    return state_ + program_.frames + process * program_.frame_size;
  }
  std::uint8_t* cell(std::uint32_t name) {
    return cells_ + std::size_t{name - 1} * program_.cell_size;
  }

  void visit_all(const std::vector<ReferenceSlot>& slots,
                 const std::uint8_t* base) {
    for (const ReferenceSlot& slot : slots) {
      const std::uint8_t name = base[slot.offset];
      if (name == 0 || new_name_[name] != 0) continue;
      new_name_[name] = static_cast<std::uint8_t>(++found_);
      old_name_[found_] = name;
      structure_[found_] = static_cast<std::uint8_t>(slot.structure);
    }
  }

  void follow() {
    while (followed_ < found_) {
      ++followed_;
      visit_all(references_of(followed_), cell(old_name_[followed_]));
    }
  }

  const std::vector<ReferenceSlot>& references_of(std::uint32_t found) const {
    return program_.layouts->structs[structure_[found]].references;
  }

  bool keeps_names() const {
    for (std::uint32_t i = 1; i <= found_; ++i) {
      if (old_name_[i] != i) return false;
    }
    return true;
  }

  void rename(const std::vector<ReferenceSlot>& slots, std::uint8_t* base) {
    for (const ReferenceSlot& slot : slots) {
      base[slot.offset] = new_name_[base[slot.offset]];
    }
  }

  void rename() {
    new_name_[0] = 0;
    rename(program_.references, state_);
    for (std::size_t p = 0; p < program_.processes; ++p) {
      rename(program_.rests[rest_of(program_, frame(p))].references, frame(p));
    }
    const std::size_t size = program_.cell_size;
    thread_local std::vector<std::uint8_t> moved;
    moved.resize(found_ * size);
    for (std::uint32_t i = 1; i <= found_; ++i) {
      std::uint8_t* to = moved.data() + (i - 1) * size;
      std::memcpy(to, cell(old_name_[i]), size);
      rename(references_of(i), to);
    }
    std::copy(moved.begin(), moved.end(), cells_);
  }

  const Program& program_;
  std::uint8_t* state_;
  std::uint8_t* cells_;
  std::uint32_t found_ = 0;     // cells 1 .. found_ have their new names
  std::uint32_t followed_ = 0;  // and of these, what they refer to
  std::uint8_t new_name_[256];
  std::uint8_t old_name_[256];
  std::uint8_t structure_[256];
};

}  // namespace

std::uint32_t collect(const Program& program, std::uint8_t* state,
                      std::uint32_t cells,
                      std::vector<std::uint32_t>* old_names) {
  Collector collector(program, state);
  const std::uint32_t left = collector.run(cells);
  if (old_names != nullptr) *old_names = collector.old_names();
  return left;
}

std::uint32_t reachable_by_all(const Program& program,
                               const std::uint8_t* state) {
  std::uint8_t structure[256];
  std::uint32_t found = 0;
  const auto visit_all = [&](const std::vector<ReferenceSlot>& slots,
                             const std::uint8_t* base) {
    for (const ReferenceSlot& slot : slots) {
      const std::uint32_t name = base[slot.offset];
      if (name <= found) continue;
      found = name;
      structure[name] = static_cast<std::uint8_t>(slot.structure);
    }
  };
  visit_all(program.references, state);
  for (std::uint32_t i = 1; i <= found; ++i) {
    visit_all(program.layouts->structs[structure[i]].references,
              state + program.heap + std::size_t{i - 1} * program.cell_size);
  }
  return found;
}

}  // namespace plumb::lang
