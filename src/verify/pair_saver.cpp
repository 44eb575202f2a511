// SPDX-License-Identifier: Apache-2.0
#include "verify/pair_saver.h"

#include <algorithm>

namespace plumb::verify {

using explore::StateId;

PairSaver::PairSaver(Journal& journal, PairStore& pairs, Tagging& moves)
    : journal_(journal), pairs_(pairs), moves_(moves) {
  moves.keep_origins();
  pairs.keep_replaced();
}

bool PairSaver::save(const SearchState& state) {
  // What cannot be written now must come with the next entry.
  const Progress kept = progress_;
  if (!journal_.continues()) progress_ = Progress();
  const Progress before = progress_;
  fine_ = true;
  const Journal::Saving saving;
  out_.clear();
  number_pairs();
  write_sets();
  write_pairs(before);
  write_replaced();
  write_state(state);
  if (!fine_ || !journal_.write(out_.written(), true)) {
    progress_ = kept;
    return false;
  }
  pairs_.forget_replaced();
  return true;
}

void PairSaver::begin(Item item) {
  constexpr std::size_t kLong = std::size_t{1} << 24;
  if (out_.written().size() >= kLong) {
    fine_ = fine_ && journal_.write(out_.written(), false);
    out_.clear();
  }
  out_.number(static_cast<std::uint64_t>(item));
}

void PairSaver::write_sets() {
  const auto& origins = moves_.origins();
  for (; progress_.origins < origins.size(); ++progress_.origins) {
    const Tagging::Origin& origin = origins[progress_.origins];
    begin(Item::kSet);
    out_.number(std::uint64_t{origin.from} << 1 | (origin.by_renaming ? 1 : 0));
    if (origin.by_renaming) {
      out_.renaming(origin.renaming);
    } else {
      out_.label(origin.label);
    }
  }
}

PairSaver::Code PairSaver::code_of(PairId pair) const {
  if (pair == kNoPair) return 0;
  if (!PairStore::is_first(pair)) {
    const PairId index = pair - kMorePairs;
    return 2 + 2 * progress_.mores[index % PairStore::kStripes]
                                  [index / PairStore::kStripes];
  }
  const auto after = std::upper_bound(
      progress_.firsts.begin(), progress_.firsts.end(), pair,
      [](PairId id, const Numbered& range) { return id < range.begin; });
  const Numbered& range = *(after - 1);
  return 1 + 2 * (range.number + (pair - range.begin));
}

// All get their numbers first: a pair may have come from one with a larger id.
void PairSaver::number_pairs() {
  for (const auto& [begin, end] : pairs_.states().added_since(progress_.mark)) {
    progress_.firsts.push_back({begin, end, progress_.first_count});
    progress_.first_count += end - begin;
  }
  std::ranges::sort(progress_.firsts, {}, &Numbered::begin);
  for (PairId i = 0; i < PairStore::kStripes; ++i) {
    auto& numbers = progress_.mores[i];
    while (numbers.size() < pairs_.more_pairs(i)) {
      numbers.push_back(progress_.more_count++);
    }
  }
}

void PairSaver::write_pairs(const Progress& before) {
  lts::StateBytes buffer;
  explore::StoreMark mark = before.mark;
  for (const auto& [first, last] : pairs_.states().added_since(mark)) {
    for (StateId id = first; id < last; ++id) {
      const PairStore::Pair pair = pairs_[id];
      begin(Item::kFirst);
      out_.bytes(pairs_.states().get(id, buffer));
      out_.number(pair.set);
      out_.number(code_of(pair.parent));
    }
  }
  for (PairId i = 0; i < PairStore::kStripes; ++i) {
    for (std::size_t n = before.mores[i].size(); n < progress_.mores[i].size();
         ++n) {
      const PairStore::Pair pair = pairs_[PairStore::more_pair(i, n)];
      begin(Item::kMore);
      out_.number(code_of(pair.state));
      out_.number(pair.set);
      out_.number(code_of(pair.parent));
    }
  }
}

void PairSaver::write_replaced() {
  for (const PairId pair : pairs_.replaced()) {
    begin(Item::kReplaced);
    out_.number(code_of(pair));
    out_.number(pairs_[pair].set);
    out_.number(code_of(pairs_[pair].parent));
  }
}

void PairSaver::write_state(const SearchState& state) {
  begin(Item::kState);
  out_.number(state.depth);
  out_.number(state.count.transitions);
  out_.number(state.count.system_transitions);
  out_.number(state.count.cut);
  out_.number(state.count.left_out);
  out_.number(state.count.joined);
  out_.real(state.count.represented);
  out_.text(moves_.notes());
  write_ranges(state.to_expand);
  write_ranges(pairs_.added_in_level());
}

// As runs of codes: a code, and how many follow it in steps of 2.
void PairSaver::write_ranges(const std::vector<PairRange>& ranges) {
  std::vector<std::pair<Code, std::uint64_t>> runs;
  for (const PairRange& range : ranges) {
    for (std::size_t i = 0; i < range.size(); ++i) {
      const PairId pair = range.begin + static_cast<PairId>(i) * range.stride;
      const Code code = code_of(pair);
      if (!runs.empty() && runs.back().first + 2 * runs.back().second == code) {
        ++runs.back().second;
      } else {
        runs.emplace_back(code, 1);
      }
    }
  }
  out_.number(runs.size());
  for (const auto& [code, count] : runs) {
    out_.number(code);
    out_.number(count);
  }
}

SearchState PairSaver::load() {
  SearchState state;
  Item last = Item::kSet;
  while (const auto entry = journal_.read()) {
    ByteReader in(*entry);
    while (!in.at_end()) {
      last = static_cast<Item>(in.number());
      read_item(last, in, state);
    }
  }
  if (last != Item::kState) fail_to_read();
  // What comes now goes behind what was read.
  pairs_.states().added_since(progress_.mark);
  progress_.first_count = pairs_.states().size();
  progress_.firsts = {{0, static_cast<StateId>(progress_.first_count), 0}};
  progress_.more_count = restored_more_.size();
  for (std::uint64_t n = 0; n < restored_more_.size(); ++n) {
    const PairId stripe =
        (restored_more_[n] - kMorePairs) % PairStore::kStripes;
    progress_.mores[stripe].push_back(n);
  }
  progress_.origins = moves_.origins().size();
  pairs_.forget_replaced();
  return state;
}

void PairSaver::read_item(Item item, ByteReader& in, SearchState& state) {
  switch (item) {
    case Item::kSet:
      return read_origin(in);
    case Item::kFirst: {
      const lts::StateView bytes = in.bytes();
      const Tag set = read_set(in);
      const PairId pair = pairs_.restore_first(bytes, set);
      if (pair == kNoPair) fail_to_read();
      restored_.push_back({pair, set, in.number()});
      return;
    }
    case Item::kMore:
      return read_more(in);
    case Item::kReplaced: {
      const PairId pair = pair_of(in.number());
      if (pair == kNoPair) fail_to_read();
      const Tag set = read_set(in);
      restored_.push_back({pair, set, in.number()});
      return;
    }
    case Item::kState:
      return read_state(in, state);
  }
  fail_to_read();
}

// The sets get the same numbers again, because they are made in the same
// order.
void PairSaver::read_origin(ByteReader& in) {
  const std::size_t made = moves_.size() + 1;
  const std::uint64_t head = in.number();
  if (head / 2 >= made || head / 2 == kFailed) fail_to_read();
  const auto from = static_cast<Tag>(head / 2);
  const Tag set = head % 2 != 0 ? moves_.renamed(from, in.renaming())
                                : moves_.after(from, in.label());
  if (set != made) fail_to_read();
}

Tag PairSaver::read_set(ByteReader& in) const {
  const Tag set = in.number_up_to(static_cast<std::uint32_t>(moves_.size()));
  if (set == kFailed) fail_to_read();
  return set;
}

void PairSaver::read_more(ByteReader& in) {
  const PairId state = pair_of(in.number());
  if (state == kNoPair || !PairStore::is_first(state)) fail_to_read();
  const Tag set = read_set(in);
  const PairId pair = pairs_.restore_more(state, set);
  if (pair == kNoPair) fail_to_read();
  restored_more_.push_back(pair);
  restored_.push_back({pair, set, in.number()});
}

PairId PairSaver::pair_of(Code code) const {
  if (code == 0) return kNoPair;
  const std::uint64_t number = (code - 1) / 2;
  if (code % 2 != 0) {
    if (number >= pairs_.states().end()) fail_to_read();
    return static_cast<PairId>(number);
  }
  if (number >= restored_more_.size()) fail_to_read();
  return restored_more_[number];
}

// The last item of a final entry: now all parents are known.
void PairSaver::read_state(ByteReader& in, SearchState& state) {
  for (const Restored& each : restored_) {
    pairs_.restore(each.pair, each.set, pair_of(each.parent));
  }
  restored_.clear();
  state.depth = in.number();
  state.count.transitions = in.number();
  state.count.system_transitions = in.number();
  state.count.cut = in.number();
  state.count.left_out = in.number();
  state.count.joined = in.number();
  state.count.represented = in.real();
  moves_.add_notes(in.text());
  state.to_expand = read_ranges(in);
  pairs_.restore_level(read_ranges(in));
}

std::vector<PairRange> PairSaver::read_ranges(ByteReader& in) const {
  std::vector<PairRange> ranges;
  for (std::uint64_t left = in.number(); left > 0; --left) {
    const Code first = in.number();
    const std::uint64_t count = in.number();
    if (first % 2 != 0) {
      const PairId begin = pair_of(first);
      if (count > pairs_.states().end() - begin) fail_to_read();
      ranges.push_back({begin, begin + static_cast<PairId>(count), 1});
      continue;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const PairId pair = pair_of(first + 2 * i);
      if (pair == kNoPair) fail_to_read();
      ranges.push_back({pair, pair + 1, 1});
    }
  }
  return ranges;
}

}  // namespace plumb::verify
