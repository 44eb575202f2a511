// SPDX-License-Identifier: Apache-2.0
// Makes the nodes of a module: see csp/node.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "csp/ast.h"
#include "csp/holes.h"
#include "csp/node.h"

namespace plumb::csp {

// A process as a leaf of a term: the node, and the expressions in its holes.
struct Rooted {
  NodeId node = kNoNode;
  std::vector<ExprPtr> holes;
};

class NodeCompiler {
 public:
  // `each_hole`: nodes as PAT tells processes apart; see csp/holes.h.
  NodeCompiler(std::shared_ptr<const Module> module,
               std::shared_ptr<const Layout> layout, bool each_hole);

  // Finds or makes the node of a process of definition `owner`.
  Rooted node_of(const Process& process, std::uint32_t owner);
  // Requires: all nodes are made.
  std::shared_ptr<const Nodes> take();

 private:
  void add_definition(std::uint32_t number);
  void add_reference(std::uint32_t number);
  NodeId add(Node node, const std::string& key);
  NodeId find(const std::string& key) const;
  std::string keyed(std::string key, std::uint32_t owner) const;

  void note_place(const Process& process, std::uint32_t owner, NodeId id);
  Node make(const Process& process, const ProcessPtr& shape, const Holes& holes,
            std::uint32_t owner);
  void add_children(const Process& process, const Holes& holes, Node& node);
  void add_expressions(const Process& shape, Node& node);
  void add_channel(const Process& shape, Node& node);
  void add_texts(const Process& shape, Node& node);
  // Requires: the node of the operator has the number `id`.
  void add_frame(NodeId id);
  Child hiding_frame(const Process& process, const Holes& holes, Node& node);
  AlphabetShape alphabet(const std::vector<EventName>& events);

  Compiled code(const ExprPtr& tree, std::uint32_t holes) const;
  std::vector<Compiled> codes(const std::vector<ExprPtr>& trees,
                              std::uint32_t holes) const;
  EventShape event(const EventName& event, std::uint32_t holes);
  IndexShape index(const Index& index, std::uint32_t holes) const;
  std::uint32_t name(NameShape name);
  EventShape condition_text(NameShape::Kind kind, const Compiled& condition);

  bool each_hole_;
  Nodes nodes_;
  std::unordered_map<std::string, NodeId> by_key_;
  std::unordered_map<std::string, std::uint32_t> names_;
};

}  // namespace plumb::csp
