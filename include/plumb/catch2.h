// SPDX-License-Identifier: Apache-2.0
// Matchers for tests with Catch2, of version 2 or 3.
//
//   REQUIRE_THAT(recorder, plumb::IsLinearizable("queue"));
//   CHECK_THAT(recorder, plumb::IsConsistent("queue", "quasi(deq=2)"));
//
// What is matched is a plumb::Recorder (plumb/record.h) whose processes have
// stopped, or a plumb::Test (plumb/test.h).
#pragma once

#if __has_include(<catch2/matchers/catch_matchers_templated.hpp>)
#include <catch2/matchers/catch_matchers_templated.hpp>
namespace plumb {
using CatchMatcher = Catch::Matchers::MatcherGenericBase;
}
#else
#include <catch2/catch.hpp>
namespace plumb {
using CatchMatcher = Catch::Matchers::Impl::MatcherUntypedBase;
}
#endif

#include <string>
#include <utility>

#include "plumb/judge.h"

namespace plumb {

class IsConsistent : public CatchMatcher {
 public:
  IsConsistent(std::string specification, std::string condition)
      : specification_(std::move(specification)),
        condition_(std::move(condition)) {}

  // Catch2 hands out what it was given as const; a test has to run.
  template <typename Subject>
  bool match(const Subject& subject) const {
    judgement_ =
        judge(const_cast<Subject&>(subject), specification_, condition_);
    return judgement_.consistent;
  }
  std::string describe() const override {
    return "is " + condition_ + " as a " + specification_ + "\n" +
           judgement_.text;
  }

 private:
  std::string specification_, condition_;
  mutable Judgement judgement_;
};

class IsLinearizable : public IsConsistent {
 public:
  explicit IsLinearizable(std::string specification)
      : IsConsistent(std::move(specification), "linearizable") {}
};

}  // namespace plumb
