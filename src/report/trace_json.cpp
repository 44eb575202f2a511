// SPDX-License-Identifier: Apache-2.0
#include "report/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/input_error.h"
#include "base/version.h"

namespace plumb::report {

namespace {

constexpr std::array<std::pair<lts::LabelKind, const char*>, 6> kKinds = {{
    {lts::LabelKind::kInternal, "internal"},
    {lts::LabelKind::kInvoke, "invoke"},
    {lts::LabelKind::kReturn, "return"},
    {lts::LabelKind::kFault, "fault"},
    {lts::LabelKind::kEvent, "event"},
    {lts::LabelKind::kTerminate, "terminate"},
}};

Json to_json(const std::vector<lts::Variable>& variables) {
  Json out = Json::object();
  for (const lts::Variable& variable : variables) {
    out[variable.name] = variable.value;
  }
  return out;
}

constexpr std::array kEffects = {"read", "write", "new", "free", "reuse"};

Json to_json(const lts::Effect& effect) {
  Json out = {{"kind", kEffects[static_cast<std::size_t>(effect.kind)]},
              {"place", effect.place}};
  const bool reads = effect.kind == lts::Effect::Kind::kRead ||
                     effect.kind == lts::Effect::Kind::kWrite;
  const bool writes = effect.kind == lts::Effect::Kind::kNew ||
                      effect.kind == lts::Effect::Kind::kWrite;
  if (reads) out["before"] = effect.before;
  if (writes) out["after"] = effect.after;
  return out;
}

Json to_json(const TraceStep& step) {
  Json out;
  out["process"] = step.process;
  for (const auto& [kind, name] : kKinds) {
    if (step.kind == kind) out["kind"] = name;
  }
  out["operation"] = step.operation;
  out["value"] = report::to_json(step.value);
  out["marked"] = step.marked;
  out["line"] = step.line;
  out["statement"] = step.statement;
  out["effects"] = Json::array();
  out["changes"] = Json::array();
  for (const lts::Effect& effect : step.effects) {
    out["effects"].push_back(words_of(effect));
    out["changes"].push_back(to_json(effect));
  }
  if (!step.fault.empty()) {
    out["effects"].push_back(step.fault);
    out["fault"] = step.fault;
  }
  out["state"] = to_json(step.state);
  return out;
}

}  // namespace

Json to_json(const Trace& trace) {
  Json out;
  out["file"] = trace.file;
  out["line"] = trace.line;
  out["check"] = trace.check;
  out["constants"] = Json::object();
  for (const auto& [name, value] : trace.constants) {
    out["constants"][name] = value;
  }
  out["reason"] = trace.reason;
  out["processes"] = trace.processes;
  out["initial"] = to_json(trace.initial);
  out["steps"] = Json::array();
  for (const TraceStep& step : trace.steps) {
    out["steps"].push_back(to_json(step));
  }
  out["back_to"] = trace.back_to ? Json(*trace.back_to) : Json();
  out["stuck"] = trace.stuck ? Json(*trace.stuck) : Json();
  out["waiting"] = trace.waiting ? Json(*trace.waiting) : Json();
  return out;
}

std::string trace_file(const Trace& trace) {
  Json out;
  out["tool"] = "plumb";
  out["version"] = kVersion;
  out["trace"] = to_json(trace);
  return file_text(out);
}

namespace {

// Takes a file apart; every complaint names the member and what it should be.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  Trace read(const std::string& text);

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(Place{.source = name_, .text = ""},
                     "this is no trace of a model: " + what,
                     "'plumb verify --trace FILE' writes one");
  }
  Json parsed(const std::string& text) const;
  const Json& member(const Json& object, const char* name) const;
  std::string text_of(const Json& object, const char* name) const;
  std::size_t number_of(const Json& object, const char* name) const;
  std::optional<std::size_t> perhaps(const Json& object,
                                     const char* name) const;
  std::vector<lts::Variable> variables(const Json& object,
                                       const char* name) const;
  TraceStep step(const Json& json) const;

  const std::string& name_;
  std::string where_;  // "step 3: "
};

Json Reader::parsed(const std::string& text) const {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at =
        std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0);
    const auto line = std::count(
        text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw InputError(Place{.source = name_,
                           .line = static_cast<std::size_t>(line) + 1,
                           .column = 0,
                           .text = ""},
                     at == text.size() ? "this is not JSON: it ends too early"
                                       : "this is not JSON",
                     "'plumb verify --trace FILE' writes a trace");
  } catch (const Json::exception&) {
    throw InputError(Place{.source = name_, .text = ""},
                     "a number in it is too large",
                     "'plumb verify --trace FILE' writes a trace");
  }
}

const Json& Reader::member(const Json& object, const char* name) const {
  if (!object.is_object()) fail(where_ + "this must be an object");
  const auto found = object.find(name);
  if (found == object.end()) {
    fail(fmt::format("{}there is no \"{}\"", where_, name));
  }
  return *found;
}

std::string Reader::text_of(const Json& object, const char* name) const {
  const Json& json = member(object, name);
  if (!json.is_string()) {
    fail(fmt::format("{}\"{}\" must be a text", where_, name));
  }
  return json.get<std::string>();
}

std::size_t Reader::number_of(const Json& object, const char* name) const {
  const auto number = perhaps(object, name);
  if (!number) fail(fmt::format("{}\"{}\" must be a number", where_, name));
  return *number;
}

std::optional<std::size_t> Reader::perhaps(const Json& object,
                                           const char* name) const {
  const Json& json = member(object, name);
  if (json.is_null()) return std::nullopt;
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > UINT32_MAX) {
    fail(fmt::format("{}\"{}\" must be a whole number, 0 or more", where_,
                     name));
  }
  return json.get<std::size_t>();
}

std::vector<lts::Variable> Reader::variables(const Json& object,
                                             const char* name) const {
  const Json& json = member(object, name);
  if (!json.is_object()) {
    fail(fmt::format("{}\"{}\" must be an object", where_, name));
  }
  std::vector<lts::Variable> out;
  for (const auto& item : json.items()) {
    if (!item.value().is_string()) {
      fail(fmt::format("{}\"{}\" of \"{}\" must be a text", where_, item.key(),
                       name));
    }
    out.push_back({item.key(), item.value().get<std::string>()});
  }
  return out;
}

TraceStep Reader::step(const Json& json) const {
  TraceStep out;
  out.process = number_of(json, "process");
  const std::string kind = text_of(json, "kind");
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(),
                   [&](const auto& entry) { return kind == entry.second; });
  if (found == kKinds.end()) {
    fail(fmt::format("{}there is no kind of step '{}'", where_, kind));
  }
  out.kind = found->first;
  out.operation = text_of(json, "operation");
  const auto value = value_of(member(json, "value"));
  if (!value) fail(where_ + "\"value\" must be a value or a list of them");
  out.value = *value;
  out.line = number_of(json, "line");
  out.statement = text_of(json, "statement");
  out.state = variables(json, "state");
  return out;
}

Trace Reader::read(const std::string& text) {
  const Json file = parsed(text);
  const Json& json = member(file, "trace");
  Trace trace;
  trace.file = text_of(json, "file");
  trace.line = number_of(json, "line");
  trace.check = text_of(json, "check");
  trace.reason = text_of(json, "reason");
  const Json& constants = member(json, "constants");
  if (!constants.is_object()) fail("\"constants\" must be an object");
  for (const auto& item : constants.items()) {
    if (!item.value().is_number_integer()) {
      fail(fmt::format("the constant \"{}\" must be a whole number",
                       item.key()));
    }
    trace.constants[item.key()] = item.value().get<std::int64_t>();
  }
  trace.processes = number_of(json, "processes");
  trace.initial = variables(json, "initial");
  const Json& steps = member(json, "steps");
  if (!steps.is_array()) fail("\"steps\" must be a list");
  for (const Json& one : steps) {
    where_ = fmt::format("step {}: ", trace.steps.size() + 1);
    trace.steps.push_back(step(one));
  }
  where_.clear();
  trace.back_to = perhaps(json, "back_to");
  trace.stuck = perhaps(json, "stuck");
  trace.waiting = perhaps(json, "waiting");
  if (trace.back_to.value_or(0) > trace.steps.size()) {
    fail("\"back_to\" names a step that is not there");
  }
  return trace;
}

}  // namespace

Trace read_trace(const std::string& name, const std::string& text) {
  return Reader(name).read(text);
}

}  // namespace plumb::report
