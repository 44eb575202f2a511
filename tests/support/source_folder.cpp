// SPDX-License-Identifier: Apache-2.0
#include "support/source_folder.h"

namespace plumb::testing {

// The only file that is compiled with the path in it, so that ccache knows the
// other tests again in another clone.
std::filesystem::path source_folder() {
  return PLUMB_SOURCE_DIR;
}

}  // namespace plumb::testing
