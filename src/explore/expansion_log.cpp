// SPDX-License-Identifier: Apache-2.0
#include "explore/expansion_log.h"

#include <absl/hash/hash.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "explore/varint.h"

namespace plumb::explore {

using lts::Label;
using lts::LabelKind;
using lts::StateView;

bool ExpansionLog::is_replaying() {
  while (rest_.empty() && !is_at_end_) {
    if (auto next = read()) {
      piece_ = std::move(*next);
      rest_ = piece_;
    } else {
      is_at_end_ = true;
      piece_ = std::string();
    }
  }
  return !is_at_end_;
}

void ExpansionLog::fail() {
  throw InputError("the checkpoint is damaged", "begin again without --resume");
}

void ExpansionLog::add(std::string_view record) {
  written_ += record;
  is_saved_ = false;
  if (--until_look_ == 0) {
    until_look_ = kPatience;
    if (is_due()) return save();
  }
  if (written_.size() < kPiece) return;
  write(written_, false);
  written_.clear();
}

void ExpansionLog::save() {
  if (is_replaying() || !is_writing() || is_saved_) return;
  write(written_, true);
  written_.clear();
  is_saved_ = true;
}

std::size_t ExpansionRecords::Hash::operator()(const Label& label) const {
  return absl::HashOf(label.kind, label.marked, label.process, label.operation,
                      label.fault, label.edge, label.value);
}

void ExpansionRecords::write_number(std::uint64_t number) {
  std::uint8_t bytes[kMostVarintBytes];
  std::uint8_t* const end = write_varint(bytes, number);
  record_.append(&bytes[0], end);
}

std::uint64_t ExpansionRecords::read_number() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(read_bytes(1)[0]);
    number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
  ExpansionLog::fail();
}

std::string_view ExpansionRecords::read_bytes(std::uint64_t count) {
  std::string_view& rest = log_.rest();
  if (count > rest.size()) ExpansionLog::fail();
  const std::string_view taken = rest.substr(0, count);
  rest.remove_prefix(count);
  return taken;
}

// States of processes are much like the states before them: one variable
// changes, or the process in the middle takes a step.
void ExpansionRecords::write_state(StateView from, StateView state) {
  const std::size_t most = std::min(from.size(), state.size());
  std::size_t front = 0, back = 0;
  while (front < most && from[front] == state[front]) ++front;
  while (back < most - front &&
         from[from.size() - 1 - back] == state[state.size() - 1 - back]) {
    ++back;
  }
  const StateView middle = state.subspan(front, state.size() - front - back);
  write_number(front);
  write_number(back);
  write_number(middle.size());
  record_.append(middle.begin(), middle.end());
}

StateView ExpansionRecords::read_state(StateView from) {
  const std::uint64_t front = read_number(), back = read_number();
  if (front > from.size() || back > from.size() - front) ExpansionLog::fail();
  const std::string_view middle = read_bytes(read_number());
  state_.assign(from.begin(), from.begin() + static_cast<long>(front));
  state_.insert(state_.end(), middle.begin(), middle.end());
  state_.insert(state_.end(), from.end() - static_cast<long>(back), from.end());
  return state_;
}

bool ExpansionRecords::know_labels(const lts::Successors& out) {
  bool all = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const Label& label : out.labels(i)) {
      const auto next = static_cast<std::uint32_t>(labels_.size());
      if (!numbers_.try_emplace(label, next).second) continue;
      labels_.push_back(label);
      all = false;
    }
    if (out.labels(i).size() != 1) all = false;
  }
  return all;
}

// A record: a mark of its state; 0 if that is to be expanded anew, else one
// more than twice the number of transitions, odd ones with what else there is
// to say; then the transitions, as the number of a label and either 0 and a
// state or how far the id is from that of the state, odd numbers downwards.
void ExpansionRecords::note(const Expansion& expansion, std::size_t before,
                            const StateStore& store) {
  if (expansion.is_logged) {
    if (!is_anew_ && new_.size() != store.size() - before) ExpansionLog::fail();
    return;
  }
  const bool all_known = know_labels(expansion.successors);
  if (!log_.is_writing()) return;
  record_.clear();
  record_.push_back(static_cast<char>(mark_of(expansion.state)));
  if (all_known) {
    write_transitions(expansion, before, store);
  } else {
    write_number(0);
  }
  log_.add(record_);
}

void ExpansionRecords::write_transitions(const Expansion& expansion,
                                         std::size_t before,
                                         const StateStore& store) {
  const lts::Successors& out = expansion.successors;
  const bool more = out.waiting != 0 || out.cut != 0 || out.left_out != 0;
  write_number(1 + 2 * out.size() + (more ? 1 : 0));
  if (more) {
    write_number(out.waiting);
    write_number(out.cut);
    write_number(out.left_out);
  }
  const StateView from = store[expansion.state];
  std::size_t next_new = before;
  for (std::size_t i = 0; i < out.size(); ++i) {
    write_number(numbers_.at(out.label(i)));
    const StateId to = expansion.targets[i];
    if (to == kNoState || to == next_new) {
      write_number(0);
      write_state(from, out.state(i));
      if (to == next_new) ++next_new;
    } else if (to >= expansion.state) {
      write_number(2 + 2 * std::uint64_t{to - expansion.state});
    } else {
      write_number(1 + 2 * std::uint64_t{expansion.state - to});
    }
  }
}

void ExpansionRecords::read(const StateStore& store, Expansion& out) {
  const StateView state = store[out.state];
  const auto mark = static_cast<std::uint8_t>(read_bytes(1)[0]);
  if (mark != mark_of(out.state)) ExpansionLog::fail();
  const std::uint64_t head = read_number();
  new_.clear();
  is_anew_ = head == 0;
  if (is_anew_) {
    out.find(system_, state);
    know_labels(out.successors);
    out.targets.assign(out.successors.size(), kNoState);
    out.is_logged = true;
    return;
  }
  out.successors.clear();
  out.targets.clear();
  out.hashes.clear();
  std::uint64_t waiting = 0, cut = 0, left_out = 0;
  if (head % 2 == 0) {
    waiting = read_number();
    cut = read_number();
    left_out = read_number();
  }
  for (std::uint64_t left = (head - 1) / 2; left > 0; --left) {
    read_transition(state, store, out);
  }
  out.successors.waiting = waiting;
  out.successors.cut = cut;
  out.successors.left_out = static_cast<std::uint32_t>(left_out);
  out.is_logged = true;
  if (--until_check_ == 0) require_same(state, out);
}

void ExpansionRecords::read_transition(StateView from, const StateStore& store,
                                       Expansion& out) {
  const std::uint64_t number = read_number();
  if (number >= labels_.size()) ExpansionLog::fail();
  const Label& label = labels_[number];
  const std::uint64_t code = read_number();
  if (code == 0) {
    const StateView state = read_state(from);
    out.successors.add(label, state);
    out.hashes.push_back(StateStore::hash(state));
    out.targets.push_back(kNoState);
    if (label.kind != LabelKind::kFault) {
      new_.push_back(out.successors.size() - 1);
    }
    return;
  }
  const std::uint64_t far = (code - 1) / 2;
  const bool is_before = code % 2 != 0;
  const std::uint64_t end = store.size() + new_.size();
  if (far > (is_before ? out.state : end - 1 - out.state)) ExpansionLog::fail();
  const std::uint64_t to = is_before ? out.state - far : out.state + far;
  // One transition may lead to what an earlier one has just found.
  const bool is_known = to < store.size();
  const StateView state = is_known
                              ? store[static_cast<StateId>(to)]
                              : out.successors.state(new_[to - store.size()]);
  state_.assign(state.begin(), state.end());
  out.successors.add(label, state_);
  out.hashes.push_back(0);
  out.targets.push_back(static_cast<StateId>(to));
}

// Now and then: a log of a system that behaves otherwise must not pass.
void ExpansionRecords::require_same(StateView state, const Expansion& read) {
  until_check_ = kCheckEvery;
  lts::Successors now;
  system_.successors(state, now);
  const lts::Successors& was = read.successors;
  bool same = now.size() == was.size() && now.waiting == was.waiting &&
              now.cut == was.cut && now.left_out == was.left_out;
  for (std::size_t i = 0; same && i < now.size(); ++i) {
    same = now.labels(i).size() == 1 && now.label(i) == was.label(i) &&
           std::ranges::equal(now.state(i), was.state(i));
  }
  if (!same) ExpansionLog::fail();
}

}  // namespace plumb::explore
