// SPDX-License-Identifier: Apache-2.0
// Which places of a CSP# model hold values that come from each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "csp/ast.h"
#include "csp/node.h"

namespace plumb::csp {

// LIMIT: of an array that is indexed by interchangeable values.
inline constexpr std::size_t kMostDimensions = 8;

// What is known of a class of places: all holes, parameters, variables,
// elements, fields of events and messages, and indices of arrays between which
// values are moved or compared.
struct FlowFacts {
  // A use of a value that tells it apart from others of its kind.
  struct Misuse {
    Span span;
    std::string_view what;  // "computes with an index"
  };
  struct Constant {
    std::int64_t number = 0;
    Span span;
    const Expression* root = nullptr;  // that it is a part of
  };
  // An index of an operator or of a list of events.
  struct Values {
    enum class By : std::uint8_t { kComponents, kChoice, kList };
    std::optional<std::vector<std::int64_t>> all;  // none: not constant
    By by = By::kList;
    Span span;
  };
  // What is outside of it goes wrong.
  struct Limits {
    std::int64_t low = 0, high = 0;
    Span span;
  };
  // (i + 1) % N: the next one round a ring.
  struct Turn {
    std::uint32_t index = 0;  // the place of i itself
    std::int64_t size = 0;
    Span span;
  };
  std::optional<Misuse> misuse;  // the first one in the text
  std::vector<Constant> constants;
  std::vector<Values> values;
  std::vector<Limits> limits;
  std::vector<Turn> turns;
};

// An analysis of all that some processes can reach.  Classes are found
// by unification, one for all moments [Steensgaard96].
class Flow {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNone = UINT32_MAX;

  // Of references with constant arguments.  `watched`: what is asked of states
  // besides.  Requires: all outlive it.
  Flow(const Nodes& nodes, const std::vector<ProcessPtr>& references,
       const std::vector<ExprPtr>& watched);

  // Representatives: valid indices of facts().
  Place of_hole(NodeId node, std::size_t hole) const {
    return find(holes_[node][hole]);
  }
  // Of an index that the node binds.
  Place of_own(NodeId node, std::size_t number) const {
    return find(holes_[node][nodes_[node].holes + number]);
  }
  Place of_element(std::size_t variable) const {
    return find(elements_[variable]);
  }
  Place of_dimension(std::size_t variable, std::size_t dimension) const {
    return find(dimensions_[variable][dimension]);
  }
  Place of_channel_index(std::size_t channel) const {
    return find(channel_indices_[channel]);
  }
  // Of a message; kNone if no such field is used.
  Place of_message(std::size_t channel, std::size_t field) const;
  Place of_event(const std::string& name, std::size_t fields,
                 std::size_t field) const;
  const std::vector<FlowFacts>& facts() const { return facts_; }
  Place find_class(Place place) const { return find(place); }
  // What an index of an operator goes over.
  FlowFacts::Values values_of(const IndexShape& index) const;
  // Of a constant, or of a name that an array is indexed by; kNone if it was
  // not met.
  Place of_leaf(const Expression& leaf) const;
  const std::vector<bool>& reached() const { return reached_; }
  // May a place hold anything but 0 .. size - 1?  By place, not by class; true
  // where that is not plain to see.
  std::vector<bool> may_leave(std::int64_t size) const;

 private:
  // Where an expression stands: what its slots mean.
  struct Scope {
    std::vector<Place> bound;
    std::unordered_map<std::int64_t, Place> locals;
  };

  Place fresh();
  Place find(Place place) const;
  // Values are moved: both ways, one way, or only compared.
  void unite(Place x, Place y);
  void flow(Place from, Place to);
  void compare(Place x, Place y);
  Place computed(Span span);
  void hold(Place place, const FlowFacts::Constant& constant);
  void misuse(Place place, Span span, std::string_view what);
  void limit(Place place, std::int64_t low, std::int64_t high, Span span);
  Place message(std::size_t channel, std::size_t field);
  Place event(const std::string& name, std::size_t fields, std::size_t field);
  Place local(std::int64_t slot, Scope& scope);

  void add_variables();
  void reach(const Process& reference);
  void reach(NodeId node);
  void reach_all();
  void reach_definition(std::uint32_t number);
  void collect_facts();

  void pass(NodeId id);
  void pass_parts(const Node& node, Scope& scope);
  void pass_children(const Node& node, Scope& scope);
  void pass_frame(NodeId id);
  void pass_channel(const Node& node, Scope& scope);
  void pass_definition(std::uint32_t number);
  void pass_event(const EventShape& shape, Scope scope, Span span);
  void pass_indices(const std::vector<IndexShape>& indices,
                    FlowFacts::Values::By by, std::size_t first, Scope& scope,
                    Span span);

  // Of a tree that stands by itself; kNone for null.
  Place root(const ExprPtr& tree, Scope& scope);
  Place look(const Expression& e, Scope& scope);
  Place look_literal(const Expression& e);
  void note_leaf(const Expression& e, Place place);
  Place look_global(const Expression& e);
  Place look_element(const Expression& e, Scope& scope);
  Place look_operator(const Expression& e, Scope& scope);
  Place look_turn(const Expression& e, Scope& scope);
  Place look_channel(const Expression& e, Scope& scope);
  Place look_others(const Expression& e, Scope& scope);
  void look(const Statement& statement, Scope& scope);
  void use_as_condition(const ExprPtr& tree, Scope& scope);

  const Nodes& nodes_;
  mutable std::vector<Place> parents_;
  std::vector<FlowFacts> facts_;
  std::vector<std::pair<Place, Place>> flows_;        // from, to
  std::vector<std::pair<Place, std::int64_t>> held_;  // constants
  std::vector<std::vector<Place>> holes_;  // of each node, then what it binds
  std::vector<std::vector<Place>> parameters_;
  std::vector<Place> elements_, channel_indices_;
  std::vector<std::vector<Place>> dimensions_, messages_;
  std::map<std::tuple<std::string, std::size_t, std::size_t>, Place> events_;
  std::unordered_map<const Expression*, Place> leaves_;
  const Expression* root_ = nullptr;
  std::vector<bool> reached_, defined_;
  std::vector<ExprPtr> arguments_;  // of the references
  std::vector<NodeId> to_pass_;
  std::vector<std::uint32_t> to_define_;
};

}  // namespace plumb::csp
