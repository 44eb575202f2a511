// SPDX-License-Identifier: Apache-2.0
#include "history/json_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "history/collections.h"
#include "history/decimals.h"
#include "history/line_reader.h"

namespace plumb::history {

namespace json = simdjson::ondemand;

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view token) {
  return token.substr(0, token.find_last_not_of(kBlanks) + 1);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

std::string_view without_minus(std::string_view token) {
  return token.substr(!token.empty() && token[0] == '-' ? 1 : 0);
}

// As JSON writes them.
bool is_number(std::string_view token) {
  std::string_view rest = without_minus(token);
  const auto digits = [&] {
    const std::size_t count =
        std::min(rest.find_first_not_of("0123456789"), rest.size());
    rest.remove_prefix(count);
    return count;
  };
  const bool begins_with_zero = rest.starts_with('0');
  const std::size_t whole = digits();
  if (whole == 0 || (begins_with_zero && whole > 1)) return false;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (!rest.starts_with('e') && !rest.starts_with('E')) return rest.empty();
  rest.remove_prefix(1);
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  return digits() > 0 && rest.empty();
}

std::string why(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return "its bytes are not UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "a string does not end";
    case simdjson::UNESCAPED_CHARS:
      return "a string has a control character";
    case simdjson::STRING_ERROR:
      return "a string has a wrong escape";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "it ends too early";
    case simdjson::TRAILING_CONTENT:
      return "something follows the object";
    case simdjson::NUMBER_OUT_OF_RANGE:
    case simdjson::NUMBER_ERROR:
      return "this is no number";
    case simdjson::INCORRECT_TYPE:
      return "an object was expected";
    case simdjson::DEPTH_ERROR:
      return fmt::format("values are nested deeper than {}", kDeepest);
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      return "it is too large";
    default:
      return "this was not expected";
  }
}

}  // namespace

bool is_plain_integer(std::string_view token) {
  const std::string_view digits = without_minus(token);
  return is_digits(digits) && digits.size() <= 18 &&
         (digits[0] != '0' || digits.size() == 1);
}

JsonEventParser::JsonEventParser(CodeOf code_of, std::string source)
    : code_of_(std::move(code_of)), source_(std::move(source)) {}

void JsonEventParser::begin(std::string_view text, std::uint64_t number) {
  text_ = text;
  first_line_ = number;
  counted_ = line_ends_ = object_at_ = 0;
  document_ = json::document();  // lets go of the text before
  const simdjson::padded_string_view padded(text.data(), text.size(),
                                            text.size() + LineReader::kPadding);
  parsing_ = false;
  require(parser_.iterate(padded).get(document_));
  parsing_ = true;
}

const Event& JsonEventParser::parse_line(std::string_view line,
                                         std::uint64_t number) {
  begin(line, number);
  json::object object;
  require(document_.get_object().get(object));
  parse_object(object);
  require_end();
  return event_;
}

void JsonEventParser::parse_array(
    std::string_view text, std::uint64_t number,
    const std::function<bool(const Event&)>& take) {
  begin(text, number);
  json::array array;
  require(document_.get_array().get(array));
  for (auto item : array) {
    json::object object;
    require(item.get_object().get(object));
    parse_object(object);
    if (!take(event_)) return;
  }
  require_end();
}

void JsonEventParser::parse_object(json::object object) {
  event_ = Event();
  spans_.fill(Span());
  holes_.clear();
  key_ = object_key_ = Value();
  has_key_ = has_object_ = flat_ = false;
  const std::size_t here = offset();
  const std::size_t brace = text_.substr(0, here).rfind('{');
  object_at_ = brace == std::string_view::npos ? 0 : brace;
  event_.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      line_of(object_at_), std::numeric_limits<std::uint32_t>::max()));
  for (auto field : object) {
    json::field entry;
    require(std::move(field).get(entry));
    parse_field(entry);
  }
  event_.has_key = has_key_ || has_object_;
  event_.key = has_two_keys() ? Value::list(std::array{object_key_, key_})
               : has_key_     ? key_
                              : object_key_;
}

void JsonEventParser::parse_field(json::field field) {
  std::string_view name;
  require(field.unescaped_key().get(name));
  json::value value = field.value();
  const std::string_view token = trimmed(value.raw_json_token());
  if (name == "process") {
    open_span(Field::kProcess, token, "process");
    note_hole(token, JsonHole::Target::kProcess);
    event_.process = to_value(value, true, 0);
    close_span(Field::kProcess);
  } else if (name == "type") {
    open_span(Field::kType, token, "type");
    parse_type(value);
    close_span(Field::kType);
  } else if (name == "f") {
    open_span(Field::kFunction, token, "f");
    parse_function(value);
    close_span(Field::kFunction);
  } else if (name == "value") {
    open_span(Field::kValue, token, "value");
    event_.value = parse_main_value(value);
    close_span(Field::kValue);
  } else if (name == "time") {
    open_span(Field::kTime, token, "time");
    parse_time(value);
    close_span(Field::kTime);
  } else if (name == "result" && token == "\"?\"") {
    event_.result_unknown = true;
    to_value(value, false, 0);
  } else if (name == "key" || name == "object") {
    parse_key(value, name == "object");
  } else {
    note_hole(token, JsonHole::Target::kIgnored);
    to_value(value, false, 0);
  }
}

void JsonEventParser::parse_type(json::value value) {
  std::string_view text = trimmed(value.raw_json_token());
  if (text[0] == '"') {
    require(value.get_string().get(text));
  } else {
    to_value(value, false, 0);
  }
  event_.type_text = text;
  event_.type = event_type(text);
}

void JsonEventParser::parse_function(json::value value) {
  std::string_view text = trimmed(value.raw_json_token());
  if (text[0] == '"') {
    require(value.get_string().get(text));
    event_.code = code_of_(text);
  } else {
    to_value(value, false, 0);
    if (text == "null") return;  // as good as missing
  }
  event_.has_function = true;
  event_.function = text;
}

void JsonEventParser::parse_key(json::value value, bool is_object) {
  const std::string_view token = trimmed(value.raw_json_token());
  note_hole(token, JsonHole::Target::kKey);
  bool& given = is_object ? has_object_ : has_key_;
  if (given) {
    throw InputError(
        place(static_cast<std::size_t>(token.data() - text_.data()),
              token.size()),
        fmt::format("the field '{}' is given twice",
                    is_object ? "object" : "key"));
  }
  given = true;
  spans_[static_cast<std::size_t>(Field::kKey)].given = false;
  open_span(Field::kKey, token, "key");
  (is_object ? object_key_ : key_) = to_value(value, true, 0);
  close_span(Field::kKey);
}

// Notes the items of a flat list as holes.
Value JsonEventParser::parse_main_value(json::value value) {
  const std::string_view token = trimmed(value.raw_json_token());
  if (token[0] != '[') {
    note_hole(token, JsonHole::Target::kValue);
    return to_value(value, true, 0);
  }
  const std::size_t before = holes_.size();
  json::array array;
  require(value.get_array().get(array));
  std::vector<Value> items;
  for (auto item : array) {
    json::value element;
    require(std::move(item).get(element));
    note_hole(trimmed(element.raw_json_token()), JsonHole::Target::kItem);
    items.push_back(to_value(element, true, 1));
  }
  flat_ = holes_.size() - before == items.size();
  if (!flat_) holes_.resize(before);
  return Value::list(items);
}

// A time of another kind is a remark.
void JsonEventParser::parse_time(json::value value) {
  const std::string_view token = trimmed(value.raw_json_token());
  if (token[0] != '[') {
    note_hole(token, JsonHole::Target::kTime);
    const Value time = to_value(value, is_number(token), 0);
    if (time.is_number()) event_.earliest = event_.latest = time;
    return;
  }
  const std::size_t before = holes_.size();
  json::array array;
  require(value.get_array().get(array));
  std::vector<Value> items;
  for (auto item : array) {
    json::value element;
    require(std::move(item).get(element));
    note_hole(trimmed(element.raw_json_token()), JsonHole::Target::kBound);
    items.push_back(to_value(element, true, 1));
  }
  if (items.size() != 2 || !items[0].is_number() || !items[1].is_number()) {
    const auto at = static_cast<std::size_t>(token.data() - text_.data());
    throw InputError(place(at, 1), kNoTime, kTimeHint);
  }
  if (holes_.size() != before + 2) holes_.resize(before);
  event_.has_bounds = true;
  event_.earliest = items[0];
  event_.latest = items[1];
}

Value JsonEventParser::to_value(json::value value, bool keep, int depth) {
  if (depth > kDeepest) fail(simdjson::DEPTH_ERROR);
  json::json_type type;
  require(value.type().get(type));
  switch (type) {
    case json::json_type::null: {
      bool is_null = false;
      require(value.is_null().get(is_null));
      if (!is_null) fail(simdjson::N_ATOM_ERROR);
      return Value();
    }
    case json::json_type::boolean: {
      bool truth = false;
      require(value.get_bool().get(truth));
      return Value::boolean(truth);
    }
    case json::json_type::string: {
      std::string_view text;
      require(value.get_string().get(text));
      return keep ? Value::text(text) : Value();
    }
    case json::json_type::number:
      return number_of(value);
    case json::json_type::array: {
      json::array array;
      require(value.get_array().get(array));
      return list_of(array, keep, depth);
    }
    case json::json_type::object: {
      json::object object;
      require(value.get_object().get(object));
      return map_of(object, keep, depth);
    }
  }
  return Value();
}

Value JsonEventParser::list_of(json::array array, bool keep, int depth) {
  std::vector<Value> items;
  for (auto item : array) {
    json::value element;
    require(std::move(item).get(element));
    const Value value = to_value(element, keep, depth + 1);
    if (keep) items.push_back(value);
  }
  return keep ? Value::list(items) : Value();
}

Value JsonEventParser::map_of(json::object object, bool keep, int depth) {
  std::vector<std::pair<Value, Value>> entries;
  for (auto field : object) {
    json::field entry;
    require(std::move(field).get(entry));
    std::string_view name;
    require(entry.unescaped_key().get(name));
    const Value key = keep ? Value::text(name) : Value();
    const Value value = to_value(entry.value(), keep, depth + 1);
    if (keep) entries.emplace_back(key, value);
  }
  return keep ? map_value(std::move(entries)) : Value();
}

Value JsonEventParser::number_of(json::value value) {
  const std::string_view token = trimmed(value.raw_json_token());
  std::int64_t integer = 0;
  if (value.get_int64().get(integer) == simdjson::SUCCESS) {
    return Value::integer(integer);
  }
  // One that is too large for a double is a number all the same.
  double real = 0;
  const simdjson::error_code error = value.get_double().get(real);
  if (error != simdjson::SUCCESS && !is_number(token)) require(error);
  const auto number = decimal(token);
  if (!number) {
    const auto at = static_cast<std::size_t>(token.data() - text_.data());
    throw InputError(place(at, token.size()), "this number is too large",
                     "an exponent has at most 15 digits");
  }
  return *number;
}

void JsonEventParser::note_hole(std::string_view token,
                                JsonHole::Target target) {
  if (!is_plain_integer(token)) return;
  holes_.push_back({.at = static_cast<std::size_t>(token.data() - text_.data()),
                    .length = token.size(),
                    .target = target});
}

void JsonEventParser::open_span(Field field, std::string_view token,
                                const char* name) {
  Span& span = spans_[static_cast<std::size_t>(field)];
  const auto at = static_cast<std::size_t>(token.data() - text_.data());
  if (span.given) {
    throw InputError(place(at, token.size()),
                     fmt::format("the field '{}' is given twice", name));
  }
  span = {.at = at, .length = token.size(), .given = true};
}

// A list or map ends where the next token begins.
void JsonEventParser::close_span(Field field) {
  Span& span = spans_[static_cast<std::size_t>(field)];
  const char first = text_[span.at];
  if (first != '[' && first != '{') return;
  const std::size_t end = std::max(offset(), span.at + 1);
  span.length = trimmed(text_.substr(span.at, end - span.at)).size();
}

Place JsonEventParser::place_of(Field field) const {
  const Span& span = spans_[static_cast<std::size_t>(field)];
  return span.given ? place(span.at, span.length) : place(object_at_, 1);
}

// Of the next token in the text.
std::size_t JsonEventParser::offset() {
  const char* location = nullptr;
  if (!parsing_) return 0;  // an error in the text as a whole
  if (document_.current_location().get(location) != simdjson::SUCCESS) {
    return text_.size();
  }
  const std::ptrdiff_t at = location - text_.data();
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
      at, 0, static_cast<std::ptrdiff_t>(text_.size())));
}

// Requires: `at` never goes back within one text.
std::uint64_t JsonEventParser::line_of(std::size_t at) {
  const std::string_view passed = text_.substr(counted_, at - counted_);
  line_ends_ += static_cast<std::uint64_t>(
      std::count(passed.begin(), passed.end(), '\n'));
  counted_ = at;
  return first_line_ + line_ends_;
}

Place JsonEventParser::place(std::size_t at, std::size_t length) const {
  const std::string_view before = text_.substr(0, at);
  const std::size_t line_at = before.rfind('\n') + 1;  // npos + 1 is 0
  std::string_view line = text_.substr(line_at);
  line = line.substr(0, line.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  Place where;
  where.source = source_;
  where.line = first_line_ + static_cast<std::uint64_t>(std::count(
                                 before.begin(), before.end(), '\n'));
  where.column = at - line_at + 1;
  where.length = std::max<std::size_t>(length, 1);
  where.text = std::string(line);
  return where;
}

void JsonEventParser::require_end() {
  if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    fail(simdjson::TRAILING_CONTENT);
  }
}

void JsonEventParser::require(simdjson::error_code error) {
  if (error != simdjson::SUCCESS) fail(error);
}

void JsonEventParser::fail(simdjson::error_code error) {
  throw InputError(place(offset(), 1),
                   fmt::format("this is not JSON: {}", why(error)),
                   "JSON Lines have one whole object on each line");
}

}  // namespace plumb::history
