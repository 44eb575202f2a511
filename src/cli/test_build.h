// SPDX-License-Identifier: Apache-2.0
// Compiles tests with the user's compiler, or finds what was compiled before.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "cli/test_cache.h"

namespace plumb::cli {

struct BuildOptions {
  std::vector<std::string> arguments;  // after `--`: for the compiler
  std::string optimise = "0";          // of -O
  bool native = false;   // without what tells us of accesses, for --stress
  bool color = false;    // in what the compiler says
  bool rebuild = false;  // even if it was built before
  // A specification (plumb/spec.h), which is a program of its own.
  bool specification = false;
};

struct BuiltTest {
  std::filesystem::path program;  // "": it could not be built
  std::string diagnostics;        // what the compiler said
  std::string note;               // why it cannot be kept; ""
  // Shared libraries that it uses, whose accesses nobody sees.
  std::vector<std::string> unseen;
};

// Where the library and the public headers are.
struct Installation {
  std::filesystem::path library;
  std::filesystem::path headers;
};

// As found from where this program is.  Throws InputError.
Installation find_installation();

// The compiler that CXX or CC names, else the first there is; several words if
// it is "ccache g++".  Throws InputError.
std::vector<std::string> find_compiler(bool for_c);

class TestBuilder {
 public:
  explicit TestBuilder(BuildOptions options);

  // Throws InputError if there is no such file or no compiler.  Threads may
  // build different files at a time.
  BuiltTest build(const std::string& file);

  const std::string& note() const { return cache_.note(); }

 private:
  struct Compiler;
  class Job;

  Compiler compiler_for(const std::string& file) const;
  std::string key_of(const std::string& file, const Compiler& compiler,
                     const std::vector<std::string>& flags) const;
  std::vector<std::string> flags_for(const Compiler& compiler) const;
  std::vector<std::string> link_flags() const;
  BuiltTest compile(const std::string& file, const Compiler& compiler,
                    const std::vector<std::string>& flags,
                    const std::string& key);

  BuildOptions options_;
  Installation installation_;
  TestCache cache_;
  std::mutex keeping_;
};

}  // namespace plumb::cli
