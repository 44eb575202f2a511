// SPDX-License-Identifier: Apache-2.0
#include "verify/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "verify/byte_stream.h"
#include "verify/seal.h"

namespace plumb::verify {
namespace {

using Entries = std::vector<std::string>;

class JournalFile : public ::testing::Test {
 protected:
  JournalFile()
      : file_(::testing::TempDir() + "plumb_journal_" +
              std::to_string(getpid())) {
    remove();
  }
  ~JournalFile() override { remove(); }
  void remove() const {
    std::filesystem::remove(file_);
    std::filesystem::remove(file_ + ".new");
  }

  Journal::Settings saving() const {
    return {.save_to = file_,
            .resume_from = "",
            .seconds = 0,
            .identity = "a check"};
  }
  Journal::Settings resuming() const {
    Journal::Settings settings = saving();
    settings.resume_from = file_;
    return settings;
  }
  std::string contents() const {
    std::ifstream in(file_, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  void put(const std::string& bytes) const {
    std::ofstream(file_, std::ios::binary) << bytes;
  }
  // All entries that count; "not a checkpoint ..." as the only one otherwise.
  Entries read() const {
    try {
      Journal journal(resuming());
      journal.begin("this course");
      return rest_of(journal);
    } catch (const InputError& error) {
      return {error.what()};
    }
  }
  static Entries rest_of(Journal& journal) {
    Entries entries;
    while (auto entry = journal.read()) entries.push_back(*entry);
    return entries;
  }

  std::string file_;
};

TEST_F(JournalFile, GivesBackWhatWasWritten) {
  {
    Journal journal(saving());
    journal.begin("this course");
    EXPECT_FALSE(journal.resumes());
    EXPECT_FALSE(journal.continues());
    EXPECT_TRUE(journal.is_due());
    EXPECT_TRUE(journal.write("one", false));
    EXPECT_TRUE(journal.write("two", true));
    EXPECT_TRUE(journal.continues());
    EXPECT_TRUE(journal.write(std::string(100'000, 'x'), true));
    EXPECT_TRUE(journal.write("lost", false));
  }
  EXPECT_EQ(read(), (Entries{"one", "two", std::string(100'000, 'x')}));
  EXPECT_FALSE(std::filesystem::exists(file_ + ".new"));
}

TEST_F(JournalFile, GoesOnBehindWhatWasRead) {
  {
    Journal journal(saving());
    journal.begin("this course");
    journal.write("one", true);
    journal.write("this is lost, and longer than what comes now", false);
  }
  {
    Journal journal(resuming());
    journal.begin("this course");
    EXPECT_TRUE(journal.resumes());
    EXPECT_EQ(rest_of(journal), Entries{"one"});
    EXPECT_TRUE(journal.continues());
    EXPECT_TRUE(journal.write("two", true));
  }
  EXPECT_EQ(read(), (Entries{"one", "two"}));
}

TEST_F(JournalFile, KeepsTheOldFileUntilTheNewOneIsWhole) {
  put("something else");
  Journal journal(saving());
  journal.begin("this course");
  EXPECT_TRUE(journal.write("one", false));
  EXPECT_EQ(contents(), "something else");
  EXPECT_TRUE(journal.write("two", true));
  EXPECT_EQ(read(), (Entries{"one", "two"}));
}

// What was saved goes with a course alone; a search with another one is made
// from its beginning, and may save on its way.
TEST_F(JournalFile, BelongsToOneCourse) {
  {
    Journal journal(saving());
    journal.begin("first");
    journal.write("of the first", true);
    journal.begin("second");
    EXPECT_FALSE(journal.continues());
    journal.write("of the second", true);
  }
  {
    Journal journal(resuming());
    EXPECT_EQ(journal.resumed_course(), "second");
    journal.begin("first");
    EXPECT_FALSE(journal.resumes());
    EXPECT_TRUE(journal.write("of the first again, with more in it", true));
    journal.begin("second");
    EXPECT_TRUE(journal.resumes());
    EXPECT_EQ(rest_of(journal), Entries{"of the second"});
    EXPECT_FALSE(journal.continues()) << "that file is another one by now";
    EXPECT_TRUE(journal.write("all of the second", true));
  }
  Journal journal(resuming());
  journal.begin("second, but not quite");
  EXPECT_FALSE(journal.resumes());
  journal.begin("second");
  EXPECT_TRUE(journal.resumes());
  EXPECT_EQ(rest_of(journal), Entries{"all of the second"});
}

TEST_F(JournalFile, IsResumedOnce) {
  {
    Journal journal(saving());
    journal.begin("this course");
    journal.write("one", true);
  }
  Journal journal(resuming());
  journal.begin("this course");
  EXPECT_TRUE(journal.resumes());
  EXPECT_EQ(journal.resumed_course(), std::nullopt);
  EXPECT_EQ(rest_of(journal), Entries{"one"});
  journal.begin("this course");
  EXPECT_FALSE(journal.resumes()) << "there is nothing left to read";
}

TEST_F(JournalFile, KnowsWhetherThereIsSomethingToResumeFrom) {
  {
    Journal journal(saving());
    journal.begin("this course");
    EXPECT_FALSE(journal.has_saved());
    journal.write("one", false);
    EXPECT_FALSE(journal.has_saved());
    journal.write("two", true);
    EXPECT_TRUE(journal.has_saved());
  }
  EXPECT_TRUE(Journal(resuming()).has_saved());
  Journal::Settings settings = resuming();
  settings.save_to = "";
  EXPECT_FALSE(Journal(settings).has_saved());
}

// Else the part that can be read would pass for everything.
TEST_F(JournalFile, MustNotBecomeShorterWhileItIsRead) {
  {
    Journal journal(saving());
    journal.begin("this course");
    journal.write(std::string(100'000, 'x'), false);
    journal.write("two", true);
  }
  Journal journal(resuming());
  journal.begin("this course");
  std::filesystem::resize_file(file_, 50'000);
  EXPECT_THROW(rest_of(journal), InputError);
}

// Cut anywhere, it has the entries up to some final one, or is no checkpoint.
TEST_F(JournalFile, CanBeTornAnywhere) {
  const Entries all = {"one", "two", "three", "four"};
  {
    Journal journal(saving());
    journal.begin("this course");
    for (std::size_t i = 0; i < all.size(); ++i) {
      journal.write(all[i], i % 2 == 1);
    }
  }
  const std::string whole = contents();
  std::size_t resumed = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(whole.substr(0, length));
    const Entries found = read();
    if (found == Entries{"one", "two"}) {
      ++resumed;
      continue;
    }
    ASSERT_EQ(found.size(), 1u) << length;
    EXPECT_NE(found[0].find("is not a checkpoint"), std::string::npos);
  }
  EXPECT_GT(resumed, 50u);
}

TEST_F(JournalFile, NoticesEveryByteThatIsAnotherOne) {
  {
    Journal journal(saving());
    journal.begin("this course");
    journal.write("one", true);
    journal.write("two", false);
    journal.write("three", true);
  }
  const std::string whole = contents();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string other = whole;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      put(other);
      const Entries found = read();
      ASSERT_EQ(found.size(), 1u) << i;
      EXPECT_TRUE(found[0] == "one" ||
                  found[0].find("is not a checkpoint") != std::string::npos)
          << found[0];
    }
  }
}

TEST_F(JournalFile, OfAnotherCheckIsRefused) {
  {
    Journal journal(saving());
    journal.begin("this course");
    journal.write("one", true);
  }
  Journal::Settings settings = resuming();
  settings.identity = "another check";
  try {
    const Journal journal(settings);
    FAIL() << "it was taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("of another check"),
              std::string::npos);
  }
}

// Who does not have the key cannot make one that is taken, not even of entries
// that are right by themselves: left out, put twice, in another order.
TEST_F(JournalFile, CannotBeForged) {
  Journal::Settings sealed = saving();
  sealed.key = {1, 2};
  std::vector<std::string> files;  // after each entry
  {
    Journal journal(sealed);
    journal.begin("this course");
    for (const char* entry : {"one", "two", "six"}) {
      journal.write(entry, true);
      files.push_back(contents());
    }
  }
  EXPECT_NE(read()[0].find("is that of another user"), std::string::npos);
  sealed.resume_from = file_;
  const auto entries_of = [&](const std::string& bytes) {
    put(bytes);
    Journal journal(sealed);
    journal.begin("this course");
    return rest_of(journal);
  };
  EXPECT_EQ(entries_of(files[2]), (Entries{"one", "two", "six"}));
  EXPECT_EQ(entries_of(files[1]), (Entries{"one", "two"}));
  const std::string two = files[1].substr(files[0].size());
  const std::string six = files[2].substr(files[1].size());
  EXPECT_EQ(entries_of(files[0] + six), Entries{"one"}) << "two is left out";
  EXPECT_EQ(entries_of(files[0] + six + two), Entries{"one"});
  EXPECT_EQ(entries_of(files[1] + two), (Entries{"one", "two"}));
}

TEST_F(JournalFile, IsThereBeforeAnythingWasSaved) {
  {
    Journal journal(saving());
    journal.prepare();
    EXPECT_FALSE(journal.has_saved());
  }
  {
    Journal journal(resuming());
    journal.begin("this course");
    EXPECT_FALSE(journal.resumes()) << "there is nothing to go on with";
    EXPECT_TRUE(journal.write("one", true));
  }
  {
    Journal journal(saving());
    journal.prepare();  // begins anew, but may yet end at once
  }
  EXPECT_EQ(read(), Entries{"one"});
}

TEST_F(JournalFile, ReplacesNothingButCheckpoints) {
  put("what somebody has written");
  EXPECT_THROW(Journal(saving()).prepare(), InputError);
  EXPECT_EQ(contents(), "what somebody has written");
  std::filesystem::remove(file_);
  std::filesystem::create_symlink(file_ + ".there", file_);
  {
    Journal journal(saving());
    journal.begin("this course");
    EXPECT_TRUE(journal.write("one", true));
  }
  EXPECT_TRUE(std::filesystem::is_symlink(file_) ||
              std::filesystem::is_regular_file(file_));
  EXPECT_EQ(read(), Entries{"one"});
  std::filesystem::remove(file_ + ".there");
}

TEST_F(JournalFile, OfAnotherCheckIsNotReplaced) {
  Journal::Settings other = saving();
  other.identity = "another check";
  {
    Journal journal(other);
    journal.begin("this course");
    EXPECT_TRUE(journal.write("one", true));
  }
  const std::string before = contents();
  EXPECT_THROW(Journal(saving()).prepare(), InputError);
  EXPECT_EQ(contents(), before);
  put(before.substr(0, before.size() / 2));
  EXPECT_THROW(Journal(saving()).prepare(), InputError) << "damaged";
  put("");
  EXPECT_NO_THROW(Journal(saving()).prepare());
}

TEST_F(JournalFile, StaysOpenOnlyWhereItIsTaken) {
  const auto descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  put("no checkpoint");
  const auto before = descriptors();
  for (int i = 0; i < 10; ++i) {
    EXPECT_THROW(Journal{resuming()}, InputError);
  }
  EXPECT_EQ(descriptors(), before);
}

TEST_F(JournalFile, HasToBeThereAndToBeOne) {
  EXPECT_NE(read()[0].find("cannot read"), std::string::npos);
  put("");
  EXPECT_NE(read()[0].find("is not a checkpoint"), std::string::npos);
  put(std::string(5000, 'p'));
  EXPECT_NE(read()[0].find("is not a checkpoint"), std::string::npos);
}

TEST_F(JournalFile, SaysWhyItCannotBeWritten) {
  Journal::Settings settings = saving();
  settings.save_to = file_ + "/no/such/folder/file";
  Journal journal(settings);
  journal.begin("this course");
  EXPECT_FALSE(journal.write("one", true));
  EXPECT_NE(journal.why_not().find("cannot write"), std::string::npos);
  EXPECT_FALSE(journal.continues());
}

// What was final before the disk was full counts, and writing goes on where
// there is room again.
TEST_F(JournalFile, SurvivesAFullDisk) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  Journal journal(saving());
  journal.begin("this course");
  ASSERT_TRUE(journal.write("one", true));
  const rlimit full{10'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const bool fits = journal.write(std::string(50'000, 'x'), true);
  const bool small = journal.write("two", true);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(fits);
  EXPECT_TRUE(small);
  EXPECT_TRUE(journal.write("three", true));
  EXPECT_EQ(read(), (Entries{"one", "two", "three"}));
}

TEST_F(JournalFile, LeavesNothingBehindWhereNotEvenTheFirstEntryFits) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  Journal journal(saving());
  journal.begin("this course");
  const rlimit full{10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const bool fits = journal.write("one", true);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(fits);
  EXPECT_FALSE(std::filesystem::exists(file_ + ".new"));
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_FALSE(journal.continues()) << "the next entry must hold everything";
}

// From the paper's own implementation: key 00 01 .. 0f, texts 00 01 02 ...
TEST(Seal, IsSipHash) {
  const SealKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(seal_of("", key), (Seal{0xe6a825ba047f81a3, 0x930255c71472f66d}));
  EXPECT_NE(seal_of(std::string(7, '\0'), key),
            seal_of(std::string(8, '\0'), key));
}

TEST(ByteStream, ReadsWhatWasWritten) {
  lts::Label label;
  label.kind = lts::LabelKind::kReturn;
  label.marked = true;
  label.process = 13;
  label.operation = 300;
  label.edge = 1u << 31;
  const Value items[] = {Value::integer(-5), Value(), Value::boolean(true),
                         Value::text("empty"), Value::integer(1'000'000)};
  label.value = Value::list(items);
  const lts::Renaming renaming{lts::Permutation::swap(2, 15),
                               lts::Permutation::swap(0, 7)};
  ByteWriter out;
  out.number(UINT64_MAX);
  out.label(label);
  out.renaming(renaming);
  out.real(0.1);
  out.text("");
  ByteReader in(out.written());
  EXPECT_EQ(in.number(), UINT64_MAX);
  EXPECT_EQ(in.label(), label);
  EXPECT_EQ(in.renaming(), renaming);
  EXPECT_EQ(in.real(), 0.1);
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.at_end());
}

TEST(ByteStream, NeverReadsBeyondTheEnd) {
  std::mt19937 random(4);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes(random() % 40, ' ');
    for (char& byte : bytes) {
      byte = static_cast<char>(random() % (round % 2 == 0 ? 256 : 6));
    }
    ByteReader in(bytes);
    try {
      while (!in.at_end()) {
        in.label();
        in.renaming();
        in.bytes();
      }
    } catch (const InputError&) {
      continue;
    }
  }
}

}  // namespace
}  // namespace plumb::verify
