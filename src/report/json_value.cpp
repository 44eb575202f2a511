// SPDX-License-Identifier: Apache-2.0
#include "report/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/map_value.h"
#include "base/terminal_text.h"
#include "report/utf8.h"

namespace plumb::report {

namespace {

// Where no double is as large, its digits as a text.
Json number_to_json(const std::string& digits) {
  Json number = Json::parse(digits, nullptr, false);
  if (number.is_discarded()) return digits;
  return number;
}

}  // namespace

Json to_json(Value value) {
  if (is_map(value)) {
    Json map = Json::object();
    const auto items = keys_and_values(value);
    for (std::size_t i = 0; i < items.size(); i += 2) {
      map[items[i].is_text() ? std::string(items[i].as_text())
                             : items[i].to_string()] = to_json(items[i + 1]);
    }
    return map;
  }
  switch (value.kind()) {
    case Value::Kind::kNull:
      return nullptr;
    case Value::Kind::kBoolean:
      return value.is_true();
    case Value::Kind::kText:
      return std::string(value.as_text());
    case Value::Kind::kNumber:
      if (value.is_integer()) return value.as_integer();
      return number_to_json(value.to_string());
    case Value::Kind::kList: {
      Json list = Json::array();
      for (const Value item : value.items()) list.push_back(to_json(item));
      return list;
    }
  }
  return value.to_string();  // "?": a result that nobody wrote down
}

namespace {

constexpr int kDeepest = 16;  // a list of arrays is 2 deep

std::optional<Value> value_within(const Json& json, int depth) {
  if (json.is_null()) return Value();
  if (json.is_boolean()) return Value::boolean(json.get<bool>());
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return Value::big_number(json.dump());
  }
  if (json.is_number_integer()) return Value::integer(json.get<std::int64_t>());
  if (json.is_number_float()) return Value::real(json.get<double>());
  if (json.is_string()) return Value::text(json.get_ref<const std::string&>());
  if (!json.is_array() || depth >= kDeepest) return std::nullopt;
  std::vector<Value> items;
  for (const Json& item : json) {
    const auto value = value_within(item, depth + 1);
    if (!value) return std::nullopt;
    items.push_back(*value);
  }
  return Value::list(items);
}

}  // namespace

std::optional<Value> value_of(const Json& json) {
  return value_within(json, 0);
}

Json to_json(const std::vector<Samples::Point>& samples) {
  Json out = Json::array();
  for (const Samples::Point& point : samples) {
    out.push_back(Json::array({point.seconds, point.count}));
  }
  return out;
}

namespace {

constexpr auto kReplace = Json::error_handler_t::replace;

// Nothing in it has names: numbers, texts, lists of them.
bool is_nameless(const Json& json) {
  if (json.is_object()) return false;
  if (!json.is_array()) return true;
  return std::all_of(json.begin(), json.end(), is_nameless);
}

// Lists of things without names are often long, and stand on one line.
void write(const Json& json, std::size_t depth, std::string& out) {
  if (json.empty() || is_nameless(json)) {
    out += json.dump(-1, ' ', false, kReplace);
    return;
  }
  const std::string indent(depth + 1, ' ');
  const bool is_list = json.is_array();
  const char* separator = is_list ? "[\n" : "{\n";
  for (auto entry = json.begin(); entry != json.end(); ++entry) {
    out += separator + indent;
    separator = ",\n";
    if (!is_list)
      out += Json(entry.key()).dump(-1, ' ', false, kReplace) + ": ";
    write(*entry, depth + 1, out);
  }
  out += '\n' + std::string(depth, ' ') + (is_list ? ']' : '}');
}

}  // namespace

// JSON may be shown by a terminal, too.  Such characters stand in strings
// only, where \u writes them.
std::string file_text(const Json& json) {
  std::string raw, out;
  write(json, 0, raw);
  const auto is_ascii = [](char c) {
    return static_cast<unsigned char>(c) < 0x7F;
  };
  if (std::ranges::all_of(raw, is_ascii)) return raw + '\n';
  for (std::string_view rest = raw; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t c = take_character(rest);
    if (c >= 0x7F && c <= 0xFFFF && !is_plain(c)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += before.substr(0, before.size() - rest.size());
    }
  }
  return out + '\n';
}

}  // namespace plumb::report
