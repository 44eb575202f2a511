// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "lang/front_end_test_support.h"
#include "lang/lexer.h"

namespace plumb::lang {
namespace {

std::string format(const std::string& text) {
  return format_model("m.plumb", text);
}

// Lays out statements in an operation; gives back their lines.
std::string format_body(const std::string& statements) {
  const std::string head = "object a {\n    void f() {\n";
  const std::string all =
      format("object a { void f() {\n" + statements + "\n}}");
  EXPECT_TRUE(all.starts_with(head)) << all;
  EXPECT_TRUE(all.ends_with("    }\n}\n")) << all;
  return all.substr(head.size(), all.size() - head.size() - 8);
}

TEST(Format, KeepsAModelThatIsInTheHouseLayout) {
  EXPECT_EQ(format(kEverything).substr(0, 400),
            std::string(kEverything).substr(0, 400));
  const std::string text =
      "// A lock that is taken by whoever finds it free.\n"
      "object spin_lock implements mutex {\n"
      "    struct Ticket { int number; Ticket next; }\n"
      "    shared process owner = nobody;\n"
      "\n"
      "    void acquire() {\n"
      "        while (true) {\n"
      "            await owner == nobody;\n"
      "            if (cas(owner, nobody, self)) return;\n"
      "        }\n"
      "    }\n"
      "\n"
      "    void release() { owner = nobody; }\n"
      "}\n"
      "\n"
      "check spin_lock linearizable with 3 processes, 2 operations;\n";
  EXPECT_EQ(format(text), text);
}

TEST(Format, SetsBracesAndLinesOfACarelessModel) {
  EXPECT_EQ(format(kCareless[1]),
            "spec s {\n"
            "    int n;\n"
            "    void inc() { n++; }\n"
            "    int get() { return n; }\n"
            "}\n"
            "object o implements s {\n"
            "    shared int n;\n"
            "    void inc() {\n"
            "        while (true) {\n"
            "            int t = n;\n"
            "            if (cas(n, t, t + 1))\n"
            "                return;\n"
            "        }\n"
            "    }\n"
            "    int get() {\n"
            "        return n;\n"
            "    }\n"
            "}\n"
            "\n"
            "check o linearizable with 2 processes;\n");
}

TEST(Format, SetsSpaces) {
  EXPECT_EQ(format("const   N=( 1+2 )*-3 ;"), "const N = (1 + 2) * -3;\n");
  EXPECT_EQ(format("const A=- -1-(-1)- -1;"), "const A = - -1 - (-1) - -1;\n");
  EXPECT_EQ(format("const A=! ! true&&!false||1<2;"),
            "const A = !!true && !false || 1 < 2;\n");
  EXPECT_EQ(format("const A = true?1:2 ;"), "const A = true ? 1 : 2;\n");
  EXPECT_EQ(format("enum E{a,b,}"), "enum E { a, b, }\n");
  EXPECT_EQ(format_body("x [ 1 ] . y ++ ;f( a , b ) ; x+=- 1;"),
            "        x[1].y++;\n        f(a, b);\n        x += -1;\n");
  EXPECT_EQ(format_body("int - 1 .. N+1 k; seq < int , 2 > q; a = b < c;"),
            "        int -1..N + 1 k;\n        seq<int, 2> q;\n"
            "        a = b < c;\n");
  EXPECT_EQ(format_body("for ( ; ; ) skip ; for(int i=0;i<2;i++)skip;"),
            "        for (;;) skip;\n"
            "        for (int i = 0; i < 2; i++) skip;\n");
  EXPECT_EQ(format_body("n=new N{v=1,w=null}; return-1; map<int,E>m; { }"),
            "        n = new N { v = 1, w = null };\n        return -1;\n"
            "        map<int, E> m;\n        {}\n");
  EXPECT_EQ(
      format("object a{role w :1 process{f}role r:others{g,h}int[2] g( )"
             "{skip;}}"),
      "object a {\n    role w: 1 process { f }\n    role r: others { g, h }\n"
      "    int[2] g() { skip; }\n}\n");
}

TEST(Format, KeepsShortStatementsOnOneLineIfTheyFit) {
  EXPECT_EQ(format_body("if (a) { x = 1; } else { x = 2; }"),
            "        if (a) { x = 1; } else { x = 2; }\n");
  EXPECT_EQ(format_body("if (a) {\nx = 1; } else { x = 2; }"),
            "        if (a) {\n            x = 1;\n        } else {\n"
            "            x = 2;\n        }\n");
  EXPECT_EQ(format_body("atomic { x = 1; y = 2; }"),
            "        atomic { x = 1; y = 2; }\n");
  EXPECT_EQ(
      format_body("atomic { first_variable = 1; second_variable = 2; third = 3;"
                  " fourth = 4; }"),
      "        atomic {\n            first_variable = 1;\n"
      "            second_variable = 2;\n            third = 3;\n"
      "            fourth = 4;\n        }\n");
}

TEST(Format, ABodyStaysBehindItsHeadIfItWasThere) {
  EXPECT_EQ(format_body("while (a) x = 1;\nwhile (a)\nx = 1;"),
            "        while (a) x = 1;\n        while (a)\n"
            "            x = 1;\n");
  EXPECT_EQ(format_body("if (a) x = 1; else\n if (b) x = 2;\nelse x = 3;"),
            "        if (a) x = 1;\n        else if (b) x = 2;\n"
            "        else x = 3;\n");
  EXPECT_EQ(format_body("do x = 1;\nwhile (a); do {\n x = 1; } while (a);"),
            "        do\n            x = 1;\n        while (a);\n"
            "        do {\n            x = 1;\n        } while (a);\n");
  EXPECT_EQ(format_body("choose { x = 1; }\nor { x = 2; }"),
            "        choose {\n            x = 1;\n        } or {\n"
            "            x = 2;\n        }\n");
  EXPECT_EQ(format_body("linearize\nif (a)\nreturn;\nlinearize ;"),
            "        linearize if (a)\n            return;\n"
            "        linearize;\n");
}

TEST(Format, LeavesFormulasAsTheyAre) {
  EXPECT_EQ(format("check o satisfies [](inv(a)-> <>  res(a)) under weak "
                   "fairness   with 2 processes;"),
            "check o satisfies [](inv(a)-> <> res(a)) under weak fairness with "
            "2 processes;\n");
}

TEST(Format, BreaksLongLines) {
  EXPECT_EQ(
      format("check object_with_a_long_name linearizable with 3 processes,"
             " values 1..2, 2 operations expect violated;"),
      "check object_with_a_long_name linearizable with 3 processes, "
      "values 1..2,\n    2 operations expect violated;\n");
  EXPECT_EQ(
      format_body("while (first_condition && second_condition || "
                  "third_condition && fourth_condition) { skip; }"),
      "        while (first_condition && second_condition || third_condition\n"
      "                && fourth_condition) {\n"
      "            skip;\n        }\n");
}

TEST(Format, KeepsOneEmptyLine) {
  EXPECT_EQ(format("\n\nconst A = 1;\n\n\n\nconst B = 2;\nconst C = 3;\n\n\n"),
            "const A = 1;\n\nconst B = 2;\nconst C = 3;\n");
  EXPECT_EQ(format_body("\n\n x = 1;\n\n\n y = 2;\n\n"),
            "        x = 1;\n\n        y = 2;\n");
}

TEST(Format, KeepsComments) {
  EXPECT_EQ(format(kCareless[2]), R"(object o {
    shared int x;
    void f() {
        if (x == 1)  // one
            x = 2;  // two
        else
            /* three */ if (x - -1 == 3) {  // four
                x = 4;
                // five
            }  // six
            else {}  // seven
        while (x < 10 && x > 1 && x != 5 || x == 1 && (x < 7 || x > 3)
                || x == 12 && x != 3)
            x++;
        do {
            x--;
        }
        /* eight */ while (x > 0);
        for (;;) break;
        int y = /* nine */ x +  // ten
            // eleven
            1;
        // twelve
    }
}
)");
}

TEST(Format, KeepsCommentsAtTheEdges) {
  EXPECT_EQ(format("// a\n\n/* b */ const A = 1; /* c */ const B = 2; // d  \n"
                   "// e\n\n\n// f\n"),
            "// a\n\n/* b */ const A = 1;\n/* c */ const B = 2;  // d\n"
            "// e\n\n// f\n");
  EXPECT_EQ(format("object a { // b\n // c\n\n // d\n}"),
            "object a {  // b\n    // c\n\n    // d\n}\n");
  EXPECT_EQ(format("/* a\n   b */\r\nconst A = 1; // c\r\n"),
            "/* a\n   b */\nconst A = 1;  // c\n");
}

TEST(Format, ACommentBeforeABlockTakesItsRoom) {
  const std::string block = "{ first = 1; second = 2; third = 3; fourth = 4; }";
  EXPECT_EQ(format_body("/* short */ " + block),
            "        /* short */ {\n            first = 1;\n"
            "            second = 2;\n            third = 3;\n"
            "            fourth = 4;\n        }\n");
  EXPECT_EQ(format_body(block), "        " + block + "\n");
}

TEST(Format, ThrowsTheFirstErrorOfAModelThatDoesNotParse) {
  try {
    format("const A = ;\nconst = 3;");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().line, 1u);
    EXPECT_STREQ(error.what(), "unexpected ';', expected an expression");
  }
  EXPECT_EQ(format("object a { void f() { unknown = 1; } }"),
            "object a {\n    void f() { unknown = 1; }\n}\n")
      << "types do not matter";
}

struct Words {
  std::vector<std::string> tokens, comments;
  friend bool operator==(const Words&, const Words&) = default;
};

Words words_of(const std::string& text) {
  const Source source("m.plumb", text);
  Diagnostics diagnostics(source, 1);
  const Lexed lexed = lex(source, diagnostics);
  Words words;
  for (const Token& token : lexed.tokens) {
    words.tokens.emplace_back(source.text(token.span));
  }
  for (const Comment& comment : lexed.comments) {
    std::string shown(source.text(comment.span));
    while (shown.ends_with(' ')) shown.pop_back();
    words.comments.push_back(std::move(shown));
  }
  return words;
}

void expect_sound(const std::string& text) {
  const std::string once = format(text);
  ASSERT_EQ(format(once), once) << "formatting twice is formatting once";
  ASSERT_EQ(words_of(once), words_of(text)) << once;
  ASSERT_EQ(once.find(" \n"), std::string::npos) << once;
  ASSERT_EQ(once.find("\n\n\n"), std::string::npos) << once;
  ASSERT_TRUE(once.empty() || once.back() == '\n');
}

TEST(Format, IsIdempotentAndKeepsAllWords) {
  for (const std::string& text : sample_models()) {
    ASSERT_NO_FATAL_FAILURE(expect_sound(text));
  }
}

// What may stand between two tokens, the rarer the further right.
std::string random_gap(std::mt19937& random, unsigned rarity) {
  switch (random() % rarity) {
    case 0:
      return "\n";
    case 1:
      return " // line\n";
    case 2:
      return " /* block */ ";
    case 3:
      return "\n\n\n";
    case 4:
      return "\n// own line  \n";
    case 5:
      return " /* two\n   lines */";
    case 6:
      return "\n  /* before */ ";
    case 7:
      return " /* a */ /* b */ // c\n\n // d\n";
    default:
      return " ";
  }
}

TEST(Format, IsSoundHoweverTheWordsAreLaidOut) {
  std::mt19937 random(11);
  for (const std::string& text : sample_models()) {
    const Words words = words_of(text);
    for (const unsigned rarity : {3u, 8u, 40u, 200u, 5'000u}) {
      std::string laid_out;
      for (const std::string& token : words.tokens) {
        laid_out += token + random_gap(random, rarity);
      }
      ASSERT_NO_FATAL_FAILURE(expect_sound(laid_out)) << laid_out;
    }
  }
}

}  // namespace
}  // namespace plumb::lang
