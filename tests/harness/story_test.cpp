// SPDX-License-Identifier: Apache-2.0
#include "harness/story.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

namespace plumb::harness {
namespace {

using sched::Kind;
using What = StoryStep::What;

constexpr std::uintptr_t kHead = 0x1000, kMutex = 0x2000, kOther = 0x2100;
constexpr std::uintptr_t kA = runtime::kHeap, kB = runtime::kHeap + 64;
constexpr std::uintptr_t kObject = runtime::kHeap + 128;
constexpr std::uintptr_t kSmall = runtime::kHeap + 192;  // 8 bytes only

// A program of one file, in which a return address is the number of a line;
// addresses from 1000 on are in a header of the system.  Types: 1 pointer to
// Node, 2 Node {int value; Node* next}, 3 int, 4 object {Node* top; int size}.
class Fake final : public Symbols {
 public:
  std::vector<CodePlace> frames_at(std::uintptr_t address) override {
    if (address >= 1000) {
      return {{"load", "/usr/include/c++/12/atomic", 500, "test", 0}};
    }
    return {{"f", "src/stack.h", static_cast<int>(address), "test", 0}};
  }
  std::optional<Variable> variable_at(std::uintptr_t address) override {
    if (address - kHead < 8) return Variable{"head", kHead, 8, 1};
    if (address - kMutex < 40) return Variable{"mutex", kMutex, 40, 0};
    if (address - kOther < 40) return Variable{"other", kOther, 40, 0};
    return std::nullopt;
  }
  Member member_at(TypeId type, std::size_t offset, std::size_t) override {
    if (type == 2 && offset == 0) return {".value", 0, 3};
    if (type == 2 && offset == 8) return {".next", 0, 1};
    if (type == 4 && offset == 0) return {".top", 0, 1};
    if (type == 4 && offset == 8) return {".size", 0, 3};
    return {"", offset, type};
  }
  std::size_t size_of(TypeId type) override {
    const std::map<TypeId, std::size_t> sizes = {
        {1, 8}, {2, 16}, {3, 4}, {4, 16}};
    return sizes.contains(type) ? sizes.at(type) : 0;
  }
  TypeId target_of(TypeId type) override { return type == 1 ? 2 : kNoType; }
  std::optional<std::string> value_of(TypeId type,
                                      std::uint64_t bits) override {
    if (type == 1 && bits == 0) return "null";
    if (type == 3) return std::to_string(static_cast<std::int32_t>(bits));
    return std::nullopt;
  }
  TypeId argument_of(const void*) override { return kNoType; }
  std::string source_line(const std::string& file, int line) override {
    return file.empty() ? "" : "line " + std::to_string(line) + ";";
  }
};

runtime::BlockInfo block_of(std::uintptr_t address) {
  for (const std::uintptr_t begin : {kA, kB, kObject, kSmall}) {
    runtime::BlockInfo info;
    info.begin = begin;
    info.size = begin == kSmall ? 8 : 16;
    if (address - begin >= info.size) continue;
    info.state = begin == kA ? runtime::BlockState::kFreed
                             : runtime::BlockState::kAllocated;
    info.allocated_by = 1;
    info.allocated_at = 5;
    return info;
  }
  return {};
}

StoryStep step(sched::ThreadId thread, Kind kind, std::uintptr_t address,
               std::uint64_t before, std::uint64_t after) {
  StoryStep result;
  result.event.thread = thread;
  result.event.kind = kind;
  result.event.address = address;
  result.event.size = 8;
  result.event.writes = kind != Kind::kRead;
  result.before = before;
  result.after = after;
  return result;
}
StoryStep at(int line, StoryStep step) {
  step.stack = {1000, static_cast<std::uintptr_t>(line)};
  return step;
}
StoryStep plain(StoryStep step) {
  step.plain = true;
  return step;
}
StoryStep read(sched::ThreadId thread, std::uintptr_t address,
               std::uint64_t value) {
  return step(thread, Kind::kRead, address, value, value);
}
StoryStep call(sched::ThreadId thread, What what, const char* text) {
  StoryStep result;
  result.what = what;
  result.event.thread = thread;
  result.text = text;
  return result;
}

class StoryTest : public ::testing::Test {
 protected:
  Story story(std::vector<StoryStep> steps) {
    input_.steps = std::move(steps);
    input_.threads = {"main", "T1", "T2"};
    input_.memory.block_of = block_of;
    return Story(input_, symbols_);
  }
  std::string text(std::vector<StoryStep> steps) {
    StoryOptions options;
    options.indent = "";
    options.width = 90;
    return story(std::move(steps)).text(options);
  }
  // What the last of these steps did.
  std::string effect(const std::vector<StoryStep>& steps) {
    return story(steps).json().back()["text"];
  }
  std::string explanation(runtime::Fault fault, const char* words = "") {
    input_.finding.fault = fault;
    std::snprintf(input_.finding.text, sizeof input_.finding.text, "%s", words);
    return Story(input_, symbols_).explanation();
  }

  Fake symbols_;
  StoryInput input_;
};

TEST_F(StoryTest, IsATableWithOneColumnForEachThread) {
  StoryStep cas = at(22, step(1, Kind::kUpdate, kHead, 0, kA));
  cas.compares = true;
  EXPECT_EQ(
      text({call(1, What::kCallBegins, "push(1)"), at(21, read(1, kHead, 0)),
            cas, call(2, What::kCallBegins, "pop()"),
            at(31, read(2, kHead, kA)), at(32, read(2, kA + 8, 0)),
            call(1, What::kCallReturns, "-> true")}),
      "step  place         T1                                 T2\n"
      "   1              > push(1)\n"
      "   2  stack.h:21    line 21;   read head = null\n"
      "   3  stack.h:22    line 22;   CAS head: null -> #1\n"
      "   4                                                 > pop()\n"
      "   5  stack.h:31                                       line 31;"
      "   read head = #1\n"
      "   6  stack.h:32                                       line 32;"
      "   read #1.next = null\n"
      "   7              < push(1) -> true\n");
}

TEST_F(StoryTest, ShowsAPlaceOnceWhileAThreadStaysThere) {
  EXPECT_EQ(text({at(21, read(1, kHead, 0)),
                  at(21, step(1, Kind::kWrite, kHead, 0, kA)),
                  at(21, read(2, kHead, kA))}),
            "step  place         T1                             T2\n"
            "   1  stack.h:21    line 21;   read head = null\n"
            "   2                head: null -> #1\n"
            "   3  stack.h:21                                   line 21;"
            "   read head = #1\n");
}

TEST_F(StoryTest, ShowsThePlaceAgainAfterACallBegins) {
  const std::string table =
      text({at(21, read(1, kHead, 0)), call(2, What::kCallBegins, "pop()"),
            at(21, read(2, kHead, 0))});
  EXPECT_NE(table.find("   3  stack.h:21 "), std::string::npos) << table;
}

TEST_F(StoryTest, PutsLongEffectsBelowAndCutsWhatIsTooLong) {
  const std::string long_call = "push(" + std::string(200, '1') + ")";
  const std::string table =
      text({call(1, What::kCallBegins, long_call.c_str()),
            at(21, read(1, kHead, 0)), at(21, read(2, kHead, 0))});
  std::size_t begin = 0;
  for (std::size_t end; (end = table.find('\n', begin)) != table.npos;
       begin = end + 1) {
    EXPECT_LE(end - begin, 90u) << table;
  }
  EXPECT_NE(table.find("111..."), std::string::npos) << table;
  const std::string narrow = text(
      {at(21, step(1, Kind::kWrite, kHead, 0, kA)), at(21, read(2, kHead, 0)),
       at(21, read(3, kHead, 0)), at(21, read(4, kHead, 0))});
  EXPECT_NE(narrow.find("T1"), std::string::npos);
  EXPECT_NE(
      narrow.find("    line 21;\n                      head: null -> #1\n"),
      std::string::npos)
      << narrow;
}

TEST_F(StoryTest, NamesThreadsInEachLineWhereColumnsDoNotFit) {
  std::vector<StoryStep> steps;
  for (sched::ThreadId thread = 1; thread < 8; ++thread) {
    steps.push_back(at(20 + thread, read(thread, kHead, 0)));
  }
  const std::string table = text(steps);
  EXPECT_NE(table.find("\n   7  stack.h:27    T7: line 27;"), std::string::npos)
      << table;
}

TEST_F(StoryTest, NamesBlocksInTheOrderOfTheirAppearance) {
  EXPECT_EQ(effect({read(1, kHead, kB), read(1, kHead, kA)}), "read head = #2");
  EXPECT_EQ(effect({read(1, kHead, kA)}), "read head = #1");
}

TEST_F(StoryTest, TellsTypesOfBlocksFromPointersThatLeadThere) {
  EXPECT_EQ(effect({read(1, kB + 8, 0)}), "read #1+8 = 0");
  EXPECT_EQ(
      effect({read(1, kHead, kA), read(1, kA + 8, kB), read(1, kB + 8, 0)}),
      "read #2.next = null")
      << "a pointer in what a pointer leads to";
  EXPECT_EQ(story({read(1, kB + 8, 0), read(1, kA + 8, kB), read(1, kHead, kA)})
                .json()[0]["text"],
            "read #1.next = null")
      << "learned in any order";
  EXPECT_EQ(effect({read(1, kHead, kSmall), read(1, kSmall, 5)}),
            "read #1+0 = 5")
      << "too small for a Node";
}

TEST_F(StoryTest, TellsMembersOfTheObjectByTheirNames) {
  input_.memory.object = kObject;
  input_.memory.object_type = 4;
  EXPECT_EQ(effect({step(1, Kind::kWrite, kObject, 0, kA)}), "top: null -> #1");
  EXPECT_EQ(effect({read(1, kHead, kObject)}), "read head = object");
  input_.memory.object_type = kNoType;
  EXPECT_EQ(effect({read(1, kObject + 8, 3)}), "read object+8 = 3");
}

TEST_F(StoryTest, TellsValues) {
  const std::uintptr_t local = runtime::kRegion + 64;
  EXPECT_EQ(effect({read(1, local, 7)}), "read local1 = 7");
  EXPECT_EQ(effect({read(1, 0x50, ~std::uint64_t{0})}), "read 0x50 = -1");
  EXPECT_EQ(effect({read(1, local, kHead)}), "read local1 = &head");
  EXPECT_EQ(effect({read(1, local, 7), read(1, kHead, local)}),
            "read head = &local1");
  EXPECT_EQ(effect({read(1, kHead, kA + 1)}), "read head = #1|1");
  EXPECT_EQ(effect({read(1, kHead, kA + (std::uint64_t{3} << 48))}),
            "read head = #1 tag 3");
  EXPECT_EQ(effect({read(1, kHead, kA), read(1, local, kA + 8)}),
            "read local1 = &#1.next");
  EXPECT_EQ(effect({read(1, kHead, 0xA5A5A5A5A5A5A5A5)}),
            "read head = uninitialised");
  EXPECT_EQ(effect({read(1, local, kA), read(1, local, 0)}),
            "read local1 = null")
      << "where pointers were before";
  EXPECT_EQ(effect({read(1, local, 0x123456789AB)}),
            "read local1 = 0x123456789ab");
}

TEST_F(StoryTest, TellsACompareExchangeThatFails) {
  StoryStep cas = read(1, kHead, kB);
  cas.event.tries = true;
  EXPECT_EQ(effect({cas}), "CAS head fails, is #1");
  cas.compares = true;
  cas.expected = 0;
  cas.desired = kA;
  EXPECT_EQ(effect({cas}), "CAS head: null -> #1 fails, is #2");
}

TEST_F(StoryTest, TellsWhatIsNoAccess) {
  EXPECT_EQ(effect({step(1, Kind::kLock, kMutex, 0, 0)}), "locks mutex");
  EXPECT_EQ(effect({step(1, Kind::kFree, kA, 0, 0)}), "frees #1");
  EXPECT_EQ(effect({step(0, Kind::kJoin, 2, 0, 0)}), "sees the end of T2");
  EXPECT_EQ(effect({step(0, Kind::kSpawn, 1, 0, 0)}), "starts T1");
  const StoryStep unlocked = step(2, Kind::kUnlock, kMutex, 0, 0);
  EXPECT_EQ(effect({unlocked, step(1, Kind::kUpdate, kMutex, 0, 0)}),
            "locks mutex");
  EXPECT_EQ(effect({unlocked, read(1, kMutex, 0)}), "cannot lock mutex");
  constexpr std::uintptr_t kQueue = std::uintptr_t{1} << 62;
  EXPECT_EQ(effect({step(1, Kind::kSignal, kMutex | kQueue, 0, 0)}),
            "wakes who waits on mutex");
  StoryStep wait = step(1, Kind::kWait, kMutex, 0, 0);
  wait.event.second = kMutex | kQueue;
  EXPECT_EQ(effect({wait}), "waits on mutex");
  wait = step(1, Kind::kWait, kOther, 0, 0);
  wait.event.second = kMutex;
  EXPECT_EQ(effect({wait}), "waits on other, unlocks mutex");
  StoryStep choice = step(1, Kind::kChoose, 0, 0, 0);
  choice.event.choice = 3;
  EXPECT_EQ(effect({choice}), "chooses 3");
}

TEST_F(StoryTest, FoldsWhatOneThreadTouchesOnly) {
  const StoryStep own = at(5, plain(step(1, Kind::kWrite, kA, 0, 1)));
  const std::string table =
      text({own, own, own, at(6, step(1, Kind::kWrite, kHead, 0, kA)),
            at(7, read(2, kHead, kA))});
  EXPECT_NE(table.find("    ... 3 accesses of its own\n   4  stack.h:6"),
            std::string::npos)
      << table;
}

TEST_F(StoryTest, FoldsWhatNobodyWrites) {
  const std::string table =
      text({at(5, plain(read(1, kA, 1))), at(6, plain(read(1, kA + 8, 1))),
            at(5, plain(read(2, kA, 1))), at(6, plain(read(2, kA + 8, 1)))});
  EXPECT_EQ(table.find("stack.h"), std::string::npos) << table;
}

TEST_F(StoryTest, ShowsPlainAccessesThatAnotherThreadSees) {
  const std::string table =
      text({at(5, plain(step(1, Kind::kWrite, kA, 0, 1))),
            at(6, plain(step(1, Kind::kWrite, kA + 8, 0, kB))),
            at(7, plain(read(2, kA, 1))), at(8, plain(read(2, kA + 8, kB)))});
  EXPECT_EQ(table.find("..."), std::string::npos) << table;
  EXPECT_NE(table.find("#1+8: null -> #2"), std::string::npos) << table;
}

TEST_F(StoryTest, CountsRoundsOfALoopThatAreAlike) {
  std::vector<StoryStep> steps;
  for (int round = 0; round < 5; ++round) {
    steps.push_back(at(10, read(1, kHead, 0)));
    steps.push_back(at(11, read(1, kMutex, 1)));
  }
  steps.push_back(at(10, read(1, kHead, kA)));
  const std::string table = text(steps);
  EXPECT_NE(table.find("   2  stack.h:11    line 11;   read mutex = 1\n"
                       "                    ... and 4 times more the same\n"
                       "  11  stack.h:10"),
            std::string::npos)
      << table;
}

TEST_F(StoryTest, DoesNotCountRoundsThatSawSomethingElse) {
  std::vector<StoryStep> steps;
  for (std::uint64_t round = 0; round < 6; ++round) {
    steps.push_back(at(10, read(1, kMutex, round)));
  }
  EXPECT_EQ(text(steps).find("times more"), std::string::npos);
}

TEST_F(StoryTest, DoesNotCountRoundsAcrossWhatOthersDo) {
  std::vector<StoryStep> steps;
  for (int round = 0; round < 4; ++round) {
    steps.push_back(at(10, read(1, kHead, 0)));
    steps.push_back(
        at(20, step(2, Kind::kUpdate, kMutex, static_cast<std::uint64_t>(round),
                    static_cast<std::uint64_t>(round) + 1)));
  }
  EXPECT_EQ(text(steps).find("times more"), std::string::npos);
}

TEST_F(StoryTest, PaintsOnlyIfAsked) {
  StoryOptions options;
  const std::vector<StoryStep> steps = {call(1, What::kFault, "crash")};
  EXPECT_EQ(story(steps).text(options).find('\033'), std::string::npos);
  options.colour = true;
  EXPECT_NE(story(steps).text(options).find("\033[1;31mcrash\033[0m"),
            std::string::npos);
}

TEST_F(StoryTest, AsJsonHasEverything) {
  const auto json = story({call(1, What::kCallBegins, "push(1)"),
                           at(21, step(1, Kind::kWrite, kHead, 0, kA))})
                        .json();
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["kind"], "call");
  EXPECT_EQ(json[0]["text"], "push(1)");
  EXPECT_EQ(json[1]["thread"], "T1");
  EXPECT_EQ(json[1]["file"], "src/stack.h");
  EXPECT_EQ(json[1]["line"], 21);
  EXPECT_EQ(json[1]["source"], "line 21;");
  EXPECT_EQ(json[1]["place"], "head");
  EXPECT_EQ(json[1]["before"], "null");
  EXPECT_EQ(json[1]["after"], "#1");
  EXPECT_EQ(json[1]["plain"], false);
}

TEST_F(StoryTest, OfNothingIsEmpty) {
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(explanation(runtime::Fault::kNone), "");
}

TEST_F(StoryTest, ExplainsARace) {
  story({at(3, read(1, kHead, kA)),
         at(30, plain(step(1, Kind::kWrite, kA, 0, 1))),
         plain(read(2, kA, 1))});
  input_.steps[1].stack = {30};
  input_.steps[2].stack = {45};
  input_.finding.address = kA;
  input_.finding.size = 4;
  input_.finding.thread = 1;
  input_.finding.other = 2;
  input_.finding.pc = 30;
  input_.finding.other_pc = 45;
  const std::string wanted =
      "data race: T1 writes #1.value at stack.h:30 while T2 reads it at "
      "stack.h:45, and nothing orders the two";
  EXPECT_EQ(explanation(runtime::Fault::kRace), wanted);
  input_.steps.resize(1);
  EXPECT_EQ(explanation(runtime::Fault::kRace, "writes|reads"), wanted);
  EXPECT_EQ(explanation(runtime::Fault::kRace, "frees|reads"),
            "data race: T1 frees #1 at stack.h:30 while T2 reads #1.value at "
            "stack.h:45, and nothing orders the two");
  EXPECT_EQ(explanation(runtime::Fault::kRace,
                        "nothing orders this write and the read before it"),
            wanted);
}

TEST_F(StoryTest, ExplainsFaultsOfTheHeap) {
  story({});
  input_.finding.address = kA;
  input_.finding.size = 4;
  input_.finding.thread = 1;
  input_.finding.other = 2;
  input_.finding.pc = 7;
  input_.finding.other_pc = 9;
  EXPECT_EQ(explanation(runtime::Fault::kUseAfterFree),
            "use after free: T1 accesses #1+0 at stack.h:7; T2 freed #1 at "
            "stack.h:9");
  EXPECT_EQ(explanation(runtime::Fault::kDoubleFree),
            "bad free: T1 frees #1 at stack.h:7, which T2 had freed at "
            "stack.h:9");
  EXPECT_EQ(explanation(runtime::Fault::kLeak),
            "leak: #1 (4 bytes), allocated by T1 at stack.h:7, is never freed");
  input_.finding.pc = 1000;
  input_.finding_stack = {1000, 8};
  EXPECT_EQ(explanation(runtime::Fault::kDoubleFree),
            "bad free: T1 frees #1 at stack.h:8, which T2 had freed at "
            "stack.h:9")
      << "the user's part of the stack";
  input_.finding.pc = 7;
  input_.finding_stack.clear();
  input_.finding.address = kB + 14;
  EXPECT_EQ(explanation(runtime::Fault::kOverflow),
            "access outside of a block: T1 accesses 4 bytes at offset 14 of #1 "
            "at stack.h:7, "
            "which has 16 bytes; T1 allocated it at stack.h:5");
  EXPECT_EQ(explanation(runtime::Fault::kDoubleFree, "it is none"),
            "wrong free: T1 at stack.h:7: it is none");
}

TEST_F(StoryTest, EndsWithTheFault) {
  input_.finding.fault = runtime::Fault::kAssertion;
  input_.finding.thread = 1;
  input_.finding.pc = 7;
  EXPECT_EQ(text({at(6, read(1, kHead, 0))}),
            "step  place        T1\n"
            "   1  stack.h:6    line 6;   read head = null\n"
            "   2  stack.h:7  ! failed assertion\n");
  input_.finding.fault = runtime::Fault::kDeadlock;
  input_.waiting = {at(11, step(1, Kind::kLock, kOther, 0, 0))};
  EXPECT_EQ(text({}),
            "step  place         T1\n"
            "   1  stack.h:11  ! waits for other\n");
}

TEST_F(StoryTest, ExplainsADeadlock) {
  story({at(10, step(1, Kind::kLock, kMutex, 0, 1)),
         at(20, step(2, Kind::kLock, kOther, 0, 1))});
  input_.waiting = {at(11, step(1, Kind::kLock, kOther, 0, 0)),
                    at(21, step(2, Kind::kLock, kMutex, 0, 0)),
                    at(40, step(0, Kind::kJoin, 1, 0, 0))};
  EXPECT_EQ(explanation(runtime::Fault::kDeadlock),
            "deadlock: T1 waits at stack.h:11 for other, which T2 locked at "
            "stack.h:20; T2 waits at stack.h:21 for mutex, which T1 locked at "
            "stack.h:10; main waits at stack.h:40 for T1 to end");
}

TEST_F(StoryTest, KnowsWhatWasUnlocked) {
  StoryStep wait = at(12, step(2, Kind::kWait, kHead, 0, 0));
  wait.event.second = kOther;
  story({at(10, step(1, Kind::kLock, kMutex, 0, 1)),
         at(11, step(1, Kind::kUnlock, kMutex, 1, 0)),
         at(12, step(2, Kind::kLock, kOther, 0, 1)), wait});
  input_.waiting = {at(21, step(2, Kind::kLock, kMutex, 0, 0)),
                    at(31, step(1, Kind::kLock, kOther, 0, 0))};
  EXPECT_EQ(explanation(runtime::Fault::kDeadlock),
            "deadlock: T2 waits at stack.h:21 for mutex; T1 waits at "
            "stack.h:31 for other");
}

TEST_F(StoryTest, ExplainsOtherFindingsInTheirOwnWords) {
  story({});
  input_.finding.thread = 1;
  input_.finding.pc = 7;
  EXPECT_EQ(explanation(runtime::Fault::kAssertion, "size == 1"),
            "failed assertion: T1 at stack.h:7: size == 1");
  EXPECT_EQ(explanation(runtime::Fault::kCrash, "SIGSEGV"),
            "crash: T1 at stack.h:8: SIGSEGV")
      << "a pc is looked up as it is, not in front of it";
}

}  // namespace
}  // namespace plumb::harness
