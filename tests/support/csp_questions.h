// SPDX-License-Identifier: Apache-2.0
// What CSP# models assert, to be asked again and again in different ways.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assertions/assertions.h"
#include "base/budget.h"
#include "csp/ast.h"
#include "csp/model.h"
#include "lts/system.h"

namespace plumb::testing {

// Everything that an outcome says, but for times and the memory that was used.
std::string words_of(const assertions::Outcome& outcome,
                     const lts::System& system);

// One question; asking it gives words_of() the outcome, of a system that was
// never used before.
struct CspQuestion {
  std::string name;
  std::function<std::string(const assertions::Options&, Budget&)> ask;
};

// The assertions of a model.
std::vector<CspQuestion> assertions_of(std::shared_ptr<const csp::Module>);
// Questions of all kinds about its process System(), for models made at random.
std::vector<CspQuestion> questions_about_system(
    std::shared_ptr<const csp::Module>);

// "register", for examples/csp/register.csp.
std::shared_ptr<const csp::Module> shipped_csp_model(const std::string& name);
std::vector<std::string> shipped_csp_models();

}  // namespace plumb::testing
