// SPDX-License-Identifier: Apache-2.0
// out_of_order, late and stuttering, by trying everything.
#pragma once

#include "check/condition.h"
#include "oracle/judged.h"
#include "spec/specification.h"

namespace plumb::oracle {

// There is a sequence that keeps the order and in which each operation does
// one of these, and shows the result that goes with it:
// - what the object does, or
// - if it has a number in `out_of_order` or `late`: takes out any item, of
//   which at most `out_of_order` others come before it, or
// - if it has a number in `stuttering`: shows the result of one of these, and
//   does nothing;
// such that, afterwards, no name has more than `late` takes in a row which did
// not take what was next, nor more than `stuttering` stutters in a row.  Rows
// are counted by key where keys are objects.
//
// An item is a value in the state of the object, which must be a line of them.
bool holds_transformed(const Judged& all, const spec::Specification& object,
                       const check::Condition& condition);

}  // namespace plumb::oracle
