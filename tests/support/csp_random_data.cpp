// SPDX-License-Identifier: Apache-2.0
// Random expressions and programs.
#include "support/csp_random_writer.h"

namespace plumb::csp {

// Known as soon as the process is reached.
std::string CspWriter::known_number(const Scope& scope, int depth) {
  if (!scope.known.empty() && !once_in(3)) {
    const std::string name = one_of(scope.known);
    if (depth <= 0 || once_in(2)) return name;
    return "((" + name + " " + one_of({"+ 1", "- 1", "+ K", "* 2"}) + ") % " +
           one_of({"2", "3"}) + ")";
  }
  return one_of({"0", "1", "K", "green", "(1 - 1)"});
}

std::string CspWriter::number(const Scope& scope, int depth) {
  if (depth > 0 && once_in(3)) {
    const std::string left = number(scope, depth - 1);
    switch (pick(has_objects_ ? 9 : 7)) {
      case 0:
        return "(" + left + " % " + one_of({"2", "3"}) + ")";
      case 1:
        return "(" + left + " / 2)";
      case 2:
        return "call(inc, " + left + ")";
      case 3:
        return "a[(" + left + " % 2)]";
      case 4:
        return once_in(8) ? "a[" + left + "]" : "call(ccount, d)";
      case 5:
        return once_in(8) ? "(" + left + " / " + number(scope, 0) + ")"
                          : "call(ccount, g[" + left + " % 2])";
      case 6:
        return "(" + left + one_of({" + ", " - ", " * ", " & ", " | "}) +
               number(scope, depth - 1) + ")";
      default:
        return one_of({"s.Count()", "q.Count()", "t.Count()", "l.Count()"});
    }
  }
  if (!scope.inputs.empty() && once_in(2)) return one_of(scope.inputs);
  if (once_in(2)) return known_number(scope, depth);
  if (once_in(25)) return "b";
  return one_of({"x", "y", "x", "y", "a[0]", "a[1]", "w[x % 2][y % 2]"});
}

// 0, 1 or 2.
std::string CspWriter::small(const Scope& scope) {
  if (once_in(30)) return number(scope, 1);
  if (once_in(4)) return text(pick(3));
  return "((" + number(scope, 1) + ") % 3)";
}

std::string CspWriter::condition(const Scope& scope, int depth) {
  if (depth > 0 && once_in(4)) {
    return "(" + condition(scope, depth - 1) +
           one_of({" && ", " || ", " xor "}) + condition(scope, depth - 1) +
           ")";
  }
  if (counts_ && once_in(4))
    return "(alive " + one_of({"<", ">", "=="}) + " 1)";
  if (has_objects_ && once_in(4)) {
    switch (pick(4)) {
      case 0:
        return "s.Contains(" + number(scope, 0) + ")";
      case 1:
        return "(q.Count() > 0 && q.First() == " + number(scope, 0) + ")";
      case 2:
        return "t.Contains(" + number(scope, 0) + ")";
      default:
        return "(l.Count() < 2)";
    }
  }
  switch (pick(10)) {
    case 0:
      return "(!call(cempty, d) && call(cpeek, d) == " + number(scope, 0) + ")";
    case 9:
      return one_of({"b", "!b", "true", "(b == (x > 0))"});
    case 1:
      return one_of(
          {"call(cfull, d)", "call(cempty, d)", "!call(cfull, g[0])"});
    case 2:
      return "(&& k:{0..1}@(a[k] >= " + number(scope, 0) + "))";
    case 3:
      if (!scope.known.empty()) {
        return "(|| k:{0.." + one_of(scope.known) + "}@(k == y))";
      }
      [[fallthrough]];
    default:
      return "(" + number(scope, 1) +
             one_of({" == ", " != ", " < ", " <= ", " > ", " >= "}) +
             number(scope, 1) + ")";
  }
}

std::string CspWriter::object_statement(const Scope& scope) {
  const std::string value = small(scope);
  switch (pick(10)) {
    case 0:
      return "s.Add(" + value + ");";
    case 1:
      return "s.Remove(" + value + ");";
    case 2:
      return "if (q.Count() < 2) { q.Enqueue(" + value + "); }";
    case 3:
      return "if (q.Count() > 0) { y = q.First(); q.Dequeue(); }";
    case 4:
      return "if (t.Count() < 2) { t.Push(" + value + "); }";
    case 5:
      return "if (t.Count() > 0) { y = t.Pop(); }";
    case 6:
      return "if (l.Count() < 2) { l.Add(" + value +
             "); } else { l.RemoveAt(0); }";
    case 7:
      return "l.Remove(" + value + ");";
    case 8:
      return once_in(4) ? "y = t.Pop();" : "t.Clear();";
    default:
      return "s = s.Union(s, new Set());";
  }
}

std::string CspWriter::statement(const Scope& scope, int depth) {
  if (has_objects_ && once_in(3)) return object_statement(scope);
  if (depth > 0 && once_in(4)) {
    switch (pick(3)) {
      case 0:
        return "if (" + condition(scope, 1) + ") { " +
               statement(scope, depth - 1) + " } else { " +
               statement(scope, depth - 1) + " }";
      case 1:
        return "while (x < 1) { x = x + 1; y = " + small(scope) + "; }";
      default:
        return "var z = " + small(scope) + "; x = ((z + 1) % 3);";
    }
  }
  switch (pick(9)) {
    case 0:
    case 1:
      return "x = " + small(scope) + ";";
    case 2:
      return "y = " + small(scope) + ";";
    case 3:
      return "b = " + condition(scope, 0) + ";";
    case 4:
      return "a[(" + number(scope, 0) + ") % 2] = " + small(scope) + ";";
    case 5:
      return once_in(4) ? "x++;" : "if (x < 2) x++;";
    case 6:
      return "w[" + number(scope, 0) + " % 2][x % 2] = " + small(scope) + ";";
    case 7:
      if (once_in(2)) return "bump;";
      return once_in(3) ? "a = [" + small(scope) + ", 0];" : "x = y = 1;";
    default:
      return "y = " + small(scope) + ";";
  }
}

std::string CspWriter::block(const Scope& scope) {
  std::string made = "{" + statement(scope, 1);
  if (once_in(4)) made += " " + statement(scope, 1);
  return made + "}";
}

}  // namespace plumb::csp
