// SPDX-License-Identifier: Apache-2.0
// Visible steps: what partial order reduction must not reorder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ask/question.h"
#include "csp/ast.h"
#include "csp/model_options.h"
#include "ltl/parse.h"

namespace plumb::ask {

// What an atom of a formula stands for; none: it is an event.
std::optional<std::uint32_t> proposition_of(const csp::Module& module,
                                            const ltl::Atom& atom);
// Of a kSatisfies.  Throws InputError.
ltl::Property formula_of(const csp::Module& module,
                         const csp::Assertion& assertion);

// What an assertion asks of states.  Throws InputError.
csp::Watched watched_by(const csp::Module& module,
                        const csp::Assertion& assertion);

// The events that it sees.  None if the order of all steps matters, or if
// partial order reduction is not wanted; then `notes` may say why.  Throws
// InputError.
std::optional<csp::Observed> observed_by(const csp::Module& module,
                                         const csp::Assertion& assertion,
                                         const Question& question,
                                         std::vector<std::string>& notes);

}  // namespace plumb::ask
