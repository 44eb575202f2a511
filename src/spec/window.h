// SPDX-License-Identifier: Apache-2.0
// The relaxation of a published construction, for comparison; not exact.
#pragma once

#include "spec/relax.h"
#include "spec/specification.h"

namespace plumb::spec {

// [AdhikariEtAl15, 5.2] takes event sequences of at most 2 * factor + 1 that
// lead from one state of the object to another, permutes them so that nothing
// moves by more than the factor, and lets the permuted sequence lead from the
// one state to the other.  So whatever is permuted must be back in order
// after at most 2 * factor + 1 events, although nothing in the definition of
// quasi-linearizability asks for that.
//   Example of the difference: a queue, factor 2 for deq, which gives
//   3 1 5 2 7 4 9 6 ...: nothing moves by more than 2, but no stretch of it
//   is in order again at its end.  The exact object has this at any length,
//   the window has not.
//
// The paper knows no classes.  Here, as in the exact object, operations of a
// class are permuted in place among themselves, and an event is one of the
// class, so that the two differ by the window only.
//
// Everything else is as relax_for_models() has it.
SpecificationPtr window_for_models(SpecificationPtr base,
                                   Relaxation relaxation);

}  // namespace plumb::spec
