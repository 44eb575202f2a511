// SPDX-License-Identifier: Apache-2.0
// Text between quotation marks in files for other tools: Graphviz, Aldebaran.
#pragma once

#include <string>
#include <string_view>

namespace plumb {

inline std::string with_escapes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace plumb
