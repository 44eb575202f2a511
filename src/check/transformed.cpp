// SPDX-License-Identifier: Apache-2.0
#include "check/transformed.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "spec/overtaking.h"
#include "spec/stuttering.h"

namespace plumb::check {

namespace {

using spec::Overtaking;

std::optional<std::uint32_t> factor_of(const Factors& factors,
                                       std::string_view name) {
  const auto found = factors.find(std::string(name));
  if (found == factors.end()) return std::nullopt;
  return found->second;
}

Overtaking overtaking_of(const spec::Specification& base,
                         const Condition& condition) {
  Overtaking out;
  for (const spec::Signature& signature : base.operations()) {
    const auto far = factor_of(condition.out_of_order, signature.name);
    const auto row = factor_of(condition.late, signature.name);
    const std::uint32_t otherwise = far || row ? Overtaking::kUnbounded : 0;
    out.furthest.push_back(far.value_or(otherwise));
    out.in_a_row.push_back(row.value_or(otherwise));
  }
  return out;
}

std::vector<std::uint32_t> stutters_of(const spec::Specification& base,
                                       const Condition& condition) {
  std::vector<std::uint32_t> out;
  for (const spec::Signature& signature : base.operations()) {
    out.push_back(factor_of(condition.stuttering, signature.name).value_or(0));
  }
  return out;
}

}  // namespace

spec::SpecificationPtr transformed_object(spec::SpecificationPtr base,
                                          const Condition& condition) {
  Overtaking overtaking = overtaking_of(*base, condition);
  bool overtakes = false;
  for (std::size_t code = 0; code < overtaking.furthest.size(); ++code) {
    overtakes |= overtaking.furthest[code] > 0 && overtaking.in_a_row[code] > 0;
  }
  std::vector<std::uint32_t> times = stutters_of(*base, condition);
  const bool stutters = std::any_of(times.begin(), times.end(),
                                    [](std::uint32_t n) { return n > 0; });
  if (stutters && condition.stutters_first) {
    base = allow_stuttering(std::move(base), times);
  }
  if (overtakes) {
    base = allow_overtaking(std::move(base), std::move(overtaking));
  }
  if (stutters && !condition.stutters_first) {
    base = allow_stuttering(std::move(base), std::move(times));
  }
  return base;
}

Plain without_transformations(const spec::Specification& object,
                              const Condition& original) {
  const spec::SpecificationPtr unowned(spec::SpecificationPtr(), &object);
  if (original.quasi()) return {.object = unowned, .condition = original};
  Plain out{.object = transformed_object(unowned, original),
            .condition = original};
  out.condition.out_of_order.clear();
  out.condition.late.clear();
  out.condition.stuttering.clear();
  return out;
}

}  // namespace plumb::check
