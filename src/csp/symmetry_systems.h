// SPDX-License-Identifier: Apache-2.0
// A CSP# process with one state for all that differ in names only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "csp/symmetry.h"
#include "lts/path.h"
#include "lts/system.h"

namespace plumb::csp {

// Another system with its states in another form.
class FormedSystem : public lts::System {
 public:
  FormedSystem(std::shared_ptr<const lts::System> inner,
               std::shared_ptr<const NameSymmetry> symmetry)
      : inner_(std::move(inner)), symmetry_(std::move(symmetry)) {}

  const lts::System& inner() const { return *inner_; }
  const NameSymmetry& names() const { return *symmetry_; }
  std::size_t processes() const override { return inner_->processes(); }
  std::span<const std::string> operations() const override {
    return inner_->operations();
  }
  std::vector<lts::Bound> bounds() const override { return inner_->bounds(); }
  const lts::Symmetry* symmetry() const override { return symmetry_.get(); }
  std::uint64_t actors(const lts::Label& label) const override {
    return inner_->actors(label);
  }
  lts::Edge edge(std::uint32_t edge) const override {
    return inner_->edge(edge);
  }
  std::string fault(std::uint16_t fault) const override {
    return inner_->fault(fault);
  }
  lts::StepText explain(lts::StateView before, const lts::Label& label,
                        lts::StateView after) const override {
    return inner_->explain(before, label, after);
  }
  std::vector<lts::Variable> describe(lts::StateView state) const override {
    return inner_->describe(state);
  }

 private:
  std::shared_ptr<const lts::System> inner_;
  std::shared_ptr<const NameSymmetry> symmetry_;
};

// States have the form that renamed ones have, and keep their names.
class OrderedSystem final : public FormedSystem {
 public:
  using FormedSystem::FormedSystem;

  lts::StateBytes initial() const override;
  void successors(lts::StateView state, lts::Successors& out) const override;
};

// States are canonical: each stands for its renamings, which can do the same by
// other names.  Label::operation is the number of the renaming that led from
// the system's own state to the canonical one (lts::permutation_of()), if
// there are not too many names to tell.
class QuotientSystem final : public FormedSystem {
 public:
  // `tells_apart`: of steps with the same name, those that lead to different
  // states still do.
  QuotientSystem(std::shared_ptr<const lts::System> inner,
                 std::shared_ptr<const NameSymmetry> symmetry, bool tells_apart)
      : FormedSystem(std::move(inner), std::move(symmetry)),
        tells_apart_(tells_apart) {}

  lts::StateBytes initial() const override;
  void successors(lts::StateView state, lts::Successors& out) const override;
  // Can a label tell all renamings?
  bool tells_renamings() const;

  // A run of the inner system for a run of this one; names in the state
  // number `same` of the path become those that `more` gives them.  None: the
  // symmetry is wrong.
  std::optional<lts::Path> unfold(const lts::Path& path, std::size_t same,
                                  lts::Permutation more = {}) const;
  // Likewise, from the first state's names; its loop is gone round until a
  // state is there again.
  std::optional<lts::Lasso> unfold(const lts::Lasso& lasso,
                                   lts::Permutation more = {}) const;

 private:
  class Walk;

  // How the step that has this label leads to the state.
  std::optional<lts::Permutation> renaming_of(lts::StateView from,
                                              const lts::Label& label,
                                              lts::StateView to) const;

  bool tells_apart_;
};

}  // namespace plumb::csp
