// SPDX-License-Identifier: Apache-2.0
// What the command line and a check say about constants and values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/constants.h"
#include "lang/model.h"
#include "lang/program.h"

namespace plumb::lang {

// A setting need not concern the check at hand, but some constant of the file.
// Throws InputError if one concerns none.
void require_known(const Settings& settings, const Module& module);

// Gives those of `declared` that the settings name their values there.  Throws
// InputError.
void use_settings(const Settings& settings,
                  const std::vector<std::unique_ptr<Constant>>& declared,
                  ConstantValues& constants);

// `values 1..2` of a check; nothing if it has none.  Throws InputError.
std::optional<Range> read_values(const Check& check,
                                 const ConstantValues& constants,
                                 const Source& source);
std::string values_text(const Range& values);  // "values 1..2", "value 1"

}  // namespace plumb::lang
