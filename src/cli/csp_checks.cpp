// SPDX-License-Identifier: Apache-2.0
#include "cli/csp_checks.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/input_error.h"
#include "base/terminal_text.h"
#include "cli/inputs.h"
#include "csp/read.h"

namespace plumb::cli {

namespace {

// Files are named relative to the model that includes them.
csp::Loader loader_for(const std::string& file) {
  const std::filesystem::path folder =
      std::filesystem::path(file).parent_path();
  return [folder](const std::string& path) -> std::optional<std::string> {
    try {
      note_input((folder / path).string());
      return read_text((folder / path).string());
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
}

void show_warnings(const csp::Module& module) {
  for (const csp::Warning& warning : module.warnings) {
    std::string text = InputError(module.source->place(warning.span),
                                  warning.what, warning.hint)
                           .describe();
    const std::size_t at = text.find(": error: ");
    text.replace(at, 9, ": warning: ");
    print_text(stderr, text);
  }
}

LoadedCheck loaded(const std::shared_ptr<const csp::Module>& module,
                   const csp::Assertion& assertion, const std::string& file) {
  LoadedCheck out;
  out.subject = ask::subject(module, assertion);
  out.written = std::string(module->source->text(assertion.span));
  out.file = displayed(file);
  out.line = module->source->line(assertion.span);
  out.text = assertion.text;
  out.arguments = fmt::format("--check {}", out.line);
  return out;
}

}  // namespace

bool is_csp(const std::string& file) {
  return file.ends_with(".csp");
}

void load_assertions(const std::string& file, const std::string& text,
                     bool warns, Loaded& out) {
  const csp::ReadResult read =
      csp::read_module(displayed(file), text, loader_for(file));
  for (const InputError& error : read.errors) {
    out.errors.push_back({file, error.describe()});
  }
  if (!read.errors.empty()) return;
  if (warns) show_warnings(*read.module);
  if (read.module->assertions.empty()) {
    throw InputError(Place{.source = displayed(file), .text = ""},
                     "there is no assertion in this model",
                     "write '#assert P deadlockfree;' into it");
  }
  for (const csp::Assertion& assertion : read.module->assertions) {
    out.checks.push_back(loaded(read.module, assertion, file));
  }
}

LoadedCheck load_assertion(const std::string& file, const std::string& text,
                           const std::string& check, std::size_t line) {
  const csp::ReadResult read =
      csp::read_module(displayed(file), text, loader_for(file));
  if (!read.errors.empty()) {
    throw InputError(Place{.source = displayed(file), .text = ""},
                     "this model has errors", "'plumb verify' shows them");
  }
  const csp::Assertion* same = nullptr;
  for (const csp::Assertion& assertion : read.module->assertions) {
    if (assertion.text != check) continue;
    const bool is_there = read.module->source->line(assertion.span) == line;
    if (same == nullptr || is_there) same = &assertion;
  }
  if (same == nullptr) {
    throw InputError(Place{.source = displayed(file), .text = ""},
                     fmt::format("there is no assertion '{}' any more", check));
  }
  return loaded(read.module, *same, file);
}

}  // namespace plumb::cli
