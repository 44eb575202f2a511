// SPDX-License-Identifier: Apache-2.0
#include "lang/spec_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/input_error.h"
#include "lang/history_spec.h"
#include "lang/parse.h"
#include "spec/catalogue.h"
#include "spec/initial.h"
#include "text/diagnostics.h"
#include "text/source.h"

namespace plumb::lang {
namespace {

constexpr std::string_view kEnding = ".plumb";

// What stands in front of the colon, and behind it.
struct Words {
  std::string path, name;
  std::vector<std::string> arguments;
};

std::size_t end_of_path(std::string_view text) {
  for (std::size_t at = text.find(kEnding); at != std::string_view::npos;
       at = text.find(kEnding, at + 1)) {
    const std::size_t end = at + kEnding.size();
    if (end == text.size() || text[end] == ':') return end;
  }
  return std::string_view::npos;
}

Words words_of(std::string_view text) {
  const std::size_t end = end_of_path(text);
  Words words;
  words.path = text.substr(0, end);
  if (end == text.size()) return words;
  std::string_view rest = text.substr(end + 1);
  const std::size_t open = rest.find('(');
  words.name = rest.substr(0, open);
  if (open == std::string_view::npos) return words;
  rest.remove_prefix(open + 1);
  if (!rest.ends_with(')')) {
    throw InputError(fmt::format("'{}' has no closing parenthesis", text),
                     "write it as in 'FILE.plumb:NAME(3)'");
  }
  rest.remove_suffix(1);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string one(rest.substr(0, comma));
    std::erase(one, ' ');
    words.arguments.push_back(std::move(one));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return words;
}

std::string found_path(const std::string& path, const std::string& folder) {
  if (folder.empty() || path.starts_with('/')) return path;
  const std::string near = folder + "/" + path;
  std::error_code ignored;
  return std::filesystem::exists(near, ignored) ? near : path;
}

const Object& find_object(const Module& module, const Words& words) {
  std::vector<const Object*> all;
  std::vector<std::string> names;
  for (const auto& object : module.objects) {
    if (!object->is_specification) continue;
    all.push_back(object.get());
    names.push_back(object->name);
    if (object->name == words.name) return *object;
  }
  const Place place{.source = words.path, .text = ""};
  if (all.empty()) {
    throw InputError(place, "there is no specification in this file",
                     "a specification is written 'spec NAME { ... }'");
  }
  if (!words.name.empty()) {
    throw InputError(
        place, fmt::format("there is no specification '{}'", words.name),
        text::suggestion(words.name, names,
                         fmt::format("it has {}", fmt::join(names, ", "))));
  }
  if (all.size() > 1) {
    throw InputError(
        place, "there are several specifications in this file",
        fmt::format("say which one: {}:{}", words.path,
                    fmt::join(names, fmt::format(", {}:", words.path))));
  }
  return *all.front();
}

std::int64_t argument(const Constant& parameter, const std::string& text) {
  const bool is_bool = parameter.type->kind == TypeKind::kBool;
  if (is_bool && (text == "true" || text == "false")) return text == "true";
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (!is_bool && error == std::errc() && stop == end && !text.empty()) {
    return number;
  }
  throw InputError(fmt::format("the parameter '{}' is {}, but it is given '{}'",
                               parameter.name, is_bool ? "bool" : "int", text));
}

}  // namespace

namespace {

// What is put into an object that begins with something, and how that is
// written.
struct Beginning {
  std::string_view object, put;
  char open;
};
constexpr Beginning kBeginnings[] = {
    {"queue", "enq", '['},       {"stack", "push", '['},
    {"deque", "push_back", '['}, {"priority_queue", "insert", '['},
    {"bag", "add", '['},         {"set", "add", '['},
    {"map", "put", '{'},         {"register", "write", '('},
};

const Beginning* beginning_of(std::string_view text) {
  std::string_view name = text.substr(0, text.find_first_of("([{"));
  if (name.starts_with("blocking_")) name.remove_prefix(9);
  for (const Beginning& one : kBeginnings) {
    if (one.object == name && text.find(one.open) != std::string_view::npos) {
      return &one;
    }
  }
  return nullptr;
}

// A literal of the language as a value.
Value value_of(std::string_view literal, std::string_view whole) {
  Reading reading =
      read_model("--spec", fmt::format("spec s {{ value x = {}; }}", literal));
  constexpr const char* kHint =
      "values are numbers, texts in quotes, null and lists";
  if (!reading.errors.empty()) {
    throw InputError(fmt::format("'{}' in '{}' is no value: {}", literal, whole,
                                 reading.errors.front().what()),
                     kHint);
  }
  const std::shared_ptr<const Module> module = std::move(reading.module);
  const Object& object = *module->objects.front();
  // Else it is something that goes on behind a value.
  if (module->objects.size() > 1 || object.variables.size() > 1 ||
      object.init != nullptr || !object.functions.empty() ||
      !object.constants.empty() || !object.enums.empty() ||
      !module->checks.empty() || !module->constants.empty() ||
      !module->enums.empty() || !object.partition.empty()) {
    throw InputError(fmt::format("'{}' in '{}' is no value", literal, whole),
                     kHint);
  }
  return make_history_spec(module, object, {}, "s")->initial()[0];
}

// `{"a": 1, "b": 2}` as the list ["a", 1, "b", 2].
std::string without_colons(std::string_view map) {
  std::string list;
  bool quoted = false;
  int depth = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    char c = map[i];
    if (quoted && c == '\\' && i + 1 < map.size()) {
      list += c;
      c = map[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += (c == '[') - (c == ']');
      if (c == ':' && depth == 0) c = ',';
    }
    list += c;
  }
  return "[" + list + "]";
}

spec::SpecificationPtr open_begun(std::string_view text, const Beginning& how) {
  const std::size_t open = text.find(how.open);
  const char close = how.open == '(' ? ')' : how.open == '[' ? ']' : '}';
  if (text.back() != close) {
    throw InputError(fmt::format("'{}' does not end with '{}'", text, close),
                     "write it as in register(0), queue[1, 2], map{\"x\": 0}");
  }
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  std::vector<Value> given;
  if (how.open == '(') {
    given.push_back(value_of(inside, text));
  } else {
    const Value list =
        value_of(how.open == '{' ? without_colons(inside)
                                 : std::string(text.substr(open)),
                 text);
    if (list.is_list()) given.assign(list.items().begin(), list.items().end());
    if (how.open == '{') {
      if (given.size() % 2 != 0) {
        throw InputError(fmt::format("a key in '{}' has no value", text));
      }
      std::vector<Value> pairs;
      for (std::size_t i = 0; i < given.size(); i += 2) {
        pairs.push_back(Value::list(std::array{given[i], given[i + 1]}));
      }
      given = std::move(pairs);
    }
  }
  return spec::begun_with(spec::make(text.substr(0, open)), how.put, given,
                          std::string(text));
}

}  // namespace

bool names_file(std::string_view text) {
  return end_of_path(text) != std::string_view::npos;
}

std::string specification_file(std::string_view text,
                               const std::string& folder) {
  return names_file(text) ? found_path(words_of(text).path, folder) : "";
}

spec::SpecificationPtr open_specification(std::string_view text,
                                          const std::string& folder) {
  if (!names_file(text)) {
    const Beginning* begins = beginning_of(text);
    return begins != nullptr ? open_begun(text, *begins) : spec::make(text);
  }
  const Words words = words_of(text);
  const std::string path = specification_file(text, folder);
  Reading reading = read_model(path, text_of_file(path, text::kLargestModel));
  if (!reading.errors.empty()) throw reading.errors.front();
  const std::shared_ptr<const Module> module = std::move(reading.module);
  const Object& object = find_object(*module, words);
  std::vector<std::string> parameters;
  for (const auto& one : object.parameters) parameters.push_back(one->name);
  if (words.arguments.size() != object.parameters.size()) {
    throw InputError(
        Place{.source = path, .text = ""},
        fmt::format("'{}' is given {} argument{}, but it takes {}", object.name,
                    words.arguments.size(),
                    words.arguments.size() == 1 ? "" : "s",
                    object.parameters.empty()
                        ? "none"
                        : fmt::format("{}", object.parameters.size())),
        object.parameters.empty()
            ? ""
            : fmt::format("write '{}:{}({})'", words.path, object.name,
                          fmt::join(parameters, ", ")));
  }
  ConstantValues constants;
  for (std::size_t i = 0; i < words.arguments.size(); ++i) {
    constants.values[object.parameters[i].get()] =
        argument(*object.parameters[i], words.arguments[i]);
  }
  define_constants(module->constants, constants, *module->source);
  define_constants(object.constants, constants, *module->source);
  std::string name = object.name;
  if (!words.arguments.empty()) {
    name += fmt::format("({})", fmt::join(words.arguments, ", "));
  }
  return make_history_spec(module, object, std::move(constants),
                           std::move(name));
}

}  // namespace plumb::lang
