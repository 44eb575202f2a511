// SPDX-License-Identifier: Apache-2.0
#include "lang/parse.h"

#include <fmt/format.h>

#include <utility>

#include "lang/format.h"
#include "lang/lexer.h"
#include "lang/parser.h"
#include "lang/types_module.h"
#include "text/diagnostics.h"

namespace plumb::lang {
namespace {

// Places are counted in 32 bits, and no model is anywhere near this large.
constexpr std::size_t kLargestModel = std::size_t{16} << 20;

// Throws InputError if the text is too large.
std::shared_ptr<const Source> make_source(std::string name, std::string text) {
  if (text.size() <= kLargestModel) {
    return std::make_shared<const Source>(std::move(name), std::move(text));
  }
  Place place;
  place.source = std::move(name);
  throw InputError(std::move(place),
                   fmt::format("the model has {} bytes, but at most {} can be "
                               "read",
                               text.size(), kLargestModel));
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

std::string format_model(const std::string& name, const std::string& text) {
  const auto source = make_source(name, text);
  Diagnostics diagnostics(*source, 1);
  const Lexed lexed = lex(*source, diagnostics);
  Parser(source, lexed, diagnostics).parse();
  if (!diagnostics.empty()) throw diagnostics.errors()[0];
  return format_tokens(*source, lexed);
}

}  // namespace plumb::lang
