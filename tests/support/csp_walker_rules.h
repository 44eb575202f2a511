// SPDX-License-Identifier: Apache-2.0
// The steps of processes in one state, one rule for each construct: for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/csp_walker_data.h"
#include "support/csp_walker_terms.h"

namespace plumb::walked {

// A change of variables and channels: a message goes, a message comes, then
// a program runs.
struct Effect {
  std::int64_t pops = -1, pushes = -1;  // buffers
  std::vector<WalkedDatum> message;
  StatementPtr block;
};

struct Move {
  enum class Kind : std::uint8_t {
    kTau,
    kEvent,
    kTerminate,
    kFault,
    kSend,     // wants a partner, on a synchronous channel
    kReceive,  // likewise
  };
  Kind kind = Kind::kTau;
  std::string text;    // of an event, or why it is a fault
  bool alone = false;  // never synchronises
  bool atomic = false;
  std::vector<Effect> effects;
  ProcessPtr after;
  // kSend, kReceive.
  std::size_t buffer = 0;
  std::vector<WalkedDatum> message;  // kSend
  ProcessPtr receiver;               // kReceive: what waits for a message,
  std::function<ProcessPtr(ProcessPtr)> around;  // and what is around it
};

using Moves = std::vector<Move>;

// A process that calls itself without a step.
struct Unguarded {};

ProcessPtr shared(Process process);
ProcessPtr skip();

// The rules for one state.
class Rules {
 public:
  Rules(const Module& module, const WalkedStore& store,
        WalkedEvaluation::Counter counter, Owner owner)
      : module_(module),
        store_(store),
        counter_(std::move(counter)),
        owner_(std::move(owner)) {}

  // What a process looks like when it is reached: operators with operands,
  // unless that depends on variables.
  ProcessPtr reached(const ProcessPtr& p) const;
  // Something that fails is a step of its own.
  Moves moves(const ProcessPtr& p);
  // The valuation after a move.
  WalkedStore applied(const Move& move) const;

 private:
  using Value = std::function<WalkedDatum(const Expression&)>;

  WalkedDatum value(const Expression& e) const;
  std::int64_t number(const Expression& e) const;
  bool holds(const ExprPtr& e) const { return number(*e) != 0; }

  // Operators that begin.
  ProcessPtr opened(const ProcessPtr& p, const Value& value) const;
  std::vector<ProcessPtr> operands(const Process& p, const Value& value) const;
  ProcessPtr components(const Process& p, const Value& value) const;
  ProcessPtr parallel(const Process& p, const Value& value) const;
  static ProcessPtr rest_of(const Process& p);
  ProcessPtr sequence(const Process& like, const ProcessPtr& first,
                      const ProcessPtr& rest) const;
  ProcessPtr atomic(const Process& like, const ProcessPtr& inner) const;

  // Single processes.
  Moves moves_of(const ProcessPtr& p);
  Moves operator_moves(const ProcessPtr& p);
  static Move terminated();
  Move tau_to(const ProcessPtr& p) const;
  Moves prefix(const Process& p) const;
  std::size_t buffer_of(const Process& p) const;
  std::string event_of(const Process& p, std::size_t buffer, char sign,
                       const std::vector<WalkedDatum>& message) const;
  bool is_synchronous(const Process& p) const;
  Moves send(const Process& p) const;
  Moves receive(const ProcessPtr& p) const;
  Moves taken(const Process& p, std::size_t buffer,
              const std::vector<WalkedDatum>& message) const;
  Move one_case(const Process& p) const;
  Moves general(const Process& p);
  Moves internal(const Process& p) const;
  Moves reference(const Process& p);
  Moves called(const Process& p);

  // Operators that run.
  using Changes = std::vector<std::pair<std::size_t, ProcessPtr>>;
  Moves in_sequence(const ProcessPtr& p);
  Moves in_atomic(const ProcessPtr& p);
  Moves hidden(const ProcessPtr& p);
  Moves interrupted(const ProcessPtr& p);
  static ProcessPtr with_operand(const Process& p, std::size_t i,
                                 const ProcessPtr& operand);
  Moves external(const ProcessPtr& p);
  ProcessPtr counted(const Process& p, std::vector<ProcessPtr> all) const;
  ProcessPtr changed(const Process& p, const std::vector<ProcessPtr>& parts,
                     const Changes& changes) const;
  void communicate(const Process& p, const std::vector<ProcessPtr>& parts,
                   const std::vector<Moves>& of, Moves& made) const;
  std::optional<std::pair<Move, ProcessPtr>> met(const Move& sent,
                                                 const Move& offer) const;
  std::vector<std::size_t> kinds_of(const Process& p,
                                    const std::vector<ProcessPtr>& parts) const;
  Moves interleaved(const ProcessPtr& p);
  Moves in_parallel(const std::shared_ptr<const RunningParallel>& p);
  void together(const RunningParallel& p, std::size_t first, const Move& move,
                const std::vector<Moves>& of, Moves& made) const;

  const Module& module_;
  const WalkedStore& store_;
  WalkedEvaluation::Counter counter_;
  Owner owner_;
  int calls_ = 0;
};

}  // namespace plumb::walked
