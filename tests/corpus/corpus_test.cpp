// SPDX-License-Identifier: Apache-2.0
// Real histories with known verdicts, where they are at hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "check/condition.h"
#include "check/decide.h"
#include "history/read.h"
#include "spec/catalogue.h"
#include "support/shared_folder.h"

namespace plumb::testing {
namespace {

using check::Answer;
using history::History;
using history::Operation;

struct Expected {
  std::string file, object, condition, verdict;
  std::uint64_t completed = 0, pending = 0;
};

// A table with a heading line; columns end in tabs.
std::vector<Expected> read_table(const std::filesystem::path& path) {
  std::vector<Expected> rows;
  std::ifstream table(path);
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream columns(line);
    Expected row;
    std::getline(columns, row.file, '\t');
    std::getline(columns, row.object, '\t');
    std::getline(columns, row.condition, '\t');
    std::getline(columns, row.verdict, '\t');
    columns >> row.completed >> row.pending;
    if (!row.file.empty()) rows.push_back(row);
  }
  return rows;
}

std::string verdict_on(const std::vector<History>& histories,
                       const spec::Specification& object,
                       const std::string& condition) {
  for (const History& history : histories) {
    Budget budget;
    const auto verdict = check::decide(
        history, object, check::parse_condition(condition), {}, budget);
    if (verdict.answer == Answer::kViolated) return "violated";
    if (verdict.answer == Answer::kUnknown) return "unknown";
  }
  return "holds";
}

TEST(Corpus, EveryVerdictIsRight) {
  const auto shared = shared_folder();
  if (!shared) GTEST_SKIP() << "there is no shared folder";
  const std::filesystem::path folder = *shared / "corpus" / "histories";
  if (!std::filesystem::exists(folder / "EXPECTED.tsv")) {
    GTEST_SKIP() << "there is no corpus/histories in the shared folder";
  }
  const std::vector<Expected> table = read_table(folder / "EXPECTED.tsv");
  ASSERT_FALSE(table.empty());
  for (const Expected& row : table) {
    const auto object = spec::make(row.object);
    const auto read =
        history::read_histories((folder / row.file).string(), *object);
    std::uint64_t completed = 0, pending = 0;
    for (const History& history : read.histories) {
      for (const Operation& operation : history.operations) {
        ++(operation.pending() ? pending : completed);
      }
    }
    EXPECT_EQ(completed, row.completed) << row.file;
    EXPECT_EQ(pending, row.pending) << row.file;
    EXPECT_EQ(verdict_on(read.histories, *object, row.condition), row.verdict)
        << row.file << ", " << row.condition;
  }
}

}  // namespace
}  // namespace plumb::testing
