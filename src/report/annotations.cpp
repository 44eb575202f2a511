// SPDX-License-Identifier: Apache-2.0
#include "report/annotations.h"

#include <fmt/format.h>

#include <string_view>

#include "base/terminal_text.h"
#include "report/utf8.h"
#include "report/verdicts.h"

namespace plumb::report {

namespace {

// In a value of a property more characters mean something than in the message.
std::string escaped(const std::string& text, bool is_property) {
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const char32_t c = take_character(rest);
    if (c == '%' || c == '\r' || c == '\n' ||
        (is_property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else if (is_plain(c)) {
      append_character(c, out);
    } else {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    }
  }
  return out;
}

std::string line_of(const char* level, const std::string& file,
                    std::size_t line, const std::string& title,
                    const std::string& message) {
  std::string out = fmt::format("::{} ", level);
  if (!file.empty() && file != "<stdin>") {
    out += fmt::format("file={},", escaped(file, true));
    if (line > 0) out += fmt::format("line={},", line);
  }
  return out + fmt::format("title={}::{}\n", escaped(title, true),
                           escaped(message, false));
}

}  // namespace

std::string annotations_of(const Json& file) {
  const Verdicts verdicts = verdicts_in(file);
  std::string out;
  for (const Judged& one : verdicts.results) {
    if (one.kind == Judged::Kind::kPassed) continue;
    const bool violated = one.kind == Judged::Kind::kViolated;
    out += line_of(violated ? "error" : "warning", one.at_file, one.at_line,
                   headline(one), one.text.empty() ? one.reason : one.text);
  }
  for (const NotJudged& error : verdicts.errors) {
    out += line_of("error", error.file, 0, "bad input", error.message);
  }
  return out;
}

}  // namespace plumb::report
