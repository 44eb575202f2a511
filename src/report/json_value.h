// SPDX-License-Identifier: Apache-2.0
// Values as JSON, and back.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/samples.h"
#include "base/value.h"

namespace plumb::report {

using Json = nlohmann::ordered_json;

Json to_json(Value value);

// Nothing if it is no value of ours: an object, or nested too deeply.
std::optional<Value> value_of(const Json& json);

// [[seconds, count], ...].
Json to_json(const std::vector<Samples::Point>& samples);

// The text of a whole file.  What is not UTF-8 is shown with replacement
// characters.
std::string file_text(const Json& json);

}  // namespace plumb::report
