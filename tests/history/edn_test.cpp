// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "history/reading.h"

namespace plumb::history {
namespace {

Value value_of(const std::string& edn) {
  return read_text("{:process 0, :type :invoke, :f :enq, :value " + edn + "}",
                   "queue")
      .histories[0]
      .operations[0]
      .argument;
}

TEST(Edn, ReadsWhatJepsenWrites) {
  EXPECT_EQ(shown_text(R"(; a run
[{:process 4, :type :invoke, :f :write, :value 2}
 {:process :nemesis, :type :info, :f :start-partition, :value nil}
 {:process 4, :type :ok, :f :write, :value 2} ; done
 {:process 6,
  :type :invoke, :f :read,
  :value nil, :error [:timeout "x"]}
 #_{:process 6 :type :invoke}
 {:process 9, :type :invoke, :f :cas, :value [2 3]}
 {:process 9, :type :ok, :f :cas, :value [2 3]}
 {:process 6, :type :info, :f :read, :value nil}]
)",
                       "register"),
            "key null\n"
            "4 write(2)=null [0,1]\n"
            "6 read(null)=? [2,-]\n"
            "9 cas([2, 3])=true [3,4]\n");
}

TEST(Edn, OneMapOnALineWithTagsAndStringsIsReadTheSame) {
  EXPECT_EQ(
      shown_text(
          R"(#jepsen.history.Op{:process "p" :type "invoke" :f enq :value :x}
{"process" "p", "type" "ok", "f" "enq", "time" #inst "2020-01-01T00:00:00Z"}
({:process \a :type :invoke :f :deq} {:process \a :type :ok :f :deq :value "x"})
)",
          "queue"),
      "key null\n"
      "\"p\" enq(\"x\")=null [0,1]\n"
      "\"a\" deq(null)=\"x\" [2,3]\n");
}

TEST(Edn, RatiosAreExact) {
  EXPECT_EQ(value_of("1/3"), value_of("2/6"));
  EXPECT_NE(value_of("12/19"), value_of("0.631578947368421"))
      << "the same double";
  EXPECT_NE(value_of("9007199254740993/9007199254740991"),
            value_of("9007199254740994/9007199254740992"));
  EXPECT_EQ(compare(value_of("2/3"), value_of("0.66666666666666666")),
            std::strong_ordering::greater);
}

TEST(Edn, FormsBecomeValues) {
  EXPECT_EQ(value_of("12N"), Value::integer(12));
  EXPECT_EQ(value_of("+4"), Value::integer(4));
  EXPECT_EQ(value_of("-0xff"), Value::integer(-255));
  EXPECT_EQ(value_of("1.5M"), Value::real(1.5));
  EXPECT_EQ(value_of("2."), Value::integer(2));
  EXPECT_EQ(value_of("1e3"), Value::integer(1000));
  EXPECT_EQ(value_of("1/2"), Value::real(0.5));
  EXPECT_EQ(value_of("-21/8"), Value::real(-2.625));
  EXPECT_EQ(value_of("6/3"), Value::integer(2));
  EXPECT_EQ(value_of("123456789012345678901234567890N"),
            Value::big_number("123456789012345678901234567890"));
  EXPECT_EQ(value_of("-"), Value::text("-"));
  EXPECT_EQ(value_of(":a/b"), Value::text("a/b"));
  EXPECT_EQ(value_of("##NaN"), Value::text("NaN"));
  EXPECT_EQ(value_of("\\newline"), Value::text("\n"));
  EXPECT_EQ(value_of("\\}"), Value::text("}"));
  EXPECT_EQ(value_of("\\u00e9"), Value::text("\u00e9"));
  EXPECT_EQ(value_of("\"\\u00e9 \\ud83d\\ude00 \\\"\\\\\n\""),
            Value::text("\u00e9 \U0001F600 \"\\\n"));
  EXPECT_EQ(value_of("(1, [2 true] nil)").to_string(), "[1, [2, true], null]");
  EXPECT_EQ(value_of("#{3 1 2}").to_string(), "[1, 2, 3]");
  EXPECT_EQ(value_of("{:b 1, :a [2]}"), value_of("{:a (2) :b 1}"));
  EXPECT_EQ(value_of("#foo/bar [1 #_ 2 #_ #_ 3 4]").to_string(), "[1]");
  EXPECT_EQ(value_of("#object[a.B$c 0x1f \"x\"]").to_string(),
            "[\"a.B$c\", 31, \"x\"]");
}

TEST(Edn, WhatIsNoFormIsAnError) {
  for (const char* bad : {"012",       "1x",          "1/0",
                          "1/",        "0x",          "1e99999999999999999999",
                          "1..2",      "\\ab",        "\"\\q\"",
                          "\"\\u12\"", "\"\\ud800\"", "\"",
                          "[1",        "]",           "{:a}",
                          "#",         "##",          "'a",
                          ":",         "#{1",         "\\",
                          "#_",        "#tag",        "^a",
                          "\xff"}) {
    EXPECT_NE(error_of("{:process 0, :type :invoke, :f :enq, :value " +
                           std::string(bad) + "}",
                       "queue"),
              "")
        << bad;
  }
}

TEST(Edn, ErrorsShowTheLineEvenIfTheMapSpansSeveral) {
  EXPECT_EQ(
      error_of("[{:process 1 :type :invoke\n  :f :enqq\n :value 1}]", "queue"),
      "h.jsonl:2:6: error: unknown operation 'enqq' for queue\n"
      "  2 |   :f :enqq\n"
      "    |      ^~~~~\n"
      "hint: did you mean 'enq'?\n");
  EXPECT_EQ(error_of("[{:process 1 :type :invoke :f :deq}", "queue"),
            "h.jsonl:1:1: error: there is no ']' for this\n"
            "  1 | [{:process 1 :type :invoke :f :deq}\n"
            "    | ^\n");
  EXPECT_EQ(error_of("[1]", "queue"),
            "h.jsonl:1:2: error: a map was expected\n"
            "  1 | [1]\n"
            "    |  ^\n"
            "hint: an event is {:process 0, :type :invoke, :f :read, :value "
            "nil}\n");
  EXPECT_EQ(error_of("{:process 1 :process 2}", "queue"),
            "h.jsonl:1:22: error: the field 'process' is given twice\n"
            "  1 | {:process 1 :process 2}\n"
            "    |                      ^\n");
  EXPECT_EQ(error_of("{:process 1 :type \"a", "queue"),
            "h.jsonl:1:19: error: a string does not end\n"
            "  1 | {:process 1 :type \"a\n"
            "    |                   ^\n");
}

TEST(Edn, KeysAreFieldsToo) {
  EXPECT_EQ(shown_text("{:process 1 :type :invoke :f :deq :key 2}"
                       "{:process 2 :type :invoke :f :deq :object 1 :key 2}"
                       "{:process 3 :type :invoke :f :deq :key 2 :object 1}",
                       "queue"),
            "key 2\n"
            "1 deq(null)=? [0,-]\n"
            "key [1, 2]\n"
            "2 deq(null)=? [0,-]\n"
            "3 deq(null)=? [1,-]\n");
}

}  // namespace
}  // namespace plumb::history
