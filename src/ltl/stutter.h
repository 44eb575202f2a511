// SPDX-License-Identifier: Apache-2.0
// Which formulas cannot tell words apart that differ in their pace only.
#pragma once

#include "ltl/formula.h"

namespace plumb::ltl {

// Has the formula the same value for words that differ only in how often a
// letter comes in a row?  So it is for all without X.
bool ignores_repetition(const Formula& formula);

// ... for words that begin with an empty letter, one without any atom, and
// differ only in such letters?  This is found for many formulas for which it
// is so, such as [](a -> <>b), not for all.
bool ignores_empty_letters(const Formula& formula);

}  // namespace plumb::ltl
