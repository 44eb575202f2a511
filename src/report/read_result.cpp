// SPDX-License-Identifier: Apache-2.0
#include "report/read_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/input_error.h"
#include "report/result_file.h"
#include "report/words.h"

namespace plumb::report {

namespace {

// Builds the value while it is read, and stops at the first limit.  (The
// library's own builder looks for each name among those before it, which is
// slow for objects that somebody made to be.)
class Builder {
 public:
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  explicit Builder(const ReadLimits& limits) : limits_(limits) {}

  bool null() { return add(nullptr) != nullptr; }
  bool boolean(bool value) { return add(value) != nullptr; }
  bool number_integer(number_integer_t n) { return add(n) != nullptr; }
  bool number_unsigned(number_unsigned_t n) { return add(n) != nullptr; }
  bool number_float(number_float_t n, const string_t&) {
    return add(n) != nullptr;
  }
  bool string(string_t& text) { return add(std::move(text)) != nullptr; }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool key(string_t& name) {
    key_ = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const Json::exception& error) {
    error_at_ = position > 0 ? position - 1 : 0;
    error_ = error.what();
    return false;
  }

  Json take() { return std::move(root_); }
  const std::string& reached() const { return reached_; }  // a limit
  const std::string& error() const { return error_; }
  std::size_t error_at() const { return error_at_; }

 private:
  Json* add(Json value) {
    if (++values_ > limits_.values) {
      reached_ =
          fmt::format("it has more than {} values", grouped(limits_.values));
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      return &open_.back()->get_ref<Json::array_t&>().emplace_back(
          std::move(value));
    }
    auto& members = open_.back()->get_ref<Json::object_t&>();
    members.push_back({std::move(key_), std::move(value)});
    return &members.back().second;
  }
  bool open(Json value) {
    if (open_.size() == limits_.depth) {
      reached_ = fmt::format("it is nested deeper than {}", limits_.depth);
      return false;
    }
    Json* const added = add(std::move(value));
    if (added != nullptr) open_.push_back(added);
    return added != nullptr;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const ReadLimits& limits_;
  Json root_;
  // Those that are not closed yet; each is the last member of the one before,
  // so that none moves while it is here.
  std::vector<Json*> open_;
  std::string key_;
  std::size_t values_ = 0, error_at_ = 0;
  std::string reached_, error_;
};

constexpr const char* kWriters =
    "'plumb history', 'test' and 'verify' write one with --json FILE";

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw InputError(Place{.source = name, .text = ""}, what, kWriters);
}

[[noreturn]] void reject(const std::string& name, std::string_view text,
                         const Builder& builder) {
  if (!builder.reached().empty()) {
    fail(name, "this is no result of ours: " + builder.reached());
  }
  const std::size_t at = std::min(builder.error_at(), text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = static_cast<std::size_t>(
      1 + std::count(before.begin(), before.end(), '\n'));
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const bool is_utf8 = builder.error().find("UTF-8") == std::string::npos;
  const std::string what = !is_utf8 ? "this is not JSON: it is not UTF-8"
                           : at == text.size()
                               ? "this is not JSON: it ends too early"
                               : "this is not JSON";
  // Results are long lines, often, and nobody wants to see all of one.
  constexpr std::size_t kLongest = 100;
  const std::string_view whole =
      text.substr(begin, text.find('\n', begin) - begin);
  if (!is_utf8 || whole.empty() || whole.size() > kLongest) {
    fail(name,
         fmt::format("{} (line {}, byte {})", what, line, at - begin + 1));
  }
  throw InputError(Place{.source = name,
                         .line = line,
                         .column = at - begin + 1,
                         .text = std::string(whole)},
                   what, kWriters);
}

constexpr std::array kLevels = {"history", "program", "object", "papers"};

void require_ours(const std::string& name, const Json& file) {
  if (text_in(file, "tool") != "plumb") {
    fail(name, "this is no result of ours: \"tool\" must be \"plumb\"");
  }
  const std::string level = text_in(file, "level");
  if (std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end()) {
    fail(name,
         "this is no result of ours: \"level\" must be \"history\", "
         "\"program\", \"object\" or \"papers\"");
  }
  const Json* const schema = member(file, "schema");
  if (schema != nullptr && *schema != kSchema) {
    fail(name, fmt::format("its \"schema\" is {}, but this plumb reads {}",
                           schema->dump(), kSchema));
  }
  if (level == "papers") return;
  const Json* const results = member(file, "results");
  if (results == nullptr || !results->is_array() ||
      !std::all_of(results->begin(), results->end(),
                   [](const Json& one) { return one.is_object(); })) {
    fail(name,
         "this is no result of ours: \"results\" must be a list of objects");
  }
}

}  // namespace

Json read_result(const std::string& name, std::string_view text,
                 const ReadLimits& limits) {
  if (text.size() > limits.bytes) {
    fail(name, fmt::format("this is no result of ours: it has more than {}",
                           sized(limits.bytes)));
  }
  Builder builder(limits);
  if (!Json::sax_parse(text, &builder)) reject(name, text, builder);
  Json file = builder.take();
  require_ours(name, file);
  return file;
}

namespace {

// Each name is looked for among all others.
constexpr std::size_t kMostSources = 1000;

// Appends what the list `name` of `from` has.
void append(Json& to, Json& from, const char* name) {
  const auto more = from.find(name);
  if (more == from.end() || !more->is_array()) return;
  Json& list = to[name];
  if (!list.is_array()) list = Json::array();
  for (Json& one : *more) list.push_back(std::move(one));
}

}  // namespace

Json merged(std::vector<Json> results, const std::vector<std::string>& names) {
  Json out = std::move(results.front());
  double seconds = number_in(out, "seconds");
  for (std::size_t i = 1; i < results.size(); ++i) {
    Json& other = results[i];
    if (text_in(other, "level") != text_in(out, "level")) {
      throw InputError(
          fmt::format("'{}' is of level {}, but '{}' is of level {}", names[0],
                      text_in(out, "level"), names[i], text_in(other, "level")),
          "make a page of each level");
    }
    for (const char* list : {"results", "errors", "tables", "plots"}) {
      append(out, other, list);
    }
    seconds += number_in(other, "seconds");
    const Json* const sources = member(other, "sources");
    if (sources == nullptr || !sources->is_object()) continue;
    Json& all = out["sources"];
    if (!all.is_object()) all = Json::object();
    for (const auto& item : sources->items()) {
      if (all.size() == kMostSources) break;
      if (!all.contains(item.key())) all[item.key()] = item.value();
    }
  }
  if (results.size() > 1 && seconds > 0) out["seconds"] = seconds;
  return out;
}

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string text_in(const Json& object, const char* name) {
  const Json* const found = member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>()
                                                : "";
}

double number_in(const Json& object, const char* name) {
  const Json* const found = member(object, name);
  if (found == nullptr || !found->is_number()) return 0;
  const double number = found->get<double>();
  return std::isfinite(number) && number > 0 ? number : 0;
}

std::size_t count_in(const Json& object, const char* name) {
  constexpr double kMost = 1e15;
  return static_cast<std::size_t>(std::min(number_in(object, name), kMost));
}

const Json& list_in(const Json& object, const char* name) {
  static const Json kEmpty = Json::array();
  const Json* const found = member(object, name);
  return found != nullptr && found->is_array() ? *found : kEmpty;
}

}  // namespace plumb::report
