// SPDX-License-Identifier: Apache-2.0
// Reads formulas of linear temporal logic.
#pragma once

#include "ltl/formula.h"
#include "text/source.h"

namespace plumb::ltl {

// Reads the formula that is all of `span`.  From the loosest operator on:
//
//   <->      ->      || \/      && /\      U R V      ! X [] G <> F
//
// `->` and `U`, `R`, `V` group to the right: a U b U c is a U (b U c).  An atom
// is a name with fields (eat.0, get.(i+1)), a name with arguments (inv(read)),
// or anything in quotes ("c!1").  X, G, F, U, R and V alone are operators.
// Throws InputError.
//
// SPIN and what is made of it give && and || one strength and group U to the
// left, which is a trap: where that makes a difference, Property::remarks says
// so.
//
// LIMIT: 64 different atoms, 10,000 operators, 500 operators one inside the
// other.
Property parse(const text::Source& source, text::Span span);

}  // namespace plumb::ltl
