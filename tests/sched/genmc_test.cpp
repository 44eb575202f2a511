// SPDX-License-Identifier: Apache-2.0
// As many graphs as GenMC counts for its tests (genmc_counts.txt).
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/source_folder.h"
#include "support/weak_code.h"

namespace plumb::sched {
namespace {

using test_support::compile_weak_text;
using test_support::count_graphs;
using test_support::WeakCounts;
using test_support::WeakText;

using Counts = std::vector<std::uint64_t>;

// A test of GenMC, and what it counts for each size.
struct Entry {
  std::string name;
  std::vector<int> sizes;
  Counts sc, rc11;
  std::string program, initially, left_out;
  bool unlocked = false;  // graphs differ by more than what locks do
  bool by_name = false, by_hand = false;
  std::optional<Counts> ours_sc, ours_rc11;  // where they differ
};

template <typename Number>
std::vector<Number> numbers(const std::string& word) {
  std::vector<Number> out;
  std::istringstream in(word.substr(word.find('=') + 1));
  for (std::string one; std::getline(in, one, ',');) {
    out.push_back(static_cast<Number>(std::stoull(one)));
  }
  return out;
}

void read_counts(const std::string& line, Entry& entry) {
  std::istringstream in(line);
  in >> entry.name;
  for (std::string word; in >> word;) {
    if (word.starts_with("N=")) entry.sizes = numbers<int>(word);
    if (word.starts_with("sc=")) entry.sc = numbers<std::uint64_t>(word);
    if (word.starts_with("rc11=")) entry.rc11 = numbers<std::uint64_t>(word);
  }
  if (entry.sizes.empty()) entry.sizes.push_back(0);
}

bool take(std::string& line, const std::string& word) {
  if (!line.starts_with(word)) return false;
  line.erase(0, word.size());
  return true;
}

void read_line(std::string line, Entry& entry) {
  line.erase(0, line.find_first_not_of(' '));
  if (take(line, "not: ")) {
    entry.left_out = line;
  } else if (take(line, "ours: ")) {
    Entry ours;
    read_counts("- " + line, ours);
    entry.ours_sc = ours.sc;
    entry.ours_rc11 = ours.rc11;
  } else if (take(line, "initially: ")) {
    entry.initially = line;
  } else if (line == "unlocked") {
    entry.unlocked = true;
  } else if (line == "by name") {
    entry.by_name = true;
  } else if (line == "by hand") {
    entry.by_hand = true;
  } else {
    entry.program += ' ' + line;
  }
}

std::vector<Entry> entries() {
  std::ifstream in(testing::source_folder() / "tests/sched/genmc_counts.txt");
  std::vector<Entry> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      read_counts(line, out.emplace_back());
    } else {
      read_line(line, out.back());
    }
  }
  return out;
}

void compare(const Entry& entry, MemoryModel model, const Counts& wanted) {
  const char* const name = model == MemoryModel::kSc ? "sc" : "rc11";
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const int size = entry.sizes[i];
    const WeakText text =
        compile_weak_text(entry.program, entry.initially, size);
    const WeakCounts found =
        count_graphs(text, model, entry.unlocked || wanted[i] < 2'000);
    EXPECT_EQ(entry.unlocked ? found.unlocked : found.complete, wanted[i])
        << entry.name << ' ' << name << " N=" << size;
    EXPECT_EQ(found.twice, 0u) << entry.name;
    EXPECT_FALSE(found.diverged) << entry.name;
  }
}

TEST(GenMc, CountsAsManyGraphs) {
  const bool exhaustive = std::getenv("PLUMB_EXHAUSTIVE") != nullptr;
  for (const Entry& entry : entries()) {
    if (!entry.left_out.empty() || (entry.by_hand && !exhaustive)) continue;
    compare(entry, MemoryModel::kSc, entry.ours_sc.value_or(entry.sc));
    compare(entry, MemoryModel::kRc11, entry.ours_rc11.value_or(entry.rc11));
  }
}

// Stores may go behind later loads, and nothing else.
TEST(GenMc, FewTestsHaveMoreGraphsOnX86) {
  std::vector<std::string> weak;
  for (const Entry& entry : entries()) {
    if (!entry.left_out.empty() || entry.by_hand || entry.rc11[0] > 2'000) {
      continue;
    }
    const WeakText text =
        compile_weak_text(entry.program, entry.initially, entry.sizes[0]);
    const auto count = [&](MemoryModel model) {
      return count_graphs(text, model, false).complete;
    };
    const std::uint64_t tso = count(MemoryModel::kTso);
    EXPECT_LE(tso, count(MemoryModel::kRc11)) << entry.name;
    if (tso != count(MemoryModel::kSc)) weak.push_back(entry.name);
  }
  const std::vector<std::string> expected = {
      "data-structures/hw-queue", "litmus/SB",
      "litmus/SB+3sc+rel",        "litmus/SB+rfis",
      "synthetic/eratosthenes",   "synthetic/peterson"};
  EXPECT_EQ(weak, expected);
}

// As docs/memory-models.md says.
TEST(GenMc, MostTestsAreComparedAndMostCountsAreEqual) {
  std::size_t all = 0, compared = 0, different = 0, by_name = 0;
  for (const Entry& entry : entries()) {
    all += entry.left_out != "has no counts";
    if (!entry.left_out.empty()) continue;
    ++compared;
    different += entry.ours_rc11.has_value();
    by_name += entry.by_name;
  }
  EXPECT_EQ(all, 326u);
  EXPECT_EQ(compared, 239u);
  EXPECT_EQ(different, 8u);
  EXPECT_EQ(by_name, 43u);
}

}  // namespace
}  // namespace plumb::sched
