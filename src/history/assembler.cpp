// SPDX-License-Identifier: Apache-2.0
#include "history/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/flat_table.h"
#include "base/invariant.h"
#include "spec/initial.h"

namespace plumb::history {

EventType event_type(std::string_view text) {
  if (text == "invoke") return EventType::kInvoke;
  if (text == "ok") return EventType::kOk;
  if (text == "fail") return EventType::kFail;
  if (text == "info") return EventType::kInfo;
  return EventType::kUnknown;
}

namespace {

// The last place up to `at` that is not within a UTF-8 sequence.
std::size_t end_of_character(std::string_view text, std::size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

}  // namespace

std::string shown(Value value) {
  constexpr std::size_t kLongest = 60;
  const std::string text = value.to_string();
  if (text.size() <= kLongest) return text;
  return text.substr(0, end_of_character(text, kLongest)) + "...";
}

Assembler::Assembler(const spec::Specification& object,
                     const ReadOptions& options, std::string source)
    : object_(object),
      notation_(dynamic_cast<const spec::Notation*>(&object)),
      signatures_(object.operations().begin(), object.operations().end()),
      options_(options),
      source_(std::move(source)) {
  switch (options.keys) {
    case ReadOptions::Keys::kNone:
      break;
    case ReadOptions::Keys::kTuples:
      tuples_ = Tuples::kYes;
      break;
    case ReadOptions::Keys::kAuto:
      if (object.name() == "register" && notation_ == nullptr) {
        tuples_ = Tuples::kUndecided;
      }
  }
  for (const spec::Signature& signature : signatures_) {
    null_means_nothing_ |= signature.takes;
  }
  if (options.together) part_of(Value());
}

std::uint16_t Assembler::code_of(std::string_view name) const {
  return spec::find_operation(object_, name).value_or(kUnknownCode);
}

void Assembler::watch(Watcher& watcher) {
  watcher_ = &watcher;
  if (tuples_ == Tuples::kUndecided) tuples_ = Tuples::kNo;
}

void Assembler::expect(std::uint64_t operations) {
  if (watcher_ != nullptr || parts_.size() != 1 || operations >= kNever) return;
  parts_[0].history.operations.reserve(operations);
}

void Assembler::add_without_process() {
  if (event_->process.is_null() && event_->type != EventType::kInfo) {
    reject(Field::kWhole, "the field 'process' is missing",
           "an event has 'process', 'type', 'f' and 'value'");
  }
  note_remark();
}

// "start-partition", "kill: n1".
void Assembler::note_remark() {
  ++skipped_;
  if (watcher_ != nullptr) return;
  std::string text(event_->function);
  const Value value = event_->value;
  if (!value.is_null()) {
    if (!text.empty()) text += ": ";
    text += value.is_text() ? std::string(value.as_text()) : value.to_string();
  }
  constexpr std::size_t kLongest = 200;
  if (text.size() > kLongest) text.resize(end_of_character(text, kLongest));
  if (!text.empty()) remarks_.push_back({event_->line, std::move(text)});
}

void Assembler::invoke() {
  const std::uint16_t code = invoked_code();
  if (++events_ >= kNever && watcher_ == nullptr) {
    reject(Field::kWhole, "more than 2^32 - 2 events");
  }
  const auto found = find_process();
  const std::uint32_t index = found ? *found : make_process();
  if (processes_[index].open) {
    const Operation& last = last_operation(processes_[index]);
    reject(Field::kFunction,
           fmt::format("process {} invokes '{}', but its '{}' of line {} has "
                       "not returned",
                       shown(event_->process), name_of(code),
                       name_of(last.code), last.line),
           "a process runs one operation at a time; 'info' gives one up");
  }
  Value key, value = event_->value;
  if (event_->has_key || tuples_ != Tuples::kNo) split_key(key, value);
  Value argument = argument_of(signatures_[code], value);
  if (notation_ != nullptr) {
    try {
      argument = notation_->taken(code, argument);
    } catch (const InputError& error) {
      reject(Field::kValue, error.what(), error.hint());
    }
  }
  Part& part = part_of(key);
  auto& operations = part.history.operations;
  const std::uint32_t place =
      watcher_ == nullptr ? static_cast<std::uint32_t>(operations.size())
                          : place_for(found, part);
  processes_[index] = {.part = last_part_, .operation = place, .open = true};
  if (place == operations.size()) operations.emplace_back();
  operations[place] = {.argument = argument,
                       .result = Value(),
                       .invoked = part.next++,
                       .returned = kNever,
                       .process = index,
                       .line = event_->line,
                       .code = code};
  note_clock(Clocks::Kind::kInvoke, index);
  if (watcher_ != nullptr) {
    watcher_->invoked(last_part_, part.history.object, place,
                      operations[place]);
  }
}

// That of an operation which nobody asks for any more: the last one of the
// process.  (Until it goes on, messages may name it.)
std::uint32_t Assembler::place_for(std::optional<std::uint32_t> process,
                                   Part& part) {
  if (process) {
    const Process& last = processes_[*process];
    parts_[last.part].free.push_back(last.operation);
  }
  if (part.free.empty()) {
    return static_cast<std::uint32_t>(part.history.operations.size());
  }
  const std::uint32_t place = part.free.back();
  part.free.pop_back();
  return place;
}

std::uint16_t Assembler::invoked_code() const {
  if (event_->code == kUnknownCode) reject_function();
  return event_->code;
}

void Assembler::complete() {
  const auto index = find_process();
  if (!completes(index)) {
    if (!is_remark(index)) reject_completion(index);
    return note_remark();
  }
  ++events_;
  Process& process = processes_[*index];
  Operation& operation = last_operation(process);
  if (event_->has_key) {
    require_same_key(process, event_->key, Field::kKey);
  }
  Part& part = parts_[process.part];
  switch (event_->type) {
    case EventType::kOk: {
      const spec::Signature& signature = signatures_[operation.code];
      Value value = event_->value;
      if (tuples_ == Tuples::kYes) {
        value = without_key(process, signature, value);
      }
      if (event_->result_unknown && signature.result != spec::Result::kNone) {
        operation.result = spec::unknown_result();
      } else {
        operation.result = result_of(signature, value);
        if (notation_ != nullptr) {
          operation.result = notation_->given(operation.code, operation.result);
        }
      }
      operation.returned = part.next++;
      operation.returned_line = event_->line;
      break;
    }
    case EventType::kFail:
      if (watcher_ != nullptr) break;
      operation.code = kUnknownCode;
      ++part.failed;
      break;
    default:
      break;  // info: pending for ever
  }
  note_clock(event_->type == EventType::kOk ? Clocks::Kind::kReturn
                                            : Clocks::Kind::kOther,
             *index);
  process.open = false;
  if (watcher_ != nullptr) {
    watcher_->completed(process.part, process.operation, operation,
                        event_->type);
  }
}

// All events of clients have bounds, or none has.
void Assembler::note_clock(Clocks::Kind kind, std::uint32_t process) {
  if (clocked_ == Clocked::kUndecided) {
    clocked_ = event_->has_bounds ? Clocked::kYes : Clocked::kNo;
    clocked_by_ = event_->line;
  }
  if (clocked_ == Clocked::kNo) {
    if (!event_->has_bounds) return;
    reject(Field::kTime,
           fmt::format("this event tells bounds of its time, but that of line "
                       "{} does not",
                       clocked_by_),
           "all events have a time that is a list, or none");
  }
  const Value earliest = event_->earliest, latest = event_->latest;
  if (watcher_ != nullptr) {
    reject(Field::kTime,
           "this event may have come before those that stand "
           "before it, so that nothing can be judged yet",
           "--follow wants events in the order in which they happened");
  }
  if (earliest.is_null()) {
    reject(Field::kWhole,
           fmt::format("this event has no time, but that of line {} tells "
                       "bounds of its own",
                       clocked_by_),
           "all events have a time that is a list, or none");
  }
  if (compare(latest, earliest) < 0) {
    reject(Field::kTime,
           fmt::format("it cannot have happened after {} and before {}",
                       shown(earliest), shown(latest)),
           kTimeHint);
  }
  const Process& at = processes_[process];
  if (!clocks_.note({earliest, latest, process, at.part, at.operation, kind})) {
    reject(Field::kTime,
           fmt::format("process {} did this before {}, but something that "
                       "stands before it later",
                       shown(event_->process), shown(latest)),
           "the events of a process stand in the order in which they happened");
  }
}

// Jepsen's nemesis and others report what they do as events of type info.
// Such a line concerns no operation of the object.
bool Assembler::is_remark(std::optional<std::uint32_t> process) const {
  if (event_->type != EventType::kInfo) return false;
  if (event_->code != kUnknownCode) return false;
  return !process || !processes_[*process].open;
}

// Is the event the completion of what its process invoked?
bool Assembler::completes(std::optional<std::uint32_t> process) const {
  if (!process || !processes_[*process].open) return false;
  if (event_->type >= EventType::kUnknown) return false;
  return !event_->has_function ||
         event_->code == last_operation(processes_[*process]).code;
}

void Assembler::reject_completion(std::optional<std::uint32_t> process) const {
  if (event_->type >= EventType::kUnknown) reject_type();
  const bool named = event_->has_function;
  if (named && event_->code == kUnknownCode) reject_function();
  const std::string what =
      named ? fmt::format("'{}'", name_of(event_->code)) : "an operation";
  const std::string who = fmt::format("process {}", shown(event_->process));
  if (!process) {
    reject(
        Field::kProcess,
        fmt::format("{} completes {}, but it has invoked nothing", who, what));
  }
  const Operation& last = last_operation(processes_[*process]);
  if (!processes_[*process].open) {
    reject(Field::kProcess,
           fmt::format("{} completes {}, but what it invoked on line {} has "
                       "been completed already",
                       who, what, last.line));
  }
  constexpr std::array kVerbs = {"invokes", "returns from", "reports a failed",
                                 "gives up"};
  reject(Field::kFunction,
         fmt::format("{} {} {}, but it invoked '{}' on line {}", who,
                     kVerbs[static_cast<std::size_t>(event_->type)], what,
                     name_of(last.code), last.line));
}

std::optional<std::uint32_t> Assembler::find_other_process() const {
  const auto found = other_processes_.find(event_->process);
  if (found == other_processes_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t Assembler::make_process() {
  const Value name = event_->process;
  const auto index = static_cast<std::uint32_t>(processes_.size());
  processes_.emplace_back();
  process_names_.push_back(name);
  const auto number = name.is_integer()
                          ? static_cast<std::uint64_t>(name.as_integer())
                          : small_processes_.size();
  if (number < small_processes_.size()) {
    small_processes_[number] = index + 1;
  } else {
    other_processes_.emplace(name, index);
  }
  return index;
}

// Also sets last_part_.
Assembler::Part& Assembler::part_of(Value key) {
  keyed_ |= !key.is_null();
  if (options_.together && !parts_.empty()) {
    parts_[0].keys.push_back(key);
    return parts_[0];
  }
  if (last_part_ < parts_.size() && parts_[last_part_].history.object == key) {
    return parts_[last_part_];
  }
  const auto next = static_cast<std::uint32_t>(parts_.size());
  const auto [entry, is_new] = part_by_key_.try_emplace(key, next);
  if (is_new) {
    parts_.emplace_back();
    parts_.back().history.object = key;
    parts_.back().history.source = source_;
  }
  last_part_ = entry->second;
  return parts_[last_part_];
}

Value Assembler::argument_of(const spec::Signature& signature,
                             Value value) const {
  const auto is_number_or_pair = [](Value v) {
    if (v.is_number()) return true;
    return v.is_list() && !v.items().empty() && v.items()[0].is_number();
  };
  switch (signature.argument) {
    case spec::Argument::kNone:
      return Value();
    case spec::Argument::kValue:
      if (!value.is_null() || !null_means_nothing_) return value;
      reject(Field::kValue,
             fmt::format("'{}' puts null, which is what a take returns when "
                         "it finds nothing",
                         signature.name),
             "give the values that are put in other names");
    case spec::Argument::kPriority:
      if (is_number_or_pair(value)) return value;
      reject(Field::kValue,
             fmt::format("'{}' takes a number or a list that begins with one, "
                         "but the value is {}",
                         signature.name, shown(value)));
    case spec::Argument::kPair:
      if (value.is_list() && value.items().size() == 2) return value;
      reject(Field::kValue, fmt::format("'{}' takes a list of two, but the "
                                        "value is {}",
                                        signature.name, shown(value)));
  }
  return value;
}

Value Assembler::result_of(const spec::Signature& signature,
                           Value value) const {
  switch (signature.result) {
    case spec::Result::kNone:
      return Value();
    case spec::Result::kValue:
      return value;
    case spec::Result::kSuccess:
      return value.is_boolean() ? value : Value::boolean(true);
    case spec::Result::kBoolean:
      if (value.is_boolean()) return value;
      reject(Field::kValue,
             fmt::format("'{}' returns true or false, but the value is {}",
                         signature.name, shown(value)));
    case spec::Result::kInteger:
      if (value.is_integer()) return value;
      reject(Field::kValue,
             fmt::format("'{}' returns an integer, but the value is {}",
                         signature.name, shown(value)));
  }
  return value;
}

ReadResult Assembler::finish() {
  if (parts_.empty()) part_of(Value());
  ReadResult result;
  result.keyed = keyed_;
  result.stats.events = events_;
  result.stats.skipped = skipped_;
  result.remarks = std::move(remarks_);
  if (clocked_ == Clocked::kYes) arrange_by_clocks();
  const bool alone = parts_.size() == 1;
  result.histories.reserve(parts_.size());
  for (Part& part : parts_) {
    if (alone && part.failed == 0) {
      part.history.processes = process_names_;
    } else {
      tidy(part);
    }
    for (std::size_t i = 0; keyed_ && i < part.keys.size(); ++i) {
      Value& argument = part.history.operations[i].argument;
      argument = Value::list(std::array{part.keys[i], argument});
    }
    result.histories.push_back(std::move(part.history));
    part = Part();  // so that never much more than one copy is held
  }
  return result;
}

void Assembler::arrange_by_clocks() {
  clocks_.finish(static_cast<std::uint32_t>(parts_.size()));
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const auto origin = clocks_.arrange(i, part.history);
    if (part.keys.empty()) continue;
    std::vector<Value> keys;
    for (const std::uint32_t before : origin) keys.push_back(part.keys[before]);
    part.keys = std::move(keys);
  }
}

// Drops what failed, closes the gaps in the moments, and keeps only the
// processes that are left, in the order in which they come.
void Assembler::tidy(Part& part) {
  auto& operations = part.history.operations;
  std::vector<Moment> moments(part.failed > 0 ? part.next : 0, 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation operation = operations[i];
    if (operation.code == kUnknownCode) continue;
    if (part.failed > 0) {
      moments[operation.invoked] = 1;
      if (!operation.pending()) moments[operation.returned] = 1;
      if (!part.keys.empty()) part.keys[kept] = part.keys[i];
    }
    operations[kept++] = operation;
  }
  operations.resize(kept);
  if (!part.keys.empty()) part.keys.resize(kept);
  Moment next = 0;
  for (Moment& moment : moments) next += std::exchange(moment, next);

  FlatMap<std::uint32_t, std::uint32_t> renamed;
  for (Operation& operation : operations) {
    if (part.failed > 0) {
      operation.invoked = moments[operation.invoked];
      if (!operation.pending())
        operation.returned = moments[operation.returned];
    }
    const auto [entry, is_new] = renamed.try_emplace(
        operation.process, static_cast<std::uint32_t>(renamed.size()));
    if (is_new) {
      part.history.processes.push_back(process_names_[operation.process]);
    }
    operation.process = entry->second;
  }
}

std::string Assembler::name_of(std::uint16_t code) const {
  PLUMB_CHECK(code < signatures_.size());
  return std::string(signatures_[code].name);
}

void Assembler::reject(Field field, std::string what, std::string hint) const {
  throw InputError(origin_->place_of(field), std::move(what), std::move(hint));
}

void Assembler::reject_function() const {
  if (!event_->has_function) {
    reject(Field::kWhole, "the field 'f' is missing",
           "'f' names the operation that is invoked");
  }
  std::vector<std::string> names;
  std::string list;
  for (const spec::Signature& signature : signatures_) {
    names.emplace_back(signature.name);
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", signature.name);
  }
  const std::string close = nearest(std::string(event_->function), names);
  if (event_->function == "txn") {
    reject(Field::kFunction,
           fmt::format("'txn' is no operation of {}", object_.name()),
           "a few transactions: --spec examples/specs/transactions.plumb; many "
           "of them: Elle (github.com/jepsen-io/elle) finds cycles of theirs");
  }
  reject(Field::kFunction,
         fmt::format("unknown operation '{}' for {}",
                     event_->function.substr(0, 60), object_.name()),
         close.empty() ? fmt::format("its operations are {}", list)
                       : fmt::format("did you mean '{}'?", close));
}

void Assembler::reject_type() const {
  if (event_->type == EventType::kMissing) {
    reject(Field::kWhole, "the field 'type' is missing",
           "the types are 'invoke', 'ok', 'fail' and 'info'");
  }
  reject(Field::kType,
         fmt::format("unknown type '{}'", event_->type_text.substr(0, 60)),
         "the types are 'invoke', 'ok', 'fail' and 'info'");
}

}  // namespace plumb::history
