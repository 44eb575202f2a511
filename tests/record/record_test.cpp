// SPDX-License-Identifier: Apache-2.0
#include "plumb/record.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <future>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace plumb::record {
namespace {

// Gives the stamps that a test wants, one after the other.
struct FakeClock {
  Stamp invocation() { return next(); }
  Stamp completion() { return next(); }
  static Stamp next() {
    const Stamp stamp = stamps.at(used);
    ++used;
    return stamp;
  }
  static void set(std::vector<Stamp> wanted) {
    stamps = std::move(wanted);
    used = 0;
  }
  static inline std::vector<Stamp> stamps;
  static inline std::size_t used = 0;
};
using FakeRecorder = Recorder<FakeClock>;

template <typename Any>
std::string written(const Any& recorder) {
  std::ostringstream out;
  recorder.write(out);
  return out.str();
}

struct Line {
  int process;
  std::string type;
};

// Enough of a reader for what write() gives.
std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const auto type = line.find("\"type\": \"") + 9;
    lines.push_back({std::stoi(line.substr(12)),
                     line.substr(type, line.find('"', type) - type)});
  }
  return lines;
}

// "0i 1i 0r": process 0 invokes, 1 invokes, 0 returns.
std::string order_of(const std::string& text) {
  std::string order;
  for (const Line& line : lines_of(text)) {
    if (!order.empty()) order += ' ';
    order += std::to_string(line.process);
    order += line.type == "invoke" ? 'i' : 'r';
  }
  return order;
}

template <typename T>
std::string json(const T& value) {
  std::string out;
  append_json(out, value);
  return out;
}

TEST(Recorder, WritesOneLineForEachEvent) {
  plumb::Recorder recorder;
  plumb::Process me = recorder.process();
  me.invoke("enq", 7);
  me.ok();
  me.invoke("deq");
  me.ok(7);
  me.invoke("write", 1);
  me.fail();
  me.invoke("write", 2);
  me.info();
  EXPECT_EQ(written(recorder),
            R"({"process": 0, "type": "invoke", "f": "enq", "value": 7}
{"process": 0, "type": "ok", "f": "enq", "value": null}
{"process": 0, "type": "invoke", "f": "deq", "value": null}
{"process": 0, "type": "ok", "f": "deq", "value": 7}
{"process": 0, "type": "invoke", "f": "write", "value": 1}
{"process": 0, "type": "fail", "f": "write", "value": null}
{"process": 0, "type": "invoke", "f": "write", "value": 2}
{"process": 0, "type": "info", "f": "write", "value": null}
)");
}

TEST(Recorder, WritesNothingIfNothingHappened) {
  plumb::Recorder recorder;
  EXPECT_EQ(written(recorder), "");
  recorder.process();
  EXPECT_EQ(written(recorder), "");
}

TEST(Recorder, NamesTheKeyOnBothEventsOfACall) {
  plumb::Recorder recorder;
  plumb::Process me = recorder.process();
  plumb::Process a = me.on("a");
  a.invoke("write", 1);
  a.ok();
  me.on(12).record("read", [] { return 3; });
  me.record("read", [] { return 4; });
  EXPECT_EQ(
      written(recorder),
      R"({"process": 0, "type": "invoke", "f": "write", "key": "a", "value": 1}
{"process": 0, "type": "ok", "f": "write", "key": "a", "value": null}
{"process": 0, "type": "invoke", "f": "read", "key": 12, "value": null}
{"process": 0, "type": "ok", "f": "read", "key": 12, "value": 3}
{"process": 0, "type": "invoke", "f": "read", "value": null}
{"process": 0, "type": "ok", "f": "read", "value": 4}
)");
}

TEST(Recorder, MergesProcessesByStamp) {
  FakeClock::set({10, 40, 20, 30, 50, 60});
  FakeRecorder recorder;
  auto a = recorder.process(), b = recorder.process();
  a.invoke("enq", 1);  // 10 to 40
  a.ok();
  b.invoke("enq", 2);  // 20 to 30
  b.ok();
  b.invoke("deq");  // 50 to 60
  b.ok(1);
  EXPECT_EQ(order_of(written(recorder)), "0i 1i 1r 0r 1i 1r");
}

TEST(Recorder, WritesEqualStampsOfTwoProcessesAsAnOverlap) {
  for (const bool first_returns : {true, false}) {
    FakeClock::set(first_returns ? std::vector<Stamp>{1, 5, 5, 9}
                                 : std::vector<Stamp>{5, 9, 1, 5});
    FakeRecorder recorder;
    auto a = recorder.process(), b = recorder.process();
    for (auto* process : {&a, &b}) {
      process->invoke("enq", 1);
      process->ok();
    }
    EXPECT_EQ(order_of(written(recorder)),
              first_returns ? "0i 1i 0r 1r" : "1i 0i 1r 0r");
  }
}

TEST(Recorder, WritesACallWhoseStampsAreEqualWithItsInvocationFirst) {
  FakeClock::set({5, 5, 5, 5});
  FakeRecorder recorder;
  auto a = recorder.process(), b = recorder.process();
  for (auto* process : {&a, &b}) {
    process->invoke("enq", 1);
    process->ok();
  }
  EXPECT_EQ(order_of(written(recorder)), "0i 1i 0r 1r");
}

// Were 5 taken for the second invocation of both processes, one of them would
// have to be written after the first return of the other.
TEST(Recorder, WaitsForANewStampBetweenAReturnAndTheNextInvocation) {
  FakeClock::set({1, 5, 5, 5, 6, 7, 1, 5, 5, 6, 7});
  FakeRecorder recorder;
  auto a = recorder.process(), b = recorder.process();
  for (auto* process : {&a, &b}) {
    for (int call = 0; call < 2; ++call) {
      process->invoke("enq", call);
      process->ok();
    }
  }
  EXPECT_EQ(FakeClock::used, 11u);
  EXPECT_EQ(order_of(written(recorder)), "0i 1i 0r 1r 0i 1i 0r 1r");
}

TEST(Recorder, TakesTheStampsAroundTheCall) {
  FakeClock::set({1, 2});
  FakeRecorder recorder;
  auto me = recorder.process();
  me.record("deq", [] { EXPECT_EQ(FakeClock::used, 1u); });
  EXPECT_EQ(FakeClock::used, 2u);
}

TEST(Recorder, RefusesAClockThatWentBackwards) {
  FakeClock::set({10, 9});
  FakeRecorder recorder;
  auto me = recorder.process();
  me.invoke("enq", 1);
  me.ok();
  EXPECT_THROW(written(recorder), std::runtime_error);
}

TEST(Recorder, LeavesOpenCallsPending) {
  FakeClock::set({1, 2, 3});
  FakeRecorder recorder;
  auto a = recorder.process(), b = recorder.process();
  a.invoke("enq", 1);
  b.invoke("deq");
  b.ok(1);
  EXPECT_EQ(order_of(written(recorder)), "0i 1i 1r");
}

TEST(Recorder, CanWriteWhileAThreadHangsInItsCallAndAgainLater) {
  plumb::Recorder recorder;
  std::promise<void> inside, release;
  std::thread stuck([&, me = recorder.process()]() mutable {
    me.record("acquire", [&] {
      inside.set_value();
      release.get_future().wait();
    });
  });
  inside.get_future().wait();
  EXPECT_EQ(order_of(written(recorder)), "0i");
  release.set_value();
  stuck.join();
  EXPECT_EQ(order_of(written(recorder)), "0i 0r");
}

// A stream that lets a process record while it is written to.
struct Meddler : std::stringbuf {
  plumb::Process* process = nullptr;
  std::streamsize xsputn(const char*, std::streamsize size) override {
    process->invoke("enq", 1);
    return size;
  }
};

TEST(Recorder, NoticesThatAProcessRecordsDuringWrite) {
  plumb::Recorder recorder;
  plumb::Process me = recorder.process();
  me.record("deq", [] {});
  Meddler meddler;
  meddler.process = &me;
  std::ostream out(&meddler);
  EXPECT_THROW(recorder.write(out), std::logic_error);
}

TEST(Recorder, GrowsWithAndWithoutReservedRoom) {
  for (const std::size_t reserved : {0u, 1u, 512u, 513u, 1600u, 5000u}) {
    for (const int calls : {511, 512, 513, 1024, 1700}) {
      plumb::Recorder recorder(reserved);
      plumb::Process me = recorder.process();
      std::string expected;
      for (int i = 0; i < calls; ++i) {
        me.record("enq", i, [i] { return -i; });
        const std::string n = std::to_string(i);
        expected +=
            R"({"process": 0, "type": "invoke", "f": "enq", "value": )" + n +
            "}\n" + R"({"process": 0, "type": "ok", "f": "enq", "value": )" +
            (i ? "-" : "") + n + "}\n";
      }
      ASSERT_EQ(written(recorder), expected) << reserved << ' ' << calls;
    }
  }
}

TEST(Recorder, GivesWhatTheCallGave) {
  plumb::Recorder recorder;
  plumb::Process me = recorder.process();
  const std::optional<int> none =
      me.record("deq", [] { return std::optional<int>(); });
  EXPECT_EQ(none, std::nullopt);
  EXPECT_EQ(me.record("add", "x", [] { return true; }), true);
  EXPECT_NE(written(recorder).find(R"("f": "deq", "value": null})"),
            std::string::npos);
  EXPECT_NE(written(recorder).find(R"("f": "add", "value": true})"),
            std::string::npos);
}

TEST(Recorder, RecordsACallThatThrowsAsUnknownAndPassesTheExceptionOn) {
  plumb::Recorder recorder;
  plumb::Process me = recorder.process();
  EXPECT_THROW(
      me.record("enq", 1, []() -> int { throw std::out_of_range(""); }),
      std::out_of_range);
  me.record("deq", [] {});
  const auto lines = lines_of(written(recorder));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].type, "info");
  EXPECT_EQ(lines[3].type, "ok");
}

TEST(Recorder, RefusesAReturnWithoutAnInvocation) {
  plumb::Recorder recorder;
  recorder.process();
  plumb::Process me = recorder.process();
  try {
    me.ok();
    FAIL() << "nothing thrown";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(),
                 "plumb: process 1 returns, but it has no open call");
  }
  EXPECT_EQ(written(recorder), "");
}

TEST(Recorder, RefusesASecondInvocationWithoutAReturn) {
  plumb::Recorder recorder;
  plumb::Process me = recorder.process();
  me.invoke("enq", 1);
  try {
    me.invoke("deq");
    FAIL() << "nothing thrown";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(),
                 "plumb: process 0 invokes 'deq', but 'enq' has not returned");
  }
  me.ok();
  EXPECT_EQ(order_of(written(recorder)), "0i 0r");
}

TEST(Recorder, RefusesASecondThreadWhileACallOfTheFirstIsOpen) {
  plumb::Recorder recorder;
  plumb::Process me = recorder.process();
  me.invoke("enq", 1);
  std::string message;
  std::thread([&] {
    try {
      me.invoke("deq");
    } catch (const std::logic_error& error) {
      message = error.what();
    }
  }).join();
  EXPECT_EQ(message,
            "plumb: process 0 is used by two threads at once; each needs a "
            "process() of its own");
  me.ok();
  std::thread([&] { me.record("deq", [] {}); }).join();
  EXPECT_EQ(order_of(written(recorder)), "0i 0r 0i 0r")
      << "one after the other is fine";
}

TEST(Recorder, LeavesNoPartOfAFileBehind) {
  const std::string path = ::testing::TempDir() + "plumb_record_whole.jsonl";
  FakeClock::set({1, 2, 10, 9});
  FakeRecorder recorder;
  auto me = recorder.process();
  me.record("enq", 1, [] {});
  recorder.write(path);
  const auto content = [&] {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(content(), written(recorder));
  const std::string before = content();
  me.record("enq", 2, [] {});
  EXPECT_THROW(recorder.write(path), std::runtime_error) << "back in time";
  EXPECT_EQ(content(), before) << "what was there stays";
  EXPECT_FALSE(std::ifstream(path + ".partial").good());
  std::remove(path.c_str());
}

TEST(Recorder, ReportsAFileThatCannotBeOpened) {
  plumb::Recorder recorder;
  try {
    recorder.write("/no/such/folder/run.jsonl");
    FAIL() << "nothing thrown";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_NE(std::string(error.what()).find("/no/such/folder/run.jsonl"),
              std::string::npos);
  }
}

TEST(Recorder, ReportsAFullDiskForShortAndLongHistories) {
  for (const int calls : {1, 5000}) {  // found by close, and by a write
    plumb::Recorder recorder;
    plumb::Process me = recorder.process();
    for (int i = 0; i < calls; ++i) me.record("enq", i, [] {});
    try {
      recorder.write("/dev/full");
      FAIL() << "nothing thrown";
    } catch (const std::system_error& error) {
      EXPECT_EQ(error.code(), std::errc::no_space_on_device);
    }
  }
}

TEST(RecordedValue, LooksLikeJson) {
  EXPECT_EQ(json(nullptr), "null");
  EXPECT_EQ(json(std::optional<int>()), "null");
  EXPECT_EQ(json(std::optional<int>(3)), "3");
  EXPECT_EQ(json(true), "true");
  EXPECT_EQ(json(std::pair(1, "two")), R"([1, "two"])");
  EXPECT_EQ(json(std::pair(std::optional<int>(), false)), "[null, false]");
  EXPECT_EQ(json(std::vector<std::pair<int, int>>{{1, 2}, {3, 4}}),
            "[[1, 2], [3, 4]]");
  EXPECT_EQ(json(std::vector<int>()), "[]");
}

TEST(RecordedValue, EscapesTexts) {
  EXPECT_EQ(json("say \"no\" \\ yes"), R"("say \"no\" \\ yes")");
  EXPECT_EQ(json(std::string("a\n\t\x01\x1f\0z", 7)),
            R"("a\u000a\u0009\u0001\u001f\u0000z")");
  EXPECT_EQ(json(std::string_view("gr\xc3\xbc\xc3\x9f")),
            "\"gr\xc3\xbc\xc3\x9f\"");
}

TEST(RecordedValue, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(json("\xff"), R"("\ufffdff")");
  EXPECT_EQ(json("a\xc3"), R"("a\ufffdc3")") << "cut off";
  EXPECT_EQ(json("\xc0\xaf"), R"("\ufffdc0\ufffdaf")") << "too long";
  EXPECT_EQ(json("\xed\xa0\x80"), R"("\ufffded\ufffda0\ufffd80")")
      << "a surrogate";
  EXPECT_EQ(json("\xf4\x90\x80\x80"), R"("\ufffdf4\ufffd90\ufffd80\ufffd80")")
      << "too large";
  EXPECT_EQ(json("\xf0\x9f\x8d\x8b!"), "\"\xf0\x9f\x8d\x8b!\"");
}

TEST(RecordedValue, KeepsIntegersOfEverySize) {
  plumb::Recorder recorder;
  plumb::Process me = recorder.process();
  me.invoke("write", std::numeric_limits<std::int64_t>::min());
  me.ok(std::numeric_limits<std::uint64_t>::max());
  me.invoke("write", std::numeric_limits<std::int64_t>::max());
  me.ok(std::uint8_t{200});
  const std::string text = written(recorder);
  for (const char* digits : {"-9223372036854775808", "18446744073709551615",
                             "9223372036854775807", ": 200}"}) {
    EXPECT_NE(text.find(digits), std::string::npos) << digits;
  }
}

TEST(RecordedValue, IsCopiedWhenItIsRecorded) {
  plumb::Recorder recorder;
  plumb::Process me = recorder.process();
  std::string text = "a text too long to be stored within the string itself";
  const std::string kept = text;
  for (int i = 0; i < 100; ++i) me.record("write", text, [] {});
  text.assign(text.size(), '-');
  const std::string history = written(recorder);
  EXPECT_EQ(history.find("--"), std::string::npos);
  EXPECT_NE(history.find(kept), std::string::npos);
}

}  // namespace
}  // namespace plumb::record
