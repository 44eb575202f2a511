// SPDX-License-Identifier: Apache-2.0
#include "verify/point_moves.h"

#include <algorithm>

#include "base/input_error.h"
#include "verify/byte_stream.h"

namespace plumb::verify {

using lts::LabelKind;

namespace {

constexpr std::string_view kCourse = "points\n";

void write(const Effect& effect, ByteWriter& out) {
  out.number(static_cast<std::uint64_t>(effect.whose));
  out.number(effect.may ? 1 : 0);
  out.number(effect.only ? 1 : 0);
  if (effect.only) out.value(*effect.only);
  out.number(effect.operation);
}

Effect read_effect(ByteReader& in) {
  Effect effect;
  const auto last = static_cast<std::uint32_t>(Effect::Whose::kOthersAfter);
  effect.whose = static_cast<Effect::Whose>(in.number_up_to(last));
  effect.may = in.number_up_to(1) != 0;
  if (in.number_up_to(1) != 0) effect.only = in.value();
  effect.operation = static_cast<std::uint16_t>(in.number_up_to(UINT16_MAX));
  return effect;
}

Policy read_policy(ByteReader& in) {
  Policy policy;
  policy.marks = in.number_up_to(1) != 0;
  while (!in.at_end()) {
    std::vector<Effect>& effects = policy.effects[in.number_up_to(UINT32_MAX)];
    for (std::uint64_t left = in.number(); left > 0; --left) {
      effects.push_back(read_effect(in));
    }
  }
  return policy;
}

}  // namespace

PointMoves::PointMoves(Configurations& configurations, const Policy& policy)
    : SetMoves(configurations),
      configurations_(configurations),
      policy_(policy) {
  if (policy.effects.empty()) return;
  has_effects_.resize(policy.effects.rbegin()->first + std::size_t{1});
  for (const auto& [edge, effects] : policy.effects) {
    has_effects_[edge] = !effects.empty();
  }
}

std::string PointMoves::course() const {
  ByteWriter out;
  out.number(policy_.marks ? 1 : 0);
  for (const auto& [edge, effects] : policy_.effects) {
    out.number(edge);
    out.number(effects.size());
    for (const Effect& effect : effects) write(effect, out);
  }
  return std::string(kCourse) + out.written();
}

std::string PointMoves::notes() const {
  ByteWriter out;
  for (std::size_t edge = 0; edge < marked_.size(); ++edge) {
    if (marked_[edge]) out.number(edge);
  }
  return out.written();
}

void PointMoves::add_notes(std::string_view notes) {
  ByteReader in(notes);
  while (!in.at_end()) note_mark(in.number_up_to(UINT32_MAX - 1));
}

std::optional<Policy> PointMoves::policy_of(std::string_view course) {
  if (!course.starts_with(kCourse)) return std::nullopt;
  ByteReader in(course.substr(kCourse.size()));
  try {
    return read_policy(in);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<std::uint32_t> PointMoves::point(const lts::Label& label) const {
  const bool is_mark = policy_.marks && label.marked;
  if (!is_mark && !has_effects(label)) {
    if (label.kind == LabelKind::kInternal) return std::nullopt;
    return 0;
  }
  // Whether a step is marked may depend on more than its edge.
  return label.edge * 2 + 1 + (is_mark ? 1 : 0);
}

SetId PointMoves::move(SetId set, const lts::Label& label) {
  if (policy_.marks && label.marked) note_mark(label.edge);
  const auto before = sets_[set];
  ConfigurationList members(before.begin(), before.end());
  if (label.kind == LabelKind::kInvoke) {
    const CallId call = configurations_.graph().call(label);
    for (ConfigurationId& c : members) {
      c = configurations_.invoked(c, label.process, call);
    }
  }
  take_effects(label, members);
  if (label.kind == LabelKind::kReturn) {
    const ResultId result = configurations_.graph().result(label);
    ConfigurationList next;
    for (const ConfigurationId c : members) {
      const auto after = configurations_.returned(c, label.process, result);
      if (after) next.push_back(*after);
    }
    members = std::move(next);
    if (!configurations_.some_may_end(members)) return kEmptySet;
  }
  return sets_.intern(members);
}

void PointMoves::take_effects(const lts::Label& label,
                              ConfigurationList& members) {
  static const std::vector<Effect> none;
  const auto found = policy_.effects.find(label.edge);
  const auto& effects = found == policy_.effects.end() ? none : found->second;
  for (const Effect& effect : effects) {
    if (effect.whose == Effect::Whose::kOthersBefore) {
      others(label, effect, members);
    }
  }
  if (policy_.marks && label.marked) own(label, Effect{}, members);
  for (const Effect& effect : effects) {
    if (effect.whose == Effect::Whose::kOwn) own(label, effect, members);
  }
  for (const Effect& effect : effects) {
    if (effect.whose == Effect::Whose::kOthersAfter) {
      others(label, effect, members);
    }
  }
}

// An operation that cannot take effect (it would block) stays pending.
void PointMoves::own(const lts::Label& label, const Effect& effect,
                     ConfigurationList& members) {
  std::optional<ResultId> only;
  if (effect.only) only = configurations_.graph().result(*effect.only);
  ConfigurationList next;
  for (const ConfigurationId c : members) {
    const std::size_t count = next.size();
    if (configurations_.status(c, label.process).is_pending()) {
      configurations_.append_effects(c, label.process, only, next);
    }
    if (effect.may || next.size() == count) next.push_back(c);
  }
  members = std::move(next);
}

// Any of the others, one after the other, in any order.
void PointMoves::others(const lts::Label& label, const Effect& effect,
                        ConfigurationList& members) {
  SpecificationGraph& graph = configurations_.graph();
  std::optional<ResultId> only;
  if (effect.only) only = graph.result(*effect.only);
  const std::uint16_t code = graph.code(effect.operation);
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t p = 0; p < configurations_.processes(); ++p) {
      const Status status = configurations_.status(members[i], p);
      if (p == label.process || !status.is_pending() ||
          graph.code_of_call(status.call()) != code) {
        continue;
      }
      ConfigurationList next;
      configurations_.append_effects(members[i], p, only, next);
      for (const ConfigurationId c : next) {
        if (std::ranges::find(members, c) == members.end()) {
          members.push_back(c);
        }
      }
    }
  }
}

}  // namespace plumb::verify
