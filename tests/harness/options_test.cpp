// SPDX-License-Identifier: Apache-2.0
#include "harness/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/input_error.h"

namespace plumb::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The message and the hint for a command line that is wrong.
std::string complaint(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments);
  } catch (const InputError& error) {
    return error.describe();
  }
  return "";
}

TEST(Options, TakeValuesInTheNextWordOrBehindAnEqualsSign) {
  EXPECT_EQ(parse_options({"--json", "a.json"}).json, "a.json");
  EXPECT_EQ(parse_options({"--json=a=b"}).json, "a=b");
  EXPECT_THAT(parse_options({"--only", "a", "--only=b"}).only,
              ElementsAre("a", "b"));
}

TEST(Options, GoBeforeTheSettingsOfATest) {
  Settings of_test;
  of_test.set("heap", "fifo");
  of_test.set("seed", "7");
  const Settings settings =
      parse_options({"--heap", "lifo", "--search", "pct"}).over(of_test);
  EXPECT_EQ(settings.heap, HeapSetting::kLifo);
  EXPECT_EQ(settings.search, SearchKind::kPct);
  EXPECT_EQ(settings.seed, 7u);
}

TEST(Options, SayWhatIsWrongWithThem) {
  EXPECT_THAT(complaint({"--serach", "pct"}),
              HasSubstr("unknown option '--serach'\nhint: did you mean "
                        "'--search'?"));
  EXPECT_THAT(complaint({"--search", "ptc"}),
              HasSubstr("'ptc' is no value of 'search'"));
  EXPECT_THAT(complaint({"--json"}), HasSubstr("--json needs a FILE"));
  EXPECT_THAT(complaint({"--list=yes"}), HasSubstr("--list takes no value"));
  EXPECT_THAT(complaint({"queue"}), HasSubstr("'queue' is no option"));
  EXPECT_THAT(complaint({"--executions", "-1"}),
              HasSubstr("takes a number from 1 on, not '-1'"));
  EXPECT_THAT(complaint({"--jobs", "99999"}), HasSubstr("up to 1024"));
  EXPECT_THAT(complaint({"--time-limit", "soon"}), HasSubstr("is no time"));
}

TEST(Options, LeaveTheRestToTheProgramAfterArgs) {
  const Options options = parse_options({"--quiet", "--args", "-x", "--json"});
  EXPECT_TRUE(options.quiet);
  EXPECT_THAT(options.program_arguments, ElementsAre("-x", "--json"));
}

TEST(Options, RepeatWhatAReplayDependsOn) {
  EXPECT_EQ(parse_options({"--heap", "lifo", "--seed", "3", "--programs", "5",
                           "--races=allow"})
                .to_repeat(),
            " --seed 3 --races allow --programs 5");
  EXPECT_EQ(parse_options({}).to_repeat(), "");
}

TEST(Settings, KnowTheirNamesAndValues) {
  Settings settings;
  settings.set("expect", "use-after-free");
  EXPECT_EQ(settings.expect->to_string(), "use-after-free");
  EXPECT_EQ(settings.expect->answer, check::Answer::kViolated);
  settings.set("expect", "violated");
  EXPECT_EQ(settings.expect->to_string(), "violated");
  settings.set("spec", "blocking_queue(3)");
  settings.set("condition", "quasi(deq=2)");
  EXPECT_THROW(settings.set("spec", "quue"), InputError);
  EXPECT_THROW(settings.set("condition", "linear"), InputError);
  EXPECT_THROW(settings.set("expect", "races"), InputError);
  EXPECT_THROW(settings.set("expects", "race"), InputError);
  EXPECT_THROW(settings.set("rand", "0"), InputError);
}

}  // namespace
}  // namespace plumb::harness
