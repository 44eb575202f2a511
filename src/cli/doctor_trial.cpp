// SPDX-License-Identifier: Apache-2.0
// A test of a few lines, built and run as users do it.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/input_error.h"
#include "cli/doctor_probe.h"
#include "cli/process.h"
#include "report/json_value.h"

namespace plumb::cli {

namespace fs = std::filesystem;

namespace {

// Two threads take numbers.  In `wrong` both can get the same one.  The
// variable that each thread has of its own needs the most of the runtime.
constexpr const char* kTest = R"(#include <plumb/test.h>

#include <atomic>

thread_local int calls = 0;

struct Right {
  std::atomic<int> value{0};
  int inc() {
    ++calls;
    return value.fetch_add(1);
  }
};

struct Wrong {
  std::atomic<int> value{0};
  int inc() {
    const int before = value.load();
    value.store(before + 1);
    return before;
  }
};

template <typename Counter>
void declare(plumb::Test& test) {
  auto counter = test.object<Counter>();
  auto inc = counter.operation("inc", PLUMB_METHOD(inc));
  test.spec("counter");
  test.program().thread(inc()).thread(inc());
}

PLUMB_TEST(right) {
  declare<Right>(test);
}
PLUMB_TEST(wrong) {
  declare<Wrong>(test);
}
)";

// A folder with a name of its own that goes with this object.
class TrialFolder {
 public:
  TrialFolder() {
    std::error_code error;
    std::string name =
        (fs::temp_directory_path(error) / "plumb-doctor-XXXXXX").string();
    if (!error && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TrialFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;

  const fs::path& path() const { return path_; }  // "": there is none

 private:
  fs::path path_;
};

// What is built for the trial is not for the user's cache.
class OtherCache {
 public:
  explicit OtherCache(const fs::path& folder) {
    if (const char* const before = std::getenv(kName)) before_ = before;
    setenv(kName, folder.c_str(), 1);
  }
  ~OtherCache() {
    if (before_) {
      setenv(kName, before_->c_str(), 1);
    } else {
      unsetenv(kName);
    }
  }
  OtherCache(const OtherCache&) = delete;
  OtherCache& operator=(const OtherCache&) = delete;

 private:
  static constexpr const char* kName = "XDG_CACHE_HOME";
  std::optional<std::string> before_;
};

// Do steps of the run have this?
bool any_step_has(const report::Json& result, const char* what) {
  const auto evidence = result.find("evidence");
  if (evidence == result.end() || !evidence->is_object()) return false;
  const auto steps = evidence->find("steps");
  if (steps == evidence->end() || !steps->is_array()) return false;
  for (const report::Json& step : *steps) {
    if (step.is_object() && step.contains(what)) return true;
  }
  return false;
}

std::string text_in(const report::Json& result, const char* key) {
  if (!result.is_object()) return "";
  const auto found = result.find(key);
  return found != result.end() && found->is_string() ? found->get<std::string>()
                                                     : "";
}

}  // namespace

Trial trial_of(const std::string& json, const std::string& said) {
  Trial out;
  out.was_run = true;
  out.said = said;
  const report::Json all = report::Json::parse(json, nullptr, false);
  if (!all.is_object() || !all.contains("results")) return out;
  for (const report::Json& result : all["results"]) {
    const std::string name = text_in(result, "name");
    if (name == "right") out.right_verdict = text_in(result, "verdict");
    if (name != "wrong") continue;
    out.wrong_verdict = text_in(result, "verdict");
    out.has_lines = any_step_has(result, "line");
    out.has_variables = any_step_has(result, "place");
  }
  return out;
}

Trial try_test() {
  const TrialFolder folder;
  if (folder.path().empty()) return {};
  const fs::path file = folder.path() / "trial.cpp";
  std::ofstream(file) << kTest;
  const OtherCache cache(folder.path());
  try {
    const ProcessResult result = run_process(
        {fs::read_symlink("/proc/self/exe").string(), "test", file.string(),
         "--json", "-", "--no-color", "--jobs", "1", "--time-limit", "30s",
         // Instrumentation must do without: it is what is tried.
         "--audit", "off"});
    return trial_of(result.output, result.errors);
  } catch (const InputError& error) {
    return {.was_run = true,
            .right_verdict = "",
            .wrong_verdict = "",
            .said = error.what()};
  } catch (const fs::filesystem_error& error) {
    return {.was_run = true,
            .right_verdict = "",
            .wrong_verdict = "",
            .said = error.what()};
  }
}

}  // namespace plumb::cli
