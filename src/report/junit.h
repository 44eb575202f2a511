// SPDX-License-Identifier: Apache-2.0
// Results as JUnit XML, which CI systems read.
#pragma once

#include <string>
#include <string_view>

#include "report/json_value.h"

namespace plumb::report {

// One suite for each file, one case for each check.  What is violated and was
// not expected to be is a failure; what is unknown, or could not be judged, is
// an error.  Requires: `file` is a result file.
std::string junit_of(const Json& file);

// Text as it may stand between tags: what means something to XML is written as
// an entity, and what XML 1.0 does not allow, or is no UTF-8, as U+FFFD.
std::string xml_text(std::string_view text);
// ... and in attributes, which would lose line ends otherwise.
std::string xml_attribute(std::string_view text);

}  // namespace plumb::report
