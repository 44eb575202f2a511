// SPDX-License-Identifier: Apache-2.0
// The meaning of a model straight from its tree, slowly: for tests.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/value.h"
#include "lang/ast.h"
#include "lang/constants.h"
#include "lts/system.h"

namespace plumb::lang {

// A number, or the items of an array or container (a map's are pairs).
struct Datum {
  std::int64_t number = 0;
  std::vector<Datum> items;

  friend bool operator==(const Datum&, const Datum&) = default;
  friend std::strong_ordering operator<=>(const Datum& x, const Datum& y) {
    if (x.number != y.number) return x.number <=> y.number;
    return std::lexicographical_compare_three_way(
        x.items.begin(), x.items.end(), y.items.begin(), y.items.end());
  }
};

struct WalkedCell {
  const Struct* structure = nullptr;
  std::vector<Datum> fields;
  int owner = -1;  // the process that alone knows it
  bool freed = false;

  friend std::strong_ordering operator<=>(const WalkedCell&,
                                          const WalkedCell&) = default;
};

// What a process has done in its call: all that its accesses gave, so that
// the call can be run again up to where it rests.
struct WalkedProcess {
  enum class Status : std::uint8_t { kIdle, kRunning, kReturning };
  Status status = Status::kIdle;
  std::size_t operation = 0;
  std::vector<Datum> arguments;
  std::vector<Datum> log;
  Datum result;
  std::int64_t calls = 0;

  friend std::strong_ordering operator<=>(const WalkedProcess&,
                                          const WalkedProcess&) = default;
};

struct WalkedState {
  std::vector<Datum> variables;
  std::map<std::int64_t, WalkedCell> cells;  // never the same number again
  std::int64_t next_cell = 1;
  std::vector<WalkedProcess> processes;

  friend std::strong_ordering operator<=>(const WalkedState&,
                                          const WalkedState&) = default;
};

struct WalkedStep {
  lts::Label label;   // without edge and fault
  std::string fault;  // "line 3: null reference"
  WalkedState next;
};

struct WalkedSuccessors {
  std::vector<WalkedStep> steps;
  std::uint64_t waiting = 0;
  bool cut = false;
};

// The object of a check under all its clients (no roles, no bounded
// containers as specifications).  Everything is done anew at every step:
// the call of a process is run from its beginning, with what its accesses
// gave so far, one access further.
class TreeWalker {
 public:
  // Requires: read_model() found nothing wrong.
  TreeWalker(const Module& module, const Check& check);

  WalkedState initial() const;
  WalkedSuccessors successors(const WalkedState& state) const;
  // The variables and all cells that can be reached from them, in the words
  // of System::describe().
  std::vector<std::string> describe(const WalkedState& state) const;

  const Module& module() const { return module_; }
  const Object& object() const { return object_; }
  const ConstantValues& constants() const { return constants_; }
  std::int64_t evaluated(const Expression& expression) const;
  // Bounds of an int type; false: a plain int.
  bool range(const Type& type, std::int64_t& low, std::int64_t& high) const;
  std::size_t capacity(const Type& type) const;
  Datum default_of(const Type& type) const;
  const std::vector<const Function*>& operations() const { return operations_; }

 private:
  void run(const WalkedState& state, std::size_t process, lts::Label label,
           std::int64_t budget, WalkedSuccessors& out) const;
  std::vector<std::vector<Datum>> arguments_of(const Function& function) const;

  const Module& module_;
  const Object& object_;
  ConstantValues constants_;
  std::vector<const Function*> operations_;
  std::int64_t low_ = 0, high_ = 0;
  std::int64_t calls_ = -1;
};

}  // namespace plumb::lang
