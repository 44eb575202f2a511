// SPDX-License-Identifier: Apache-2.0
// Fuzz targets of words on command lines, formulas, runs and checkpoints.
// checkpoints.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/input_error.h"
#include "base/quantities.h"
#include "check/condition.h"
#include "ltl/parse.h"
#include "report/trace_json.h"
#include "spec/catalogue.h"
#include "verify/byte_stream.h"
#include "verify/journal.h"

namespace plumb::fuzz {

inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// Does `work` find that its input is wrong?  Then it says what.
template <typename Work>
bool is_refused(const Work& work) {
  try {
    work();
    return false;
  } catch (const InputError& error) {
    demand(!error.describe().empty(), "an error says nothing");
    return true;
  }
}

// A condition is the same when it is written and read again.
inline void condition(std::string_view input) {
  is_refused([&] {
    const check::Condition once = check::parse_condition(input);
    const std::string text = once.to_string();
    demand(check::parse_condition(text).to_string() == text,
           "another condition when read again");
    for (const char* name : {"queue", "counter", "map", "priority_queue"}) {
      is_refused([&] { check::require_factors_fit(once, *spec::make(name)); });
    }
  });
}

inline void specification(std::string_view input) {
  is_refused([&] {
    demand(!spec::make(std::string(input))->name().empty(), "no name");
  });
}

inline void quantity(std::string_view input) {
  const std::string text(input);
  is_refused([&] {
    const double seconds = parse_seconds(text);
    demand(std::isfinite(seconds) && seconds >= 0, "no length of time");
  });
  is_refused([&] { parse_bytes(text); });
}

// A formula is the same when it is written and read again.
inline void formula(std::string_view input) {
  const auto read = [](std::string_view text) {
    const text::Source source("fuzz", std::string(text));
    return ltl::parse(source, {0, static_cast<std::uint32_t>(text.size())});
  };
  is_refused([&] {
    const ltl::Property once = read(input);
    const std::string text = ltl::to_string(once);
    demand(ltl::to_string(read(text)) == text, "another formula");
  });
}

// A run that was written and read is the same.
inline void trace(std::string_view input) {
  is_refused([&] {
    const report::Trace once = report::read_trace("fuzz", std::string(input));
    const std::string text = report::trace_file(once);
    demand(report::trace_file(report::read_trace("fuzz", text)) == text,
           "another run when read again");
  });
}

// A file that nobody sealed is refused, and left alone by prepare() unless it
// looks like one of ours; what is sealed may hold anything.
inline void checkpoint(std::string_view input) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("plumb_fuzz_" + std::to_string(getpid()));
  std::ofstream(file, std::ios::binary) << input;
  verify::Journal::Settings settings;
  settings.resume_from = file.string();
  settings.key = {1, 2};
  demand(is_refused([&] { verify::Journal journal(settings); }),
         "it was taken for a checkpoint");
  std::filesystem::remove(file);
  is_refused([&] {
    verify::ByteReader reader(input);
    for (unsigned turn = 0; !reader.at_end(); ++turn) {
      switch (turn % 4) {
        case 0:
          reader.value();
          break;
        case 1:
          reader.label();
          break;
        case 2:
          reader.renaming();
          break;
        default:
          reader.text();
      }
    }
  });
}

}  // namespace plumb::fuzz
