// SPDX-License-Identifier: Apache-2.0
// The steps that a process term can take, by the rules of CSP#.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "csp/alphabet.h"
#include "csp/datum.h"
#include "csp/evaluate.h"
#include "csp/events.h"
#include "csp/node.h"
#include "csp/term.h"
#include "csp/valuation.h"
#include "lts/system.h"

namespace plumb::csp {

// What a step does to variables and channels.
struct Effect {
  const Node* node = nullptr;  // its block
  std::span<const Datum> holes;
  std::span<const Datum> message;  // sent to a buffer
  std::uint32_t buffer = 0;
  bool pops = false, pushes = false;
};

struct Move {
  enum class Kind : std::uint8_t {
    kTau,
    kEvent,
    kTerminate,
    kFault,
    kSend,  // wants a partner: a synchronous channel
  };
  Kind kind = Kind::kTau;
  bool atomic = false;
  bool alone = false;  // never synchronises: it has a program or is a channel's
  std::uint8_t effects = 0;
  NodeId node = kNoNode;  // whose step it is
  EventId event = 0;
  std::uint64_t actors = 0;
  std::size_t begin = 0, length = 0;  // the term after it, see Steps::bytes()
  // The first and the last of the parts of the state's term that take it.
  const std::uint8_t *low = nullptr, *high = nullptr;
  Effect effect[2];
  std::uint32_t fault = 0;  // see Steps::faults()
  // kSend.
  std::uint32_t buffer = 0;
  std::span<const Datum> message;
};

// Why a step went wrong.
struct Failure {
  bool of_expression = false;
  RuntimeFault expression;
  StepFault step;
};

// One per thread.  What it gives is valid until the next find().
class Steps {
 public:
  // LIMIT: terms deeper than this one have no steps that we know of, which
  // shows in too_deep().
  static constexpr std::size_t kDeepest = 1'500;
  // LIMIT: of references followed without a step; more count as a process
  // that calls itself for ever (as one does that calls itself with the same
  // arguments, however soon).
  static constexpr std::size_t kMostUnfoldings = 300;
  // As many of them in a term that is too deep are why it is.
  static constexpr std::size_t kManyUnfoldings = 50;
  // LIMIT: a state with more steps than this has none that we know of, which
  // shows in too_many(); so has one that takes as long to look at as one with
  // that many.
  static constexpr std::size_t kMostMoves = 100'000;
  static constexpr std::size_t kMostWalks = 1'000'000;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28;

  // Requires: both outlive it.
  Steps(const Nodes& nodes, Edges& edges);
  ~Steps();
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  // In the order in which the text has them.
  void find(lts::StateView state);
  // Its valuation and its term only.
  void read(lts::StateView state);

  std::span<const Move> moves() const { return moves_; }
  // Parts of the state's term that could do something if others joined them:
  // take an event together, or end.
  std::span<const std::uint8_t* const> waiting() const { return waiting_; }
  Context& context() { return context_; }
  const Failure& failure(const Move& move) const {
    return failures_[move.fault];
  }
  // The term was too deep, so steps may be missing.
  bool too_deep() const { return too_deep_; }
  bool too_many() const { return too_many_; }
  Events& events() { return events_; }
  // Of the state that find() was given.
  Valuation& valuation() { return valuation_; }
  lts::StateView valuation_bytes() const { return valuation_bytes_; }
  lts::StateView term() const { return term_; }
  lts::StateView term_after(const Move& move) const {
    return {bytes_.data() + move.begin, move.length};
  }
  // The valuation after a move; valid until the next apply().  Throws
  // RuntimeFault.
  Valuation& apply(const Move& move);
  Terms& terms() { return terms_; }
  // Components of the outermost ||| or || of a term, references followed; 1
  // if there is none.
  std::size_t components(lts::StateView term);
  // For the caller's use.
  lts::StateBytes& buffer() { return buffer_; }

 private:
  using Holes = std::span<const Datum>;
  using Bytes = std::span<const std::uint8_t>;
  enum class Mode : std::uint8_t { kMoves, kSends, kReceives };

  // Where we are in the term, and what we look for.
  struct Place {
    Mode mode = Mode::kMoves;
    bool outermost = true;  // no ||| or || around this place
    bool atomic = false;
    bool unfolded = false;  // in what is no part of the state's term yet
    const std::uint8_t* at = nullptr;  // the part of the state's term
    std::uint64_t actors = 1;
    std::size_t depth = 0, unfoldings = 0, rooms = 0;
    std::uint32_t buffer = 0;  // kReceives: what is to be received
    Holes message;
  };
  // Puts the place back when it ends, however it ends.
  class Entered {
   public:
    explicit Entered(Steps& steps) : steps_(steps), before_(steps.place_) {}
    ~Entered() { steps_.place_ = before_; }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    Steps& steps_;
    Place before_;
  };
  // A part of a term: bytes of the state, or of what a move leads to.
  struct Piece {
    const std::uint8_t* data = nullptr;  // null: bytes_ from `begin` on
    std::size_t begin = 0, length = 0;
  };
  // What one operator needs while it is looked at.
  struct Room {
    std::vector<Bytes> parts;
    std::vector<std::uint64_t> counts;  // of parts that are alike
    std::vector<Move> moves, sends;
    std::vector<std::size_t> first;  // of each part, in `moves`
    std::vector<Piece> pieces;
    lts::StateBytes scratch, changed;
  };
  class Counter;
  struct TooMany {};
  // A reference that is being followed.
  struct Call {
    std::uint32_t process;
    Holes arguments;
  };

  template <typename Look>
  void catching(const Look& look);

  // Terms.
  void walk(Bytes term);
  // Counts, and says whether the place is not too deep.
  bool enter();
  void walk_leaf(const Node& node, const std::uint8_t* at);
  void walk_whole(const Node& frame, Bytes term, const std::uint8_t* at);
  void walk_frame(const Node& frame, Bytes term, const std::uint8_t* at);
  void walk_sequence(const Node& frame, Bytes term, const std::uint8_t* at);
  void walk_atomic(Bytes term, const std::uint8_t* at);
  void walk_hide(const Node& frame, Bytes term, const std::uint8_t* at);
  void walk_interrupt(Bytes term, const std::uint8_t* at);
  void walk_external(const Node& frame, Bytes term, const std::uint8_t* at);
  void walk_interleave(const Node& frame, Bytes term, const std::uint8_t* at);
  void walk_parallel(const Node& frame, Bytes term, const std::uint8_t* at);
  void walk_copies(const Node& frame, Bytes term, const std::uint8_t* at);

  // Leaves.
  void walk_node(const Node& node, Holes holes);
  void walk_child(const Child& child, Holes holes);
  void unfold(const Node& node, Holes holes);
  void prefix(const Node& node, Holes holes);
  void send(const Node& node, Holes holes);
  void receive(const Node& node, Holes holes);
  void take_message(const Node& node, Holes holes, std::uint32_t buffer,
                    Holes message);
  void branch(const Node& node, Holes holes);
  void choose_case(const Node& node, Holes holes);
  void choose(const Node& node, Holes holes);
  void pick(const Node& node, Holes holes);
  void refer(const Node& node, Holes holes);
  void check_call(const DefinitionShape& definition, const Call& call);
  void check(const Node& node, Holes holes);
  std::uint32_t buffer_of(const Node& node, Holes holes);
  EventId event_of(const EventShape& event, Holes holes);
  EventId event_of(const Node& node, Holes holes, Holes message);

  // Moves.
  Move& add(const Move& move);
  Move& add(Move::Kind kind, const Node& node, EventId event);
  void add_termination(std::uint64_t actors);
  void add_fault(Failure failure);
  void lead_to(Move& move, const Child& child, Holes holes);
  void lead_to(Move& move, NodeId node, Holes holes);
  // Puts what the move leads to between two parts of a term.
  void wrap(Move& move, Bytes before, Bytes after);
  bool leads_to_skip(const Move& move) const {
    return is_skip({bytes_.data() + move.begin, move.length});
  }
  // Takes the moves that say "I have terminated" from those behind `from`.
  bool take_terminations(std::size_t from);

  // Operators with components.
  Room& enter_room();
  const std::uint8_t* split(std::uint64_t count, const std::uint8_t* at,
                            Room& room) const;
  void walk_part(Bytes part, std::size_t number);
  std::uint64_t all_parts(std::size_t count) const;
  void find_sends(Bytes part, std::size_t number, Room& room);
  void pair(Bytes term, std::size_t sender, Room& room);
  static void join(const Move& other, Move& both);
  static Move joined(const Move& sent, const Move& received);
  void gather(Room& room);
  void emit(Bytes term, const Alphabets::Partners& partners,
            std::size_t component, Room& room);
  void synchronise(Bytes term, const Move& move,
                   const std::vector<std::uint32_t>& partners, Room& room);
  static bool can_join(const Move& move, std::uint32_t part, const Room& room);
  void put_pieces(Bytes term, Room& room, Move& move);
  // |||{n}: takes `taken` away and adds what the pieces say.
  void put_copies(Bytes head, std::span<const std::size_t> taken, Bytes fresh,
                  Room& room, Move& move);
  void walk_copy(Bytes head, std::size_t number, Bytes fresh, Room& room,
                 std::size_t from);
  void pair_copies(Bytes head, std::size_t sender, Bytes fresh, Room& room);

  const Nodes& nodes_;
  Valuation valuation_, after_;
  Context context_, after_context_;
  Values values_;
  Events events_;
  Terms terms_;
  Alphabets alphabets_;
  std::unique_ptr<ProcessCounter> counter_;

  lts::StateView valuation_bytes_, term_;
  std::vector<Move> moves_;
  std::vector<const std::uint8_t*> waiting_;
  std::vector<Failure> failures_;
  lts::StateBytes bytes_, buffer_;
  std::deque<Room> rooms_;
  Place place_;
  std::vector<Call> calls_;  // the first place_.unfoldings of them
  std::size_t walks_ = 0;
  bool too_deep_ = false, too_many_ = false;
};

}  // namespace plumb::csp
