// SPDX-License-Identifier: Apache-2.0
#include "cli/model_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/byte_source.h"
#include "base/input_error.h"
#include "cli/csp_checks.h"
#include "cli/inputs.h"
#include "lang/parse.h"
#include "text/source.h"

namespace plumb::cli {

std::string displayed(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

namespace {

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

void ModelOptions::add_to(CLI::App& command, bool inputs_required) {
  auto* model = command.add_option(
      "MODEL", inputs,
      "models (docs/models.md), directories of them; '-': standard input");
  if (inputs_required) model->required();
  const auto repeated = [&](const char* name, std::vector<std::string>& to,
                            const char* text, const char* type) {
    command.add_option(name, to, text)
        ->type_name(type)
        ->allow_extra_args(false);
  };
  repeated("--check", checks,
           "only the check on this line, or whose text holds this", "TEXT");
  repeated("--set", sets, "give a constant of the model this value",
           "NAME=VALUE");
  command
      .add_option("--property", property,
                  "check this instead of the check lines: linearizable, ...")
      ->type_name("NAME");
  command
      .add_option("--object", object, "of this object, if there are several")
      ->type_name("NAME");
  command.add_option("--processes", processes, "with this many processes")
      ->type_name("N");
  command
      .add_option("--values", values, "with arguments from this range: 1..2")
      ->type_name("RANGE");
  command
      .add_option("--operations", operations,
                  "with this many calls a process (default: any number)")
      ->type_name("N");
  command.add_option("--cells", cells, "with this many cells of memory")
      ->type_name("N");
}

lang::Settings ModelOptions::settings() const {
  lang::Settings out;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    const std::string value =
        equals == std::string::npos ? "" : set.substr(equals + 1);
    const std::optional<std::int64_t> number = value == "true" ? 1
                                               : value == "false"
                                                   ? 0
                                                   : integer(value);
    if (equals == 0 || !number) {
      throw InputError(fmt::format("--set {}: this sets no constant", set),
                       "write --set N=4");
    }
    out[set.substr(0, equals)] = *number;
  }
  return out;
}

std::string read_text(const std::string& path) {
  return text_of_file(path, text::kLargestModel);
}

namespace {

using ModulePtr = std::shared_ptr<const lang::Module>;

bool holds_words(const std::string& text, const std::string& words) {
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
            text[at] == '_');
  };
  for (std::size_t at = text.find(words); at != std::string::npos;
       at = text.find(words, at + 1)) {
    const bool inside = is_letter(at) && at > 0 && is_letter(at - 1);
    const std::size_t end = at + words.size();
    if (!inside && !(is_letter(end - 1) && is_letter(end))) return true;
  }
  return false;
}

// Does `wanted` mean this check: by the number of its line, by a part of its
// text?  `as_words`: not by a part of a word, so that "lock_free" is not
// "deadlock_free".
bool means(const std::string& wanted, const LoadedCheck& loaded,
           bool as_words) {
  if (const auto line = integer(wanted)) {
    return *line == static_cast<std::int64_t>(loaded.line);
  }
  for (const std::string& text : {loaded.text, loaded.written}) {
    if (as_words ? holds_words(text, wanted)
                 : text.find(wanted) != std::string::npos) {
      return true;
    }
  }
  return false;
}

// Reads a model.  Nothing if there are errors, which are appended.
ModulePtr read_module(const std::string& file, const std::string& text,
                      std::vector<report::BadInput>& errors) {
  lang::Reading reading = lang::read_model(displayed(file), text);
  for (const InputError& error : reading.errors) {
    errors.push_back({file, error.describe()});
  }
  if (!reading.errors.empty()) return nullptr;
  return ModulePtr(std::move(reading.module));
}

LoadedCheck loaded(const ModulePtr& module, const lang::Check& check,
                   const lang::Settings& settings, const std::string& file) {
  const std::size_t line = module->source->line(check.span);
  return {ask::subject(module, {module, &check}, settings),
          displayed(file),
          line,
          lang::text_of(check),
          std::string(module->source->text(check.span)),
          fmt::format("--check {}", line)};
}

// A check that the file has no line for.
LoadedCheck added(const ModulePtr& module, const std::string& text,
                  const lang::Settings& settings, const std::string& file) {
  const auto check = std::make_shared<const lang::Check>(
      lang::read_check(*module, "<command line>", text));
  LoadedCheck out;
  out.subject = ask::subject(module, check, settings);
  out.file = displayed(file);
  out.text = out.written = lang::text_of(*check);
  return out;
}

std::string object_of(const lang::Module& module, const std::string& file) {
  std::vector<std::string> names;
  for (const auto& object : module.objects) {
    if (!object->is_specification) names.push_back(object->name);
  }
  if (names.size() == 1) return names.front();
  throw InputError(Place{.source = displayed(file), .text = ""},
                   names.empty() ? "there is no object in this model"
                                 : "there are several objects in this model",
                   names.empty() ? ""
                                 : fmt::format("add --object with one of {}",
                                               fmt::join(names, ", ")));
}

// The check line that the options stand for.
std::string line_from(const ModelOptions& options, const lang::Module& module,
                      const std::string& file) {
  if (!options.processes) {
    throw InputError("--property needs --processes", "add --processes 2");
  }
  if (options.property.find_first_of(";/\n") != std::string::npos) {
    throw InputError(
        fmt::format("--property {}: this is no property", options.property),
        "write linearizable, lock_free, ... (docs/models.md)");
  }
  const std::string object =
      options.object.empty() ? object_of(module, file) : options.object;
  std::string out =
      fmt::format("{} {} with {} process{}", object, options.property,
                  *options.processes, *options.processes == 1 ? "" : "es");
  if (!options.values.empty()) {
    const std::size_t dots = options.values.find("..");
    const bool is_range = dots != std::string::npos;
    const std::string high =
        is_range ? options.values.substr(dots + 2) : options.values;
    if (!integer(options.values.substr(0, dots)) || !integer(high)) {
      throw InputError(
          fmt::format("--values {}: this is no range", options.values),
          "write --values 1..2");
    }
    out += ", values " + options.values;
  }
  if (options.operations) {
    out += fmt::format(", {} operations", *options.operations);
  }
  if (options.cells) out += fmt::format(", cells {}", *options.cells);
  return out;
}

// The options that make up such a line, for a command that runs it again.
std::string arguments_of(const ModelOptions& options) {
  std::string out = fmt::format("--property '{}' --processes {}",
                                options.property, *options.processes);
  if (!options.object.empty()) out += " --object " + options.object;
  if (!options.values.empty()) out += " --values " + options.values;
  if (options.operations) {
    out += fmt::format(" --operations {}", *options.operations);
  }
  if (options.cells) out += fmt::format(" --cells {}", *options.cells);
  return out;
}

void load_file(const ModelOptions& options, const std::string& file,
               Loaded& out) {
  const std::string text = read_text(file);
  if (is_csp(file)) {
    if (!options.property.empty() || !options.sets.empty()) {
      throw InputError(Place{.source = displayed(file), .text = ""},
                       "--property and --set are for .plumb models",
                       "write an '#assert' or a '#define' into it");
    }
    return load_assertions(file, text, !options.quiet, out);
  }
  const ModulePtr module = read_module(file, text, out.errors);
  if (!module) return;
  const lang::Settings settings = options.settings();
  if (!options.property.empty()) {
    out.checks.push_back(
        added(module, line_from(options, *module, file), settings, file));
    out.checks.back().arguments = arguments_of(options);
    return;
  }
  if (module->checks.empty()) {
    throw InputError(Place{.source = displayed(file), .text = ""},
                     "there is no check in this model",
                     "write 'check NAME linearizable with 2 processes;' into "
                     "it, or use --property linearizable --processes 2");
  }
  for (const lang::Check& check : module->checks) {
    out.checks.push_back(loaded(module, check, settings, file));
  }
}

// Leaves those that --check names.
void choose(const std::vector<std::string>& wanted,
            std::vector<LoadedCheck>& checks) {
  std::string known;
  for (const LoadedCheck& check : checks) {
    known += fmt::format("\n  {}: {}", check.line, check.text);
  }
  std::vector<bool> chosen(checks.size());
  for (const std::string& one : wanted) {
    bool found = false;
    for (const bool as_words : {true, false}) {
      if (found) break;
      for (std::size_t i = 0; i < checks.size(); ++i) {
        if (!means(one, checks[i], as_words)) continue;
        chosen[i] = found = true;
      }
    }
    if (!found) {
      throw InputError(fmt::format("--check {}: no check fits", one),
                       "there are" + known);
    }
  }
  std::vector<LoadedCheck> left;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (chosen[i]) left.push_back(std::move(checks[i]));
  }
  checks = std::move(left);
}

}  // namespace

Loaded load_checks(const ModelOptions& options) {
  if (options.property.empty() &&
      (options.processes || options.operations || options.cells ||
       !options.values.empty() || !options.object.empty())) {
    throw InputError(
        "--object, --processes, --values, --operations and --cells belong to "
        "--property",
        "add --property linearizable");
  }
  Loaded out;
  for (const std::string& file : expand_models(options.inputs)) {
    try {
      load_file(options, file, out);
    } catch (const InputError& error) {
      out.errors.push_back({file, error.describe()});
    }
  }
  // Where no file could be read, that is what is wrong.
  if (!options.checks.empty() && !out.checks.empty()) {
    choose(options.checks, out.checks);
  }
  return out;
}

LoadedCheck load_check(const std::string& file, const std::string& text,
                       std::size_t line, const lang::Settings& settings) {
  const std::string model = read_text(file);
  if (is_csp(file)) return load_assertion(file, model, text, line);
  std::vector<report::BadInput> errors;
  const ModulePtr module = read_module(file, model, errors);
  if (!module) {
    throw InputError(Place{.source = displayed(file), .text = ""},
                     "this model has errors", "'plumb verify' shows them");
  }
  const lang::Check* same = nullptr;
  for (const lang::Check& check : module->checks) {
    if (lang::text_of(check) != text) continue;
    if (!same || module->source->line(check.span) == line) same = &check;
  }
  return same ? loaded(module, *same, settings, file)
              : added(module, text, settings, file);
}

}  // namespace plumb::cli
