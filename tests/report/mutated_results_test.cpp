// SPDX-License-Identifier: Apache-2.0
// Result files that somebody broke: an error or a page, never a crash.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/result_entry.h"
#include "support/source_folder.h"

namespace plumb::report {
namespace {

std::vector<std::string> real_results() {
  const auto folder =
      testing::source_folder() / "tests" / "fuzz" / "corpus" / "result";
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(file),
                     std::istreambuf_iterator<char>());
  }
  return out;
}

std::size_t below(std::size_t bound, std::mt19937& random) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

// Another byte, some bytes less, or some of them twice.
std::string broken(std::string text, std::mt19937& random) {
  const std::size_t at = below(text.size(), random);
  const std::size_t size =
      below(std::min<std::size_t>(text.size() - at, 40) + 1, random);
  switch (below(4, random)) {
    case 0:
      text[at] = static_cast<char>(below(256, random));
      break;
    case 1:
      text.erase(at, size);
      break;
    case 2:
      text.insert(below(text.size(), random), text.substr(at, size));
      break;
    default:
      text.resize(at);
  }
  return text;
}

// A value of another kind somewhere in the tree: it stays JSON.
Json twisted(Json json, std::mt19937& random) {
  Json* at = &json;
  while ((at->is_object() || at->is_array()) && !at->empty() &&
         below(8, random) > 0) {
    auto next = at->begin();
    std::advance(next, static_cast<std::ptrdiff_t>(below(at->size(), random)));
    at = &*next;
  }
  const std::vector<Json> others = {nullptr,
                                    true,
                                    -1,
                                    1e300,
                                    "\u2028</script>",
                                    "\x1b",
                                    json,
                                    Json::array(),
                                    Json::object(),
                                    Json::array({Json()})};
  *at = others[below(others.size(), random)];
  return json;
}

TEST(MutatedResults, RealOnesAreRead) {
  const auto results = real_results();
  ASSERT_GE(results.size(), 3u);
  for (const std::string& text : results) EXPECT_TRUE(fuzz::result(text));
}

TEST(MutatedResults, BrokenBytesGiveAnErrorOrAPage) {
  std::mt19937 random(8);
  const auto results = real_results();
  for (int round = 0; round < 200; ++round) {
    std::string text = results[below(results.size(), random)];
    const std::size_t changes = 1 + below(3, random);
    for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
      text = broken(text, random);
    }
    fuzz::result(text);
  }
}

TEST(MutatedResults, OtherValuesGiveAnErrorOrAPage) {
  std::mt19937 random(9);
  const auto results = real_results();
  int read = 0;
  for (int round = 0; round < 200; ++round) {
    Json json = Json::parse(results[below(results.size(), random)]);
    for (std::size_t i = below(4, random) + 1; i > 0; --i) {
      json = twisted(std::move(json), random);
    }
    read += fuzz::result(json.dump()) ? 1 : 0;
  }
  EXPECT_GT(read, 30) << "most are no results of ours any more";
}

}  // namespace
}  // namespace plumb::report
