// SPDX-License-Identifier: Apache-2.0
// Expansions of states written down one after the other, and read again.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explore/expansion.h"
#include "explore/state_store.h"
#include "lts/system.h"

namespace plumb::explore {

// A search is a function of its expansions: given the same ones again, it does
// the same again.  So all that is written down of searches is what they
// expanded, in their order, and a search is resumed by doing it again, with
// expansions that are read as long as there are some.  One log serves all
// searches that a question needs, of all their systems.
class ExpansionLog {
 public:
  ExpansionLog() = default;
  virtual ~ExpansionLog() = default;
  ExpansionLog(const ExpansionLog&) = delete;

  // Is there more to be read?
  bool is_replaying();
  // The records to be read next; whoever reads one takes it off.
  std::string_view& rest() { return rest_; }
  // Are records to be written?  After the last one was read.
  virtual bool is_writing() const = 0;
  void add(std::string_view record);
  // Saves all that was added so far; does nothing while there is more to read.
  void save();
  // Throws InputError: what was read makes no sense.
  [[noreturn]] static void fail();

  // For each system that uses it, in order.
  std::uint32_t next_system() { return systems_++; }

 protected:
  // The next piece of the text, or nothing.
  virtual std::optional<std::string> read() = 0;
  // Adds a piece; with a final one, all survive the end of this process.
  virtual void write(std::string_view piece, bool is_final) = 0;
  virtual bool is_due() = 0;  // time for a final one

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  static constexpr std::uint32_t kPatience = 64;  // records until it looks

  bool is_at_end_ = false;
  std::string piece_;
  std::string_view rest_;  // of piece_
  std::string written_;
  bool is_saved_ = false;  // all that was added
  std::uint32_t until_look_ = kPatience;
  std::uint32_t systems_ = 0;
};

// The expansions of one system in a log.  Labels are not written down: a state
// with a label that has not occurred yet is marked to be expanded anew, which
// gives its labels the same numbers again.
class ExpansionRecords {
 public:
  // Both must last.
  ExpansionRecords(const lts::System& system, ExpansionLog& log)
      : system_(system), log_(log), number_(log.next_system()) {}

  bool is_replaying() { return log_.is_replaying(); }
  // Reads the expansion of out.state.  Requires: is_replaying(), and all that
  // was read before has been looked up.
  void read(const StateStore& store, Expansion& out);
  // All transitions were looked up, in a store that had `before` states.
  void note(const Expansion& expansion, std::size_t before,
            const StateStore& store);

 private:
  struct Hash {
    std::size_t operator()(const lts::Label& label) const;
  };
  static constexpr std::uint32_t kCheckEvery = 64;  // records

  std::uint8_t mark_of(StateId state) const {
    return static_cast<std::uint8_t>(state * 7 + number_ * 101);
  }
  void read_transition(lts::StateView from, const StateStore& store,
                       Expansion& out);
  void require_same(lts::StateView state, const Expansion& read);
  // False: one that has not occurred yet, which has a number now.
  bool know_labels(const lts::Successors& out);
  void write_transitions(const Expansion& expansion, std::size_t before,
                         const StateStore& store);
  void write_number(std::uint64_t number);
  // As what differs from `from`.
  void write_state(lts::StateView from, lts::StateView state);
  std::uint64_t read_number();
  std::string_view read_bytes(std::uint64_t count);
  lts::StateView read_state(lts::StateView from);

  const lts::System& system_;
  ExpansionLog& log_;
  const std::uint32_t number_;
  absl::flat_hash_map<lts::Label, std::uint32_t, Hash> numbers_;
  std::vector<lts::Label> labels_;
  std::string record_;
  lts::StateBytes state_;
  // Of the expansion that was read last: its transitions to new states, and
  // whether it was not in the log, but is to be found anew.
  std::vector<std::size_t> new_;
  bool is_anew_ = false;
  std::uint32_t until_check_ = kCheckEvery;
};

}  // namespace plumb::explore
