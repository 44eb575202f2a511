// SPDX-License-Identifier: Apache-2.0
// What CSP# models assert, to be asked again and again in different ways.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ask/subject.h"
#include "base/budget.h"
#include "csp/ast.h"

namespace plumb::testing {

// One assertion, asked as the tool asks it.
struct CspQuestion {
  std::string name;
  ask::SubjectPtr subject;
  ask::Question question;

  // Everything that the outcome says, but for times and the memory that was
  // used.
  std::string ask(const verify::Options& search, Budget& budget) const;
  // What must not depend on threads and interruptions: the answer, how long a
  // run to it is, and of what holds how many states there are, and transitions
  // of these.
  std::string verdict(const verify::Options& search, Budget& budget) const;
};

// The assertions of a model.
std::vector<CspQuestion> assertions_of(std::shared_ptr<const csp::Module>);
// Questions of all kinds about the process System() of a model that was made at
// random, with all reductions and with none.
std::vector<CspQuestion> questions_about_system(const std::string& model);

// "register", for examples/csp/register.csp.
std::shared_ptr<const csp::Module> shipped_csp_model(const std::string& name);
std::vector<std::string> shipped_csp_models();

}  // namespace plumb::testing
