// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::uint64_t kGiga = std::uint64_t{1} << 30;

Trial good_trial() {
  return {.was_run = true,
          .right_verdict = "holds",
          .wrong_verdict = "violated",
          .has_lines = true,
          .has_variables = true,
          .said = ""};
}

Machine good_machine() {
  Machine out;
  out.architecture = "x86_64";
  out.has_fsgsbase = true;
  out.can_fix_addresses = true;
  out.memory = 16 * kGiga;
  out.cores = 8;
  return out;
}

Folder good_folder() {
  return {.path = "/var/x",
          .can_write = true,
          .can_execute = true,
          .free = 10 * kGiga};
}

void expect_well(const Finding& finding) {
  EXPECT_EQ(finding.health, Health::kOk) << finding.found;
  EXPECT_THAT(finding.advice, IsEmpty());
}

void expect_advice(const Finding& finding, Health health,
                   const std::string& found, const std::string& advice) {
  EXPECT_EQ(finding.health, health) << finding.subject;
  EXPECT_THAT(finding.found, HasSubstr(found));
  EXPECT_THAT(finding.advice, HasSubstr(advice));
}

TEST(Doctor, AGoodMachineGetsNoAdvice) {
  const Search found = {.found = "g++ 12", .why_not = "", .advice = ""};
  expect_well(judge_compiler(found));
  expect_well(judge_c_compiler(found));
  expect_well(judge_library({found, "0.1.0"}, "0.1.0"));
  expect_well(judge_instrumentation(good_trial()));
  expect_well(judge_debug_information(good_trial()));
  expect_well(judge_processor(good_machine()));
  expect_well(judge_addresses(good_machine()));
  expect_well(judge_memory(good_machine()));
  expect_well(judge_cores(good_machine()));
  expect_well(judge_cache(good_folder()));
  expect_well(judge_temporary(good_folder()));
  expect_well(judge_spill(good_folder()));
  expect_well(judge_debugger(found, good_machine()));
  expect_well(judge_terminal({true, true, "UTF-8"}));
}

TEST(Doctor, OnlyTestsInCNeedACompilerForC) {
  const Search none = {
      .found = "", .why_not = "there is none", .advice = "install one"};
  expect_advice(judge_compiler(none), Health::kProblem, "there is none",
                "install one");
  expect_advice(judge_c_compiler(none), Health::kWarning, "there is none",
                "install one");
}

TEST(Doctor, ALibraryOfAnotherVersionIsAProblem) {
  const Search found = {.found = "/x/lib.so", .why_not = "", .advice = ""};
  expect_well(judge_library({found, ""}, "0.2.0"));
  expect_advice(judge_library({found, "0.1.0"}, "0.2.0"), Health::kProblem,
                "version 0.1.0", "same package");
  const Search none = {.found = "", .why_not = "nowhere", .advice = "install"};
  expect_advice(judge_library({none, ""}, "0.2.0"), Health::kProblem, "nowhere",
                "install");
}

// The worst case: everything runs, but no access is seen.
TEST(Doctor, ABugThatIsNotFoundIsAProblem) {
  Trial trial = good_trial();
  trial.wrong_verdict = "holds";
  expect_advice(judge_instrumentation(trial), Health::kProblem,
                "the one with a bug 'holds'", "another compiler");
  trial = good_trial();
  trial.right_verdict = "violated";
  expect_advice(judge_instrumentation(trial), Health::kProblem, "'violated'",
                "another compiler");
}

TEST(Doctor, WhatTheCompilerSaysIsPassedOnInOneLine) {
  Trial trial;
  trial.was_run = true;
  trial.said = "a.cpp:1: error: x\n\n  more\n" + std::string(1000, 'y');
  const Finding finding = judge_instrumentation(trial);
  expect_advice(finding, Health::kProblem, "a.cpp:1: error: x;   more; yyy",
                "CXX");
  EXPECT_THAT(finding.found, Not(HasSubstr("\n")));
  EXPECT_LT(finding.found.size(), 400u);
}

TEST(Doctor, WhatWasNotTriedIsNotCalledBroken) {
  expect_advice(judge_instrumentation({}), Health::kProblem, "not tried",
                "above");
  expect_advice(judge_debug_information({}), Health::kWarning, "not known",
                "instrumentation");
}

TEST(Doctor, MissingDebugInformationHampersOnly) {
  Trial trial = good_trial();
  trial.has_variables = false;
  expect_advice(judge_debug_information(trial), Health::kWarning,
                "names of variables", "dwarf");
  trial.has_lines = false;
  expect_advice(judge_debug_information(trial), Health::kWarning,
                "without their lines", "libdw");
}

TEST(Doctor, TestsNeedX8664AndAreFasterWithFsgsbase) {
  Machine machine = good_machine();
  machine.has_fsgsbase = false;
  expect_advice(judge_processor(machine), Health::kWarning, "FSGSBASE",
                "Linux 5.9");
  machine.architecture = "aarch64";
  expect_advice(judge_processor(machine), Health::kProblem, "aarch64",
                "x86_64");
}

TEST(Doctor, ContainersThatForbidFixedAddressesAreToldHow) {
  Machine machine = good_machine();
  machine.can_fix_addresses = false;
  expect_advice(judge_addresses(machine), Health::kWarning, "elsewhere",
                "seccomp");
}

TEST(Doctor, ASmallAddressSpaceStopsTests) {
  Machine machine = good_machine();
  machine.address_space = 24 * kGiga;
  expect_well(judge_memory(machine));
  machine.address_space = 8 * kGiga;
  expect_advice(judge_memory(machine), Health::kProblem, "8.0 GB",
                "ulimit -v unlimited");
}

// Without --memory-limit, commands take three quarters of the machine.
TEST(Doctor, ASmallContainerOnALargeMachineNeedsALimit) {
  Machine machine = good_machine();
  machine.memory_of_group = 12 * kGiga;
  expect_well(judge_memory(machine));
  machine.memory_of_group = 2 * kGiga;
  expect_advice(judge_memory(machine), Health::kWarning, "2.0 GB",
                "--memory-limit 1536M");
  machine.memory_of_group.reset();
  machine.memory = kGiga / 2;
  expect_advice(judge_memory(machine), Health::kWarning, "512 MB", "little");
}

TEST(Doctor, AContainerWithFewCoresNeedsJobs) {
  Machine machine = good_machine();
  machine.cores_of_group = 7.6;
  expect_well(judge_cores(machine));
  machine.cores_of_group = 1.5;
  expect_advice(judge_cores(machine), Health::kWarning, "1.5", "--jobs 2");
  machine.cores_of_group = 0.2;
  expect_advice(judge_cores(machine), Health::kWarning, "0.2", "--jobs 1");
}

TEST(Doctor, ACacheThatCannotBeWrittenHampersAndOneThatCannotRunStops) {
  expect_advice(judge_cache({}), Health::kWarning, "there is none", "HOME");
  Folder folder = good_folder();
  folder.free = 1 << 20;
  expect_advice(judge_cache(folder), Health::kWarning, "1 MB free", "room");
  folder.can_execute = false;
  expect_advice(judge_cache(folder), Health::kProblem, "noexec",
                "XDG_CACHE_HOME");
  folder.can_write = false;
  expect_advice(judge_cache(folder), Health::kWarning, "/var/x",
                "XDG_CACHE_HOME");
}

TEST(Doctor, TestsNeedATemporaryFolderAndModelsDoNot) {
  Folder folder = good_folder();
  folder.can_write = false;
  expect_advice(judge_temporary(folder), Health::kProblem, "/var/x", "TMPDIR");
  expect_advice(judge_spill(folder), Health::kWarning, "/var/x", "--spill");
  folder = good_folder();
  folder.free = 0;
  expect_advice(judge_temporary(folder), Health::kWarning, "0 MB free",
                "TMPDIR");
}

TEST(Doctor, OnlyGdbNeedsADebugger) {
  const Search none = {.found = "", .why_not = "no gdb", .advice = "install"};
  expect_advice(judge_debugger(none, good_machine()), Health::kWarning,
                "only --gdb", "install");
  Machine machine = good_machine();
  machine.can_trace = false;
  expect_advice(
      judge_debugger({.found = "gdb", .why_not = "", .advice = ""}, machine),
      Health::kWarning, "trace", "ptrace_scope");
}

TEST(Doctor, EncodingsMatterOnTerminalsOnly) {
  expect_well(judge_terminal({false, false, "ANSI_X3.4-1968"}));
  expect_advice(judge_terminal({true, true, "ANSI_X3.4-1968"}),
                Health::kWarning, "not UTF-8", "LANG");
}

TEST(Doctor, ProblemsStopTestsAndWarningsDoNot) {
  Machine machine = good_machine();
  machine.has_fsgsbase = false;
  std::vector<Finding> findings = {judge_processor(machine)};
  EXPECT_TRUE(can_test(findings));
  EXPECT_THAT(to_text(findings, false), HasSubstr("Every command can work"));
  findings.push_back(judge_instrumentation({}));
  EXPECT_FALSE(can_test(findings));
  EXPECT_THAT(to_text(findings, false), HasSubstr("'plumb test' cannot work"));
}

TEST(Doctor, AdviceStandsBelowWhatWasFound) {
  const std::vector<Finding> findings = {
      {.subject = "a", .health = Health::kOk, .found = "fine", .advice = ""},
      {.subject = "bcd",
       .health = Health::kProblem,
       .found = "broken",
       .advice = "mend it"}};
  EXPECT_THAT(to_text(findings, false), StartsWith("ok       a    fine\n"
                                                   "problem  bcd  broken\n"
                                                   "              -> mend"));
  EXPECT_THAT(to_text(findings, true),
              HasSubstr("\033[31mproblem\033[0m  bcd"));
}

}  // namespace
}  // namespace plumb::cli
