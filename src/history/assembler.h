// SPDX-License-Identifier: Apache-2.0
// Puts events together to operations, and operations to histories.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_table.h"
#include "history/clocks.h"
#include "history/event.h"
#include "history/history.h"
#include "history/read.h"
#include "history/watcher.h"
#include "spec/notation.h"
#include "spec/specification.h"

namespace plumb::history {

// Everything that a history means, apart from its notation: who may do what
// when, which values fit, which key an operation concerns.
class Assembler {
 public:
  Assembler(const spec::Specification& object, const ReadOptions& options,
            std::string source);

  // The operation of that name, or kUnknownCode.
  std::uint16_t code_of(std::string_view name) const;
  const spec::Signature& signature(std::uint16_t code) const {
    return signatures_[code];
  }

  // Takes the next event.  Throws InputError if it does not fit those before,
  // at the place that `origin` tells.
  void add(const Event& event, const Origin& origin) {
    origin_ = &origin;
    event_ = &event;
    if (event.process == nemesis_ || event.process.is_null()) {
      add_without_process();
    } else if (event.type == EventType::kInvoke) {
      invoke();
    } else {
      complete();
    }
  }

  // From now on, keeps nothing but what is in flight, and tells of it.
  void watch(Watcher& watcher);
  // The source has nothing more at the moment.
  void waiting() {
    if (watcher_ != nullptr) watcher_->waiting();
  }

  // About so many operations are to come: saves copying.
  void expect(std::uint64_t operations);
  std::uint64_t events() const { return events_; }

  // Fills in all but the source's own figures.  Call it once, at the end.
  ReadResult finish();

 private:
  // The operations of one key so far.  Those that failed stay until finish(),
  // with kUnknownCode, so that the index of an operation never changes.
  struct Part {
    History history;
    Moment next = 0;
    std::uint32_t failed = 0;
    std::vector<Value> keys;  // if they are kept together: of each operation
    std::vector<std::uint32_t> free;  // if they are watched: used no more
  };
  struct Process {
    std::uint32_t part = 0;
    std::uint32_t operation = 0;  // the last one that it invoked
    bool open = false;            // has that one not returned yet?
  };
  // Are values tuples [key value]?
  enum class Tuples : std::uint8_t { kNo, kYes, kUndecided };

  std::uint32_t place_for(std::optional<std::uint32_t> process, Part& part);
  void add_without_process();
  void invoke();
  void complete();
  bool is_remark(std::optional<std::uint32_t> process) const;
  void note_remark();
  bool completes(std::optional<std::uint32_t> process) const;
  [[noreturn]] void reject_completion(
      std::optional<std::uint32_t> process) const;
  std::uint16_t invoked_code() const;

  std::optional<std::uint32_t> find_process() const {
    const Value name = event_->process;
    if (!name.is_integer()) return find_other_process();
    const auto number = static_cast<std::uint64_t>(name.as_integer());
    if (number >= small_processes_.size()) return find_other_process();
    const std::uint32_t index = small_processes_[number];
    if (index == 0) return std::nullopt;
    return index - 1;
  }
  std::optional<std::uint32_t> find_other_process() const;
  std::uint32_t make_process();
  Part& part_of(Value key);
  Operation& last_operation(const Process& process) {
    return parts_[process.part].history.operations[process.operation];
  }
  const Operation& last_operation(const Process& process) const {
    return parts_[process.part].history.operations[process.operation];
  }

  Value argument_of(const spec::Signature& signature, Value value) const;
  Value result_of(const spec::Signature& signature, Value value) const;

  // In keys.cpp.
  void split_key(Value& key, Value& value);
  void decide_tuples(Value value);
  void convert_to_tuples();
  Value without_key(const Process& process, const spec::Signature& signature,
                    Value value) const;
  void require_same_key(const Process& process, Value key, Field field) const;
  Value key_of(const Process& process) const;

  void note_clock(Clocks::Kind kind, std::uint32_t process);
  void arrange_by_clocks();
  void tidy(Part& part);

  std::string name_of(std::uint16_t code) const;
  [[noreturn]] void reject(Field field, std::string what,
                           std::string hint = "") const;
  [[noreturn]] void reject_function() const;
  [[noreturn]] void reject_type() const;

  const spec::Specification& object_;
  const spec::Notation* notation_;  // null: values mean what they are
  std::vector<spec::Signature> signatures_;
  // Do takes say null when there is nothing to take?
  bool null_means_nothing_ = false;
  ReadOptions options_;
  std::string source_;
  Watcher* watcher_ = nullptr;
  Value nemesis_ = Value::text("nemesis");

  const Event* event_ = nullptr;  // during add()
  const Origin* origin_ = nullptr;

  std::vector<Part> parts_;
  FlatMap<Value, std::uint32_t> part_by_key_;
  std::uint32_t last_part_ = 0;  // that part_of() gave
  bool keyed_ = false;

  std::vector<Process> processes_;
  std::vector<Value> process_names_;
  // Most histories call their processes 0, 1, 2, ...: those need no hashing.
  // By name: the index plus one, 0 for none.
  std::array<std::uint32_t, 1024> small_processes_{};
  FlatMap<Value, std::uint32_t> other_processes_;

  Tuples tuples_ = Tuples::kNo;
  std::uint32_t decided_by_ = 0;  // the line that told; 0: the user did

  // Do events tell bounds of the moments at which they happened?  The first
  // one decides, in this line.
  enum class Clocked : std::uint8_t { kUndecided, kNo, kYes };
  Clocked clocked_ = Clocked::kUndecided;
  std::uint32_t clocked_by_ = 0;
  Clocks clocks_;

  std::uint64_t events_ = 0;
  std::uint64_t skipped_ = 0;
  std::vector<Remark> remarks_;
};

// A value for a message: not too long.
std::string shown(Value value);

}  // namespace plumb::history
