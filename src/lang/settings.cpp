// SPDX-License-Identifier: Apache-2.0
#include "lang/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/input_error.h"

namespace plumb::lang {

void require_known(const Settings& settings, const Module& module) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<std::unique_ptr<Constant>>& some) {
    for (const auto& constant : some) names.push_back(constant->name);
  };
  add(module.constants);
  for (const auto& object : module.objects) add(object->constants);
  for (const auto& [name, value] : settings) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string meant = nearest(name, names);
    throw InputError(
        fmt::format("{} has no constant '{}'", module.source->name(), name),
        meant.empty() ? "" : fmt::format("did you mean '{}'?", meant));
  }
}

void use_settings(const Settings& settings,
                  const std::vector<std::unique_ptr<Constant>>& declared,
                  ConstantValues& constants) {
  for (const auto& constant : declared) {
    const auto given = settings.find(constant->name);
    if (given == settings.end()) continue;
    const bool is_bool =
        constant->type != nullptr && constant->type->kind == TypeKind::kBool;
    if (is_bool && given->second != 0 && given->second != 1) {
      throw InputError(
          fmt::format("'{}' is true or false, not {}", constant->name,
                      given->second),
          fmt::format("set it to 0 or 1: --set {}=1", constant->name));
    }
    constants.values[constant.get()] = given->second;
  }
}

std::optional<Range> read_values(const Check& check,
                                 const ConstantValues& constants,
                                 const Source& source) {
  if (check.low == nullptr) return std::nullopt;
  const auto fail = [&](std::string what, std::string hint) {
    throw InputError(source.place(check.low->span), std::move(what),
                     std::move(hint));
  };
  const std::int64_t low = evaluate(*check.low, constants, source);
  const std::int64_t high =
      check.high ? evaluate(*check.high, constants, source) : low;
  if (low > high) {
    fail(fmt::format("there is no value in {}..{}", low, high),
         "write the smaller number first");
  }
  if (low < -INT16_MAX || high > INT16_MAX) {
    fail(fmt::format("the values {}..{} do not fit an int", low, high),
         "an int is -32767 to 32767");
  }
  return Range{static_cast<std::int32_t>(low), static_cast<std::int32_t>(high),
               false};
}

std::string values_text(const Range& values) {
  return values.low == values.high
             ? fmt::format("value {}", values.low)
             : fmt::format("values {}..{}", values.low, values.high);
}

}  // namespace plumb::lang
