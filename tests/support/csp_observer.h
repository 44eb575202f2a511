// SPDX-License-Identifier: Apache-2.0
// A CSP# system as somebody sees it who watches some of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "csp/model.h"
#include "lts/system.h"

namespace plumb::csp {

// Steps that change what is watched are visible, with what it is afterwards;
// so are faults, which end the run, and events that are observed.  All else is
// internal.
class Observer : public lts::System {
 public:
  Observer(const Model& model, std::shared_ptr<const lts::System> system,
           Watched watched, Observed observed)
      : model_(model),
        system_(std::move(system)),
        watched_(std::move(watched)),
        observed_(std::move(observed)) {}

  std::size_t processes() const override { return system_->processes(); }
  std::span<const std::string> operations() const override { return {}; }
  lts::StateBytes initial() const override { return system_->initial(); }
  void successors(lts::StateView state, lts::Successors& out) const override {
    lts::Successors found;
    system_->successors(state, found);
    const std::string before = seen(state);
    out.clear();
    out.cut = found.cut;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const lts::Label& label = found.label(i);
      std::string name;
      if (label.kind == lts::LabelKind::kFault) {
        name = "fault " + std::to_string(label.fault);
      } else if (label.kind == lts::LabelKind::kTerminate) {
        name = "the end";
      } else if (label.kind == lts::LabelKind::kEvent) {
        name = event(std::string(label.value.as_text()));
      }
      const bool is_fault = label.kind == lts::LabelKind::kFault;
      const std::string after = is_fault ? before : seen(found.state(i));
      if (after != before) name += " -> " + after;
      lts::Label shown;
      shown.edge = label.edge;
      if (!name.empty()) {
        shown.kind = lts::LabelKind::kEvent;
        shown.value = Value::text(name);
      }
      out.add(shown, is_fault ? stuck(state)
                              : lts::StateBytes(found.state(i).begin(),
                                                found.state(i).end()));
    }
  }
  std::vector<lts::Bound> bounds() const override { return system_->bounds(); }
  std::uint64_t actors(const lts::Label&) const override { return 0; }
  lts::Edge edge(std::uint32_t edge) const override {
    return system_->edge(edge);
  }
  std::string fault(std::uint16_t fault) const override {
    return system_->fault(fault);
  }
  lts::StepText explain(lts::StateView, const lts::Label&,
                        lts::StateView) const override {
    return {};
  }
  std::vector<lts::Variable> describe(lts::StateView) const override {
    return {};
  }

 private:
  std::string event(const std::string& name) const {
    switch (observed_.events) {
      case Observed::Events::kAll:
        return name;
      case Observed::Events::kNone:
        return "";
      case Observed::Events::kNamed:
        break;
    }
    return std::count(observed_.names.begin(), observed_.names.end(), name) > 0
               ? name
               : "";
  }
  std::string seen(lts::StateView state) const {
    std::string text;
    for (const std::uint32_t proposition : watched_.propositions) {
      text += model_.holds(proposition, state) ? "1" : "0";
    }
    for (const ExprPtr& expression : watched_.expressions) {
      const auto value = model_.value(*expression, state);
      text += "," + (value ? value->text() : "nothing");
    }
    return text;
  }
  // The same variables, and nothing left to do.
  lts::StateBytes stuck(lts::StateView state) const {
    const auto& shared = static_cast<const CspSystem&>(*system_).shared();
    Valuation values(*shared.nodes->layout);
    const std::uint8_t* term =
        values.decode(state.data(), state.data() + state.size());
    lts::StateBytes made(state.data(), term);
    made.push_back(kStopNode);
    return made;
  }

  const Model& model_;
  const std::shared_ptr<const lts::System> system_;
  const Watched watched_;
  const Observed observed_;
};

}  // namespace plumb::csp
