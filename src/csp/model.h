// SPDX-License-Identifier: Apache-2.0
// A CSP# module that runs: its processes as transition systems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "csp/ast.h"
#include "csp/csp_system.h"
#include "csp/liveness.h"
#include "csp/model_options.h"
#include "csp/node.h"
#include "lts/path.h"
#include "lts/reduction.h"
#include "lts/system.h"

namespace plumb::csp {

class NameSymmetry;

// What is interchangeable, and why what was wanted is not: "process symmetry
// is off: line 12 computes with an index".
struct Alike {
  std::shared_ptr<const NameSymmetry> symmetry;  // null: nothing is
  std::vector<std::string> notes;
};

class Model {
 public:
  // Throws InputError: for values that cannot be initial ones, and for what
  // options do not allow.
  Model(std::shared_ptr<const Module> module, const ModelOptions& options);

  const Module& module() const { return *shared_->nodes->module; }
  const ModelOptions& options() const { return options_; }

  // The process of a kReference with constant arguments, such as the subject
  // of an assertion.  With several initial valuations it begins with a step
  // that chooses one.  All propositions and measures may be asked of it.
  std::shared_ptr<const lts::System> system(const Process& reference) const;
  // What is not watched may be forgotten; from one initial valuation, if one
  // is given.  (Refinement is asked for each of them: both sides begin with
  // the same.)
  std::shared_ptr<const lts::System> system(
      const Process& reference, const Watched& watched,
      std::optional<std::size_t> valuation = std::nullopt) const;
  // The same with fewer steps, if the model's options have it so: see
  // AmpleSets.  A shortest run is the whole system's; runs of this one may be
  // longer, unless they lead to a stuck state.
  std::shared_ptr<const lts::System> system(
      const Process& reference, const Watched& watched,
      std::optional<std::size_t> valuation, const Observed& observed) const;
  // The same system with nothing forgotten; it has the same labels.
  std::shared_ptr<const lts::System> whole(
      const Process& reference, std::optional<std::size_t> valuation) const;
  // A run of `whole` with the labels of `path`, a run of `reduced`, which is
  // what is left of it when dead values are forgotten.  None: the reduction is
  // wrong, or there are too many to choose from.
  // Requires: both are systems of this model, of one reference.
  std::optional<lts::Path> unfold(const lts::System& reduced,
                                  const lts::System& whole,
                                  const lts::Path& path) const;
  // Likewise of a lasso: its loop is gone round until a state is there again.
  std::optional<lts::Lasso> unfold(const lts::System& reduced,
                                   const lts::System& whole,
                                   const lts::Lasso& lasso) const;
  // Which indices are interchangeable in all of these processes, references
  // with constant arguments, and in what is asked of their states.
  Alike alike(const std::vector<ProcessPtr>& references,
              const std::vector<ExprPtr>& watched,
              std::optional<std::size_t> valuation,
              const lts::Reductions& wanted) const;
  std::size_t initial_valuations() const { return shared_->valuations.size(); }

  // Requires: a state of a system of this model.  Throws LimitError where the
  // proposition has no value: an index out of bounds, say.
  bool holds(std::uint32_t proposition, lts::StateView state) const;
  bool holds(const lts::System&, std::uint32_t proposition,
             lts::StateView state) const {
    return holds(proposition, state);
  }
  // The value of an expression over variables; none if it goes wrong.
  std::optional<Datum> value(const Expression& expression,
                             lts::StateView state) const;
  // As a number.  Throws LimitError likewise.
  std::int64_t measure(const Expression& expression,
                       lts::StateView state) const;

 private:
  std::shared_ptr<const CspSystem::Forget> forget(const Watched& watched) const;
  RootTerm root_of(const Process& reference) const;
  std::optional<Datum> value(const Program& program,
                             lts::StateView state) const;

  ModelOptions options_;
  std::shared_ptr<const Shared> shared_;
  std::unordered_map<const Expression*, Program> programs_;
  std::vector<Program> propositions_;
  std::shared_ptr<const Liveness> liveness_;    // null: nothing is forgotten
  std::shared_ptr<const NodeTouches> touches_;  // null: all steps are taken
};

}  // namespace plumb::csp
