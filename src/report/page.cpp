// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <cassert>
#include <cstddef>
#include <string_view>
#include <utility>

// report/dist/page.html, between these two; see CMakeLists.txt.
asm(R"(
  .section .rodata
  .balign 16
plumb_page_begin:
  .incbin ")" PLUMB_PAGE R"("
plumb_page_end:
  .byte 0
  .previous
)");

extern "C" {
extern const char plumb_page_begin[];
extern const char plumb_page_end[];
}

namespace plumb::report {

namespace {

constexpr std::string_view kElement = "id=\"result\">/*RESULT*/</script>";
constexpr std::string_view kPlaceholder = "/*RESULT*/";

std::string_view page() {
  return {plumb_page_begin,
          static_cast<std::size_t>(plumb_page_end - plumb_page_begin)};
}

// What the page need not hold twice.
Json without_doubles(Json result) {
  const auto results = result.find("results");
  if (results == result.end() || !results->is_array()) return result;
  for (Json& one : *results) {
    if (!one.is_object() || !one.contains("history")) continue;
    const auto evidence = one.find("evidence");
    if (evidence != one.end() && evidence->is_object())
      evidence->erase("order");
  }
  return result;
}

}  // namespace

std::string script_text(const Json& result) {
  const std::string plain =
      result.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size() + plain.size() / 16);
  // All of these stand in strings, where an escape means the same.  U+2028 and
  // U+2029 end lines for old readers of JavaScript.
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string_view rest = std::string_view(plain).substr(i, 3);
    if (rest[0] == '<') {
      out += "\\u003c";
    } else if (rest[0] == '>') {
      out += "\\u003e";
    } else if (rest[0] == '&') {
      out += "\\u0026";
    } else if (rest == "\u2028" || rest == "\u2029") {
      out += rest == "\u2028" ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += rest[0];
    }
  }
  return out;
}

std::string page_of(Json result) {
  const std::string_view whole = page();
  const std::size_t element = whole.find(kElement);
  assert(element != std::string_view::npos);
  const std::size_t at = whole.find(kPlaceholder, element);
  std::string out(whole.substr(0, at));
  out += script_text(without_doubles(std::move(result)));
  out += whole.substr(at + kPlaceholder.size());
  return out;
}

}  // namespace plumb::report
