// SPDX-License-Identifier: Apache-2.0
#include "history/write.h"

#include <gtest/gtest.h>

#include <string>

#include "history/reading.h"

namespace plumb::history {
namespace {

TEST(Write, GivesJsonLinesWithAnInfoWhereAProcessGoesOn) {
  const std::string text =
      "{\"process\": 0, \"type\": \"invoke\", \"f\": \"enq\", \"value\": 1}\n"
      "{\"process\": \"b\", \"type\": \"invoke\", \"f\": \"deq\", \"value\": "
      "null}\n"
      "{\"process\": 0, \"type\": \"info\", \"f\": \"enq\", \"value\": null}\n"
      "{\"process\": 0, \"type\": \"invoke\", \"f\": \"enq\", \"value\": [2, "
      "\"\\n\"]}\n"
      "{\"process\": \"b\", \"type\": \"ok\", \"f\": \"deq\", \"value\": 1}\n";
  const ReadResult result = read_text(text, "queue");
  EXPECT_EQ(write_jsonl(result.histories[0], *spec::make("queue")), text);
}

TEST(Write, KeepsKeysApartAndTogether) {
  const std::string text =
      "{\"process\": 0, \"type\": \"invoke\", \"f\": \"enq\", \"value\": 1, "
      "\"key\": \"a\"}\n"
      "{\"process\": 0, \"type\": \"ok\", \"f\": \"enq\", \"value\": null, "
      "\"key\": \"a\"}\n"
      "{\"process\": 0, \"type\": \"invoke\", \"f\": \"deq\", \"value\": null, "
      "\"key\": 7}\n";
  const auto queue = spec::make("queue");
  const ReadResult apart = read_text(text, "queue");
  ASSERT_EQ(apart.histories.size(), 2u);
  EXPECT_EQ(write_jsonl(apart.histories[0], *queue) +
                write_jsonl(apart.histories[1], *queue),
            text);
  ReadOptions options;
  options.together = true;
  const ReadResult together = read_text(text, "queue", options);
  EXPECT_EQ(write_jsonl(together.histories[0], *queue, {.together = true}),
            text);
}

TEST(Write, ListsInARegisterAreNotTakenForTuplesWhenReadAgain) {
  ReadOptions plain;
  plain.keys = ReadOptions::Keys::kNone;
  const ReadResult result = read_text(
      "{:process 0 :type :invoke :f :cas :value [1 [2 3]]}", "register", plain);
  const std::string text =
      write_jsonl(result.histories[0], *spec::make("register"));
  EXPECT_EQ(shown_text(text, "register"),
            "key null\n0 cas([1, [2, 3]])=? [0,-]\n");
}

TEST(Write, APartOfAHistoryKeepsItsOrder) {
  History history = read_text(
                        "{:process 0 :type :invoke :f :enq :value 1}"
                        "{:process 1 :type :invoke :f :enq :value 2}"
                        "{:process 1 :type :ok}{:process 0 :type :ok}"
                        "{:process 1 :type :invoke :f :deq}",
                        "queue")
                        .histories[0];
  history.operations.erase(history.operations.begin());
  EXPECT_EQ(shown_text(write_jsonl(history, *spec::make("queue")), "queue"),
            "key null\n1 enq(2)=null [0,1]\n1 deq(null)=? [2,-]\n");
}

}  // namespace
}  // namespace plumb::history
