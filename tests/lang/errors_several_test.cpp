// SPDX-License-Identifier: Apache-2.0
// Several errors in one run: each is found, and nothing is invented.
#include <gmock/gmock.h>

#include "lang/front_end_test_support.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::size_t> lines_of(const std::string& text) {
  std::vector<std::size_t> lines;
  for (const InputError& error : read_model("m.plumb", text).errors) {
    lines.push_back(error.place().line);
  }
  return lines;
}

TEST(SeveralErrors, AreFoundInOneRun) {
  EXPECT_THAT(lines_of(R"(const N = ;
object a implements stack {
    struct Node { int val Node next; }
    shared Node top = null
    shared int x = 3;
    void push(int v) {
        x = 1
        if (x = 2) return;
        retrun 3;
        while x { }
        foo(1, 2;
    }
    int pop( { }
    bool new() { return true; }
}
chekc a linearizable with 2 processes;
check a linearizable with 2 procs;
check a linearizable with 2 processes expect violeted;
check a
)"),
              ElementsAre(1, 3, 4, 7, 8, 9, 10, 11, 13, 14, 16, 17, 18, 19));
}

TEST(SeveralErrors, OfTypesAreFoundInOneRun) {
  EXPECT_THAT(lines_of(R"(const N = M;
object a implements stack {
    shared Nod top = null;
    shared int x = true;
    void psh(int v) {
        x = null;
        tpo = 1;
        tpo = 2;
        v.next = 3;
    }
    int pop() { }
}
check a linearizible with 2 processes;
check b safe with 2 processes;
check a safe with K = 1;
)"),
              ElementsAre(1, 3, 4, 5, 6, 7, 9, 11, 13, 14, 15, 15));
}

TEST(SeveralErrors, AreCountedUpToALimit) {
  std::string text = "object a { void f() {\n";
  for (int i = 0; i < 100; ++i) text += "u" + std::to_string(i) + " = 1;\n";
  const auto lines = lines_of(text + "} }");
  EXPECT_THAT(lines, SizeIs(kMostErrors));
  EXPECT_EQ(lines.front(), 2u) << "the first ones";
  EXPECT_EQ(lines.back(), kMostErrors + 1);
}

// What follows from an error is not another one.
TEST(SeveralErrors, AreNotInvented) {
  for (const char* text : {
           "object a { shared Nod n; void f() { n.val = n.next[0] + 1; } }",
           "object a { shared int x = ; void f() { x = 1; } }",
           "const N = x; object a { shared int y[N]; "
           "void f() { y[N] = N; if (N) skip; } }",
           "object a { void f() { u = u + u; while (u) u(u.v); } }",
           "object a { void f() { g() = 1; g() = 2; } }",
           "object a { void f() { int v = u; bool w = v == 1; v = w; } }",
           "object a { void f() { Nod n = new Nod2; n = null; n.x++; } }",
           "object a { function int f() { return g(f2(1), 2) + 1; } }",
           "object a implements stak { int pop() { return 1; } }\n"
           "check a linearizable with 1 process;",
       }) {
    EXPECT_LE(lines_of(text).size(), 2u) << errors_of(text);
  }
}

TEST(SeveralErrors, AForgottenBraceIsOneError) {
  EXPECT_EQ(errors_of("object a {\n    shared int x;\n    void f() {\n"
                      "        if (x == 3) {\n            x = 4;\n    }\n"
                      "    shared int y;\n    void g() { y = 1; }\n}\n"
                      "check a safe with 2 processes;\n"),
            "m.plumb:7:5: error: unexpected 'shared', expected '}'\n"
            "  7 |     shared int y;\n"
            "    |     ^~~~~~\n"
            "hint: the '{' on line 3 is not closed\n");
  EXPECT_THAT(lines_of("object a {\n    void f() { skip; }\n"
                       "check a safe with 2 processes;\nconst N = ;\n"),
              ElementsAre(3, 4));
}

TEST(SeveralErrors, ReadingGoesOnBehindTheWholeStatement) {
  EXPECT_THAT(messages_of("object a { void f() { while x { { skip; } skip; } "
                          "y = ; } void g() { z = ; } }"),
              ElementsAre("unexpected 'x', expected '(' after 'while'",
                          "unexpected ';', expected an expression",
                          "unexpected ';', expected an expression"));
}

TEST(SeveralErrors, AnOddCharacterIsOneError) {
  EXPECT_THAT(
      lines_of("object a {\n    shared int x@;\n    void f() {\n"
               "        x = 1 & 2;\n        x = 'a b c';\n"
               "        x = 1; \x80\xff\n        gr\xc3\xb6\xc3\x9f = 1;"
               "\n    }\n}\n"),
      ElementsAre(2, 4, 5, 6, 7));
}

TEST(SeveralErrors, NulBytesAreErrors) {
  const std::string text("const N = 1;\0\0 const M = 2;", 27);
  const auto errors = read_model("m.plumb", text).errors;
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_STREQ(errors[0].what(), "unexpected byte 0x00");
  EXPECT_EQ(errors[0].place().column, 13u);
  EXPECT_EQ(errors[0].place().length, 2u);
}

TEST(SeveralErrors, PlacesAreRightInFilesOfOtherSystems) {
  EXPECT_EQ(errors_of("const N = 1;\r\nconst M = ;\r\n"),
            "m.plumb:2:11: error: unexpected ';', expected an expression\n"
            "  2 | const M = ;\n"
            "    |           ^\n");
}

}  // namespace
}  // namespace plumb::lang
