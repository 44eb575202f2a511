// SPDX-License-Identifier: Apache-2.0
#include "support/symmetric_models.h"

#include <vector>

namespace plumb::lang {
namespace {

using Texts = std::vector<const char*>;

// `v` is the argument, `r` a value, `him` a process and `n` a cell.
const Texts kOfValues = {
    "x = v;",
    "r = x;",
    "y = r;",
    "r = empty;",
    "cas(x, r, v);",
    "r = exchange(y, v);",
    "if (r == v) y = x;",
    "if (x != y) r = v;",
    "if (r == 0) r = v;",
    "push_back(s, v);",
    "atomic { if (len(s) > 0) r = pop_front(s); }",
    "insert(t, v);",
    "b = remove(t, r);",
    "atomic { if (len(t) > 0) r = any_of(t); }",
    "m[v] = r;",
    "atomic { if (contains(m, v)) r = m[v]; }",
    "pair[1] = v;",
    "atomic { pair = two; }",
    "atomic { b = two == pair; }",
};
const Texts kOfProcesses = {
    "w = self;",
    "him = w;",
    "w = him;",
    "him = self;",
    "if (w == self) w = nobody;",
    "b = cas(w, nobody, self);",
    "cas(w, him, self);",
    "f[self] = true;",
    "if (him != nobody) f[him] = false;",
    "b = f[self];",
    "g[index(self)] = true;",
    "if (him != nobody) b = g[index(him)];",
    "next[self] = him;",
    "if (him != nobody) him = next[him];",
    "insert(ps, self);",
    "b = remove(ps, self);",
    "atomic { if (len(ps) > 0) him = any_of(ps); }",
    "push_back(pq, self);",
    "atomic { if (len(pq) > 0) him = pop_front(pq); }",
    "int me = index(self); skip; if (w != nobody && index(w) == me) w = "
    "nobody;",
    "seen[self] = true;",
    "if (him != nobody) { b = seen[him]; }",
    "if (him != nobody) { seen[him] = true; him = nobody; }",
};
const Texts kOfBoth = {
    "d[self] = v;",  "if (him != nobody) r = d[him];",
    "pm[self] = v;", "atomic { if (contains(pm, self)) r = pm[self]; }",
    "vp[v] = self;", "atomic { if (contains(vp, v)) him = vp[v]; }",
};
const Texts kOfCells = {
    "n = new Node { val = v, owner = self };",
    "n = new Node { val = v, owner = him, next = n };",
    "if (n != null) n.next = top;",
    "if (n != null) n.owner = him;",
    "if (n != null) n.val = r;",
    "top = n;",
    "n = top;",
    "cas(top, null, n);",
    "if (n != null) { r = n.val; him = n.owner; }",
    "if (n != null) { n = n.next; }",
    "mine[self] = n;",
    "n = mine[self];",
    "if (him != nobody) n = mine[him];",
    "if (n != null) n.was[self] = true;",
    "if (n != null && him != nobody) b = n.was[him];",
    "vn[v] = n;",
    "atomic { if (contains(vn, v)) n = vn[v]; }",
    "pn[self] = n;",
    "atomic { if (him != nobody && contains(pn, him)) n = pn[him]; }",
    "Node k = n; skip; top = k;",
};
const Texts kBreaking = {
    "x = r == empty ? 0 : r + 1;",
    "if (v == 2) b = true;",
    "if (x == 1) x = v;",
    "if (v < 3) b = false;",
    "r = v > 1 ? v : 1;",
    "x = min(v, 2);",
    "g[v] = true;",
    "atomic { if (len(t) > 0) r = smallest(t); }",
    "g[0] = true;",
    "for (int i = 0; i < processes; i++) { if (g[i]) b = true; }",
    "count = index(self);",
    "if (index(self) == 0) b = true;",
    "if (index(self) % 2 == 1) b = true;",
    "if (index(self) < 2) b = true;",
    "r = index(self);",
    "count = (count + index(self)) % 3;",
    "x = 1;",
    "narrow = v;",
    "short[index(self)] = v;",
    "r = any(1, 2);",
    "r = len(s);",
    "atomic { fixed[0] = 1; b = two == fixed; }",
    "f[self] = index(self) == processes - 1;",
};

class SymmetricWriter {
 public:
  SymmetricWriter(std::mt19937& random, bool breaks)
      : random_(random), breaks_(breaks) {
    menus_.push_back(&kOfValues);
    if (pick(4) != 0) menus_.push_back(&kOfProcesses);
    if (pick(2) == 0) menus_.push_back(&kOfBoth);
    if (pick(3) != 0) menus_.push_back(&kOfCells);
  }

  std::string write() {
    std::string text =
        "object o {\n"
        "  struct Node { int val; Node next; process owner; bool was[process]; "
        "}\n"
        "  shared int x = 0, y = empty, count = 0;\n"
        "  shared int 0..2 narrow;\n"
        "  shared int pair[2], short[2], fixed[2];\n"
        "  shared process w;\n"
        "  shared bool f[process], g[5];\n"
        "  shared process next[process];\n"
        "  shared int d[process];\n"
        "  shared Node top, mine[process];\n"
        "  shared seq<int, 2> s;\n"
        "  shared set<int, 3> t;\n"
        "  shared map<int, int, 2> m;\n"
        "  shared set<process, 3> ps;\n"
        "  shared seq<process, 2> pq;\n"
        "  shared map<process, int, 3> pm;\n"
        "  shared map<int, process, 3> vp;\n"
        "  shared map<int, Node, 2> vn;\n"
        "  shared map<process, Node, 3> pn;\n";
    if (pick(5) == 0) text += "  memory recycled;\n";
    const bool roles = pick(4) == 0;
    if (roles) {
      text += "  role first: 1 process { f0 }\n  role others: others { f1 }\n";
    }
    for (std::size_t i = 0; i < 2; ++i) text += operation(i);
    text += "}\ncheck o safe with " + std::to_string(2 + pick(3)) +
            " processes, values 1..3";
    if (pick(2) == 0) {
      text += ", " + std::to_string(1 + pick(3)) + " operations";
    }
    return text + ";\n";
  }

 private:
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }

  std::string statement() {
    const Texts& menu =
        breaks_ && pick(8) == 0 ? kBreaking : *menus_[pick(menus_.size())];
    // Braces: some statements declare variables.
    return std::string("    { ") + menu[pick(menu.size())] + " }\n";
  }

  std::string operation(std::size_t i) {
    std::string text = "  int f" + std::to_string(i) +
                       "(int v) {\n"
                       "    int r = 0, two[2];\n    bool b = false;\n"
                       "    process him = nobody;\n    Node n = null;\n"
                       "    bool seen[process];\n    two[0] = v;\n";
    const std::size_t statements = 4 + pick(5);
    for (std::size_t k = 0; k < statements; ++k) text += statement();
    return text + "    if (b) y = v;\n    return r;\n  }\n";
  }

  std::mt19937& random_;
  bool breaks_;
  std::vector<const Texts*> menus_;
};

}  // namespace

std::string random_symmetric_model(std::mt19937& random, bool breaks) {
  return SymmetricWriter(random, breaks).write();
}

}  // namespace plumb::lang
