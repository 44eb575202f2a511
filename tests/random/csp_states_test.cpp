// SPDX-License-Identifier: Apache-2.0
// Random CSP# models behave the same however their states are told apart.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "csp/small_graphs.h"

namespace plumb::csp {
namespace {

// Models in which variables live for a while and die.
class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  std::string model() {
    std::string text =
        "channel c 0; channel d 1; var x; var y = 1; var a[2]; var z = 2;\n";
    for (int i = 0; i < 3; ++i) {
      // Most begin with a local of their own.
      text += "Q" + std::to_string(i) + "(i) = ";
      if (!one_in(4)) text += "tau{" + place() + " = " + value() + ";} -> ";
      text += process(3) + ";\n";
    }
    text += "P = " + std::string(one_in(3) ? "Q0(0)" : pair()) + ";\n";
    return text;
  }

 private:
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(random_() % n);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  std::string pair() {
    const std::string sign = one_in(4) ? " || " : " ||| ";
    return "Q" + std::to_string(below(3)) + "(0)" + sign + "Q" +
           std::to_string(below(3)) + "(1)";
  }
  std::string index() {
    switch (below(4)) {
      case 0:
        return "0";
      case 1:
        return "1 - i";
      case 2:
        return one_in(3) ? "x % 2" : "i";
      default:
        return "i";
    }
  }
  std::string place() {
    switch (below(5)) {
      case 0:
        return "x";
      case 1:
        return "y";
      case 2:
        return "z";
      default:
        return "a[" + index() + "]";
    }
  }
  std::string value() {
    switch (below(7)) {
      case 0:
      case 1:
        return std::to_string(below(3));
      case 2:
      case 3:
        return "i";
      case 4:
        return "(" + place() + " + " + std::to_string(below(2)) + ") % 3";
      default:
        return place();
    }
  }
  std::string condition() {
    const char* signs[] = {" == ", " != ", " < "};
    return place() + signs[below(3)] + value();
  }
  std::string statement(int depth) {
    if (depth > 0 && one_in(4)) {
      std::string text = "if (" + condition() + ") { " + statement(depth - 1);
      text += " }";
      if (one_in(2)) text += " else { " + statement(depth - 1) + " }";
      return text;
    }
    if (depth > 0 && one_in(8)) {
      return "var k = 0; while (k < " + std::to_string(below(3)) + ") { " +
             place() + " = " + value() + "; k = k + 1; }";
    }
    return place() + " = " + value() + ";";
  }
  std::string block() {
    std::string text = "{";
    for (std::uint32_t i = 0; i <= below(2); ++i) text += statement(1) + " ";
    return text + "}";
  }
  std::string reference() {
    return "Q" + std::to_string(below(3)) + "(" +
           (one_in(4)   ? place() + " % 2"
            : one_in(3) ? "1 - i"
                        : "i") +
           ")";
  }
  std::string prefix(int depth) {
    const std::string next = " -> " + process(depth - 1);
    switch (below(8)) {
      case 0:
        return "e." + value() + next;
      case 1:
        return "f" + next;
      case 2:
        return "c!" + value() + (one_in(2) ? block() : "") + next;
      case 3:
        return "c?v" + (one_in(2) ? "{" + place() + " = v;}" : "") + next;
      case 4:
        return "d!" + value() + next;
      case 5:
        return "d?v{" + place() + " = v;}" + next;
      case 6:
        return "tau" + block() + next;
      default:
        return "g.i" + block() + next;
    }
  }
  std::string process(int depth) {
    if (depth <= 0) return one_in(5) ? "Skip" : reference();
    if (one_in(6)) return special(depth);
    switch (below(10)) {
      case 0:
        return "([" + condition() + "] " + prefix(depth) + ")";
      case 1:
        return "if (" + condition() + ") { " + prefix(depth) + " } else { " +
               prefix(depth) + " }";
      case 2:
        return "ifa (" + condition() + ") { " + prefix(depth) + " } else { " +
               prefix(depth) + " }";
      case 3:
        return "(" + prefix(depth) + " [] " + prefix(depth) + ")";
      case 4:
        return "((" + prefix(depth - 1) + "); " + prefix(depth - 1) + ")";
      default:
        return "(" + prefix(depth) + ")";
    }
  }

  std::string special(int depth) {
    const std::string one = prefix(depth - 1), other = prefix(depth - 1);
    switch (below(7)) {
      case 0:
        return "((" + one + ") interrupt (f -> Skip))";
      case 1:
        return "((" + one + ") \\ {e.1, f})";
      case 2:
        return "atomic{" + one + "}";
      case 3:
        return "((" + one + ") [*] (" + other + "))";
      case 4:
        return "((" + one + ") <> (" + other + "))";
      case 5:
        return "case { " + condition() + ": " + one + " default: " + other +
               " }";
      default:
        return "(|||{2} @ (e." + value() + " -> Skip))";
    }
  }

  std::mt19937 random_;
};

// Labels and the blocks of the states that they lead to.
using Signature = std::set<std::pair<std::string, std::size_t>>;
struct Edges {
  std::vector<std::vector<std::pair<std::string, std::size_t>>> of;
};

void add_edges(const SmallGraph& graph, std::size_t offset, Edges& edges) {
  edges.of.resize(offset + graph.states.size());
  for (const std::string& line : graph.lines) {
    const std::size_t first = line.find(' '), last = line.rfind(' ');
    const std::size_t from = offset + std::stoul(line.substr(0, first));
    const std::string to = line.substr(last + 1);
    edges.of[from].emplace_back(line.substr(first, last - first),
                                to == "-" ? SIZE_MAX : offset + std::stoul(to));
  }
}

// By refining a partition until nothing changes.
bool bisimilar(const SmallGraph& left, const SmallGraph& right) {
  Edges edges;
  add_edges(left, 0, edges);
  add_edges(right, left.states.size(), edges);
  std::vector<std::size_t> block(edges.of.size(), 0);
  for (std::size_t blocks = 1;;) {
    std::map<std::pair<std::size_t, Signature>, std::size_t> numbers;
    std::vector<std::size_t> next(block.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
      Signature signature;
      for (const auto& [label, to] : edges.of[i]) {
        signature.emplace(label, to == SIZE_MAX ? SIZE_MAX : block[to]);
      }
      next[i] = numbers
                    .emplace(std::pair(block[i], std::move(signature)),
                             numbers.size())
                    .first->second;
    }
    block = std::move(next);
    if (numbers.size() == blocks) break;
    blocks = numbers.size();
  }
  return block[0] == block[left.states.size()];
}

TEST(CspStates, RandomModelsAreBisimilarHoweverStatesAreToldApart) {
  std::size_t smaller = 0, compared = 0;
  for (std::uint32_t seed = 1; seed <= 700; ++seed) {
    const std::string text = Writer(seed).model();
    const ReadResult read = read_module("random.csp", text, {});
    ASSERT_NE(read.module, nullptr) << text << read.errors[0].describe();
    const Process reference = reference_to(*read.module, "P");
    const Model whole(read.module, {false, false});
    const Model reset(read.module, {false, true});
    const Model pat(read.module, {true, false});
    constexpr std::size_t kMost = 1'500;
    const SmallGraph left = graph_of(*whole.system(reference, {}), kMost);
    const SmallGraph right = graph_of(*reset.system(reference, {}), kMost);
    const SmallGraph third = graph_of(*pat.system(reference, {}), kMost);
    if (left.cut || right.cut || third.cut) continue;
    ++compared;
    EXPECT_LE(right.states.size(), left.states.size()) << text;
    if (right.states.size() < left.states.size()) ++smaller;
    ASSERT_TRUE(bisimilar(left, right)) << text;
    ASSERT_TRUE(bisimilar(left, third)) << text;
  }
  // The models are such that there is something to see.
  EXPECT_GT(compared, 450u);
  EXPECT_GT(smaller, 50u);
}

}  // namespace
}  // namespace plumb::csp
