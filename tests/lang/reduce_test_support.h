// SPDX-License-Identifier: Apache-2.0
// Small models, reduced, and a walk through their states.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lang/machine_test_support.h"
#include "lang/reduce.h"

namespace plumb::lang {

using PartialOrder = lts::Reductions::PartialOrder;
using Strings = std::vector<std::string>;

inline lts::Reductions wanted(bool tight, PartialOrder order,
                              bool keep_marks = false) {
  lts::Reductions all = lts::Reductions::none();
  all.tight_calls = tight;
  all.partial_order = order;
  all.keep_marks = keep_marks;
  return all;
}

// A system and a state of it.
class Walk {
 public:
  Walk(const std::string& text, const lts::Reductions& reductions)
      : made_(compiled(text)),
        system_(reduce(made_.model, made_.model.specification.get(), reductions)
                    .system),
        state_(system_->initial()) {
    look();
  }

  // "0: call, read x, return" and so on, one for each transition.
  Strings transitions() const {
    Strings all;
    for (std::size_t i = 0; i < out_.size(); ++i) all.push_back(text(i));
    return all;
  }
  // Takes the first transition that begins like this.
  Walk& take(const std::string& beginning) {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (text(i).substr(0, beginning.size()) != beginning) continue;
      const lts::StateView next = out_.state(i);
      state_.assign(next.begin(), next.end());
      look();
      return *this;
    }
    ADD_FAILURE() << "no transition begins with " << beginning;
    return *this;
  }
  bool has(const std::string& beginning) const {
    const Strings all = transitions();
    return std::any_of(all.begin(), all.end(), [&](const std::string& one) {
      return one.substr(0, beginning.size()) == beginning;
    });
  }
  const lts::Successors& out() const { return out_; }
  // Can the process come to a return from here?
  bool can_return(std::size_t process) const {
    std::set<lts::StateBytes> seen = {state_};
    std::vector<lts::StateBytes> open = {state_};
    lts::Successors out;
    while (!open.empty()) {
      system_->successors(open.back(), out);
      open.pop_back();
      for (std::size_t i = 0; i < out.size(); ++i) {
        const lts::Label& last = out.labels(i).back();
        if (last.process == process && last.kind == lts::LabelKind::kReturn) {
          return true;
        }
        const lts::StateView to = out.state(i);
        const lts::StateBytes next(to.begin(), to.end());
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return false;
  }

 private:
  void look() { system_->successors(state_, out_); }

  // Steps are told by their lines, which stand for the access made.
  std::string text(std::size_t i) const {
    std::string made = std::to_string(out_.label(i).process) + ":";
    for (const lts::Label& label : out_.labels(i)) {
      switch (label.kind) {
        case lts::LabelKind::kInvoke:
          made += " " + system_->operations()[label.operation] + "(" +
                  (label.value.is_null() ? "" : label.value.to_string()) + ")";
          break;
        case lts::LabelKind::kReturn:
          made += " return";
          break;
        case lts::LabelKind::kFault:
          made += " fault";
          break;
        default:
          made += " " + std::to_string(system_->edge(label.edge).line);
      }
      if (label.marked) made += "!";
    }
    return made;
  }

  Compiled made_;
  std::shared_ptr<const lts::System> system_;
  lts::StateBytes state_;
  lts::Successors out_;
};

// Lines 2, 3, ... are the statements of the operation f of each process.
inline std::string object(
    const std::string& shared, const Strings& statements,
    const std::string& check = "2 processes, 1 operation") {
  std::string text =
      "object o { struct N { int 0..3 v; N next; } " + shared + " void f() {\n";
  for (const std::string& each : statements) text += each + "\n";
  return text + "} }\ncheck o safe with " + check + ";\n";
}

}  // namespace plumb::lang
