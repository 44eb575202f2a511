// SPDX-License-Identifier: Apache-2.0
// Random CSP# models of components with much of their own and little to share.
#include "support/csp_random_components.h"

namespace plumb::csp {

std::string ComponentsWriter::model(bool flat) {
  flat_ = flat;
  std::string text =
      "channel c 0; channel d 1; channel g[3] 2; channel h[3] 0;\n"
      "var x; var y; var l[3]; var m[3]; var<Set> s;\n"
      "#define one (x == 1);\n"
      "#define sum (l[0] + 3 * m[1] + 9 * call(ccount, d));\n";
  for (int i = 0; i < 3; ++i) {
    text +=
        "Q" + std::to_string(i) + "(i) = " + process(one_in(3) ? 1 : 3) + ";\n";
  }
  return text + "P = " + system(flat) + ";\n";
}

std::string ComponentsWriter::system(bool flat) {
  const std::string sign = one_in(4) ? " || " : " ||| ";
  const auto part = [&](int i) {
    return "Q" + std::to_string(below(3)) + "(" + std::to_string(i) + ")";
  };
  std::string text;
  if (!flat && one_in(3)) {
    text = part(0) + sign + "(" + part(1) + sign + part(2) + ")";
  } else if (!flat && one_in(3)) {
    text = part(0) + " ||| " + "(|||{2}@" + part(1) + ")";
  } else if (!flat && one_in(8)) {
    text = part(0) + " ||| (|||{..}@(tau{l[1] = 1;} -> e.1 -> Stop))";
  } else {
    text = part(0) + sign + part(1) + (one_in(3) ? sign + part(2) : "");
  }
  if (one_in(2)) text = "(" + text + ") \\ {e.0, e.1, f, n.1, c.0, c.1}";
  if (one_in(6)) text = "(" + text + "); (k -> Skip)";
  return text;
}

std::string ComponentsWriter::place() {
  if (one_in(5)) return pick({"x", "y", "l[1 - i % 2]", "m[0]", "l[x % 3]"});
  return pick({"l[i]", "m[i]"});
}

std::string ComponentsWriter::value() {
  return pick({"0", "1", "i", place(), "(" + place() + " + 1) % 3"});
}

std::string ComponentsWriter::condition() {
  if (one_in(12)) return "call(" + pick({"cfull", "cempty"}) + ", g[i])";
  return place() + pick({" == ", " != ", " < "}) + value();
}

std::string ComponentsWriter::statement(int depth) {
  if (depth > 0 && one_in(5)) {
    std::string text = "if (" + condition() + ") { " + statement(depth - 1);
    text += " }";
    if (one_in(2)) text += " else { " + statement(depth - 1) + " }";
    return text;
  }
  if (one_in(20)) return "s.Add(i);";
  if (one_in(20)) return "s.Remove(1);";
  if (one_in(25)) return "l = [1, 2, 0];";
  if (one_in(20)) return place() + "++;";
  if (one_in(40)) return "l[i + 2] = 1;";
  return place() + " = " + value() + ";";
}

std::string ComponentsWriter::block() {
  std::string text = "{";
  for (std::uint32_t i = 0; i <= below(2); ++i) text += statement(1) + " ";
  return text + "}";
}

std::string ComponentsWriter::rest(int depth) {
  if (depth > 1) return process(depth - 1);
  if (one_in(4)) return pick({"Skip", "Stop"});
  return "Q" + std::to_string(below(3)) + "(" +
         pick({"i", "i", "i", "i", "1 - i % 2", place() + " % 2"}) + ")";
}

std::string ComponentsWriter::prefix(int depth) {
  const std::string next = " -> " + rest(depth);
  switch (below(14)) {
    case 0:
      return "e.i" + next;
    case 1:
      return pick({"f", "e.0", "n.i", "k"}) + next;
    case 2:
      return pick({"c!", "h[i]!"}) + value() + (one_in(2) ? block() : "") +
             next;
    case 3:
      return pick({"c?v", "h[1 - i % 2]?v"}) +
             (one_in(2) ? "{" + place() + " = v;}" : "") + next;
    case 4:
      return pick({"d!", "g[i]!", "g[i]!"}) + value() + next;
    case 5:
      return pick({"d?v", "g[i]?v", "g[1 - i % 2]?v", "g[1 - i % 2]?1"}) + next;
    case 6:
      return "e." + value() + block() + next;
    case 7:
      return "tau" + next;
    default:
      return "tau" + block() + next;
  }
}

std::string ComponentsWriter::process(int depth) {
  if (one_in(9)) return special(depth);
  switch (below(9)) {
    case 0:
      return "([" + condition() + "] " + prefix(depth) + ")";
    case 1:
      return "if (" + condition() + ") { " + prefix(depth) + " } else { " +
             prefix(depth) + " }";
    case 2:
      return "ifa (" + condition() + ") { " + prefix(depth) + " }" +
             (one_in(3) ? "" : " else { " + prefix(depth) + " }");
    case 3:
      return "(" + prefix(depth) + " [] " + prefix(depth) + ")";
    case 4:
      return "((" + prefix(1) + "); " + prefix(depth) + ")";
    default:
      return "(" + prefix(depth) + ")";
  }
}

std::string ComponentsWriter::special(int depth) {
  const std::string one = prefix(depth - 1), other = prefix(depth - 1);
  switch (below(flat_ ? 9 : 11)) {
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
      return "case { " + condition() + ": " + one + " default: " + other + " }";
    case 6:
      return "(ifb (" + condition() + ") { " + one + " })";
    case 7:
      return "(Skip [] " + one + ")";
    case 8:
      return "(assert(" + condition() + "); " + one + ")";
    case 9:
      return "(" + one + " ||| " + other + ")";
    default:
      return "(|||{2} @ (tau{" + place() + " = 1;} -> e.i -> Skip))";
  }
}

}  // namespace plumb::csp
