// SPDX-License-Identifier: Apache-2.0
// std::map, std::set, std::list: how nodes are linked, with accesses told.
//
// libstdc++ keeps this code in its library, where no hook sees it.
//
// Trees are red-black ones, balanced as in any textbook.
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <type_traits>

#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

using TreeNode = std::_Rb_tree_node_base;
using ListNode = std::__detail::_List_node_base;
using Color = std::_Rb_tree_color;

// Fields of nodes, read and written for code at `pc`.
class Fields {
 public:
  explicit Fields(std::uintptr_t pc) : pc_(pc), seen_(is_seen(pc)) {}

  template <typename T>
  T get(const T& field) const {
    tell(&field, sizeof(T), false);
    return field;
  }
  template <typename T>
  void set(T& field, std::type_identity_t<T> value) const {
    tell(&field, sizeof(T), true);
    field = value;
  }

 private:
  void tell(const void* field, std::size_t size, bool writes) const {
    if (!seen_) return;
    plain_access(reinterpret_cast<std::uintptr_t>(field), size, writes, pc_);
  }

  std::uintptr_t pc_;
  bool seen_;
};

TreeNode*& child(TreeNode* node, bool right) {
  return right ? node->_M_right : node->_M_left;
}

// The last node on one side.
TreeNode* outermost(const Fields& fields, TreeNode* node, bool right) {
  while (TreeNode* next = fields.get(child(node, right))) node = next;
  return node;
}

// The next node in order (right) or the one before (left).  The header, which
// is the root's parent, stands for the end.
TreeNode* neighbour(const Fields& fields, TreeNode* node, bool right) {
  if (TreeNode* below = fields.get(child(node, right))) {
    return outermost(fields, below, !right);
  }
  TreeNode* above = fields.get(node->_M_parent);
  while (node == fields.get(child(above, right))) {
    node = above;
    above = fields.get(above->_M_parent);
  }
  // From a root without such children one comes to the header and back.
  return !right || fields.get(node->_M_right) != above ? above : node;
}

TreeNode* next(const Fields& fields, const TreeNode* node) {
  return neighbour(fields, const_cast<TreeNode*>(node), true);
}

TreeNode* previous(const Fields& fields, const TreeNode* node_) {
  auto* node = const_cast<TreeNode*>(node_);
  // Only the header is red and its parent's parent.
  if (fields.get(node->_M_color) == std::_S_red) {
    TreeNode* const above = fields.get(node->_M_parent);
    if (fields.get(above->_M_parent) == node) {
      return fields.get(node->_M_right);
    }
  }
  return neighbour(fields, node, false);
}

class Tree {
 public:
  Tree(TreeNode& header, std::uintptr_t pc) : header_(header), f_(pc) {}

  void insert(TreeNode* node, TreeNode* above, bool right);
  void erase(TreeNode* node);

 private:
  bool is_red(TreeNode* node) const {
    return node != nullptr && f_.get(node->_M_color) == std::_S_red;
  }
  TreeNode* root() const { return f_.get(header_._M_parent); }
  bool is_right(TreeNode* node, TreeNode* above) const {
    return node == f_.get(above->_M_right);
  }
  void link(TreeNode* above, bool right, TreeNode* node) {
    f_.set(child(above, right), node);
    if (node != nullptr) f_.set(node->_M_parent, above);
  }
  void replace(TreeNode* node, TreeNode* with);
  void sink(TreeNode* node, bool right);
  void mend_red(TreeNode* node);
  void mend_black(TreeNode* node, TreeNode* above);

  TreeNode& header_;
  Fields f_;
};

// `with` takes the place of `node` below the node above it.
void Tree::replace(TreeNode* node, TreeNode* with) {
  TreeNode* const above = f_.get(node->_M_parent);
  if (root() == node) {
    f_.set(header_._M_parent, with);
    if (with != nullptr) f_.set(with->_M_parent, above);
  } else {
    link(above, is_right(node, above), with);
  }
}

// A rotation: the node goes down to one side, its child on the other comes up.
void Tree::sink(TreeNode* node, bool right) {
  TreeNode* const up = f_.get(child(node, !right));
  replace(node, up);
  link(node, !right, f_.get(child(up, right)));
  link(up, right, node);
}

void Tree::insert(TreeNode* node, TreeNode* above, bool right) {
  f_.set(node->_M_parent, above);
  f_.set(node->_M_left, nullptr);
  f_.set(node->_M_right, nullptr);
  f_.set(node->_M_color, std::_S_red);
  f_.set(child(above, right), node);
  if (above == &header_) {
    f_.set(header_._M_parent, node);
    f_.set(child(&header_, !right), node);
  } else if (above == f_.get(child(&header_, right))) {
    f_.set(child(&header_, right), node);
  }
  mend_red(node);
}

// A red node may be the child of a red one.
void Tree::mend_red(TreeNode* node) {
  while (node != root()) {
    TreeNode* above = f_.get(node->_M_parent);
    if (!is_red(above)) break;
    TreeNode* const top = f_.get(above->_M_parent);
    const bool right = is_right(above, top);
    TreeNode* const uncle = f_.get(child(top, !right));
    if (is_red(uncle)) {
      f_.set(above->_M_color, std::_S_black);
      f_.set(uncle->_M_color, std::_S_black);
      f_.set(top->_M_color, std::_S_red);
      node = top;
      continue;
    }
    if (is_right(node, above) != right) {
      sink(above, right);
      above = node;
    }
    f_.set(above->_M_color, std::_S_black);
    f_.set(top->_M_color, std::_S_red);
    sink(top, !right);
    break;
  }
  f_.set(root()->_M_color, std::_S_black);
}

void Tree::erase(TreeNode* node) {
  TreeNode* const left = f_.get(node->_M_left);
  TreeNode* const right = f_.get(node->_M_right);
  TreeNode* below = nullptr;  // comes up where a node is missing,
  TreeNode* above = nullptr;  // below this one
  Color missing = f_.get(node->_M_color);
  if (left == nullptr || right == nullptr) {
    below = left != nullptr ? left : right;
    above = f_.get(node->_M_parent);
    replace(node, below);
    for (const bool side : {false, true}) {
      if (f_.get(child(&header_, side)) != node) continue;
      f_.set(child(&header_, side),
             below != nullptr ? outermost(f_, below, side) : above);
    }
  } else {
    TreeNode* const heir = outermost(f_, right, false);
    below = f_.get(heir->_M_right);
    missing = f_.get(heir->_M_color);
    above = heir;
    if (heir != right) {
      above = f_.get(heir->_M_parent);
      link(above, false, below);
      link(heir, true, right);
    }
    replace(node, heir);
    link(heir, false, left);
    f_.set(heir->_M_color, f_.get(node->_M_color));
  }
  if (missing == std::_S_black) mend_black(below, above);
}

// On the way to `node` there is one black node less than elsewhere.
void Tree::mend_black(TreeNode* node, TreeNode* above) {
  while (node != root() && !is_red(node)) {
    const bool right = node == f_.get(above->_M_right);
    TreeNode* other = f_.get(child(above, !right));
    if (is_red(other)) {
      f_.set(other->_M_color, std::_S_black);
      f_.set(above->_M_color, std::_S_red);
      sink(above, right);
      other = f_.get(child(above, !right));
    }
    TreeNode* const near = f_.get(child(other, right));
    TreeNode* far = f_.get(child(other, !right));
    if (!is_red(near) && !is_red(far)) {
      f_.set(other->_M_color, std::_S_red);
      node = above;
      above = f_.get(above->_M_parent);
      continue;
    }
    if (!is_red(far)) {
      f_.set(near->_M_color, std::_S_black);
      f_.set(other->_M_color, std::_S_red);
      sink(other, !right);
      far = other;
      other = near;
    }
    f_.set(other->_M_color, f_.get(above->_M_color));
    f_.set(above->_M_color, std::_S_black);
    f_.set(far->_M_color, std::_S_black);
    sink(above, right);
    break;
  }
  if (node != nullptr) f_.set(node->_M_color, std::_S_black);
}

// Two neighbours of a list.
void join(const Fields& fields, ListNode* first, ListNode* second) {
  fields.set(first->_M_next, second);
  fields.set(second->_M_prev, first);
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

// Their names are those that the C++ library has for the linker.
#define PLUMB_NODES(result, name, symbol, parameters) \
  extern "C" result name parameters asm(symbol);      \
  result name parameters

#define PLUMB_NODE "St18_Rb_tree_node_base"
#define PLUMB_LIST "_ZNSt8__detail15_List_node_base"

PLUMB_NODES(TreeNode*, tree_next, "_ZSt18_Rb_tree_incrementP" PLUMB_NODE,
            (TreeNode * node)) {
  return next(Fields(PLUMB_PC_NUMBER), node);
}
PLUMB_NODES(const TreeNode*, tree_next_const,
            "_ZSt18_Rb_tree_incrementPK" PLUMB_NODE, (const TreeNode* node)) {
  return next(Fields(PLUMB_PC_NUMBER), node);
}
PLUMB_NODES(TreeNode*, tree_previous, "_ZSt18_Rb_tree_decrementP" PLUMB_NODE,
            (TreeNode * node)) {
  return previous(Fields(PLUMB_PC_NUMBER), node);
}
PLUMB_NODES(const TreeNode*, tree_previous_const,
            "_ZSt18_Rb_tree_decrementPK" PLUMB_NODE, (const TreeNode* node)) {
  return previous(Fields(PLUMB_PC_NUMBER), node);
}
PLUMB_NODES(void, tree_insert,
            "_ZSt29_Rb_tree_insert_and_rebalancebP" PLUMB_NODE "S0_RS_",
            (bool left, TreeNode* node, TreeNode* above, TreeNode& header)) {
  Tree(header, PLUMB_PC_NUMBER).insert(node, above, !left);
}
PLUMB_NODES(TreeNode*, tree_erase,
            "_ZSt28_Rb_tree_rebalance_for_eraseP" PLUMB_NODE "RS_",
            (TreeNode * node, TreeNode& header)) {
  Tree(header, PLUMB_PC_NUMBER).erase(node);
  return node;
}

PLUMB_NODES(void, list_hook, PLUMB_LIST "7_M_hookEPS0_",
            (ListNode * node, ListNode* before)) {
  const Fields fields(PLUMB_PC_NUMBER);
  ListNode* const after = fields.get(before->_M_prev);
  join(fields, after, node);
  join(fields, node, before);
}
PLUMB_NODES(void, list_unhook, PLUMB_LIST "9_M_unhookEv", (ListNode * node)) {
  const Fields fields(PLUMB_PC_NUMBER);
  join(fields, fields.get(node->_M_prev), fields.get(node->_M_next));
}
// What lies from `first` on and before `last` is moved to before `before`.
PLUMB_NODES(void, list_transfer, PLUMB_LIST "11_M_transferEPS0_S1_",
            (ListNode * before, ListNode* first, ListNode* last)) {
  if (before == last) return;
  const Fields fields(PLUMB_PC_NUMBER);
  ListNode* const final = fields.get(last->_M_prev);
  join(fields, fields.get(first->_M_prev), last);
  ListNode* const after = fields.get(before->_M_prev);
  join(fields, after, first);
  join(fields, final, before);
}
PLUMB_NODES(void, list_reverse, PLUMB_LIST "10_M_reverseEv",
            (ListNode * node)) {
  const Fields fields(PLUMB_PC_NUMBER);
  ListNode* at = node;
  do {
    ListNode* const next_one = fields.get(at->_M_next);
    fields.set(at->_M_next, fields.get(at->_M_prev));
    fields.set(at->_M_prev, next_one);
    at = next_one;
  } while (at != node);
}
// Two lists, each of which may be empty, change places.
PLUMB_NODES(void, list_swap, PLUMB_LIST "4swapERS0_S1_",
            (ListNode & a, ListNode& b)) {
  const Fields fields(PLUMB_PC_NUMBER);
  ListNode* const first[] = {fields.get(a._M_next), fields.get(b._M_next)};
  ListNode* const last[] = {fields.get(a._M_prev), fields.get(b._M_prev)};
  const bool is_empty[] = {first[0] == &a, first[1] == &b};
  ListNode* const ends[] = {&a, &b};
  for (const int i : {0, 1}) {
    const int other = 1 - i;
    if (is_empty[other]) {
      join(fields, ends[i], ends[i]);
    } else {
      join(fields, ends[i], first[other]);
      join(fields, last[other], ends[i]);
    }
  }
}

// std::hash of strings.
PLUMB_STAND_IN(std::size_t, _ZSt11_Hash_bytesPKvmm,
               (const void* bytes, std::size_t size, std::size_t seed)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads(bytes, size); });
  }
  return real__ZSt11_Hash_bytesPKvmm(bytes, size, seed);
}
PLUMB_STAND_IN(std::size_t, _ZSt15_Fnv_hash_bytesPKvmm,
               (const void* bytes, std::size_t size, std::size_t seed)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads(bytes, size); });
  }
  return real__ZSt15_Fnv_hash_bytesPKvmm(bytes, size, seed);
}
