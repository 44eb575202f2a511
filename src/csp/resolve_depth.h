// SPDX-License-Identifier: Apache-2.0
// Counts how deep the resolver is in a tree.
#pragma once

#include "csp/resolve.h"

namespace plumb::csp {

// Thrown when the rest of a model cannot be looked at; it was reported.
struct TooLarge {};

class Resolver::Deeper {
 public:
  Deeper(Resolver& resolver, Span span) : resolver_(resolver) {
    resolver_.count(0, 1, span);
    ++resolver_.depth_;
  }
  ~Deeper() { --resolver_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  Resolver& resolver_;
};

}  // namespace plumb::csp
