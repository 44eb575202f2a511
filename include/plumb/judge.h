// SPDX-License-Identifier: Apache-2.0
// Judges what was recorded, or every run of a test (C++17).
//
// For the matchers of plumb/gtest.h and plumb/catch2.h, and for other
// frameworks. A recorded history is judged by the tool: the one that the
// environment variable PLUMB names, else the one that find_package(Plumbline)
// found, else `plumb` on the PATH.  The file of one that is not consistent is
// kept, so that it can be looked at again.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace plumb {

// Undecided is not consistent: the text says which limit was reached.
struct Judgement {
  bool consistent = false;
  std::string text;  // what the tool says
};

namespace judging {

inline std::string tool() {
  if (const char* named = std::getenv("PLUMB")) return named;
#ifdef PLUMB_TOOL
  return PLUMB_TOOL;
#else
  return "plumb";
#endif
}

// As one word of a shell.
inline std::string quoted(const std::string& word) {
  std::string made = "'";
  for (const char c : word) {
    if (c == '\'') {
      made += "'\\''";
    } else {
      made += c;
    }
  }
  return made + "'";
}

// A file that is gone when this is, unless it is to be kept.
class Scratch {
 public:
  Scratch() {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr ? folder : "/tmp") +
            "/plumb-XXXXXX.jsonl";
    const int file = ::mkstemps(path_.data(), 6);
    if (file < 0) {
      throw std::system_error(errno, std::generic_category(),
                              "plumb: cannot write '" + path_ + "'");
    }
    ::close(file);
  }
  ~Scratch() {
    if (!kept_) ::unlink(path_.c_str());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

inline Judgement run(const std::string& command) {
  std::FILE* output = ::popen(command.c_str(), "r");
  if (output == nullptr) {
    throw std::system_error(errno, std::generic_category(),
                            "plumb: cannot run '" + command + "'");
  }
  Judgement made;
  char block[4096];
  while (const std::size_t got = std::fread(block, 1, sizeof block, output)) {
    made.text.append(block, got);
  }
  const int status = ::pclose(output);
  made.consistent = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    made.text +=
        "plumb: the tool was not found; put it on the PATH, or name "
        "it in the environment variable PLUMB\n";
  }
  return made;
}

template <typename T, typename = void>
struct IsTest : std::false_type {};
template <typename T>
struct IsTest<T, std::void_t<decltype(std::declval<T&>().report())>>
    : std::true_type {};

}  // namespace judging

// Of a plumb::Recorder: what it has recorded.  Of a plumb::Test: all its runs.
// Specifications and conditions are spelled as everywhere: "queue(3)",
// "quasi(deq=2)".
template <typename Subject>
Judgement judge(Subject& subject, const std::string& specification,
                const std::string& condition = "linearizable") {
  if constexpr (judging::IsTest<Subject>::value) {
    subject.spec(specification.c_str());
    subject.condition(condition.c_str());
    const bool holds = subject.holds();
    return {holds, subject.report()};
  } else {
    judging::Scratch file;
    subject.write(file.path());
    Judgement made = judging::run(judging::quoted(judging::tool()) +
                                  " history --no-color --spec " +
                                  judging::quoted(specification) +
                                  " --condition " + judging::quoted(condition) +
                                  " " + judging::quoted(file.path()) + " 2>&1");
    // The text tells how to see it again.
    if (!made.consistent) file.keep();
    return made;
  }
}

}  // namespace plumb
