// SPDX-License-Identifier: Apache-2.0
#include "harness/settings.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "base/input_error.h"
#include "lang/spec_file.h"

namespace plumb::harness {

namespace {

using runtime::Fault;

template <typename T>
struct SettingWord {
  const char* name;
  T value;
};

constexpr std::array<SettingWord<Fault>, 15> kFaults = {{
    {"race", Fault::kRace},
    {"deadlock", Fault::kDeadlock},
    {"livelock", Fault::kLivelock},
    {"leak", Fault::kLeak},
    {"use-after-free", Fault::kUseAfterFree},
    {"double-free", Fault::kDoubleFree},
    {"overflow", Fault::kOverflow},
    {"assertion", Fault::kAssertion},
    {"exception", Fault::kException},
    {"crash", Fault::kCrash},
    {"misuse", Fault::kMisuse},
    {"stack-overflow", Fault::kStackOverflow},
    {"out-of-memory", Fault::kOutOfMemory},
    {"unsupported", Fault::kUnsupported},
    {"diverged", Fault::kDiverged},
}};
// The last three are limits of ours, which nobody expects.
constexpr std::size_t kExpectableFaults = kFaults.size() - 3;

constexpr std::array<SettingWord<SearchKind>, 5> kSearches = {{
    {"exhaustive", SearchKind::kExhaustive},
    {"states", SearchKind::kStates},
    {"preemptions", SearchKind::kPreemptions},
    {"pct", SearchKind::kPct},
    {"random", SearchKind::kRandom},
}};
constexpr std::array<SettingWord<HeapSetting>, 7> kHeaps = {{
    {"auto", HeapSetting::kAuto},
    {"own", HeapSetting::kOwn},
    {"lifo", HeapSetting::kLifo},
    {"fifo", HeapSetting::kFifo},
    {"quarantine", HeapSetting::kQuarantine},
    {"shared", HeapSetting::kShared},
    {"all", HeapSetting::kAll},
}};
constexpr std::array<SettingWord<std::optional<sched::MemoryModel>>, 4>
    kMemories = {{
        {"sc", sched::MemoryModel::kSc},
        {"tso", sched::MemoryModel::kTso},
        {"rc11", sched::MemoryModel::kRc11},
        {"auto", std::nullopt},
    }};
constexpr std::array<SettingWord<bool>, 2> kFindOrAllow = {
    {{"find", false}, {"allow", true}}};
constexpr std::array<SettingWord<bool>, 2> kCutOrKeep = {
    {{"cut", true}, {"keep", false}}};
constexpr std::array<SettingWord<bool>, 2> kOnOrOff = {
    {{"on", true}, {"off", false}}};

constexpr std::array<SettingWord<bool>, 2> kAllOrAlike = {
    {{"all", false}, {"alike", true}}};
constexpr std::array<SettingWord<SpuriousSetting>, 4> kSpurious = {{
    {"all", {true, true}},
    {"cas", {true, false}},
    {"wakes", {false, true}},
    {"none", {false, false}},
}};

[[noreturn]] void fail(std::string_view setting, std::string_view value,
                       const std::vector<std::string>& known) {
  const std::string guess = nearest(std::string(value), known);
  throw InputError(fmt::format("'{}' is no value of '{}'", value, setting),
                   guess.empty()
                       ? fmt::format("it takes {}", fmt::join(known, ", "))
                       : fmt::format("did you mean '{}'?", guess));
}

template <typename T, std::size_t N>
T chosen(std::string_view setting, std::string_view value,
         const std::array<SettingWord<T>, N>& words) {
  std::vector<std::string> known;
  for (const SettingWord<T>& word : words) {
    if (value == word.name) return word.value;
    known.emplace_back(word.name);
  }
  fail(setting, value, known);
}

template <typename T>
T number(std::string_view setting, std::string_view value, T least) {
  T out{};
  const char* const end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, out);
  if (error != std::errc() || at != end || out < least) {
    throw InputError(fmt::format("'{}' takes a number from {} on, not '{}'",
                                 setting, least, value));
  }
  return out;
}

Expectation expectation(std::string_view value) {
  if (value == "holds") return {};
  if (value == "violated") return {check::Answer::kViolated, Fault::kNone};
  std::vector<std::string> known = {"holds", "violated"};
  for (std::size_t i = 0; i < kExpectableFaults; ++i) {
    if (value == kFaults[i].name) {
      return {check::Answer::kViolated, kFaults[i].value};
    }
    known.emplace_back(kFaults[i].name);
  }
  fail("expect", value, known);
}

using Setter = void (*)(Settings&, std::string_view name,
                        std::string_view value);

constexpr std::array<SettingWord<Setter>, 17> kSetters = {{
    {"spec",
     [](Settings& s, std::string_view, std::string_view value) {
       // Throws if there is no such object.
       if (!lang::names_file(value)) lang::open_specification(value);
       s.spec = value;
     }},
    {"condition",
     [](Settings& s, std::string_view, std::string_view value) {
       check::parse_condition(value);
       s.condition = value;
     }},
    {"expect", [](Settings& s, std::string_view,
                  std::string_view value) { s.expect = expectation(value); }},
    {"heap",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.heap = chosen(name, value, kHeaps);
     }},
    {"memory",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.memory = chosen(name, value, kMemories);
     }},
    {"races",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.allow_races = chosen(name, value, kFindOrAllow);
     }},
    {"leaks",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.allow_leaks = chosen(name, value, kFindOrAllow);
     }},
    {"search",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.search = chosen(name, value, kSearches);
     }},
    {"executions",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.executions = number<std::uint64_t>(name, value, 1);
     }},
    {"preemptions",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.preemptions = number<std::uint32_t>(name, value, 0);
     }},
    {"seed",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.seed = number<std::uint64_t>(name, value, 0);
     }},
    {"rand",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.rand_values = number<std::uint32_t>(name, value, 1);
     }},
    {"steps",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.steps = number<std::uint64_t>(name, value, 1);
     }},
    {"loops",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.cut_loops = chosen(name, value, kCutOrKeep);
     }},
    {"values",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.values_alike = chosen(name, value, kAllOrAlike);
     }},
    {"spurious",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.spurious = chosen(name, value, kSpurious);
     }},
    {"audit",
     [](Settings& s, std::string_view name, std::string_view value) {
       s.audit = chosen(name, value, kOnOrOff);
     }},
}};

}  // namespace

const char* to_string(SearchKind kind) {
  for (const auto& word : kSearches) {
    if (word.value == kind) return word.name;
  }
  return "";
}

const char* name_of(Fault fault) {
  for (const auto& word : kFaults) {
    if (word.value == fault) return word.name;
  }
  return fault == Fault::kStepLimit ? "step-limit" : "";
}

std::string Expectation::to_string() const {
  return fault == Fault::kNone ? check::to_string(answer) : name_of(fault);
}

const std::vector<std::string>& setting_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const auto& setter : kSetters) out.emplace_back(setter.name);
    return out;
  }();
  return names;
}

void Settings::set(std::string_view setting, std::string_view value) {
  for (const auto& setter : kSetters) {
    if (setting == setter.name) return setter.value(*this, setting, value);
  }
  const std::string guess = nearest(std::string(setting), setting_names());
  throw InputError(fmt::format("there is no setting '{}'", setting),
                   guess.empty() ? fmt::format("there are {}",
                                               fmt::join(setting_names(), ", "))
                                 : fmt::format("did you mean '{}'?", guess));
}

}  // namespace plumb::harness
