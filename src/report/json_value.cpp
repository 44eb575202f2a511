// SPDX-License-Identifier: Apache-2.0
#include "report/json_value.h"

#include <vector>

namespace plumb::report {

Json to_json(Value value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      return nullptr;
    case Value::Kind::kBoolean:
      return value.is_true();
    case Value::Kind::kText:
      return std::string(value.as_text());
    case Value::Kind::kNumber:
      if (value.is_integer()) return value.as_integer();
      return Json::parse(value.to_string(), nullptr, false);
    case Value::Kind::kList: {
      Json list = Json::array();
      for (const Value item : value.items()) list.push_back(to_json(item));
      return list;
    }
  }
  return nullptr;
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

std::string file_text(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace plumb::report
