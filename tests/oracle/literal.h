// SPDX-License-Identifier: Apache-2.0
// Quasi-linearizability as the papers print it.
#pragma once

#include "oracle/in_place.h"
#include "oracle/judged.h"
#include "spec/specification.h"

namespace plumb::oracle {

// There is a sequence `pi` that keeps the order, and a legal permutation of it
// in which no operation is further than the factor of its class from its
// place among the operations of that class.  Every name is a class; a take
// that found nothing is in none, and may stand anywhere.
bool holds_literally(const Judged& all, const spec::Specification& object,
                     const Factors& factors);

}  // namespace plumb::oracle
