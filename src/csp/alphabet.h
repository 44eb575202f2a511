// SPDX-License-Identifier: Apache-2.0
// Which components of || take part in an event, and which events \ hides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/flat_table.h"
#include "csp/events.h"
#include "csp/node.h"
#include "csp/term.h"

namespace plumb::csp {

// The alphabet of a process: what its #alphabet says, else the events that are
// written in it and in those it refers to, with their arguments; without those
// that have a program, and without channels.  PAT wants the fields to be
// known before the process runs, and so do we: else a StepFault.
//
// LIMIT: processes that refer to more than kMostInstances others, each with
// its arguments, need an #alphabet.
class Alphabets {
 public:
  static constexpr std::size_t kMostInstances = 10'000;
  // Components, in order, that have an event in their alphabets.
  using Partners = FlatMap<EventId, std::vector<std::uint32_t>>;
  using Set = FlatSet<EventId>;

  // Requires: all outlive it.
  Alphabets(const Nodes& nodes, Events& events, Terms& terms)
      : nodes_(nodes), events_(events), terms_(terms) {}

  // Of the frame of a ||, with its holes.
  const Partners& partners(const Node& frame, std::span<const Datum> holes);
  // Of the frame of a hiding, with its holes.
  const Set& hidden(const Node& frame, std::span<const Datum> holes);

 private:
  using Partly = std::vector<std::optional<Datum>>;
  using Hidden = std::vector<EventId>;  // in order

  // What is still to be looked at: a process with the events hidden around it.
  struct Job {
    std::uint32_t definition;
    Partly arguments;
    Hidden hidden;
  };
  struct Work {
    std::vector<EventId> found;
    std::vector<Job> jobs;
    std::set<std::tuple<std::uint32_t, std::string, Hidden>> seen;
    Span place;
  };

  Partners compute(const Node& frame, std::span<const Datum> holes);
  std::vector<EventId> of_component(const Child& child, const Partly& holes,
                                    Span place);
  void collect(const Child& child, const Partly& holes, const Hidden& hidden,
               Work& work);
  void collect_events(const Node& node, const Partly& holes,
                      const Hidden& hidden, Work& work);
  void collect_children(const Node& node, const Partly& holes,
                        const Hidden& hidden, Work& work);
  void refer(const Node& node, const Partly& holes, const Hidden& hidden,
             Work& work);
  void finish(const Job& job, Work& work);
  Hidden with_list(const Node& frame, const Partly& holes, Hidden hidden,
                   const Work& work);
  void add_list(const std::vector<EventShape>& events,
                std::span<const Datum> holes, Span place,
                std::vector<EventId>& out);
  std::optional<Datum> known(const Compiled& code, const Partly& holes);
  Partly all_known(const std::vector<Compiled>& codes, const Partly& holes);
  std::vector<Datum> needed(const Partly& values, const Work& work) const;
  void need(const Compiled& code, const Partly& holes, const Work& work) const;
  std::string key_of(const Node& frame, std::span<const Datum> holes) const;

  const Nodes& nodes_;
  Events& events_;
  Terms& terms_;
  FlatMap<std::string, std::unique_ptr<Partners>> partners_;
  FlatMap<std::string, std::unique_ptr<Set>> hidden_;
  std::vector<const Partners*> partners_without_holes_;
  std::vector<const Set*> hidden_without_holes_;
};

}  // namespace plumb::csp
