// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets do with their input; tests run the same on a corpus.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/input_error.h"
#include "csp/read.h"
#include "csp/text_of.h"
#include "history/read.h"
#include "history/write.h"
#include "lang/parse.h"
#include "spec/catalogue.h"

namespace plumb::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

inline bool same_operations(const history::History& a,
                            const history::History& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const history::Operation &x = a.operations[i], &y = b.operations[i];
    if (x.argument != y.argument || x.result != y.result ||
        x.invoked != y.invoked || x.returned != y.returned ||
        x.code != y.code || a.processes[x.process] != b.processes[y.process]) {
      return false;
    }
  }
  return a.object == b.object;
}

// What reading gave: histories, or the text of the error.
struct Outcome {
  std::optional<history::ReadResult> read;
  std::string error;
};

inline Outcome read(std::string_view bytes, const spec::Specification& object,
                    const history::ReadOptions& options) {
  try {
    return {history::read_histories_from(bytes, "fuzz", object, options), ""};
  } catch (const InputError& error) {
    return {std::nullopt, error.describe()};
  }
}

inline void require_well_formed(const history::History& history) {
  std::size_t events = 0;
  for (const history::Operation& operation : history.operations) {
    events += operation.pending() ? 1u : 2u;
  }
  std::vector<bool> seen(events, false);
  const auto see = [&](history::Moment moment) {
    require(moment < events && !seen[moment], "moments are not dense");
    seen[moment] = true;
  };
  history::Moment last = 0;
  for (const history::Operation& operation : history.operations) {
    see(operation.invoked);
    require(operation.invoked >= last, "not in order of invocation");
    last = operation.invoked;
    if (!operation.pending()) {
      see(operation.returned);
      require(operation.invoked < operation.returned, "returned too early");
    }
    require(operation.process < history.processes.size(), "no such process");
  }
}

inline void require_same(const Outcome& a, const Outcome& b) {
  require(a.error == b.error, "the errors differ");
  if (!a.read) return;
  require(a.read->histories.size() == b.read->histories.size(),
          "the numbers of histories differ");
  for (std::size_t i = 0; i < a.read->histories.size(); ++i) {
    require(same_operations(a.read->histories[i], b.read->histories[i]),
            "the histories differ");
  }
}

// Reads `bytes` in all ways: the results must be well formed, the same
// without remembered shapes, and the same when written and read again.
inline void check_reading(std::string_view bytes, const char* object_name) {
  const auto object = spec::make(object_name);
  for (int way = 0; way < 4; ++way) {
    history::ReadOptions options;
    if (way == 1) options.keys = history::ReadOptions::Keys::kTuples;
    options.together = way == 2;
    options.remember_shapes = way != 3;
    const Outcome outcome = read(bytes, *object, options);
    options.remember_shapes = false;
    require_same(outcome, read(bytes, *object, options));
    if (!outcome.read || way == 2) continue;
    for (const history::History& history : outcome.read->histories) {
      require_well_formed(history);
      if (history.clocked) continue;  // more than JSON Lines can say of it
      const std::string text = history::write_jsonl(history, *object);
      const Outcome again = read(text, *object, {});
      require(again.read && again.read->histories.size() == 1,
              "cannot read what was written");
      if (history.size() == 0) continue;
      require(same_operations(history, again.read->histories[0]),
              "what was written differs");
    }
  }
}

// Some lines make more lines with shapes that the cache has seen.
inline void json_lines(std::string_view input) {
  const std::string once(input);
  const std::string remark = "{\"process\": null, \"type\": \"info\"}\n";
  check_reading(remark + once, "register");
  check_reading(remark + once + "\n" + once + "\n" + std::string(1000, ' '),
                "queue");
}
inline void json_array(std::string_view input) {
  check_reading("[{\"type\": \"info\"}," + std::string(input), "register");
}
inline void edn(std::string_view input) {
  check_reading(";\n" + std::string(input), "register");
  check_reading("#" + std::string(input), "set");
}
// Of other checkers, and Jepsen's logs.
inline void formats(std::string_view input) {
  check_reading("# @object any\n" + std::string(input), "register");
  check_reading("# queue\n" + std::string(input), "queue");
  check_reading("# pqueue\n" + std::string(input), "priority_queue");
  check_reading("- 1\t:info\t:f\t\n" + std::string(input), "set");
}
// Any notation, packed or not; repaired magic bytes lead further in.
inline void gzip(std::string_view input) {
  check_reading(input, "queue");
  check_reading("\x1f\x8b" + std::string(input), "priority_queue");
}

// Models: either errors, in order, or a tree; what parses is laid out once and
// for all.
inline void model(std::string_view input) {
  const lang::Reading reading = lang::read_model("fuzz", std::string(input));
  require(reading.errors.size() <= lang::kMostErrors, "too many errors");
  require(reading.module != nullptr || !reading.errors.empty(),
          "neither a model nor errors");
  std::pair<std::size_t, std::size_t> last{0, 0};
  for (const InputError& error : reading.errors) {
    const std::pair at{error.place().line, error.place().column};
    require(last < at, "the errors are not in order");
    require(!error.describe().empty(), "an error says nothing");
    last = at;
  }
  try {
    const std::string once = lang::format_model("fuzz", std::string(input));
    require(lang::format_model("fuzz", once) == once,
            "formatting twice is not formatting once");
    require(
        lang::read_model("fuzz", once).errors.empty() == reading.errors.empty(),
        "formatting changed the model");
  } catch (const InputError&) {
    require(!reading.errors.empty(), "formatting found errors, reading none");
  }
}

// CSP#: either errors, in order, or a tree.  A model may include itself.
inline void csp(std::string_view input) {
  const csp::ReadResult result = csp::read_module(
      "fuzz", std::string(input),
      [&](const std::string&) { return std::optional<std::string>(input); });
  require(result.errors.size() <= csp::kMostErrors, "too many errors");
  require((result.module != nullptr) == result.errors.empty(),
          "neither a model nor errors");
  for (const InputError& error : result.errors) {
    require(!error.describe().empty(), "an error says nothing");
  }
  if (result.module == nullptr) return;
  for (const csp::Definition& definition : result.module->processes) {
    require(!csp::text_of(*definition.body, *result.module).empty(),
            "a process has no text");
  }
}

}  // namespace plumb::fuzz
