// SPDX-License-Identifier: Apache-2.0
// The makers of the built-in objects, for the table in catalogue.cpp only.
#pragma once

#include "spec/catalogue.h"

namespace plumb::spec {

SpecificationPtr make_queue(const Shape& shape);
SpecificationPtr make_stack(const Shape& shape);
SpecificationPtr make_deque(const Shape& shape);
SpecificationPtr make_priority_queue(const Shape& shape);
SpecificationPtr make_set(const Shape& shape);
SpecificationPtr make_map(const Shape& shape);
SpecificationPtr make_register(const Shape& shape);
SpecificationPtr make_counter(const Shape& shape);
SpecificationPtr make_mutex(const Shape& shape);
SpecificationPtr make_snzi(const Shape& shape);
SpecificationPtr make_bag(const Shape& shape);

}  // namespace plumb::spec
