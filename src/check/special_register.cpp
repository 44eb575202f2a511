// SPDX-License-Identifier: Apache-2.0
// A register in which no value is written twice, with compare-and-swap.
//
// Without cas: in every explanation the write of a value and all reads of it
// stand together, as a block.  A block with the earliest return `f` and the
// latest invocation `s` must come before one with `f'` and `s'` iff f < s'.
// This has a cycle iff it has one of two blocks: of the blocks of a longer
// cycle take the one with the least `f`; it must come before the one that
// must come before it.  So the test is for pairs: no two forward zones (f < s)
// overlap, and no backward zone lies inside a forward one [GibbonsKorach97].
//
// With cas: a cas that succeeded takes its old value's place at once, so the
// blocks of both values make one longer block, in which the order is given
// (write, reads, cas, reads, cas, ...).  It exists iff within each block nobody
// precedes one that stands before him.  Linear.
//
// A pending write or cas takes effect iff its value was seen.  Leaving out
// one that nobody saw is safe without failed cas: up to the next change of
// the register nobody looked.
//
// A failed cas only says what the value was not.  One that runs while its old
// value is there for sure cannot be explained.  The others are put into the
// order that was found.  LIMIT: if one finds no place there, another order
// might still have one, and the general search must decide.
#include <algorithm>
#include <cassert>
#include <utility>

#include "check/special.h"
#include "check/special_common.h"

namespace plumb::check {

namespace {

using history::History;
using history::Operation;

constexpr Index kInitial = 0;  // the version that holds null at first

struct RegisterCodes {
  std::uint16_t read = code_of("register", "read");
  std::uint16_t write = code_of("register", "write");
};

// One value; operations by index, kNoIndex: none.
struct Version {
  Index writer = kNoIndex;  // write, or cas that succeeded
  Index next = kNoIndex;    // the cas that succeeded with this as old value
  Index first_to_return = kNoIndex;  // of the reads
  Index last_invoked = kNoIndex;     // of the reads
  bool in_block = false;
};

// Versions that follow each other by cas.
struct Block {
  Index root = kNoIndex;  // its first version
  Cell f = 0;             // the earliest return; -1 if it begins with null
  Cell s = 0;             // the latest invocation
  Index f_operation = kNoIndex;
  Index s_operation = kNoIndex;

  bool forward() const { return f < s; }
};

class RegisterDecider {
 public:
  RegisterDecider(const History& history, Budget& budget)
      : history_(history), timeline_(history), budget_(budget) {}

  std::optional<Verdict> decide(bool want_order) {
    if (!read()) {
      if (budget_.limit() != Limit::kNone) return stopped(budget_);
      return std::nullopt;
    }
    keep_what_was_seen();
    if (core_.empty()) find_unwritten();
    if (core_.empty()) build_blocks();
    if (core_.empty()) compare_zones();
    if (core_.empty()) judge_failed();
    if (budget_.limit() != Limit::kNone) return stopped(budget_);
    if (!core_.empty()) return violated_by(std::move(core_));
    Verdict verdict;
    verdict.answer = Answer::kHolds;
    if (!want_order && failed_.empty()) return verdict;
    verdict.order = find_order();
    if (!failed_.empty() && !insert_failed(verdict.order)) return std::nullopt;
    if (!want_order) verdict.order.clear();
    return verdict;
  }

 private:
  static const RegisterCodes& codes() {
    static const RegisterCodes kCodes;
    return kCodes;
  }
  const Operation& operation(Index i) const {
    return history_.operations[at(i)];
  }
  Interval when(Index i) const { return timeline_[at(i)]; }
  bool is_read(const Operation& one) const { return one.code == codes().read; }
  bool is_write(const Operation& one) const {
    return one.code == codes().write;
  }
  static Value old_of(const Operation& cas) { return cas.argument.items()[0]; }
  static Value new_of(const Operation& cas) { return cas.argument.items()[1]; }
  Value written_by(const Operation& one) const {
    return is_write(one) ? one.argument : new_of(one);
  }
  // A cas from a value to itself that succeeds only reads.
  static bool changes_nothing(const Operation& cas) {
    return old_of(cas) == new_of(cas);
  }

  // The version of null is always there, and not in the table: the other
  // values may well be all integers.
  Index find(Value value) const {
    return value.is_null() ? kInitial : table_.find(value);
  }

  Version& version(Value value) {
    if (value.is_null()) return versions_[at(kInitial)];
    Index& index = table_[value];
    if (index == kNoIndex) {
      index = static_cast<Index>(versions_.size());
      versions_.emplace_back();
    }
    return versions_[at(index)];
  }

  // False if a value is written twice, or if the budget is spent.
  bool read() {
    for (const Operation& one : history_.operations) {
      if (budget_.spent()) return false;
      announce(one);
    }
    table_.prepare();
    versions_.resize(1);
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (budget_.spent()) return false;
      const auto index = static_cast<Index>(i);
      const Operation& one = operation(index);
      if (is_read(one)) {
        if (!one.pending()) read_by(index, version(one.result));
      } else if (is_write(one)) {
        if (!written(index)) return false;
      } else if (!read_cas(index)) {
        return false;
      }
    }
    return true;
  }

  void announce(const Operation& one) {
    if (is_read(one)) {
      announce(one.result);
    } else if (is_write(one)) {
      announce(one.argument);
    } else {
      announce(old_of(one));
      announce(new_of(one));
    }
  }
  void announce(Value value) {
    if (!value.is_null()) table_.expect(value);
  }

  void read_by(Index i, Version& version) const {
    version.last_invoked = i;  // operations come in the order of invocations
    if (version.first_to_return == kNoIndex ||
        when(i).last < when(version.first_to_return).last) {
      version.first_to_return = i;
    }
  }

  // False if the value was written before, or is the first one.
  bool written(Index i) {
    const Value value = written_by(operation(i));
    if (value.is_null()) return false;
    Version& one = version(value);
    if (one.writer != kNoIndex) return false;
    one.writer = i;
    return true;
  }

  bool read_cas(Index i) {
    const Operation& cas = operation(i);
    if (cas.pending()) {
      if (changes_nothing(cas)) return true;
      pending_cas_.push_back(i);
      return written(i);
    }
    if (!cas.result.is_boolean()) return false;
    if (!cas.result.is_true()) {
      failed_.push_back(i);
      return true;
    }
    if (changes_nothing(cas)) {
      read_by(i, version(old_of(cas)));
      return true;
    }
    succeeded(i);
    return written(i);
  }

  // A version has one cas that follows it at most.
  void succeeded(Index i) {
    Version& old = version(old_of(operation(i)));
    if (old.next == kNoIndex) {
      old.next = i;
    } else {
      twice_.emplace_back(old.next, i);
    }
  }

  static bool seen(const Version& version) {
    return version.first_to_return != kNoIndex || version.next != kNoIndex;
  }

  // A pending cas that takes effect has seen its old value in turn.
  void keep_what_was_seen() {
    std::vector<Index> kept;
    for (const Index i : pending_cas_) {
      if (seen(version(new_of(operation(i))))) kept.push_back(i);
    }
    while (!kept.empty()) {
      const Index i = kept.back();
      kept.pop_back();
      const Version& old = version(old_of(operation(i)));
      const bool was_seen = seen(old);
      succeeded(i);
      if (was_seen || old.writer == kNoIndex) continue;
      const Operation& writer = operation(old.writer);
      if (writer.pending() && !is_write(writer)) kept.push_back(old.writer);
    }
    for (Version& one : versions_) {
      if (one.writer != kNoIndex && operation(one.writer).pending() &&
          !seen(one)) {
        one.writer = kNoIndex;
      }
    }
    if (!twice_.empty()) {
      const auto [one, other] = twice_.front();
      blame({version(old_of(operation(one))).writer, one, other});
    }
  }

  // A value that was seen and that nobody wrote.
  void find_unwritten() {
    for (std::size_t v = 1; v < versions_.size(); ++v) {
      const Version& one = versions_[v];
      if (one.writer != kNoIndex || !seen(one)) continue;
      blame({one.first_to_return != kNoIndex ? one.first_to_return : one.next});
      return;
    }
  }

  // Makes these the core, with what shows that the pending ones among them
  // took effect.  kNoIndex stands for the first value, which nobody wrote.
  void blame(const std::vector<Index>& operations) {
    for (Index i : operations) {
      while (i != kNoIndex) {
        core_.push_back(static_cast<std::uint32_t>(i));
        if (!operation(i).pending()) break;
        const Version& result = version(written_by(operation(i)));
        i = result.first_to_return != kNoIndex ? result.first_to_return
                                               : result.next;
      }
    }
  }

  // The version that `i` wrote or read; a cas belongs to its new one.
  const Version& version_of(Index i) {
    const Operation& one = operation(i);
    return version(is_read(one) ? one.result : written_by(one));
  }

  // Blame for two operations of one block.  The cas between them need not be
  // there: without them the values would come from nowhere.
  void add_writers(std::vector<Index> operations) {
    const std::size_t size = operations.size();
    for (std::size_t i = 0; i < size; ++i) {
      if (operations[i] == kNoIndex) continue;
      operations.push_back(version_of(operations[i]).writer);
    }
    blame(operations);
  }

  void build_blocks() {
    for (std::size_t v = 0; v < versions_.size() && core_.empty(); ++v) {
      if (budget_.spent()) return;
      const Version& one = versions_[v];
      const auto index = static_cast<Index>(v);
      if (index == kInitial
              ? seen(one)
              : one.writer != kNoIndex && is_write(operation(one.writer))) {
        build_block(index);
      }
    }
    for (std::size_t v = 1; v < versions_.size() && core_.empty(); ++v) {
      // Each version of a circle comes from another one of it.
      if (versions_[v].writer != kNoIndex && !versions_[v].in_block) {
        blame_circle(static_cast<Index>(v));
      }
    }
  }

  void build_block(Index root) {
    Block block;
    block.root = root;
    block.f = root == kInitial ? -1 : timeline_.cells();
    block.s = -1;
    Version* one = &versions_[at(root)];
    for (;;) {
      one->in_block = true;
      if (!append(one->writer, one->writer, block)) return;
      if (!append(one->first_to_return, one->last_invoked, block)) return;
      if (one->next == kNoIndex) break;
      one = &version(new_of(operation(one->next)));
    }
    blocks_.push_back(block);
  }

  // The next operations of a block, of which these return first and are
  // invoked last.  False if one precedes an operation that stands before.
  bool append(Index first_to_return, Index last_invoked, Block& block) {
    if (first_to_return == kNoIndex) return true;
    const Cell returns = when(first_to_return).last;
    if (returns < block.s) {
      add_writers({block.s_operation, first_to_return});
      return false;
    }
    if (returns < block.f) {
      block.f = returns;
      block.f_operation = first_to_return;
    }
    if (when(last_invoked).first > block.s) {
      block.s = when(last_invoked).first;
      block.s_operation = last_invoked;
    }
    return true;
  }

  void blame_circle(Index start) {
    std::vector<Index> circle;
    const Version* one = &versions_[at(start)];
    const Index last = one->writer;
    do {
      circle.push_back(one->next);
      one = &version(new_of(operation(one->next)));
    } while (one->writer != last);
    blame(circle);
  }

  // Between the first return and the last invocation of those that saw a
  // value, or wrote it, it is there.
  void judge_failed() {
    for (const Index i : failed_) {
      if (budget_.spent()) return;
      const Index index = find(old_of(operation(i)));
      if (index == kNoIndex) continue;
      const Version& old = versions_[at(index)];
      Block there;
      there.f = index == kInitial ? -1 : timeline_.cells();
      there.s = -1;
      append(old.writer, old.writer, there);
      append(old.first_to_return, old.last_invoked, there);
      append(old.next, old.next, there);
      if (there.f < when(i).first && when(i).last < there.s) {
        blame({old.writer, there.f_operation, there.s_operation, i});
        return;
      }
    }
  }

  // By cell, shifted by one since the first block may begin at -1: the last
  // block with a forward zone that begins by then.
  void compare_zones() {
    zones_.assign(at(timeline_.cells()) + 1, kNoIndex);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (!blocks_[b].forward()) continue;
      Index& zone = zones_[at(blocks_[b].f + 1)];
      if (zone != kNoIndex) {
        blame_blocks(blocks_[at(zone)], blocks_[b]);
        return;
      }
      zone = static_cast<Index>(b);
    }
    Index last = kNoIndex;
    for (Index& zone : zones_) {
      if (budget_.spent()) return;
      if (zone != kNoIndex && last != kNoIndex &&
          blocks_[at(zone)].f < blocks_[at(last)].s) {
        blame_blocks(blocks_[at(last)], blocks_[at(zone)]);
        return;
      }
      if (zone != kNoIndex) last = zone;
      zone = last;
    }
    for (const Block& block : blocks_) {
      if (budget_.spent()) return;
      if (block.forward()) continue;
      const Block* around = zone_before(block.s);
      if (around != nullptr && block.f < around->s) {
        blame_blocks(*around, block);
        return;
      }
    }
  }

  // The last forward zone that begins before `cell`.
  const Block* zone_before(Cell cell) const {
    const Index zone = zones_[at(cell)];
    return zone == kNoIndex ? nullptr : &blocks_[at(zone)];
  }

  void blame_blocks(const Block& one, const Block& other) {
    add_writers({one.f_operation, one.s_operation, other.f_operation,
                 other.s_operation});
  }

  // A forward zone comes at its beginning.  A backward zone comes at its
  // beginning too, or after the forward zone in which that lies, and before
  // a forward zone that begins there.
  std::vector<std::uint32_t> find_order() {
    std::vector<Placed> placed;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const Block& block = blocks_[b];
      const auto index = static_cast<std::uint32_t>(b);
      if (block.forward()) {
        placed.push_back({index, 2 * (block.f + 1) + 1});
        continue;
      }
      const Block* around = zone_before(block.s);
      const Cell cell =
          around == nullptr ? block.s : std::max(block.s, around->s);
      placed.push_back({index, 2 * (cell + 1)});
    }
    const std::vector<Index> reads = reads_by_version();
    std::vector<std::uint32_t> order;
    for (const std::uint32_t b :
         ordered_by_cell(placed, 2 * timeline_.cells() + 2)) {
      append_block(blocks_[b], reads, order);
    }
    return order;
  }

  // By read: the one of the same version that was invoked before it.  So from
  // Version::last_invoked on all reads of a version are linked.
  std::vector<Index> reads_by_version() {
    std::vector<Index> before(history_.size(), kNoIndex);
    std::vector<Index> last(versions_.size(), kNoIndex);
    for (std::size_t i = 0; i < history_.size(); ++i) {
      const Operation& one = history_.operations[i];
      const bool reads =
          !one.pending() &&
          (is_read(one) ||
           (!is_write(one) && one.result.is_true() && changes_nothing(one)));
      if (!reads) continue;
      const Value value = is_read(one) ? one.result : old_of(one);
      Index& head = last[at(find(value))];
      before[i] = std::exchange(head, static_cast<Index>(i));
    }
    return before;
  }

  void append_block(const Block& block, const std::vector<Index>& reads,
                    std::vector<std::uint32_t>& order) {
    const Version* one = &versions_[at(block.root)];
    for (;;) {
      if (one->writer != kNoIndex) {
        order.push_back(static_cast<std::uint32_t>(one->writer));
      }
      const auto begin = static_cast<std::ptrdiff_t>(order.size());
      for (Index i = one->last_invoked; i != kNoIndex; i = reads[at(i)]) {
        order.push_back(static_cast<std::uint32_t>(i));
      }
      std::reverse(order.begin() + begin, order.end());
      if (one->next == kNoIndex) return;
      one = &version(new_of(operation(one->next)));
    }
  }

  // Puts every failed cas between two operations of `order` at a moment of
  // its interval when the value is not its old one.  False if one finds none.
  bool insert_failed(std::vector<std::uint32_t>& order) {
    const std::size_t size = order.size();
    // By gap, the first one before everything: the cell from which on it is
    // open, the version there, and the next gap with another version.
    std::vector<Cell> opens(size + 1, 0);
    std::vector<Index> holds(size + 1, kInitial);
    std::vector<std::size_t> other(size + 1, size + 1);
    for (std::size_t i = 0; i < size; ++i) {
      const auto index = static_cast<Index>(order[i]);
      opens[i + 1] = std::max(opens[i], when(index).first);
      holds[i + 1] = find(seen_after(operation(index)));
    }
    for (std::size_t g = size; g-- > 0;) {
      other[g] = holds[g] == holds[g + 1] ? other[g + 1] : g + 1;
    }
    std::vector<Placed> placed;
    std::vector<Cell> cells;  // of failed_
    for (const Index i : failed_) {
      // A gap closes when the next one opens.
      const Interval interval = when(i);
      auto gap = static_cast<std::size_t>(
          std::lower_bound(opens.begin() + 1, opens.end(), interval.first) -
          opens.begin() - 1);
      if (holds[gap] == find(old_of(operation(i)))) gap = other[gap];
      if (gap > size || opens[gap] > interval.last) return false;
      placed.push_back({static_cast<std::uint32_t>(i), static_cast<Cell>(gap)});
      cells.push_back(std::max(interval.first, opens[gap]));
    }
    merge_failed(placed, cells, order);
    return true;
  }

  // What the register holds after an operation that took effect.
  Value seen_after(const Operation& one) const {
    return is_read(one) ? one.result : written_by(one);
  }

  // By gap, and within one gap by cell.
  void merge_failed(std::vector<Placed>& placed, const std::vector<Cell>& cells,
                    std::vector<std::uint32_t>& order) const {
    std::vector<std::size_t> sorted(placed.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
    std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(placed[a].cell, cells[a]) <
             std::pair(placed[b].cell, cells[b]);
    });
    std::vector<std::uint32_t> merged;
    merged.reserve(order.size() + placed.size());
    std::size_t next = 0;
    for (std::size_t gap = 0; gap <= order.size(); ++gap) {
      for (; next < sorted.size() && at(placed[sorted[next]].cell) == gap;
           ++next) {
        merged.push_back(placed[sorted[next]].operation);
      }
      if (gap < order.size()) merged.push_back(order[gap]);
    }
    order = std::move(merged);
  }

  const History& history_;
  const Timeline timeline_;
  Budget& budget_;
  ValueTable table_;  // into versions_
  std::vector<Version> versions_;
  std::vector<Block> blocks_;
  std::vector<Index> zones_;
  std::vector<Index> failed_;
  std::vector<Index> pending_cas_;
  std::vector<std::pair<Index, Index>> twice_;  // cas of the same old value
  Core core_;
};

}  // namespace

std::optional<Verdict> decide_register(const History& history,
                                       const SpecialOptions& options,
                                       Budget& budget) {
  return RegisterDecider(history, budget).decide(options.want_order);
}

}  // namespace plumb::check
