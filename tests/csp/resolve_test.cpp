// SPDX-License-Identifier: Apache-2.0
// What names mean: constants, macros, variables, channels, bound names.
#include "csp/front_end_test_support.h"

namespace plumb::csp {
namespace {

std::string proposition_in(const std::string& text, const std::string& name) {
  const auto module = module_of(text);
  for (const Proposition& proposition : module->propositions) {
    if (proposition.name == name) return text_of(*proposition.expression);
  }
  return "none";
}

TEST(CspResolve, DeclarationsMayStandInAnyOrder) {
  EXPECT_EQ(process_in("P = Q(N); #assert P reaches goal; Q(i) = e.x -> Skip;"
                       "#define goal x == N; var x = M; #define N M + 1;"
                       "#define M 2;"),
            "Q((2 + 1))");
}

TEST(CspResolve, ConstantsAreNumbersAndBooleans) {
  EXPECT_EQ(proposition_in("#define N -1;", "N"), "-1");
  EXPECT_EQ(proposition_in("#define B true;", "B"), "true");
  EXPECT_EQ(proposition_in("#define N 3; #define M (N) - 1;", "M"), "(3 - 1)");
  EXPECT_EQ(proposition_in("enum {a, b, c}; enum {d}; #define S c + d;", "S"),
            "(2 + 0)");
}

TEST(CspResolve, MacrosAreUnfolded) {
  const std::string head =
      "var x; var y; var a[3]; channel c 2; channel box[2] 1;\n"
      "#define twice(v) v + v; #define four(v) call(twice, call(twice, v));\n"
      "#define set(place, v) {place = v; x};\n"
      "#define room(ch) !call(cfull, ch) && call(ccount, ch) < 2;\n"
      "#define swap(p, q) {var t = p; p = q; q = t};\n"
      "#define all(n) && i:{0..n-1}@(a[i] == n);\n"
      "#define init {x = 1; y = 2};\n";
  EXPECT_EQ(process_in(head + "P(k) = e.call(twice, k) -> Skip;"),
            "e.(k + k) -> Skip");
  EXPECT_EQ(process_in(head + "P(k) = e.call(four, k) -> Skip;"),
            "e.((k + k) + (k + k)) -> Skip");
  EXPECT_EQ(process_in(head + "P(k) = e{call(set, a[k], 3); init} -> Skip;"),
            "e{{a[k] = 3; x;}; {x = 1; y = 2;};} -> Skip");
  EXPECT_EQ(process_in(head + "P(k) = [call(room, c)] Skip;"),
            "[(!call(cfull,#0) && (call(ccount,#0) < 2))]Skip");
  EXPECT_EQ(process_in(head + "P(k) = [call(room, box[k])] Skip;"),
            "[(!call(cfull,#1[k]) && (call(ccount,#1[k]) < 2))]Skip");
  EXPECT_EQ(process_in(head + "P = [call(all, 2)] Skip;"),
            "[((a[0] == 2) && (a[1] == 2))]Skip");
  EXPECT_EQ(process_in(head + "P(k) = [call(all, k)] Skip;"),
            "[(&& i:{0..(k - 1)}@(a[i] == k))]Skip");
}

// `t` of the macro is not the `t` of the block that uses it.
TEST(CspResolve, MacrosAreHygienic) {
  const std::string swap = "#define swap(p, q) {var t = p; p = q; q = t};\n";
  const auto module =
      module_of(swap + "var x; P = e{var t = 5; call(swap, t, x)} -> Skip;");
  const Statement& block = *module->processes[0].body->block;
  const Statement& inner = *block.children[1]->expression->block;
  EXPECT_EQ(block.children[0]->slot, 0u);
  EXPECT_EQ(inner.children[0]->slot, 1u);
  EXPECT_EQ(inner.children[0]->expression->number, 0) << "t of the block";
  EXPECT_EQ(inner.children[1]->expression->children[0]->number, 0);
  EXPECT_EQ(inner.children[2]->expression->children[1]->number, 1);
  EXPECT_EQ(module->processes[0].locals, 2u);
  EXPECT_EQ(module->locals, 2u);
  // The macro does not see the parameter of the process.
  EXPECT_EQ(message_of("#define m k + 1; P(k) = e.m -> Skip;"),
            "'k' is not defined (a macro knows its parameters and what is "
            "declared outside)");
}

TEST(CspResolve, MacrosDoNotSeeTheNamesWhereTheyAreUsed) {
  const auto module = module_of(
      "var x; #define m x + 1; #define less(a, b) a - b;\n"
      "P(x, a, b) = e.m.call(less, b, a).a -> Skip;");
  const EventName& event = module->processes[0].body->events[0];
  EXPECT_EQ(event.fields[0]->children[0]->kind, ExprKind::kGlobal);
  EXPECT_EQ(text_of(event), "e.(x + 1).(b - a).a");
  EXPECT_EQ(event.fields[1]->children[0]->number, 2);
  EXPECT_EQ(event.fields[2]->number, 1);
}

TEST(CspResolve, IndexedExpressionsAreUnfolded) {
  EXPECT_EQ(condition_of("&& i:{0..2}@(arr[i] == 0)"),
            "(((arr[0] == 0) && (arr[1] == 0)) && (arr[2] == 0))");
  EXPECT_EQ(condition_of("|| i:{1,3}; j:{i..3}@(arr[i] == j)"),
            "((((arr[1] == 1) || (arr[1] == 2)) || (arr[1] == 3)) || "
            "(arr[3] == 3))");
  EXPECT_EQ(condition_of("xor i:{0..1}@(arr[i] == 1)"),
            "((arr[0] == 1) xor (arr[1] == 1))");
  EXPECT_EQ(condition_of("&& i:{1..0}@(arr[i] == 1)"), "true");
  EXPECT_EQ(condition_of("|| i:{1..0}@(arr[i] == 1)"), "false");
  EXPECT_EQ(condition_of("&& i:{0..x}@(arr[i] == 1)"),
            "(&& i:{0..x}@(arr[i] == 1))");
}

TEST(CspResolve, VariablesHaveShapesRangesAndValues) {
  const auto module = module_of(
      "#define N 2; var a; var b = true; var c:{0..N} = 1; var d:{..5};\n"
      "var e[N][3] = [1..6]; var f = [0(3), N, 3..1]; var g[N]:{1..2} = *;\n"
      "var<Queue> h; hvar i = 7; var j:{0..3} = *; var k = a + 1;");
  const auto& all = module->variables;
  EXPECT_EQ(all[0].initial, nullptr);
  EXPECT_TRUE(all[1].is_boolean);
  EXPECT_EQ(all[2].range->low, 0);
  EXPECT_EQ(all[2].range->high, 2);
  EXPECT_EQ(all[3].range->low, std::nullopt);
  EXPECT_EQ(all[3].range->high, 5);
  EXPECT_EQ(all[4].dimensions, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(text_of(*all[4].initial), "[1,2,3,4,5,6]");
  EXPECT_EQ(all[5].dimensions, (std::vector<std::uint32_t>{7}));
  EXPECT_EQ(text_of(*all[5].initial), "[0,0,0,2,3,2,1]");
  EXPECT_TRUE(all[6].any);
  EXPECT_EQ(all[7].type, "Queue");
  EXPECT_TRUE(all[8].hidden);
  EXPECT_TRUE(all[9].any);
  EXPECT_EQ(text_of(*all[10].initial), "(a + 1)");
}

TEST(CspResolve, ChannelsAreNumbered) {
  const auto module = module_of(
      "#define N 3; channel a 0; channel b[N] 5; channel c N+1; P = Skip;");
  EXPECT_EQ(module->buffers, 5u);
  EXPECT_FALSE(module->channels[0].is_array);
  EXPECT_EQ(module->channels[1].first, 1u);
  EXPECT_EQ(module->channels[1].elements, 3u);
  EXPECT_EQ(module->channels[1].capacity, 5u);
  EXPECT_EQ(module->channels[2].first, 4u);
  EXPECT_EQ(module->channels[2].capacity, 4u);
}

TEST(CspResolve, FieldsOfInputsBindOrMatch) {
  const std::string head = "#define N 3; enum {red}; var g; channel c 0;\n";
  EXPECT_EQ(process_in(head + "P(i) = c?v.i.N.red.(i+1).5 -> e.v -> Skip;"),
            "c?v.=i.=3.=0.=(i + 1).=5 -> e.v -> Skip");
  EXPECT_EQ(process_in(head + "P(i) = c?v -> c?v -> Skip;"),
            "c?v -> c?=v -> Skip")
      << "substituted by then";
  EXPECT_EQ(process_in(head + "P(i) = c?v -> Skip [] c?v -> Skip;"),
            "(c?v -> Skip [] c?v -> Skip)");
  const auto module = module_of(head +
                                "P(i, j) = c?v.w -> [] k:{0..1}@"
                                "e.i.j.v.w.k -> Skip;");
  EXPECT_EQ(module->processes[0].slots, 5u);
  const Process& choice = *module->processes[0].body->children[0];
  EXPECT_EQ(choice.indices[0].slot, 4u);
  const EventName& event = choice.children[0]->events[0];
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(event.fields[i]->kind, ExprKind::kBound);
    EXPECT_EQ(event.fields[i]->number, static_cast<std::int64_t>(i));
  }
}

TEST(CspResolve, AlphabetsUseTheParameters) {
  const auto module = module_of(
      "#define N 2; P(i) = e.i -> c?v -> Skip; channel c 0;\n"
      "#alphabet P {e.i, x:{0..N};y:{0,1}@f.x.y.i};");
  const Definition& definition = module->processes[0];
  ASSERT_TRUE(definition.alphabet.has_value());
  EXPECT_EQ(text_of((*definition.alphabet)[0]), "e.i");
  EXPECT_EQ(text_of((*definition.alphabet)[1]), "x:{0..2};y:{0,1}@f.x.y.i");
  EXPECT_EQ((*definition.alphabet)[1].indices[0].slot, 2u);
  EXPECT_EQ(definition.slots, 4u);
}

TEST(CspResolve, ParametersHaveRanges) {
  const auto module = module_of("#define N 2; P(i:{0..N}, j) = Skip;");
  EXPECT_EQ(module->processes[0].ranges[0]->high, 2);
  EXPECT_FALSE(module->processes[0].ranges[1].has_value());
}

TEST(CspResolve, ProcessesAreCounted) {
  EXPECT_EQ(proposition_in("P() = Skip; #define n #P();", "n"), "#P()");
}

// Names that are bound hide those of the model.
TEST(CspResolve, InnerNamesHideOuterOnes) {
  const auto module = module_of(
      "var x; P(x) = e.x{var y = x; {var x = y; x = x + 1}} -> "
      "||| x:{0..1}@f.x -> Skip;");
  const Process& prefix = *module->processes[0].body;
  EXPECT_EQ(prefix.events[0].fields[0]->kind, ExprKind::kBound);
  const Process& all = *prefix.children[0];
  EXPECT_EQ(all.children[0]->events[0].fields[0]->number, 1);
}

TEST(CspResolve, FilesAreIncludedOnce) {
  const std::map<std::string, std::string> files = {
      {"a.csp", "#include \"b.csp\";\nA = b -> Skip;"},
      {"b.csp", "#include \"a.csp\";\n#define N 7;"}};
  const auto module = module_of(
      "#include \"a.csp\"; #include \"a.csp\"; P = A; Q = e.N -> A;", files);
  EXPECT_EQ(module->processes.size(), 3u);
  EXPECT_EQ(errors_of("#include \"a.csp\";\nP = A;",
                      {{"a.csp", "\n\nA = b -> C;\n"}}),
            "a.csp:3:10: error: there is no process 'C'\n"
            "  3 | A = b -> C;\n"
            "    |          ^\n"
            "hint: define it with 'C() = ...;', or write 'C -> Skip' if it is "
            "an event\n");
  EXPECT_EQ(errors_of("P = A;\n#include \"z.csp\";"),
            "m.csp:2:10: error: 'z.csp' cannot be read\n"
            "  2 | #include \"z.csp\";\n"
            "    |          ^~~~~~~\n"
            "hint: its path is relative to the folder of the model\n");
}

TEST(CspResolve, WithoutALoaderNothingIsIncluded) {
  EXPECT_EQ(read_module("m", "#include \"a\";", nullptr).errors.size(), 1u);
}

TEST(CspResolve, LibrariesThatAreNotKnownAreAWarningUntilTheyAreUsed) {
  const std::string head = "#import \"PAT.Lib.Set\"; #import \"PAT.Lib.Mine\";";
  const auto module = module_of(head + "var<Set> s; P = Skip;");
  ASSERT_EQ(module->warnings.size(), 1u);
  EXPECT_EQ(module->warnings[0].what,
            "'PAT.Lib.Mine' is not known: what it declares cannot be used");
  EXPECT_EQ(
      messages_of(head + "var<Mine> s; P = e{call(mine, 1)} -> Skip;").size(),
      2u);
}

TEST(TextSource, PartsHaveNamesAndLinesOfTheirOwn) {
  text::Source source("a", "one\ntwo");
  EXPECT_EQ(source.end_of_part(0), 7u);
  const std::uint32_t begin = source.append("b", "three\nfour\n");
  EXPECT_EQ(source.end_of_part(0), 7u);
  EXPECT_EQ(source.end_of_part(begin), source.text().size());
  const Place last = source.place({7, 1});  // behind `two`
  EXPECT_EQ(last.source, "a");
  EXPECT_EQ(last.line, 2u);
  EXPECT_EQ(last.text, "two");
  const Place four = source.place({begin + 6, 4});
  EXPECT_EQ(four.source, "b");
  EXPECT_EQ(four.line, 2u);
  EXPECT_EQ(four.column, 1u);
  EXPECT_EQ(four.text, "four");
  EXPECT_EQ(source.line({begin, 1}), 1u);
}

}  // namespace
}  // namespace plumb::csp
