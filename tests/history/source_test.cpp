// SPDX-License-Identifier: Apache-2.0
// Files, pipes, gzip, and limits.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "history/line_reader.h"
#include "history/reading.h"

namespace plumb::history {
namespace {

const std::string kLine =
    "{\"process\": 1, \"type\": \"invoke\", \"f\": \"deq\"}\n"
    "{\"process\": 1, \"type\": \"ok\", \"f\": \"deq\"}\n";

std::string packed(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8,
                         Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

class SourceTest : public ::testing::Test {
 protected:
  SourceTest() {
    std::string name = ::testing::TempDir() + "plumb-source-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~SourceTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(SourceTest, PackedAndPlainFilesAreTheSame) {
  const std::string text = repeated(kLine, 20'000);
  std::ofstream(folder_ / "plain") << text;
  std::ofstream(folder_ / "packed") << packed(text);
  const auto queue = spec::make("queue");
  for (const char* name : {"plain", "packed"}) {
    const ReadResult result = read_histories(folder_ / name, *queue);
    EXPECT_EQ(result.histories[0].size(), 20'000u) << name;
    EXPECT_EQ(result.stats.bytes, text.size()) << name;
    EXPECT_EQ(result.stats.lines, 40'000u) << name;
  }
}

TEST(Gzip, MembersInARowAndZerosBehindThemAreFine) {
  const std::string one = packed(kLine);
  EXPECT_EQ(read_text(one + one + one, "queue").histories[0].size(), 3u);
  EXPECT_EQ(read_text(one + std::string(9, '\0'), "queue").histories[0].size(),
            1u);
}

TEST(Gzip, WhatIsCutOffOrBrokenIsAnError) {
  const std::string one = packed(repeated(kLine, 1000));
  for (std::size_t size : {std::size_t{2}, one.size() / 2, one.size() - 1}) {
    EXPECT_EQ(error_of(one.substr(0, size), "queue"),
              "h.jsonl: error: ends in the middle of its gzip data\n");
  }
  EXPECT_EQ(error_of(one + "junk", "queue"),
            "h.jsonl: error: is broken gzip data: incorrect header check\n");
  std::string broken = one;
  broken[broken.size() - 6] ^= 1;
  EXPECT_EQ(error_of(broken, "queue"),
            "h.jsonl: error: is broken gzip data: incorrect data check\n");
}

TEST_F(SourceTest, FilesThatCannotBeReadAreErrors) {
  const auto queue = spec::make("queue");
  const auto error = [&](const std::string& path) -> std::string {
    try {
      read_histories(path, *queue);
    } catch (const InputError& e) {
      return e.describe();
    }
    return "";
  };
  const std::string missing = folder_ / "missing";
  EXPECT_EQ(error(missing),
            missing + ": error: cannot be opened: No such file or directory\n");
  EXPECT_EQ(error(folder_),
            folder_.string() + ": error: cannot be read: Is a directory\n");
}

TEST(Lines, ThatAreTooLongAreErrors) {
  std::string text = "{\"process\": 1, \"x\": \"";
  text.resize(LineReader::kLongestLine + 100, 'a');
  EXPECT_EQ(error_of(text, "queue"),
            "h.jsonl:1:1: error: this line is longer than 64 MiB\n"
            "hint: write one event on a line\n");
  // The limit named in json_lines.h.
  text.replace(0, 20, "[{\"process\": 1, \"x\":");
  EXPECT_EQ(error_of(text, "queue"),
            "h.jsonl: error: this JSON array is longer than 64 MiB\n"
            "hint: write one object on a line, without the array\n");
}

TEST(Budget, ThatIsSpentEndsReadingAndSaysSo) {
  for (const std::string& text :
       {repeated(kLine, 50'000),
        repeated("{:process 1 :type :invoke :f :deq}\n"
                 "{:process 1 :type :ok :f\n :deq}\n",
                 50'000),
        "[" + repeated("{\"process\": 1, \"type\": \"info\"},\n", 50'000) +
            "{}]"}) {
    plumb::Budget budget(plumb::Budget::Clock::now(), SIZE_MAX);
    const ReadResult result =
        read_histories_from(text, "h", *spec::make("queue"), {}, &budget);
    EXPECT_EQ(result.limit, Limit::kTime);
    ASSERT_EQ(result.histories.size(), 1u);
    EXPECT_LT(result.histories[0].size(), 1000u);
  }
}

TEST_F(SourceTest, ATimeLimitEndsWaitingForAPipe) {
  const std::string path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto start = std::chrono::steady_clock::now();
  plumb::Budget budget(start + std::chrono::milliseconds(50), SIZE_MAX);
  const ReadResult result =
      read_histories(path, *spec::make("queue"), {}, &budget);
  EXPECT_EQ(result.limit, Limit::kTime);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace plumb::history
