// SPDX-License-Identifier: Apache-2.0
// Replays the stored corpus of the fuzz targets, with any compiler.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/entry_points.h"
#include "fuzz/words_entry.h"
#include "support/source_folder.h"

namespace plumb::history {
namespace {

void replay(const std::string& reader, void (*run)(std::string_view)) {
  const auto folder =
      testing::source_folder() / "tests" / "fuzz" / "corpus" / reader;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    SCOPED_TRACE(entry.path().filename().string());
    run(bytes);
    // Cut off here and there.
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 24) {
      run(std::string_view(bytes).substr(0, i));
    }
    ++count;
  }
  EXPECT_GT(count, 3u) << "the corpus is missing";
}

TEST(FuzzCorpus, OfJsonLinesIsReadTheSameWithAndWithoutShapes) {
  replay("json_lines", fuzz::json_lines);
}
TEST(FuzzCorpus, OfJsonArraysDoesNoHarm) {
  replay("json_array", fuzz::json_array);
}
TEST(FuzzCorpus, OfEdnDoesNoHarm) {
  replay("edn", fuzz::edn);
}
TEST(FuzzCorpus, OfOtherFormatsDoesNoHarm) {
  replay("formats", fuzz::formats);
}
TEST(FuzzCorpus, OfGzipDoesNoHarm) {
  replay("gzip", fuzz::gzip);
}
TEST(FuzzCorpus, OfModelsGivesErrorsOrModels) {
  replay("model", fuzz::model);
}

TEST(FuzzCorpus, OfCspModelsGivesErrorsOrModels) {
  replay("csp", fuzz::csp);
}
TEST(FuzzCorpus, OfWordsIsTheSameWhenWrittenAndReadAgain) {
  replay("condition", fuzz::condition);
  replay("specification", fuzz::specification);
  replay("quantity", fuzz::quantity);
  replay("formula", fuzz::formula);
  replay("trace", fuzz::trace);
}
TEST(FuzzCorpus, OfCheckpointsIsRefused) {
  replay("checkpoint", fuzz::checkpoint);
}

}  // namespace
}  // namespace plumb::history
