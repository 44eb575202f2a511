// SPDX-License-Identifier: Apache-2.0
// A limit of ours, reached where only an exception gets out.
#pragma once

#include "base/input_error.h"

namespace plumb {

// Nothing is wrong with what the user gave us: the answer is `unknown`, for
// this reason.
class LimitError : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace plumb
