// SPDX-License-Identifier: Apache-2.0
// The tests that a program registered with PLUMB_TEST.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/case.h"

namespace plumb::harness {

struct Registered {
  std::string name;
  std::string file;
  int line = 0;
  void (*declare)(test::Case*) = nullptr;
};

// In the order of registration: filled before main() begins.
std::vector<Registered>& registered_tests();

// What the test declares, or what is wrong with that: in Case::error.
std::unique_ptr<test::Case> declared(const Registered& test);

// The last checks of a test that is complete: has it something to run?
void require_complete(test::Case& test);

}  // namespace plumb::harness
