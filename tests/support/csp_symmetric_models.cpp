// SPDX-License-Identifier: Apache-2.0
#include "support/csp_symmetric_models.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace plumb::csp {

namespace {

class SymmetricWriter {
 public:
  SymmetricWriter(std::mt19937& random, bool almost, bool ring)
      : random_(random), flaws_(almost ? 1 : 0), ring_(ring) {}

  std::string write() {
    first_ = one_in(ring_ ? 20 : 3) ? 1 : 0;
    count_ = one_in(3) == ring_ ? 2 : 3;
    const std::string last = number(first_ + count_ - 1);
    range_ = "{" + number(first_) + ".." + last + "}";
    std::string text = declarations();
    for (int i = 0; i < kDefinitions; ++i) {
      text += "D" + number(i) + "(i, k) = " + process({"i"}, 3) + ";\n";
    }
    text += "Helper() = " + helper() + ";\n";
    text += "System() = " + system() + ";\n";
    text += "Other() = " + system() + ";\n";
    text += "#define some " + proposition() + ";\n";
    text += "#define odd x != -1;\n";
    return text;
  }

 private:
  static constexpr int kDefinitions = 3;
  using Indices = std::vector<std::string>;  // names that hold indices

  int below(int n) { return std::uniform_int_distribution(0, n - 1)(random_); }
  bool one_in(int n) { return below(n) == 0; }
  static std::string number(int n) { return std::to_string(n); }
  std::string one_of(const Indices& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }
  // Now and then something that tells indices apart, once.
  bool flawed() {
    if (flaws_ == 0 || !one_in(12)) return false;
    --flaws_;
    return true;
  }

  std::string declarations() {
    const std::string size = number(first_ + count_);
    std::string ones = "0(" + size + ")";
    if (flawed()) ones = "1, 0(" + number(first_ + count_ - 1) + ")";
    return "var x = -1; var n = 0; var f = [" + ones + "]; var g[" + size +
           "][2]; var held = [-1(" + size + ")]; var<Set> set;\n" +
           "channel c 2; channel d[" + size + "] 1; channel s 0;\n";
  }

  std::string index(const Indices& known) {
    if (flawed()) {
      switch (below(4)) {
        case 0:
          return number(first_);
        case 1:
          return "((" + one_of(known) + " + 1) % " + number(count_) + ")";
        case 2:
          return number(first_ + count_ - 1);
        default:
          return ring_ ? "((x + 1) % " + number(count_) + ")" : "n";
      }
    }
    if (!ring_ || !one_in(4)) return one_of(known);
    const std::string size = number(count_);
    const std::string by[] = {"1 + ", "(" + size + " - 1) + ", "2 + ", "-1 + "};
    return "((" + by[below(4)] + one_of(known) + ") % " + size + ")";
  }
  // Something that holds an index, or the sentinel.
  std::string holder(const Indices& known) {
    return one_in(2) ? "x" : "held[" + index(known) + "]";
  }
  std::string plain_place(const Indices& known) {
    switch (below(3)) {
      case 0:
        return "n";
      case 1:
        return "f[" + index(known) + "]";
      default:
        return "g[" + index(known) + "][" + number(below(2)) + "]";
    }
  }
  std::string plain(const Indices& known) {
    switch (below(3)) {
      case 0:
        return number(below(2));
      case 1:
        return plain_place(known);
      default:
        return "1 - " + plain_place(known);
    }
  }
  std::string condition(const Indices& known) {
    if (flawed()) {
      return one_in(2) ? one_of(known) + " < " + number(first_ + 1)
                       : holder(known) + " == " + number(first_);
    }
    switch (below(6)) {
      case 0:
        return holder(known) + " == " + index(known);
      case 1:
        return holder(known) + " != -1";
      case 2:
        return plain_place(known) + " == " + number(below(2));
      case 3:
        return "call(ccount, c) < 2";
      case 4:
        return "&& j:" + range_ + "@(f[j] == 0 || j == " + one_of(known) + ")";
      default:
        return plain_place(known) + " != " + plain(known);
    }
  }
  std::string statement(const Indices& known) {
    switch (below(7)) {
      case 0:
        return holder(known) + " = " + index(known) + ";";
      case 1:
        return holder(known) + " = -1;";
      case 2:
        return "if (" + condition(known) + ") { " + plain_place(known) + " = " +
               plain(known) + "; }";
      case 3:
        return "var t = " + index(known) + "; if (" + holder(known) +
               " == t) { f[t] = 1; }";
      case 4:
        return flawed() ? "set.Add(" + one_of(known) + ");" : "set.Add(1);";
      default:
        return plain_place(known) + " = " + plain(known) + ";";
    }
  }
  std::string event(const Indices& known) {
    switch (below(5)) {
      case 0:
        return "a." + index(known);
      case 1:
        return "b." + index(known) + "." + number(below(2));
      case 2:
        return "e." + index(known) + "." + index(known);
      case 3:
        return "b." + index(known) + ".(" + plain(known) + ")";
      default:
        return "tick";
    }
  }
  std::string reference(const Indices& known) {
    return "D" + number(below(kDefinitions)) + "(" + index(known) + ", " +
           (one_in(2) ? number(below(2)) : "n") + ")";
  }
  Indices with(Indices known, const std::string& name) {
    known.push_back(name);
    return known;
  }
  std::string fresh() { return "v" + number(names_++); }

  std::string prefix(const Indices& known, int depth) {
    const std::string next = " -> " + process(known, depth - 1);
    const std::string name = fresh();
    switch (below(9)) {
      case 0:
        return "tau{" + statement(known) + "}" + next;
      case 1:
        return event(known) + "{" + statement(known) + " " + statement(known) +
               "}" + next;
      case 2:
        return "c!" + index(known) + next;
      case 3:
        return "c?" + name + " -> " + process(with(known, name), depth - 1);
      case 4:
        return "d[" + index(known) + "]!" + index(known) + "." +
               number(below(2)) + next;
      case 5:
        return "d[" + index(known) + "]?" + name + "." + number(below(2)) +
               " -> " + process(with(known, name), depth - 1);
      case 6:
        return one_in(2) ? "s!" + index(known) + next
                         : "s?" + name + " -> " +
                               process(with(known, name), depth - 1);
      default:
        return event(known) + next;
    }
  }
  std::string process(const Indices& known, int depth) {
    if (depth <= 0) {
      return one_in(4) ? "Skip" : one_in(6) ? "Stop" : reference(known);
    }
    const std::string one = prefix(known, depth);
    switch (below(14)) {
      case 0:
        return "([" + condition(known) + "] (" + one + "))";
      case 1:
        return "if (" + condition(known) + ") { " + one + " } else { " +
               prefix(known, depth - 1) + " }";
      case 2:
        return "ifa (" + condition(known) + ") { " + one + " } else { " +
               prefix(known, depth - 1) + " }";
      case 3:
        return "((" + one + ") [] (" + prefix(known, depth - 1) + "))";
      case 4: {
        const std::string name = fresh();
        const std::string range =
            flawed() ? "{" + number(first_) + "}" : range_;
        const char* const signs[] = {"[]", "<>", "[*]", "|||"};
        return "(" + std::string(signs[below(depth > 1 ? 4 : 3)]) + " " + name +
               ":" + range + "@(a." + name + " -> " +
               (one_in(2) ? "Skip" : process(with(known, name), 0)) + "))";
      }
      case 5:
        return "((" + one + "); " + reference(known) + ")";
      case 6:
        return "((" + one + ") interrupt (a." + index(known) + " -> Skip))";
      case 7:
        return "atomic{" + one + "}";
      case 8:
        return "(|||{2}@(a." + index(known) + " -> Skip))";
      case 9:
        return "((" + one + ") \\ {tick, a." + index(known) + "})";
      case 10:
        return "((" + one + ") ||| (" + event(known) + " -> Skip))";
      default:
        return "(" + one + ")";
    }
  }
  std::string helper() {
    const std::string name = fresh();
    const std::string fields = flawed() ? number(first_) : name;
    switch (below(3)) {
      case 0:
        return "c?" + name + " -> a." + fields + " -> Helper()";
      case 1:
        return "s?" + name + " -> tau{x = " + name + ";} -> Helper()";
      default:
        return "[]" + name + ":" + range_ + "@(a." + fields +
               " -> tick -> "
               "Helper())";
    }
  }
  std::string system() {
    const std::string sign = one_in(5) ? "||" : "|||";
    std::string text =
        sign + "i:" + range_ + "@D" + number(below(kDefinitions)) + "(i, 0)";
    if (flawed()) text = "(" + text + ") ||| D0(" + number(first_) + ", 0)";
    if (one_in(3)) text = "(" + text + ") ||| Helper()";
    if (one_in(4)) {
      text = "(" + text + ") \\ {tick, z:" + range_ + "@a.z}";
    } else if (flawed()) {
      text = "(" + text + ") \\ {a." + number(first_) + "}";
    }
    if (one_in(6)) text = "tick -> (" + text + ")";
    return text;
  }
  std::string proposition() {
    if (flawed()) return "x == " + number(first_);
    switch (below(3)) {
      case 0:
        return "|| j:" + range_ + "@(f[j] == 1 && x == j)";
      case 1:
        return "n == 1 && x != -1";
      default:
        return "call(ccount, c) == 2";
    }
  }

  std::mt19937& random_;
  int flaws_;
  bool ring_;
  int first_ = 0, count_ = 2, names_ = 0;
  std::string range_;
};

}  // namespace

std::string random_symmetric_csp(std::mt19937& random, bool almost, bool ring) {
  return "#import \"PAT.Lib.Set\";\n" +
         SymmetricWriter(random, almost, ring).write();
}

}  // namespace plumb::csp
