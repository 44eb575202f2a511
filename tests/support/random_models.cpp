// SPDX-License-Identifier: Apache-2.0
#include "support/random_models.h"

#include <initializer_list>
#include <vector>

namespace plumb::lang {
namespace {

class ModelWriter {
 public:
  explicit ModelWriter(std::mt19937& random) : random_(random) {}

  std::string write() {
    const bool frees = pick(6) == 0;
    std::string text =
        "enum E { p, q }\n"
        "object o {\n"
        "  struct N { int 0..3 v; N next; }\n"
        "  shared int 0..3 x, y = 1;\n"
        "  shared int a[2];\n"
        "  shared bool b;\n"
        "  shared E e;\n"
        "  shared process w;\n"
        "  shared N top = new N { v = 1 };\n"
        "  shared seq<int, 2> s;\n"
        "  shared set<int 0..3, 2> t;\n"
        "  shared map<int 0..3, int, 2> m;\n";
    if (frees)
      text += pick(2) == 0 ? "  memory manual;\n" : "  memory recycled;\n";
    frees_ = frees;
    text += "  function int plus(int k) { int z = x; return z + k; }\n";
    const std::size_t operations = 1 + pick(2);
    for (std::size_t i = 0; i < operations; ++i) text += operation(i);
    text += "}\ncheck o safe with 2 processes, values 0..1";
    if (pick(2) == 0)
      text += ", " + std::to_string(1 + pick(2)) + " operations";
    return text + ";\n";
  }

 private:
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  std::string one_of(std::initializer_list<const char*> all) {
    return *(all.begin() + static_cast<std::ptrdiff_t>(pick(all.size())));
  }

  std::string number() {
    switch (pick(9)) {
      case 0:
        return "v";
      case 1:
        return "r";
      case 2:
        return "(" + number() + one_of({" + ", " - ", " * "}) + number() + ")";
      case 3:
        return "min(" + number() + ", 2)";
      case 4:
        return one_of({"x", "y", "a[0]", "a[1]"});
      case 5:
        return "a[x % 2]";
      case 6:
        return one_of({"len(s)", "plus(1)", "index(self)", "len(m)"});
      case 7:
        return "(" + condition() + " ? " + number() + " : 1)";
      default:
        return one_of({"0", "1", "2", "3"});
    }
  }

  std::string condition() {
    switch (pick(8)) {
      case 0:
        return number() + one_of({" == ", " != ", " < ", " >= "}) + number();
      case 1:
        return "(" + condition() + one_of({" && ", " || "}) + condition() + ")";
      case 2:
        return "!(" + condition() + ")";
      case 3:
        return "cas(" + one_of({"x", "y"}) + ", " + one_of({"r", "0", "1"}) +
               ", " + one_of({"1", "2", "v"}) + ")";
      case 4:
        return one_of({"contains(t, v)", "contains(s, r)", "contains(m, 1)"});
      case 5:
        return one_of({"w == self", "w == nobody", "e == p", "top != null"});
      default:
        return one_of({"b", "x == 0", "r == v"});
    }
  }

  std::string simple() {
    switch (pick(16)) {
      case 0:
        return "x = min(max(" + number() + ", 0), 3);";
      case 1:
        return one_of({"x = x + 1;", "a[1] = a[0];", "a[y % 2] = v;", "r++;"});
      case 2:
        return "r = " + number() + ";";
      case 3:
        return "b = " + condition() + ";";
      case 4:
        return one_of({"w = self;", "w = nobody;", "e = q;", "skip;"});
      case 5:
        return "r = fetch_add(y, 1);";
      case 6:
        return "r = exchange(x, v);";
      case 7:
        return one_of({"push_back(s, v);", "push_front(s, r);",
                       "if (len(s) > 0) r = pop_front(s);", "clear(s);"});
      case 8:
        return one_of({"insert(t, v);", "b = remove(t, v);", "m[v] = r;",
                       "b = remove(m, v);", "b = insert(t, 2);"});
      case 9:
        return "r = any(0, 1);";
      case 10:
        return "await " + one_of({"x > 0;", "b;", "len(s) < 2;"});
      case 11:
        return "linearize " + simple();
      case 12:
        return "b = dcas(x, y, 0, 1, 1, 2);";
      case 13:
        return one_of({"r = pop_back(s);", "r = m[v];", "r = any_of(t);",
                       "assert x < 3;", "r = s[0];", "r = smallest(t);"});
      case 14:
        return "if (w != nobody) r = index(w);";
      default:
        return heap();
    }
  }

  std::string heap() {
    switch (pick(frees_ ? 4 : 3)) {
      case 0:
        return "{ N n = new N; n.v = min(v, 3); N h; do { h = top; n.next = h; "
               "}"
               " while (!cas(top, h, n)); }";
      case 1:
        return "{ N h = top; if (h != null) { N g = h.next;"
               " if (cas(top, h, g)) { r = h.v; } } }";
      case 2:
        return one_of({"r = top.v;", "top = top.next;", "top = null;",
                       "top = new N { v = 2, next = top };"});
      default:
        return "{ N h = top; if (h != null) { if (cas(top, h, h.next))"
               " delete h; } }";
    }
  }

  std::string loop(int depth) {
    const std::string i = "i" + std::to_string(loops_++);
    return "for (int " + i + " = 0; " + i + " < 2; " + i + "++) { " +
           block(depth - 1) + " }";
  }

  std::string statement(int depth) {
    if (depth == 0) return simple();
    switch (pick(9)) {
      case 0:
        return "if (" + condition() + ") { " + block(depth - 1) + " }";
      case 1:
        return "if (" + condition() + ") { " + block(depth - 1) + " } else { " +
               block(depth - 1) + " }";
      case 2:
        return "while (" + condition() + ") { " + block(depth - 1) +
               " if (r > 2) break; r = r + 1; }";
      case 3:
        return loop(depth);
      case 4:
        return "choose { " + block(depth - 1) + " } or { " + block(depth - 1) +
               " }";
      case 5:
        return "atomic { " + block(depth - 1) + " }";
      case 6:
        return "linearize if (" + condition() + ") { " + block(depth - 1) +
               " }";
      default:
        return simple();
    }
  }

  std::string block(int depth) {
    std::string text = statement(depth);
    if (pick(2) == 0) text += " " + statement(depth);
    return text;
  }

  std::string operation(std::size_t i) {
    return "  int f" + std::to_string(i) + "(int v) { int r = 0; " + block(2) +
           " " + block(1) + " return r; }\n";
  }

  std::mt19937& random_;
  bool frees_ = false;
  int loops_ = 0;
};

}  // namespace

std::string random_model(std::mt19937& random) {
  return ModelWriter(random).write();
}

}  // namespace plumb::lang
