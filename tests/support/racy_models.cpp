// SPDX-License-Identifier: Apache-2.0
#include "support/racy_models.h"

#include <initializer_list>

namespace plumb::lang {
namespace {

class RacyWriter {
 public:
  explicit RacyWriter(std::mt19937& random) : random_(random) {}

  std::string write() {
    frees_ = pick(8) == 0;
    std::string text =
        "object o {\n"
        "  struct N { int 0..2 v; N next; bool held; }\n"
        "  shared int 0..2 x, y = 1, z = 2, k = 1;\n"
        "  shared bool l;\n"
        "  shared int 0..2 own[processes];\n"
        "  shared int 0..2 a[2];\n"
        "  shared seq<int 0..2, 2> s;\n"
        "  shared N top = new N { v = 1, next = new N { v = 2 } };\n";
    if (frees_) {
      text += pick(2) == 0 ? "  memory manual;\n" : "  memory recycled;\n";
    }
    // What an object does not do makes more reductions possible.
    for (bool& without : without_) without = pick(2) == 0;
    const std::size_t operations = 1 + pick(3) / 2;
    for (std::size_t i = 0; i < operations; ++i) {
      text +=
          "  int f" + std::to_string(i) + "() { int 0..2 r = 0; N n = top; ";
      if (pick(4) == 0) text = text.substr(0, text.size() - 11) + "N n; ";
      for (std::size_t left = 1 + pick(3); left > 0; --left) {
        text += statement(1) + " ";
      }
      text += "return r; }\n";
    }
    text += "}\ncheck o safe with " + one_of({"2", "2", "2", "3"}) +
            " processes, cells " + one_of({"3", "4", "6"});
    if (pick(4) != 0) text += ", " + one_of({"1", "1", "2"}) + " operations";
    return text + ";\n";
  }

 private:
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  std::string one_of(std::initializer_list<const char*> all) {
    return *(all.begin() + static_cast<std::ptrdiff_t>(pick(all.size())));
  }

  std::string shared() { return one_of({"x", "y", "z", "a[0]", "a[1]"}); }

  std::string condition() {
    return one_of({"x == 0", "y == 1", "r == 1", "r == 0",
                   "own[index(self)] == 0", "n != null", "cas(x, 0, 1)",
                   "z == 2"});
  }

  std::string simple() {
    switch (pick(18)) {
      case 0:
      case 1:
        return "r = " + shared() + ";";
      case 2:
        return shared() + " = r;";
      case 3:
        return shared() + " = " + one_of({"0", "1", "2"}) + ";";
      case 4:
        return one_of({"own[index(self)] = r;", "r = own[index(self)];",
                       "own[index(self)] = (own[index(self)] + 1) % 3;",
                       "r = own[0];", "r = a[x % 2];", "a[r % 2] = 1;"});
      case 5:
        return one_of({"x = (x + 1) % 3;", "r = fetch_add(x, 1);",
                       "r = exchange(y, r);", "r = (r + 1) % 3;", "skip;"});
      case 6:
        return one_of({"r = any(0, 1);", "assert x != 2;", "assert r != 2;",
                       "await x == 0;", "await y == 1;", "await !l;"});
      case 7:
        return one_of({"push_back(s, r);", "r = pop_front(s);",
                       "if (len(s) > 0) r = pop_front(s);", "r = len(s);"});
      case 8:
        return "linearize " + shared() + " = r;";
      default:
        return pick(2) == 0 ? heap() : locked();
    }
  }

  std::string heap() {
    switch (pick(frees_ ? 11 : 10)) {
      case 0:
      case 1:
        return "if (n != null) r = n.v;";
      case 2:
        return without_[0] ? "r = n.v;" : "if (n != null) n.v = r;";
      case 3:
        return "if (n != null) n = n.next;";
      case 4:
        return without_[1] ? "n = top;" : "top = n;";
      case 5:
        return "n = new N { v = r, next = n };";
      case 6:
        return "{ N m = new N; m.v = r; m.next = top; top = m; }";
      case 7:
        return "if (cas(top, n, null)) { r = 1; }";
      // Now only those who have read it before know the cell.
      case 8:
        return "if (n != null) { top = null; r = n.v; }";
      case 9:
        return "if (n != null) { top = null; n.v = (n.v + 1) % 3; }";
      default:
        return "{ N h = exchange(top, null); if (h != null) delete h; }";
    }
  }

  // Locks, mostly used as they should be.
  std::string locked() {
    const bool of_cell = pick(2) == 0;
    const std::string lock = of_cell ? "n.held" : "l";
    const std::string take =
        "atomic { await !" + lock + "; " + lock + " = true; }";
    const std::string give = lock + " = false;";
    if (!without_[2] && pick(3) == 0) {
      return one_of({"if (l) r = 1;", "l = false;", "if (!l) l = true;"});
    }
    std::string text = take + " " + shared() + " = r; " + give;
    if (pick(3) == 0) text = take + " " + give + " r = x;";
    if (pick(4) == 0) text = take + " r = y; n = top; " + give;
    return of_cell ? "if (n != null) { " + text + " }" : text;
  }

  std::string statement(int depth) {
    if (depth == 0) return simple();
    switch (pick(9)) {
      case 0:
        return "if (" + condition() + ") { " + statement(0) + " }";
      case 1:
        return "if (" + condition() + ") { " + statement(0) + " } else { " +
               statement(0) + " }";
      case 2:
        if (pick(4) == 0) return "while (k == 1) { r = k; }";
        return "while (" + condition() + ") { " + statement(0) +
               one_of({" }", " if (r > 0) break; r = r + 1; }",
                       " if (y == 2) break; }"});
      case 3:
        if (pick(3) == 0) {
          return "choose { while (" + condition() + ") { " + statement(0) +
                 " if (r > 0) break; } } or { skip; }";
        }
        return "choose { " + statement(0) + " } or { " + statement(0) + " }";
      case 4:
        return "atomic { " + statement(0) + " " + statement(0) + " }";
      default:
        return simple() + " " + simple();
    }
  }

  std::mt19937& random_;
  bool frees_ = false;
  bool without_[3] = {};
};

}  // namespace

std::string random_racy_model(std::mt19937& random) {
  return RacyWriter(random).write();
}

}  // namespace plumb::lang
