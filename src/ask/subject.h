// SPDX-License-Identifier: Apache-2.0
// What questions are asked about: the one interface of all languages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/outcome.h"
#include "ask/question.h"
#include "base/budget.h"
#include "base/input_error.h"
#include "check/verdict.h"
#include "csp/ast.h"
#include "lang/ast.h"
#include "lang/model.h"
#include "lts/path.h"
#include "lts/system.h"
#include "text/source.h"

namespace plumb::ask {

// All of a model, without reductions.
struct Whole {
  std::shared_ptr<const lts::System> system;
  spec::SpecificationPtr specification;  // null if there is none
  std::vector<std::uint16_t> codes;      // see lang::Model
};

// A run of a whole system that somebody found earlier.
struct Run {
  lts::Path path;
  std::optional<std::size_t> back_to;  // it goes on there for ever
  std::optional<std::size_t> stuck;    // who makes no progress
};

// One line of a model that asks something.  Everything is const and may be
// called by several threads at once; all of it may throw InputError.
class Subject {
 public:
  virtual ~Subject() = default;

  // What the line asks, to be answered in the usual way.
  virtual Question question() const = 0;
  // Requires: the property is one of the language; objects, bounds, formulas
  // and what else is no part of questions are those of the line.
  virtual Outcome answer(const Question& question, Budget& budget) const = 0;

  // There is none of a kComparison.
  virtual Whole whole() const = 0;
  // What is searched instead, to be looked at; null: whole().
  virtual std::shared_ptr<const lts::System> reduced(
      const Question& question) const = 0;
  // Does this run of whole() violate what is asked?  `unknown`: no.
  virtual Outcome judge(const Question& question, const Run& run,
                        Budget& budget) const = 0;

  virtual std::optional<check::Answer> expected() const = 0;
  virtual const text::Source& source() const = 0;  // of the model
  virtual Place place() const = 0;                 // of the property
  // In the words of the language: what is asked, and the whole line, with
  // another condition if the question has one.
  virtual std::string property_text(const Question& question) const = 0;
  virtual std::string text(const Question& question) const = 0;
};

using SubjectPtr = std::shared_ptr<const Subject>;

// A check of an object or of a specification in a .plumb model.
SubjectPtr subject(std::shared_ptr<const lang::Module> module,
                   std::shared_ptr<const lang::Check> check,
                   lang::Settings settings);
// An assertion of a CSP# model.
SubjectPtr subject(std::shared_ptr<const csp::Module> module,
                   const csp::Assertion& assertion);

}  // namespace plumb::ask
