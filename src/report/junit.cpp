// SPDX-License-Identifier: Apache-2.0
#include "report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "base/terminal_text.h"
#include "report/utf8.h"
#include "report/verdicts.h"

namespace plumb::report {

namespace {

using Kind = Judged::Kind;

// Production 2 of XML 1.0.
bool is_allowed(char32_t c) {
  if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return c != 0xFFFE && c != 0xFFFF;
}

struct Suite {
  std::string name;
  std::vector<const Judged*> cases;
  std::vector<const NotJudged*> errors;

  std::size_t tests() const { return cases.size() + errors.size(); }
  std::size_t count(Kind kind) const {
    return static_cast<std::size_t>(
        std::count_if(cases.begin(), cases.end(),
                      [&](const Judged* one) { return one->kind == kind; }));
  }
  std::size_t failures() const { return count(Kind::kViolated); }
  std::size_t all_errors() const {
    return count(Kind::kUnknown) + errors.size();
  }
  double seconds() const {
    double sum = 0;
    for (const Judged* one : cases) sum += one->seconds;
    return sum;
  }
  // What suites and all of them together say of themselves.
  std::string attributes() const {
    return fmt::format(
        "name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
        "time=\"{:.6f}\"",
        xml_attribute(name), tests(), failures(), all_errors(), seconds());
  }
};

// In the order of their first results.
std::vector<Suite> suites_of(const Verdicts& verdicts) {
  std::vector<Suite> out;
  std::map<std::string, std::size_t> by_name;
  const auto suite = [&](const std::string& file) -> Suite& {
    const std::string name = file.empty() ? "plumb" : file;
    const auto [found, is_new] = by_name.try_emplace(name, out.size());
    if (is_new) out.push_back({name, {}, {}});
    return out[found->second];
  };
  for (const Judged& one : verdicts.results) {
    suite(one.file).cases.push_back(&one);
  }
  for (const NotJudged& error : verdicts.errors) {
    suite(error.file).errors.push_back(&error);
  }
  return out;
}

std::string problem(const char* tag, const std::string& type,
                    const std::string& message, const std::string& text) {
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", tag,
                     xml_attribute(type), xml_attribute(message),
                     xml_text(text));
}

std::string case_text(const Judged& one, const std::string& suite) {
  std::string out =
      fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.6f}\"",
                  xml_attribute(one.name), xml_attribute(suite), one.seconds);
  out += ">\n";
  const std::string& text = one.text.empty() ? one.reason : one.text;
  if (one.kind == Kind::kViolated) {
    out += problem("failure", one.rule, headline(one), text);
  } else if (one.kind == Kind::kUnknown) {
    out += problem("error", "unknown", headline(one), text);
  }
  return out +
         fmt::format("      <system-out>{}</system-out>\n    </testcase>\n",
                     xml_text(headline(one)));
}

std::string error_text(const NotJudged& error, const std::string& suite) {
  const std::string first = error.message.substr(0, error.message.find('\n'));
  return fmt::format(
             "    <testcase name=\"{0}\" classname=\"{0}\" time=\"0\">\n",
             xml_attribute(suite)) +
         problem("error", "input", first, error.message) + "    </testcase>\n";
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\r':
        out += "&#13;";
        break;
      default:
        if (c > 0x20 && is_allowed(c) && !is_plain(c)) {
          out += fmt::format("&#x{:x};", static_cast<unsigned>(c));
        } else {
          append_character(is_allowed(c) ? c : kReplacement, out);
        }
    }
  }
  return out;
}

std::string xml_attribute(std::string_view text) {
  std::string out;
  for (const char c : xml_text(text)) {
    if (c == '\n') {
      out += "&#10;";
    } else if (c == '\t') {
      out += "&#9;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string junit_of(const Json& file) {
  const Verdicts verdicts = verdicts_in(file);
  const std::vector<Suite> suites = suites_of(verdicts);
  Suite all{"plumb", {}, {}};
  std::string inside;
  for (const Suite& suite : suites) {
    all.cases.insert(all.cases.end(), suite.cases.begin(), suite.cases.end());
    all.errors.insert(all.errors.end(), suite.errors.begin(),
                      suite.errors.end());
    inside += fmt::format("  <testsuite {}>\n", suite.attributes());
    for (const Judged* one : suite.cases) {
      inside += case_text(*one, suite.name);
    }
    for (const NotJudged* error : suite.errors) {
      inside += error_text(*error, suite.name);
    }
    inside += "  </testsuite>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites {}>\n{}</testsuites>\n",
      all.attributes(), inside);
}

}  // namespace plumb::report
