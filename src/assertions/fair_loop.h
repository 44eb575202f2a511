// SPDX-License-Identifier: Apache-2.0
// A short cycle that does all that a fair, accepted run has to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assertions/fairness.h"
#include "assertions/product.h"

namespace plumb::assertions {

struct FairLoop {
  std::vector<Product::Step> steps;
  // Of global fairness, in a component with many steps: the cycle passes the
  // marks only, and a fair run goes through all of the component.
  bool is_partial = false;
};

// From the first node of a component, as FairComponents finds them, back to it:
// on to the nearest step that does something which is still to be done, until
// all is done.
FairLoop fair_loop(const Product& product, Parties& parties, Fairness fairness,
                   const std::vector<Product::NodeId>& component);

}  // namespace plumb::assertions
