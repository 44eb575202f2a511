// SPDX-License-Identifier: Apache-2.0
// Which places of a program hold numbers that come from each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lang/program.h"

namespace plumb::lang {

// A use of a number that tells it apart from others of its kind.
struct Misuse {
  Span span;
  std::string_view what;  // "computes with"
};

// What is known of a class of places: all registers, variables, fields,
// elements and keys between which numbers are moved or compared.
struct FlowFacts {
  struct Fixed {
    std::int32_t number;
    Span span;
  };
  struct Indexed {
    std::uint32_t count;  // elements of the array
    Span span;
  };
  struct Checked {
    std::int32_t low, high;
    Span span;
  };
  // A question that has the same answer for several numbers.
  struct Split {
    enum class Kind : std::uint8_t { kRemainder, kQuotient, kBelow };
    Kind kind;
    std::int64_t by;  // a constant
    Span span;
    std::int64_t answer(std::int64_t number) const;
  };
  bool process = false;          // processes come here
  std::optional<Span> visible;   // clients pass it or get it
  std::optional<Misuse> misuse;  // the first one in the text
  std::vector<Fixed> constants;  // stored here, or compared with
  std::vector<Split> splits;
  std::vector<Indexed> indexes;      // arrays that it is an index of
  std::vector<Checked> checks;       // a fault outside of this range
  std::vector<const Shape*> shapes;  // of the places
};

// An analysis of the instructions of all operations (not of the code that
// makes the first state: what that does can be seen in the state).  Classes
// are found by unification, one for all moments [Steensgaard96].
class Flow {
 public:
  using Node = std::uint32_t;
  using PlaceId = std::uint32_t;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Memory: a tree like its shape.  All elements of an array are one place.
  struct Place {
    const Shape* shape = nullptr;
    Node number = kNone;  // numbers
    Node index = kNone;   // arrays: what they are indexed by
    PlaceId element = kNone, key = kNone;
  };

  explicit Flow(const Program& program);

  // Valid indexes of facts().
  Node of_register(Register reg) const { return find(reg); }
  Node of_number(PlaceId place) const { return find(places_[place].number); }
  Node of_index(PlaceId place) const { return find(places_[place].index); }
  const std::vector<FlowFacts>& facts() const { return facts_; }
  // An instruction whose place is not known; then the facts say nothing.
  const std::optional<Span>& lost() const { return lost_; }

  const Place& place(PlaceId id) const { return places_[id]; }
  PlaceId variable(std::size_t i) const { return variables_[i]; }
  PlaceId block(std::size_t i) const { return blocks_[i]; }
  PlaceId field(std::size_t structure, std::size_t i) const {
    return fields_[structure][i];
  }

 private:
  Node fresh();
  Node find(Node node) const;
  void unite(Node x, Node y);
  void unite_places(PlaceId x, PlaceId y);
  PlaceId add_place(const Shape& shape);

  // A register as an operand: constants and `self` are new nodes each time,
  // so that one constant does not connect all that it is stored in.
  Node operand(Register reg);
  FlowFacts& note(Node node);
  void misuse(Node node, std::string_view what);
  void add_constant(Node node, std::int32_t number);
  // What is in memory at first: `bytes` are as `place` says.
  void add_constants(PlaceId place, const std::uint8_t* bytes);
  PlaceId variable_at(std::int32_t offset) const;
  PlaceId field_at(Register cell, std::int32_t offset) const;
  // The place that a load, a store or an address speaks of, or kNone.
  PlaceId place_of(const Instruction& instruction) const;
  // Notes where there is none.
  PlaceId known(PlaceId place);

  void pass(std::uint32_t at);
  void pass_numbers(const Instruction& instruction);
  void pass_arithmetic(const Instruction& instruction);
  void pass_order(const Instruction& instruction);
  std::optional<std::int32_t> constant(Register reg) const;
  void pass_memory(const Instruction& instruction);
  void pass_addresses(const Instruction& instruction);
  void pass_container(const Instruction& instruction);
  void pass_sequence(const Instruction& instruction, const Place& container);
  void pass_new(std::uint32_t at);
  void note_clients();
  void collect_facts();

  const Program& program_;
  Span span_;  // of the instruction
  std::optional<Span> lost_;
  mutable std::vector<Node> parents_;
  std::vector<Place> places_;
  std::vector<PlaceId> variables_, blocks_;
  std::vector<std::vector<PlaceId>> fields_;  // for each struct
  std::vector<PlaceId> addresses_;            // for each register: points there
  std::vector<FlowFacts> facts_;
};

}  // namespace plumb::lang
