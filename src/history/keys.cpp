// SPDX-License-Identifier: Apache-2.0
// The part of the assembler that finds out which key an event concerns.
//
// Jepsen tests many registers at once by making every value a tuple [k v].
// Nothing in the file says so, and a register may hold lists.  So the first
// invocation that can be meant in one way only decides:
//   read nil, read 3, write 3, cas [1 2]   no tuples
//   read [k nil], cas [k [1 2]]            tuples
//   write [1 2]                            cannot tell
// What came before the decision are writes of lists of two; convert_to_tuples
// changes them afterwards.  If nothing ever decides, there are no tuples.
//
// LIMIT: a register that holds lists of two, whose first telling invocation is
// a cas to such a list (or a read that repeats its result), is misread;
// ReadOptions::Keys::kNone, or a field "key", says what is meant.
#include <fmt/format.h>

#include <utility>

#include "history/assembler.h"

namespace plumb::history {

namespace {

bool is_list_of_two(Value value) {
  return value.is_list() && value.items().size() == 2;
}

}  // namespace

// Takes `value` of an invocation apart, if it is a tuple.
void Assembler::split_key(Value& key, Value& value) {
  if (event_->has_key) {
    // Whoever gives keys in fields does not hide others in tuples.
    if (tuples_ == Tuples::kUndecided) tuples_ = Tuples::kNo;
    key = event_->key;
    if (tuples_ == Tuples::kNo) return;
  }
  if (tuples_ == Tuples::kUndecided) decide_tuples(value);
  if (tuples_ != Tuples::kYes) return;
  if (!is_list_of_two(value)) {
    const std::string why =
        decided_by_ == 0
            ? "all values were said to be tuples"
            : fmt::format("line {} shows that values are tuples", decided_by_);
    reject(Field::kValue,
           fmt::format("the value {} is no tuple [key, value], but {}",
                       shown(value), why));
  }
  key = value.items()[0];
  value = value.items()[1];
}

void Assembler::decide_tuples(Value value) {
  const spec::Signature& signature = signatures_[event_->code];
  switch (signature.argument) {
    case spec::Argument::kNone:  // read
      tuples_ = is_list_of_two(value) ? Tuples::kYes : Tuples::kNo;
      break;
    case spec::Argument::kPair:  // cas
      tuples_ = is_list_of_two(value) && is_list_of_two(value.items()[1])
                    ? Tuples::kYes
                    : Tuples::kNo;
      break;
    default:  // write
      if (!is_list_of_two(value)) tuples_ = Tuples::kNo;
  }
  if (tuples_ == Tuples::kYes) {
    decided_by_ = event_->line;
    convert_to_tuples();
  }
}

// Distributes the operations so far, all of them writes of tuples, to their
// keys, as if that had been known from the start.
void Assembler::convert_to_tuples() {
  if (parts_.empty()) return;
  if (options_.together) {
    Part& all = parts_[0];
    for (std::size_t i = 0; i < all.history.size(); ++i) {
      Value& argument = all.history.operations[i].argument;
      all.keys[i] = argument.items()[0];
      argument = argument.items()[1];
      keyed_ |= !all.keys[i].is_null();
    }
    return;
  }
  const Part old = std::move(parts_[0]);
  parts_.clear();
  part_by_key_.clear();
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::vector<std::uint32_t> operation_at(old.next, kNone);
  for (std::uint32_t i = 0; i < old.history.size(); ++i) {
    const Operation& operation = old.history.operations[i];
    operation_at[operation.invoked] = i;
    if (!operation.pending()) operation_at[operation.returned] = i;
  }
  std::vector<Process> places(old.history.size());
  for (Moment moment = 0; moment < old.next; ++moment) {
    const std::uint32_t i = operation_at[moment];
    Operation operation = old.history.operations[i];
    if (operation.returned == moment) {
      Part& part = parts_[places[i].part];
      last_operation(places[i]).returned = part.next++;
      continue;
    }
    const auto tuple = operation.argument.items();
    Part& part = part_of(tuple[0]);
    auto& operations = part.history.operations;
    places[i] = {last_part_, static_cast<std::uint32_t>(operations.size()),
                 false};
    operation.argument = tuple[1];
    operation.invoked = part.next++;
    operation.returned = kNever;
    part.failed += operation.code == kUnknownCode ? 1 : 0;
    operations.push_back(operation);
  }
  if (clocked_ == Clocked::kYes) {
    std::vector<Clocks::Place> moved;
    for (const Process& place : places) {
      moved.emplace_back(place.part, place.operation);
    }
    clocks_.move(moved);
  }
  for (Process& process : processes_) {
    if (process.operation >= places.size()) continue;  // is just being made
    const bool open = process.open;
    process = places[process.operation];
    process.open = open;
  }
}

// The value of a completion, without its key.  Completions are often sloppy:
// where there is nothing to compare, the tuple may be missing.
Value Assembler::without_key(const Process& process,
                             const spec::Signature& signature,
                             Value value) const {
  if (is_list_of_two(value)) {
    require_same_key(process, value.items()[0], Field::kValue);
    return value.items()[1];
  }
  if (signature.result == spec::Result::kNone) return value;
  if (signature.result == spec::Result::kSuccess && !value.is_list()) {
    return value;
  }
  reject(Field::kValue,
         fmt::format("the value {} is no tuple [key, value], but its "
                     "invocation on line {} carries one",
                     shown(value), last_operation(process).line));
}

void Assembler::require_same_key(const Process& process, Value key,
                                 Field field) const {
  const Value invoked = key_of(process);
  if (key == invoked) return;
  const Operation& operation = last_operation(process);
  reject(field, fmt::format("process {} completes '{}' for key {}, but it "
                            "invoked it for key {} on line {}",
                            shown(event_->process), name_of(operation.code),
                            shown(key), shown(invoked), operation.line));
}

Value Assembler::key_of(const Process& process) const {
  const Part& part = parts_[process.part];
  return options_.together ? part.keys[process.operation] : part.history.object;
}

}  // namespace plumb::history
