// SPDX-License-Identifier: Apache-2.0
// A compiled object with its clients: a transition system.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lang/client.h"
#include "lang/machine.h"
#include "lang/program.h"
#include "lts/system.h"

namespace plumb::lang {

// The state before all calls.  Throws InputError if it cannot be made.
lts::StateBytes first_state(const Program& program);

class ProgramSystem final : public lts::System {
 public:
  // Throws InputError if the initial state cannot be made.
  ProgramSystem(Program program, Client client);

  std::size_t processes() const override { return program_.processes; }
  std::span<const std::string> operations() const override { return names_; }
  lts::StateBytes initial() const override { return initial_; }
  void successors(lts::StateView state, lts::Successors& out) const override;
  // Those of the program, then what its clients forget, if they may.
  std::vector<lts::Bound> bounds() const override;
  std::vector<std::uint32_t> cuts() const override;
  lts::Edge edge(std::uint32_t edge) const override;
  std::string fault(std::uint16_t fault) const override;
  lts::StepText explain(lts::StateView before, const lts::Label& label,
                        lts::StateView after) const override;
  std::vector<lts::Variable> describe(lts::StateView state) const override;

  const Program& program() const { return program_; }
  const Client& client() const { return client_; }

  // Appends the transitions of one process.
  enum class Names : std::uint8_t {
    kCanonical,  // cells are renamed, as in every state of this system
    // Cells keep the names that they have in `state`, also those that nobody
    // knows any more: collect() makes a state of this system of it.
    // Requires: memory is collected.
    kKept,
  };
  void successors_of(lts::StateView state, std::size_t process,
                     lts::Successors& out,
                     Names names = Names::kCanonical) const;
  // Are the names of `after` canonical, for sure?  Requires: those of `before`
  // are, and `process` went from there to `after` with kKept ones.
  // `known_to_all`: of `before`, how many cells can be reached from the
  // variables, or kUnknown, which it fills in when it must know.
  static constexpr std::uint32_t kUnknown = UINT32_MAX;
  bool keeps_names(lts::StateView before, lts::StateView after,
                   std::size_t process, std::uint32_t& known_to_all) const;

 private:
  // What an invocation leads to where that does not depend on the state.
  struct Prepared {
    bool ready = false;
    bool marked = false;
    std::uint16_t rest = 0;
    std::vector<std::uint8_t> frame;
  };
  struct Start {
    std::vector<Arguments> arguments;
    // For each process, then for each of the arguments.
    std::vector<std::vector<Prepared>> prepared;
  };
  struct Fault {
    std::uint32_t at;
    FaultKind kind;
  };
  // One call of successors().
  struct Work;

  void prepare_starts();
  bool depends_on_state(std::uint32_t entry) const;
  void number_faults();

  void move(Work& work, std::size_t process) const;
  void invoke(Work& work, std::size_t process) const;
  void invoke(Work& work, std::size_t process, std::uint16_t operation) const;
  void step(Work& work, std::size_t process, std::uint32_t rest) const;
  void give_back(Work& work, std::size_t process, std::uint32_t rest) const;
  // Runs until all choices were made.  `start`: the arguments of an
  // invocation, or null.
  void run(Work& work, lts::Label label, std::uint32_t rest,
           const Arguments* start) const;
  // Makes the machine ready; returns where to begin.
  std::uint32_t set_up(Machine& machine, lts::StateView state,
                       const lts::Label& label, std::uint32_t rest,
                       const Arguments* start) const;
  void add(Work& work, lts::Label& label, std::uint32_t rest) const;
  // Writes the registers that are live at `rest` into the frame.
  void store_frame(Machine& machine, std::size_t process,
                   std::uint16_t rest) const;
  bool name_cells(Work& work, std::size_t process) const;
  bool same_private_cells(lts::StateView before, const std::uint8_t* after,
                          std::size_t process,
                          std::uint32_t& known_to_all) const;

  std::size_t frame_at(std::size_t process) const {
    return program_.frames + process * program_.frame_size;
  }
  Value result_of(const OperationCode& operation, const Rest& rest,
                  const std::uint8_t* frame) const;
  std::uint32_t edge_of(std::uint32_t from, std::uint32_t to,
                        bool succeeded) const {
    const auto count = static_cast<std::uint32_t>(program_.rests.size());
    return (from * count + to) * 2 + (succeeded ? 1 : 0);
  }
  // For people.
  void add_effects(lts::StateView before, const lts::Label& label,
                   lts::StateView after, lts::StepText& text) const;
  void describe_process(lts::StateView state, std::size_t process,
                        std::vector<lts::Variable>& out) const;
  std::uint16_t fault_number(std::uint32_t at, FaultKind kind) const;

  Program program_;
  Client client_;
  std::uint64_t id_;  // tells systems apart, even those that are gone
  std::vector<std::string> names_;
  std::vector<Start> starts_;  // for each operation
  std::vector<Fault> faults_;  // sorted
  lts::StateBytes initial_;
};

}  // namespace plumb::lang
