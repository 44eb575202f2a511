// SPDX-License-Identifier: Apache-2.0
// Files that take the place of others only when they are complete.
#include "base/staged_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace plumb {
namespace {

namespace fs = std::filesystem;

class Staged : public ::testing::Test {
 protected:
  Staged() {
    std::string name = ::testing::TempDir() + "plumb_staged_XXXXXX";
    folder_ = mkdtemp(name.data());
    file_ = folder_ / "file";
  }
  ~Staged() override { fs::remove_all(folder_); }

  static std::string text_of(const fs::path& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_, file_;
};

TEST_F(Staged, ReplacesWhenItIsFinished) {
  std::ofstream(file_) << "old";
  fs::permissions(file_, fs::perms(0640));
  StagedFile staged;
  ASSERT_TRUE(staged.open(file_.string()));
  EXPECT_TRUE(write_all(staged.file(), "new"));
  EXPECT_EQ(text_of(file_), "old");
  EXPECT_TRUE(staged.finish());
  EXPECT_EQ(text_of(file_), "new");
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms(0640));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Staged, LeavesNothingBehind) {
  {
    StagedFile staged;
    ASSERT_TRUE(staged.open(file_.string()));
    EXPECT_TRUE(write_all(staged.file(), "half"));
  }
  EXPECT_EQ(files(), 0u);
  StagedFile staged;
  EXPECT_FALSE(staged.open((folder_ / "no" / "folder").string()));
}

TEST_F(Staged, FollowsLinksAndKnowsOtherNames) {
  std::ofstream(folder_ / "target") << "old";
  fs::create_symlink("target", file_);
  StagedFile staged;
  ASSERT_TRUE(staged.open(file_.string()));
  EXPECT_FALSE(staged.loses_something());
  EXPECT_TRUE(write_all(staged.file(), "new") && staged.finish());
  EXPECT_TRUE(fs::is_symlink(file_));
  EXPECT_EQ(text_of(folder_ / "target"), "new");
  fs::create_hard_link(folder_ / "target", folder_ / "other name");
  ASSERT_TRUE(staged.open(file_.string()));
  EXPECT_TRUE(staged.loses_something());
}

TEST_F(Staged, MakesWhatALinkLeadsTo) {
  fs::create_symlink("new", folder_ / "second");
  fs::create_symlink(folder_ / "second", file_);
  StagedFile staged;
  ASSERT_TRUE(staged.open(file_.string()));
  EXPECT_TRUE(write_all(staged.file(), "text") && staged.finish());
  EXPECT_TRUE(fs::is_symlink(file_));
  EXPECT_EQ(text_of(folder_ / "new"), "text");

  fs::create_symlink("no/file", folder_ / "elsewhere");
  EXPECT_FALSE(staged.open((folder_ / "elsewhere").string()));
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_FALSE(staged.open((folder_ / "circle").string()));
  EXPECT_EQ(errno, ELOOP);
}

TEST_F(Staged, KeepsTheOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  std::ofstream(file_) << "old";
  ASSERT_EQ(chown(file_.c_str(), 12345, 23456), 0);
  StagedFile staged;
  ASSERT_TRUE(staged.open(file_.string()));
  EXPECT_FALSE(staged.loses_something());
  ASSERT_TRUE(staged.finish());
  struct stat about {};
  ASSERT_EQ(stat(file_.c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, 12345u);
  EXPECT_EQ(about.st_gid, 23456u);
}

}  // namespace
}  // namespace plumb
