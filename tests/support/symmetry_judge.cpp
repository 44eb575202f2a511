// SPDX-License-Identifier: Apache-2.0
#include "support/symmetry_judge.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "lang/program_system.h"
#include "lang/symmetry.h"
#include "lang/symmetry_canonical.h"

namespace plumb::lang {
namespace {

using Step = std::tuple<int, bool, std::uint16_t, std::uint16_t, std::uint16_t,
                        std::uint32_t, std::uint64_t, lts::StateBytes>;

Step step_of(const lts::Label& label, lts::StateBytes to) {
  return {static_cast<int>(label.kind),
          label.marked,
          label.process,
          label.operation,
          label.fault,
          label.edge,
          label.value.word(),
          std::move(to)};
}

lts::StateBytes bytes(lts::StateView state) {
  return {state.begin(), state.end()};
}

std::string text_of(const lts::Renaming& renaming) {
  std::string text;
  for (std::size_t i = 0; i < 6; ++i) {
    text += std::to_string(renaming.processes[i]);
  }
  text += " ";
  for (std::size_t i = 0; i < 6; ++i) {
    text += std::to_string(renaming.values[i]);
  }
  return text;
}

class Judge {
 public:
  Judge(const lts::System& system, const Found& found, std::mt19937& random)
      : system_(system),
        found_(found),
        symmetry_(*found.symmetry),
        random_(random) {}

  void walk(std::size_t length) {
    lts::StateBytes state = system_.initial();
    lts::Successors out;
    for (std::size_t i = 0; i < length && said_.wrong.empty(); ++i) {
      look_at(state);
      system_.successors(state, out);
      std::vector<std::size_t> open;
      for (std::size_t k = 0; k < out.size(); ++k) {
        if (out.label(k).kind != lts::LabelKind::kFault) open.push_back(k);
      }
      if (open.empty()) return;
      state = bytes(out.state(open[std::uniform_int_distribution<std::size_t>(
          0, open.size() - 1)(random_)]));
    }
  }
  const Judgement& said() const { return said_; }

 private:
  void expect(bool holds, const std::string& what, lts::StateView state,
              const lts::Renaming& renaming) {
    if (holds || !said_.wrong.empty()) return;
    said_.wrong = what + ", renaming " + text_of(renaming) + ", state:\n";
    for (const lts::Variable& variable : system_.describe(state)) {
      said_.wrong += "  " + variable.name + " = " + variable.value + "\n";
    }
  }

  void look_at(const lts::StateBytes& state) {
    ++said_.states;
    const lts::Renaming r = random_renaming(symmetry_, found_.groups, random_);
    const lts::Renaming more =
        random_renaming(symmetry_, found_.groups, random_);
    const lts::StateBytes other = symmetry_.rename(state, r);
    expect(symmetry_.rename(other, r.inverse()) == state,
           "a renaming cannot be undone", state, r);
    expect(
        symmetry_.rename(other, more) == symmetry_.rename(state, r.then(more)),
        "two renamings are not one", state, r);
    look_at_steps(state, other, r);
    const lts::StateBytes form = look_at_form(state);
    lts::StateBytes form_of_other = other;
    symmetry_.canonicalize(form_of_other);
    if (form_of_other != form) ++said_.different;
    if (form != state) ++said_.moved;
  }

  lts::StateBytes look_at_form(const lts::StateBytes& state) {
    lts::StateBytes form = state;
    const lts::Canonical how = symmetry_.canonicalize(form);
    expect(symmetry_.rename(state, how.renaming) == form,
           "the form is not the renaming that is told", state, how.renaming);
    for (std::size_t p = 0; p + 1 < system_.processes(); ++p) {
      if ((how.twins >> p & 1) == 0) continue;
      ++said_.twins;
      const lts::Renaming swap{lts::Permutation::swap(p, p + 1), {}};
      expect(symmetry_.rename(form, swap) == form, "twins are different", form,
             swap);
      expect(found_.groups[p] == found_.groups[p + 1],
             "twins have different roles", form, swap);
    }
    for (std::size_t i = how.used_values; i + 1 < symmetry_.values().size();
         ++i) {
      const lts::Renaming swap{{}, lts::Permutation::swap(i, i + 1)};
      expect(symmetry_.rename(form, swap) == form,
             "a value is called unused that is used", form, swap);
    }
    return form;
  }

  void look_at_steps(const lts::StateBytes& state, const lts::StateBytes& other,
                     const lts::Renaming& r) {
    lts::Successors out;
    std::set<Step> expected, seen;
    system_.successors(state, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      expected.insert(step_of(renamed(out.label(i), symmetry_.values(), r),
                              symmetry_.rename(out.state(i), r)));
    }
    std::uint64_t waiting = 0;
    for (std::size_t p = 0; p < system_.processes(); ++p) {
      if ((out.waiting >> p & 1) != 0) {
        waiting |= std::uint64_t{1} << r.processes[p];
      }
    }
    const std::uint64_t cut = out.cut;
    system_.successors(other, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      seen.insert(step_of(out.label(i), bytes(out.state(i))));
    }
    expect(expected == seen, "a renamed state has other steps", state, r);
    expect(waiting == out.waiting, "others wait", state, r);
    expect(cut == out.cut, "another bound is reached", state, r);
  }

  const lts::System& system_;
  const Found& found_;
  const lts::Symmetry& symmetry_;
  std::mt19937& random_;
  Judgement said_;
};

}  // namespace

Found find_in(const Model& model, bool processes, bool values) {
  const auto& system = dynamic_cast<const ProgramSystem&>(*model.system);
  lts::Reductions wanted = lts::Reductions::none();
  wanted.process_symmetry = processes;
  wanted.data_symmetry = values;
  Found found;
  found.symmetry =
      find_symmetry(system.program(), system.client(),
                    model.specification.get(), wanted, found.notes);
  if (found.symmetry != nullptr) {
    const auto& made = dynamic_cast<const ProgramSymmetry&>(*found.symmetry);
    found.groups.assign(made.groups().begin(), made.groups().end());
  }
  return found;
}

lts::Renaming random_renaming(const lts::Symmetry& symmetry,
                              const std::vector<std::size_t>& groups,
                              std::mt19937& random) {
  lts::Renaming made;
  std::vector<std::size_t> to(groups.size());
  std::iota(to.begin(), to.end(), 0);
  std::shuffle(to.begin(), to.end(), random);
  // Of each group: its members in the order of `to`.
  std::vector<bool> taken(groups.size());
  for (const std::size_t p : to) {
    for (std::size_t q = 0; q < groups.size(); ++q) {
      if (taken[q] || groups[q] != groups[p]) continue;
      taken[q] = true;
      made.processes.set(p, q);
      break;
    }
  }
  std::vector<std::size_t> values(symmetry.values().size());
  std::iota(values.begin(), values.end(), 0);
  std::shuffle(values.begin(), values.end(), random);
  for (std::size_t i = 0; i < values.size(); ++i) {
    made.values.set(i, values[i]);
  }
  return made;
}

Judgement judge(const lts::System& system, const Found& found,
                std::size_t walks, std::size_t length, std::mt19937& random) {
  Judge judge(system, found, random);
  for (std::size_t i = 0; i < walks && judge.said().wrong.empty(); ++i) {
    judge.walk(length);
  }
  return judge.said();
}

std::string judge(const spec::Specification& object,
                  const std::vector<spec::Call>& choices,
                  const std::vector<Value>& values, std::mt19937& random) {
  const auto outcomes_of = [&](const spec::State& state,
                               const spec::Call& call) {
    std::vector<spec::Outcome> outcomes;
    object.apply(state, call, outcomes);
    return outcomes;
  };
  const auto known = [](const std::vector<spec::Outcome>& all) {
    std::set<std::pair<std::uint64_t, std::vector<std::uint64_t>>> words;
    for (const spec::Outcome& outcome : all) {
      std::vector<std::uint64_t> state;
      for (const Value value : outcome.next) state.push_back(value.word());
      words.emplace(outcome.result.word(), std::move(state));
    }
    return words;
  };
  spec::State state = object.initial();
  for (int i = 0; i < 30; ++i) {
    std::vector<Value> to = values;
    std::shuffle(to.begin(), to.end(), random);
    const spec::State other = object.renamed(state, values, to);
    if (i == 0 && other != state) return "the first state is renamed";
    spec::Call call = choices[random() % choices.size()];
    std::vector<spec::Outcome> outcomes = outcomes_of(state, call);
    const std::vector<spec::Outcome> before = outcomes;
    for (spec::Outcome& outcome : outcomes) {
      outcome.result = spec::renamed(outcome.result, values, to);
      outcome.next = object.renamed(outcome.next, values, to);
    }
    const spec::Call renamed_call{call.code,
                                  spec::renamed(call.argument, values, to)};
    if (known(outcomes_of(other, renamed_call)) != known(outcomes)) {
      return std::string(object.operations()[call.code].name) + " " +
             call.argument.to_string() + " in " + object.describe(state);
    }
    if (!before.empty()) state = before[random() % before.size()].next;
  }
  return "";
}

}  // namespace plumb::lang
