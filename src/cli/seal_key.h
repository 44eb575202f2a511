// SPDX-License-Identifier: Apache-2.0
// The secret that a user's checkpoints are sealed with.
#pragma once

#include "verify/seal.h"

namespace plumb::cli {

// From ~/.local/state/plumbline/seal (XDG_STATE_HOME moves it), which is made
// if it is not there.  Where nothing can be kept it is a key that everybody
// knows: files are then only protected against damage.
verify::SealKey users_seal_key();

}  // namespace plumb::cli
