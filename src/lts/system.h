// SPDX-License-Identifier: Apache-2.0
// A transition system: what a front-end gives and a search explores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/value.h"

namespace plumb::lts {

class Symmetry;

// A state is a string of bytes; equal bytes mean equal states.  Its length
// may differ from state to state (a heap grows).
using StateView = std::span<const std::uint8_t>;
using StateBytes = std::vector<std::uint8_t>;

enum class LabelKind : std::uint8_t {
  kInternal,  // nobody outside sees it
  kInvoke,    // a process calls an operation; `value` is its argument
  kReturn,    // the call ends; `value` is its result
  kFault,     // the step goes wrong (an assertion, a null reference, ...)
  kEvent,     // a named event, of systems that know no calls; `value`: its name
  kTerminate,  // all of the system has come to its end; nothing follows
};

// What a transition shows, and which step of the program it is.
struct Label {
  LabelKind kind = LabelKind::kInternal;
  bool marked = false;  // a `linearize` mark was passed in this step
  std::uint16_t process = 0;
  std::uint16_t operation = 0;  // of the process's call; see operations()
  // For kFault: which message, see System::fault().
  std::uint16_t fault = 0;
  // The step and its outcome, the same for all processes and states: "the cas
  // of line 9, succeeding".  Search strategies use it as a name, people get
  // System::edge().
  std::uint32_t edge = 0;
  Value value;

  friend bool operator==(const Label&, const Label&) = default;
};

// The transitions of one state, written by System::successors().  One object
// serves many calls, so that nothing is allocated in the long run.
//
// A transition of a reduced system may be several steps at once, of one
// process: it has the labels of all of them.
class Successors {
 public:
  void clear() {
    bytes_.clear();
    entries_.clear();
    labels_.clear();
    waiting = 0;
    cut = 0;
    left_out = 0;
  }
  std::size_t size() const { return entries_.size(); }
  // Of a transition that is one step.
  const Label& label(std::size_t i) const {
    return labels_[entries_[i].first_label];
  }
  std::span<const Label> labels(std::size_t i) const {
    return {labels_.data() + entries_[i].first_label, entries_[i].label_count};
  }
  StateView state(std::size_t i) const {
    return {bytes_.data() + entries_[i].begin, entries_[i].length};
  }
  void add(const Label& label, StateView state) {
    add(std::span<const Label>(&label, 1), state);
  }
  // A fault, if there is one, is the last of the labels.
  void add(std::span<const Label> labels, StateView state) {
    entries_.push_back({bytes_.size(), static_cast<std::uint32_t>(state.size()),
                        static_cast<std::uint32_t>(labels_.size()),
                        static_cast<std::uint32_t>(labels.size())});
    labels_.insert(labels_.end(), labels.begin(), labels.end());
    bytes_.insert(bytes_.end(), state.begin(), state.end());
  }

  // Processes (bit p: process p) that have a call pending and cannot take a
  // step because what they wait for is not so.
  std::uint64_t waiting = 0;
  // Bounds (bit b: System::bounds()[b]) that kept a step from being taken.
  std::uint64_t cut = 0;
  // Transitions that a reduction left out, as far as it knows of them.
  std::uint32_t left_out = 0;

 private:
  struct Entry {
    std::size_t begin;
    std::uint32_t length, first_label, label_count;
  };
  std::vector<std::uint8_t> bytes_;
  std::vector<Label> labels_;
  std::vector<Entry> entries_;
};

// A bound of the model, other than those of its clients: "cells 4".
struct Bound {
  std::string text;     // "4 cells", "8 items in 'queue'"
  bool by_user = true;  // else a default of ours: reaching it means `unknown`
  std::string hint;     // how to raise it
};

// An edge for people.
struct Edge {
  std::uint16_t operation = 0;
  std::size_t line = 0;   // 1-based, 0 if there is none
  std::string statement;  // as the user wrote it: "if (cas(top, t, n))"
  std::string outcome;    // "when the cas succeeds", "" if there is one only
  bool writes = false;    // it changes something that others can see
};

// What a step did to one variable or cell, for people.
struct Effect {
  enum class Kind : std::uint8_t { kRead, kWrite, kNew, kFree, kReuse };
  Kind kind = Kind::kWrite;
  std::string place;   // "top", "#2"
  std::string before;  // what was read or written over
  std::string after;   // what was written, or the whole of a new cell

  friend bool operator==(const Effect&, const Effect&) = default;
};

// One step of a trace, for people.
struct StepText {
  std::size_t line = 0;
  std::string statement;  // "Node t = top;", "push(1)", "return 2"
  std::vector<Effect> effects;
  // States may call cells differently.  `effects` uses the names of the state
  // before, larger numbers for new cells, and (*names)[i - 1] for what the
  // state after calls #i.  Nothing: names stay.
  std::optional<std::vector<std::uint32_t>> names = std::nullopt;
};

// One variable of a state, for people: {"top", "#1"}, {"process 0: t", ...}.
struct Variable {
  std::string name, value;
};

// Everything is const and may be called by several threads at once, each with
// a Successors of its own.
class System {
 public:
  virtual ~System() = default;

  virtual std::size_t processes() const = 0;  // at most 64
  // Names of the operations; Label::operation indexes them.
  virtual std::span<const std::string> operations() const = 0;
  virtual StateBytes initial() const = 0;
  // Replaces the contents of `out` by all transitions of `state`, in an order
  // that depends on `state` alone.
  virtual void successors(StateView state, Successors& out) const = 0;

  virtual std::vector<Bound> bounds() const { return {}; }
  // Where the parts of a state begin that change independently of each other
  // (variables, the frame of each process, cells), from the second part on; a
  // store may keep parts that occur often once.
  virtual std::vector<std::uint32_t> cuts() const { return {}; }
  // Null: no two states are known to behave alike.
  virtual const Symmetry* symmetry() const { return nullptr; }

  // Who takes part in a step (bit p: process p); 0 if that is not known.
  virtual std::uint64_t actors(const Label& label) const {
    return std::uint64_t{1} << label.process;
  }

  // For people.
  virtual Edge edge(std::uint32_t edge) const = 0;
  virtual std::string fault(std::uint16_t fault) const = 0;
  virtual StepText explain(StateView before, const Label& label,
                           StateView after) const = 0;
  virtual std::vector<Variable> describe(StateView state) const = 0;
};

}  // namespace plumb::lts
