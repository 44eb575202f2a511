// SPDX-License-Identifier: Apache-2.0
// What the readers say about bad input, word for word.
#include <gtest/gtest.h>

#include <string>

#include "history/reading.h"

namespace plumb::history {
namespace {

const std::string kEnq =
    "{\"process\": 2, \"type\": \"invoke\", \"f\": \"enq\", \"value\": 1}\n";

TEST(ReadErrors, AProcessThatInvokesTwice) {
  EXPECT_EQ(
      error_of(kEnq + "{\"process\": 2, \"type\": \"invoke\", \"f\": \"deq\"}",
               "queue"),
      "h.jsonl:2:39: error: process 2 invokes 'deq', but its 'enq' of line 1 "
      "has not returned\n"
      "  2 | {\"process\": 2, \"type\": \"invoke\", \"f\": \"deq\"}\n"
      "    |                                       ^~~~~\n"
      "hint: a process runs one operation at a time; 'info' gives one up\n");
}

TEST(ReadErrors, AReturnFromAnotherOperation) {
  EXPECT_EQ(
      error_of(kEnq + "{\"process\": 2, \"type\": \"ok\", \"f\": \"deq\"}",
               "queue"),
      "h.jsonl:2:35: error: process 2 returns from 'deq', but it invoked "
      "'enq' on line 1\n"
      "  2 | {\"process\": 2, \"type\": \"ok\", \"f\": \"deq\"}\n"
      "    |                                   ^~~~~\n");
}

TEST(ReadErrors, ACompletionOfNothing) {
  EXPECT_EQ(
      error_of("{\"process\": 5, \"type\": \"ok\", \"f\": \"enq\"}", "queue"),
      "h.jsonl:1:13: error: process 5 completes 'enq', but it has "
      "invoked nothing\n"
      "  1 | {\"process\": 5, \"type\": \"ok\", \"f\": \"enq\"}\n"
      "    |             ^\n");
  EXPECT_EQ(error_of(kEnq + "{\"process\": 2, \"type\": \"ok\"}\n"
                            "{\"process\": 2, \"type\": \"fail\"}",
                     "queue"),
            "h.jsonl:3:13: error: process 2 completes an operation, but what "
            "it invoked on line 1 has been completed already\n"
            "  3 | {\"process\": 2, \"type\": \"fail\"}\n"
            "    |             ^\n");
}

TEST(ReadErrors, AnInfoThatLostItsInvocationIsNoRemark) {
  EXPECT_EQ(
      error_of("{\"process\": 5, \"type\": \"info\", \"f\": \"enq\"}", "queue"),
      "h.jsonl:1:13: error: process 5 completes 'enq', but it has "
      "invoked nothing\n"
      "  1 | {\"process\": 5, \"type\": \"info\", \"f\": \"enq\"}\n"
      "    |             ^\n");
}

TEST(ReadErrors, AnUnknownOperation) {
  EXPECT_EQ(error_of("{\"process\": 0, \"type\": \"invoke\", \"f\": \"enqq\"}",
                     "queue"),
            "h.jsonl:1:39: error: unknown operation 'enqq' for queue\n"
            "  1 | {\"process\": 0, \"type\": \"invoke\", \"f\": \"enqq\"}\n"
            "    |                                       ^~~~~~\n"
            "hint: did you mean 'enq'?\n");
  EXPECT_EQ(
      error_of("{\"process\": 0, \"type\": \"invoke\", \"f\": 7}", "queue"),
      "h.jsonl:1:39: error: unknown operation '7' for queue\n"
      "  1 | {\"process\": 0, \"type\": \"invoke\", \"f\": 7}\n"
      "    |                                       ^\n"
      "hint: its operations are 'enq', 'deq'\n");
}

TEST(ReadErrors, FieldsThatAreMissingWrongOrTwice) {
  EXPECT_EQ(error_of("{\"type\": \"ok\"}", "queue"),
            "h.jsonl:1:1: error: the field 'process' is missing\n"
            "  1 | {\"type\": \"ok\"}\n"
            "    | ^\n"
            "hint: an event has 'process', 'type', 'f' and 'value'\n");
  EXPECT_EQ(error_of("{\"process\": 1}", "queue"),
            "h.jsonl:1:1: error: the field 'type' is missing\n"
            "  1 | {\"process\": 1}\n"
            "    | ^\n"
            "hint: the types are 'invoke', 'ok', 'fail' and 'info'\n");
  EXPECT_EQ(error_of("{\"process\": 1, \"type\": \"call\"}", "queue"),
            "h.jsonl:1:24: error: unknown type 'call'\n"
            "  1 | {\"process\": 1, \"type\": \"call\"}\n"
            "    |                        ^~~~~~\n"
            "hint: the types are 'invoke', 'ok', 'fail' and 'info'\n");
  EXPECT_EQ(error_of("{\"process\": 1, \"type\": \"invoke\"}", "queue"),
            "h.jsonl:1:1: error: the field 'f' is missing\n"
            "  1 | {\"process\": 1, \"type\": \"invoke\"}\n"
            "    | ^\n"
            "hint: 'f' names the operation that is invoked\n");
  EXPECT_EQ(error_of("{\"process\": 1, \"process\": 2}", "queue"),
            "h.jsonl:1:27: error: the field 'process' is given twice\n"
            "  1 | {\"process\": 1, \"process\": 2}\n"
            "    |                           ^\n");
}

TEST(ReadErrors, ValuesThatDoNotFitTheOperation) {
  EXPECT_EQ(error_of("{\"process\": 1, \"type\": \"invoke\", \"f\": \"cas\", "
                     "\"value\": [1, 2, 3]}",
                     "register"),
            "h.jsonl:1:55: error: 'cas' takes a list of two, but the value is "
            "[1, 2, 3]\n"
            "  1 | {\"process\": 1, \"type\": \"invoke\", \"f\": \"cas\", "
            "\"value\": [1, 2, 3]}\n"
            "    |                                                       "
            "^~~~~~~~~\n");
  EXPECT_EQ(
      error_of("{\"process\": 1, \"type\": \"invoke\", \"f\": \"insert\"}",
               "priority_queue"),
      "h.jsonl:1:1: error: 'insert' takes a number or a list that begins with "
      "one, but the value is null\n"
      "  1 | {\"process\": 1, \"type\": \"invoke\", \"f\": \"insert\"}\n"
      "    | ^\n");
  const std::string add =
      "{\"process\": 1, \"type\": \"invoke\", \"f\": \"contains\", \"value\": "
      "1}\n";
  EXPECT_EQ(
      error_of(add + "{\"process\": 1, \"type\": \"ok\", \"value\": 1}", "set"),
      "h.jsonl:2:39: error: 'contains' returns true or false, but the value "
      "is 1\n"
      "  2 | {\"process\": 1, \"type\": \"ok\", \"value\": 1}\n"
      "    |                                       ^\n");
  EXPECT_EQ(error_of("{\"process\": 1, \"type\": \"invoke\", \"f\": \"get\"}\n"
                     "{\"process\": 1, \"type\": \"ok\", \"value\": \"1\"}",
                     "counter"),
            "h.jsonl:2:39: error: 'get' returns an integer, but the value is "
            "\"1\"\n"
            "  2 | {\"process\": 1, \"type\": \"ok\", \"value\": \"1\"}\n"
            "    |                                       ^~~\n");
}

TEST(ReadErrors, TextThatIsNotJson) {
  EXPECT_EQ(error_of("{\"process\": 1, \"type\" \"ok\"}", "queue"),
            "h.jsonl:1:23: error: this is not JSON: this was not expected\n"
            "  1 | {\"process\": 1, \"type\" \"ok\"}\n"
            "    |                       ^\n"
            "hint: JSON Lines have one whole object on each line\n");
  EXPECT_EQ(error_of("{\"process\": \"a}", "queue"),
            "h.jsonl:1:1: error: this is not JSON: a string does not end\n"
            "  1 | {\"process\": \"a}\n"
            "    | ^\n"
            "hint: JSON Lines have one whole object on each line\n");
  EXPECT_EQ(error_of(kEnq + "[1]", "queue"),
            "h.jsonl:2:1: error: this is not JSON: an object was expected\n"
            "  2 | [1]\n"
            "    | ^\n"
            "hint: JSON Lines have one whole object on each line\n");
  EXPECT_EQ(error_of("hello", "queue"),
            "h.jsonl:1:1: error: this is no history: neither JSON Lines nor "
            "EDN\n"
            "  1 | hello\n"
            "    | ^\n"
            "hint: a history begins with '{', or with '[' in EDN; "
            "docs/histories.md has other formats\n");
}

TEST(ReadErrors, SomethingIsWrongWithinAFieldThatIsIgnored) {
  EXPECT_NE(error_of("{\"x\": [1, nul], \"process\": 1}", "queue"), "");
  EXPECT_NE(error_of("{\"x\": {\"a\" 1}, \"process\": 1}", "queue"), "");
  EXPECT_NE(error_of("{\"x\": \"\\ud800\", \"process\": 1}", "queue"), "");
  EXPECT_NE(error_of("{\"x\": 01, \"process\": 1}", "queue"), "");
  EXPECT_NE(error_of(kEnq.substr(0, kEnq.size() - 1) + " {}", "queue"), "");
}

// The limit named in collections.h.
TEST(ReadErrors, ValuesNestedTooDeep) {
  const std::string start =
      "{\"process\": 1, \"type\": \"invoke\", \"f\": \"enq\", \"value\": ";
  const auto nested = [&](std::size_t depth) {
    return start + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(error_of(nested(60), "queue"), "");
  EXPECT_NE(error_of(nested(100'000), "queue").find("deeper than 64"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(100'000, '['), "queue"), "");
  const std::string edn = "{:process 1 :type :invoke :f :enq :value ";
  EXPECT_NE(
      error_of(edn + std::string(100'000, '['), "queue").find("deeper than 64"),
      std::string::npos);
  EXPECT_NE(error_of(edn + std::string(100'000, '('), "queue"), "");
}

TEST(ReadErrors, InALineThatWasReadByItsShapeAreTheSame) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += kEnq + "{\"process\": 2, \"type\": \"ok\", \"f\": \"enq\"}\n";
  }
  text += kEnq + kEnq + std::string(1000, ' ');
  EXPECT_EQ(error_of(text, "queue"),
            "h.jsonl:42:39: error: process 2 invokes 'enq', but its 'enq' of "
            "line 41 has not returned\n"
            "  42 | {\"process\": 2, \"type\": \"invoke\", \"f\": \"enq\", "
            "\"value\": 1}\n"
            "     |                                       ^~~~~\n"
            "hint: a process runs one operation at a time; 'info' gives one "
            "up\n");
}

}  // namespace
}  // namespace plumb::history
