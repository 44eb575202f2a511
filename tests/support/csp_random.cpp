// SPDX-License-Identifier: Apache-2.0
// Random declarations and processes.
#include "support/csp_random.h"

#include "support/csp_random_writer.h"

namespace plumb::csp {

std::string CspWriter::write() {
  has_parallel_ = once_in(2);
  has_objects_ = once_in(3);
  counts_ = once_in(6);
  std::string made = declarations();
  for (std::size_t i = 0; i < kDefinitions; ++i) {
    parameters_.push_back(i == 0 ? 0 : pick(3));
  }
  for (std::size_t i = 0; i < kDefinitions; ++i) made += definition(i);
  return made + system() + "#assert System() deadlockfree;\n";
}

std::string CspWriter::declarations() {
  std::string made =
      "#define K 2;\n"
      "#define inc(v) ((v + 1) % 3);\n"
      "enum {red, green};\n"
      "var x:{0..2}" +
      std::string(once_in(8) ? " = *;\n" : ";\n") +
      "var y = 1;\n"
      "var n;\n"
      "var b = false;\n"
      "var a[2]" +
      std::string(once_in(2) ? ";\n" : ":{0..2} = [1, 2];\n") + "var w[2][2]" +
      std::string(once_in(12) ? ":{0..1} = *;\n" : ";\n") +
      "#define bump {x = (x + 1) % 3;};\n"
      "channel c 0;\n"
      "channel d " +
      text(1 + pick(2)) +
      ";\n"
      "channel f[2] 0;\n"
      "channel g[2] 1;\n"
      "channel z " +
      text(pick(2)) + ";\n";
  if (has_objects_) {
    made +=
        "var<Set> s;\n"
        "var<Queue> q;\n"
        "var<Stack> t;\n"
        "var<List> l;\n";
  }
  if (counts_) made += "#define alive #D1();\n";
  return made;
}

std::string CspWriter::definition(std::size_t number) {
  Scope scope;
  scope.definition = number;
  std::string made = "D" + text(number) + "(";
  for (std::size_t i = 0; i < parameters_[number]; ++i) {
    scope.known.push_back("p" + text(i));
    if (i > 0) made += ", ";
    made += scope.known.back();
    if (once_in(12)) made += ":{0..2}";
  }
  made += ") = " + process(scope, number == 0 ? 3 : 4) + ";\n";
  if (has_parallel_ && once_in(6)) {
    made += "#alphabet D" + text(number) + " {" + event_list(scope) + "};\n";
  }
  return made;
}

// Not too many components, or there are too many states.
std::string CspWriter::system() {
  Scope scope;
  scope.definition = 0;
  scope.is_last = false;
  scope.is_guarded = true;
  const auto part = [&] { return reference(scope, 1); };
  const std::string sign = has_parallel_ && !once_in(4) ? " || " : " ||| ";
  std::string made = "System() = ";
  switch (pick(8)) {
    case 0:
      return made + process(scope, 4) + ";\n";
    case 1:
      return made + part() + sign + "(" + process(scope, 3) + ");\n";
    case 2:
      return made + "(" + part() + sign + part() + ") \\ {" +
             event_list(scope) + "};\n";
    case 3:
      return made + "||| k:{0..1}@D3(" +
             std::string(parameters_[3] == 0   ? ""
                         : parameters_[3] == 1 ? "k"
                                               : "k, 1") +
             ");\n";
    case 4:
      return made + part() + sign + part() + sign + part() + ";\n";
    default:
      return made + part() + sign + part() + ";\n";
  }
}

std::string CspWriter::event(const Scope& scope, bool has_block) {
  std::string made = one_of({"e", "h", "m"});
  const bool is_free = (!has_parallel_ || has_block) && !once_in(3);
  for (std::size_t fields = pick(3); fields > 0; --fields) {
    if (made.size() > 1 && once_in(2)) break;
    made += "." + (is_free ? "(" + number(scope, 1) + ")"
                           : "(" + known_number(scope, 1) + ")");
  }
  return made;
}

std::string CspWriter::event_list(const Scope& scope) {
  std::string made = one_of({"e", "h", "m"});
  made += once_in(3) ? "" : "." + text(pick(3));
  if (once_in(2)) made += ", k:{0..2}@" + one_of({"e", "h", "m"}) + ".k";
  if (once_in(3)) made += ", i:{0..1};k:{0..1}@" + one_of({"e", "h"}) + ".i.k";
  if (once_in(3)) made += ", c." + text(pick(3));
  if (once_in(6) && !scope.known.empty()) made += ", m." + one_of(scope.known);
  if (once_in(12) && !has_parallel_) made += ", e.x";
  return made;
}

std::string CspWriter::rest(Scope scope, int depth) {
  scope.is_guarded = true;
  return inner(scope, depth - 1);
}

std::string CspWriter::ending(const Scope& scope, int depth) {
  if (once_in(2)) return reference(scope, depth);
  return once_in(4) ? "Stop" : once_in(5) ? "Skip()" : "Skip";
}

std::string CspWriter::prefix(const Scope& scope, int depth) {
  if (once_in(6)) return block(scope) + " -> " + rest(scope, depth);
  const bool has_block = once_in(2);
  const std::string name = once_in(6) ? "tau" : event(scope, has_block);
  return name + (has_block ? block(scope) : "") + " -> " + rest(scope, depth);
}

std::string CspWriter::event_set(const Scope& scope, int depth) {
  return "(" + event(scope, false) + ", " + event(scope, false) + ") -> " +
         rest(scope, depth);
}

std::string CspWriter::send(const Scope& scope, int depth) {
  if (once_in(12)) {
    const std::string whole = has_objects_ && once_in(2) ? "s" : "a";
    return "z!" + whole + ".(" + small(scope) + ") -> " + rest(scope, depth);
  }
  std::string made = one_of({"c", "c", "d", "f[x % 2]", "g[0]", "g[y % 2]",
                             "f[" + known_number(scope, 0) + " % 2]"});
  if (once_in(25)) made = "f[" + number(scope, 0) + "]";
  made += "!";
  made += once_in(16) ? "b" : "(" + small(scope) + ")";
  if (once_in(3)) made += ".(" + known_number(scope, 0) + ")";
  if (once_in(4)) made += block(scope);
  return made + " -> " + rest(scope, depth);
}

// An array is no number, so what comes from z is used at once.
std::string CspWriter::receive(const Scope& scope, int depth) {
  if (once_in(12)) {
    const std::string use =
        has_objects_ && once_in(2) ? "u.Count()" : "u[x % 2]";
    return "z?u.r{y = " + use + ";} -> " + rest(scope, depth);
  }
  Scope with = scope;
  std::string made =
      one_of({"c", "c", "d", "f[x % 2]", "f[0]", "g[0]", "g[y % 2]"});
  std::string fields;
  for (std::size_t i = 0; i == 0 || (i < 2 && once_in(3)); ++i) {
    if (i > 0) fields += ".";
    if (once_in(4)) {
      fields += one_of({"1", "0", "x", "(y)", "(" + number(scope, 1) + ")"});
    } else {
      with.inputs.push_back("v" + text(names_++ % 100));
      fields += with.inputs.back();
    }
  }
  made += "?";
  if (once_in(4)) made += "[" + condition(with, 1) + "]";
  made += fields;
  if (once_in(3)) made += block(with);
  return made + " -> " + rest(with, depth);
}

std::string CspWriter::guard(const Scope& scope, int depth) {
  return "([" + condition(scope, 1) + "] " + inner(scope, depth) + ")";
}

std::string CspWriter::conditional(const Scope& scope, int depth) {
  if (once_in(12)) {
    Scope both = scope;
    both.is_guarded = true;
    return "(" + inner(both, depth - 1) + " <<" + condition(scope, 0) + ">> " +
           inner(both, depth - 1) + ")";
  }
  const std::string word = one_of({"if", "ifa", "if", "ifa", "ifb"});
  Scope within = scope;
  if (word != "ifa") within.is_guarded = true;
  std::string made = word + " (" + condition(scope, 1) + ") {" +
                     process(within, depth - 1) + "}";
  if (word == "ifb" || once_in(3)) return made;
  return made + " else {" + process(within, depth - 1) + "}";
}

std::string CspWriter::cases(const Scope& scope, int depth) {
  Scope within = scope;
  within.is_guarded = true;
  std::string made = "case {";
  for (std::size_t i = 0; i == 0 || once_in(2); ++i) {
    made +=
        " " + condition(scope, 0) + ": (" + process(within, depth - 1) + ")";
  }
  if (once_in(2)) made += " default: (" + process(within, depth - 1) + ")";
  return made + "}";
}

std::string CspWriter::assertion(const Scope& scope, int) {
  if (!once_in(4)) return "assert(y >= 0)";
  return "assert(" + condition(scope, 0) + ")";
}

std::string CspWriter::reference(const Scope& scope, int) {
  const bool may_recur = scope.is_last && (scope.is_guarded || once_in(60));
  const std::size_t first = may_recur ? scope.definition : scope.definition + 1;
  if (first >= kDefinitions) return once_in(3) ? "Stop" : "Skip";
  const std::size_t number_of = first + pick(kDefinitions - first);
  std::string made = "D" + text(number_of) + "(";
  for (std::size_t i = 0; i < parameters_[number_of]; ++i) {
    if (i > 0) made += ", ";
    const bool is_free = !has_parallel_ || once_in(12);
    made += is_free && once_in(2) ? small(scope)
                                  : "(" + known_number(scope, 1) + " % 3)";
  }
  return made + ")";
}

std::string CspWriter::choice(const Scope& scope, int depth) {
  const std::string sign = one_of({" [] ", " [] ", " <> "});
  Scope within = scope;
  if (sign == " <> ") within.is_guarded = true;
  if (once_in(4)) {
    within.known.push_back("k");
    const std::string values = one_of({"{0..1}", "{2, 0}", "{1}"});
    return "(" + sign + "k:" + values + "@" + process(within, depth - 1) + ")";
  }
  return "(" + inner(within, depth - 1) + sign + inner(within, depth - 1) + ")";
}

std::string CspWriter::external(const Scope& scope, int depth) {
  Scope within = scope;
  within.is_last = false;
  std::string made =
      "(" + inner(within, depth - 1) + " [*] " + inner(within, depth - 1);
  if (once_in(4)) made += " [*] " + inner(within, depth - 2);
  return made + ")";
}

std::string CspWriter::sequence(const Scope& scope, int depth) {
  Scope first = scope;
  first.is_last = false;
  std::string made = "(" + inner(first, depth - 1) + "; ";
  if (once_in(4)) made += inner(first, depth - 2) + "; ";
  return made + inner(scope, depth - 1) + ")";
}

std::string CspWriter::interleave(const Scope& scope, int depth) {
  Scope within = scope;
  within.is_last = false;
  if (once_in(4)) {
    within.known.push_back("k");
    const std::string high =
        once_in(4) ? (once_in(3) ? "x" : known_number(scope, 0)) : "1";
    if (high == "K" || high == "1") {
      return "(||| k:{0.." + high + "}@" + process(within, depth - 2) + ")";
    }
    return "(||| k:{0.." + high + " % 2}@" + process(within, depth - 2) + ")";
  }
  std::string made =
      "(" + inner(within, depth - 1) + " ||| " + inner(within, depth - 1);
  if (once_in(5)) made += " ||| " + inner(within, depth - 2);
  return made + ")";
}

std::string CspWriter::copies(const Scope& scope, int depth) {
  Scope within = scope;
  within.is_last = false;
  if (once_in(4)) {
    return "(|||{..}@([n < 2] " + event(within, true) + "{n = n + 1} -> (" +
           inner(within, depth - 2) + "; {n = n - 1} -> Skip)))";
  }
  const std::string count = once_in(5) ? "(" + known_number(scope, 1) + " + 1)"
                                       : one_of({"2", "3", "K"});
  return "(|||{" + count + "}@" + process(within, depth - 2) + ")";
}

std::string CspWriter::parallel(const Scope& scope, int depth) {
  if (!has_parallel_) return interleave(scope, depth);
  Scope within = scope;
  within.is_last = false;
  if (once_in(4)) {
    within.known.push_back("k");
    return "(|| k:{0..1}@" + process(within, depth - 1) + ")";
  }
  std::string made =
      "(" + inner(within, depth - 1) + " || " + inner(within, depth - 1);
  if (once_in(4)) made += " || " + inner(within, depth - 1);
  return made + ")";
}

std::string CspWriter::interrupt(const Scope& scope, int depth) {
  Scope within = scope;
  within.is_last = false;
  std::string made =
      "(" + inner(within, depth - 1) + " interrupt " + inner(within, depth - 1);
  if (once_in(4)) made += " interrupt " + inner(within, depth - 2);
  return made + ")";
}

std::string CspWriter::hiding(const Scope& scope, int depth) {
  Scope within = scope;
  within.is_last = false;
  return "(" + inner(within, depth - 1) + " \\ {" + event_list(scope) + "})";
}

std::string CspWriter::atomic(const Scope& scope, int depth) {
  Scope within = scope;
  within.is_last = false;
  return "atomic{" + process(within, depth - 1) + "}";
}

// What can stand behind an arrow or between operators.
std::string CspWriter::inner(const Scope& scope, int depth) {
  return process(scope, depth);
}

std::string CspWriter::process(const Scope& scope, int depth) {
  if (depth <= 0) return ending(scope, depth);
  static constexpr Way kWays[] = {
      {26, &CspWriter::prefix},    {3, &CspWriter::event_set},
      {8, &CspWriter::send},       {9, &CspWriter::receive},
      {5, &CspWriter::guard},      {9, &CspWriter::conditional},
      {4, &CspWriter::cases},      {8, &CspWriter::choice},
      {4, &CspWriter::external},   {7, &CspWriter::sequence},
      {5, &CspWriter::interleave}, {3, &CspWriter::copies},
      {5, &CspWriter::parallel},   {4, &CspWriter::interrupt},
      {5, &CspWriter::hiding},     {4, &CspWriter::atomic},
      {2, &CspWriter::assertion},  {6, &CspWriter::reference},
  };
  std::size_t total = 0;
  for (const Way& way : kWays) total += way.weight;
  std::size_t at = pick(total);
  for (const Way& way : kWays) {
    if (at < way.weight) return (this->*way.make)(scope, depth);
    at -= way.weight;
  }
  return "Skip";
}

std::string random_csp_model(std::mt19937& random) {
  return CspWriter(random).write();
}

}  // namespace plumb::csp
