// SPDX-License-Identifier: Apache-2.0
#include "lang/parse.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "lang/format.h"
#include "lang/lexer.h"
#include "lang/parser.h"
#include "lang/types_module.h"
#include "text/diagnostics.h"

namespace plumb::lang {
namespace {

// Throws InputError if the text is too large.
std::shared_ptr<const Source> make_source(std::string name, std::string text) {
  if (text.size() <= text::kLargestModel) {
    return std::make_shared<const Source>(std::move(name), std::move(text));
  }
  Place place;
  place.source = std::move(name);
  throw InputError(std::move(place),
                   fmt::format("the model has {} bytes, but at most {} can be "
                               "read",
                               text.size(), text::kLargestModel));
}

}  // namespace

Reading read_model(std::string name, std::string text) {
  Reading reading;
  try {
    const auto source = make_source(std::move(name), std::move(text));
    Diagnostics diagnostics(*source, kMostErrors);
    const Lexed lexed = lex(*source, diagnostics);
    Parsed parsed = Parser(source, lexed, diagnostics).parse();
    // What could not be parsed declares nothing: looking for names now would
    // only add errors that are none.
    if (diagnostics.empty()) check_module(parsed, diagnostics);
    reading.errors = diagnostics.errors();
    reading.module = std::move(parsed.module);
  } catch (const InputError& error) {
    reading.errors.push_back(error);
  }
  return reading;
}

Check read_check(const Module& module, std::string name,
                 const std::string& text) {
  const auto source = std::make_shared<Source>(*module.source);
  const std::uint32_t begin =
      source->append(std::move(name), "check " + text + ";");
  Diagnostics diagnostics(*source, kMostErrors);
  const Lexed lexed = lex(*source, diagnostics, begin);
  Parsed parsed = Parser(source, lexed, diagnostics).parse();
  std::vector<Check>& checks = parsed.module->checks;
  if (diagnostics.empty() && checks.size() == 1) {
    check_added(checks.front(), module, diagnostics);
  }
  if (!diagnostics.empty()) throw diagnostics.errors().front();
  if (checks.size() != 1) {
    throw InputError(fmt::format("'{}' is no check", text));
  }
  return std::move(checks.front());
}

namespace {

// With no run of white space longer than one.
std::string in_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) {
      out += c;
    } else if (out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

const char* word_of(Fairness fairness) {
  return fairness == Fairness::kWeak     ? "weak"
         : fairness == Fairness::kStrong ? "strong"
                                         : "global";
}

std::string bounds_of(const Check& check) {
  const auto text = [&](const ExpressionPtr& e) {
    return std::string(check.source->text(e->span));
  };
  std::string bounds;
  const auto bound = [&](std::string words) {
    bounds += (bounds.empty() ? " with " : ", ") + std::move(words);
  };
  const auto counted = [&](const ExpressionPtr& e, const char* one,
                           const char* many) {
    const std::string count = text(e);
    bound(count + (count == "1" ? one : many));
  };
  if (check.processes) counted(check.processes, " process", " processes");
  if (check.low) {
    const std::string low = text(check.low);
    const std::string high = check.high ? text(check.high) : low;
    bound(low == high ? "values " + low
                      : fmt::format("values {}..{}", low, high));
  }
  if (check.operations) counted(check.operations, " operation", " operations");
  if (check.busy) bound("busy " + text(check.busy));
  if (check.cells) bound("cells " + text(check.cells));
  for (const auto& setting : check.settings) {
    bound(fmt::format("{} = {}", setting.name, text(setting.value)));
  }
  return bounds;
}

}  // namespace

std::string text_of(const Check& check, const std::string& property) {
  std::string out =
      check.object_name + ' ' + (property.empty() ? check.property : property);
  if (check.at_marks) out += " at marks";
  if (check.by_relation) out += " by relation";
  if (check.kind == PropertyKind::kSatisfies) {
    out += ' ' + std::string(check.source->text(check.formula));
    if (check.fairness != Fairness::kUnsaid) {
      out += fmt::format(" under {} fairness", word_of(check.fairness));
    }
  }
  return in_one_line(out + bounds_of(check));
}

std::string format_model(const std::string& name, const std::string& text) {
  const auto source = make_source(name, text);
  Diagnostics diagnostics(*source, 1);
  const Lexed lexed = lex(*source, diagnostics);
  Parser(source, lexed, diagnostics).parse();
  if (!diagnostics.empty()) throw diagnostics.errors()[0];
  return format_tokens(*source, lexed);
}

}  // namespace plumb::lang
