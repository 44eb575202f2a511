// SPDX-License-Identifier: Apache-2.0
// Reads result files, whoever wrote them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/json_value.h"

namespace plumb::report {

// More than that is not read: no result of ours has so much, and what is read
// takes many times its size in memory.
struct ReadLimits {
  std::size_t bytes = 256 * 1024 * 1024;
  std::size_t values = 20'000'000;
  std::size_t depth = 64;
};

// Throws InputError unless it is the result of a run of ours; `name` is what
// errors call it.  Only what is needed to tell that is looked at: any member
// may still be missing, or be something else than we write.
Json read_result(const std::string& name, std::string_view text,
                 const ReadLimits& limits = {});

// Several of the same level as one.  Throws InputError if they are not;
// `names` are theirs.
Json merged(std::vector<Json> results, const std::vector<std::string>& names);

// For readers of such files: the member of that name if it is what is asked
// for, else nothing.
const Json* member(const Json& object, const char* name);
std::string text_in(const Json& object, const char* name);
// 0 if it is no number, or below 0.
double number_in(const Json& object, const char* name);
std::size_t count_in(const Json& object, const char* name);
// An empty list if it is none.
const Json& list_in(const Json& object, const char* name);

}  // namespace plumb::report
