// SPDX-License-Identifier: Apache-2.0
// Where the sources lie that tests read: shipped models, golden files.
#pragma once

#include <filesystem>

namespace plumb::testing {

std::filesystem::path source_folder();

}  // namespace plumb::testing
