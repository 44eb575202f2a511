// SPDX-License-Identifier: Apache-2.0
// What the fuzz target of result files does with its input; a test does, too.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/input_error.h"
#include "report/annotations.h"
#include "report/junit.h"
#include "report/page.h"
#include "report/read_result.h"
#include "report/sarif.h"

namespace plumb::fuzz {

// An error, or a result from which everything can be made.  Returns which.
inline bool result(std::string_view input) {
  const auto require = [](bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %s\n", what);
    std::abort();
  };
  try {
    const report::Json read = report::read_result("fuzz", input);
    const std::string text = report::script_text(read);
    require(text.find_first_of("<>&") == std::string::npos,
            "something means something to HTML");
    require(report::Json::accept(text), "the page holds no JSON");
    require(!report::page_of(read).empty(), "there is no page");
    require(report::Json::accept(report::file_text(report::sarif_of(read))),
            "SARIF is no JSON");
    for (const char c : report::junit_of(read)) {
      const auto byte = static_cast<unsigned char>(c);
      require(byte >= 0x20 || c == '\n' || c == '\t', "XML does not allow it");
    }
    for (const char c : report::annotations_of(read)) {
      require(c != '\r', "an annotation has two lines");
    }
    report::merged({read, read}, {"a", "b"});
    return true;
  } catch (const InputError& error) {
    require(!error.describe().empty(), "an error says nothing");
    return false;
  }
}

}  // namespace plumb::fuzz
