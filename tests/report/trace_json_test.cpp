// SPDX-License-Identifier: Apache-2.0
#include "report/trace_json.h"

#include <gtest/gtest.h>

#include "base/input_error.h"

namespace plumb::report {
namespace {

Trace sample() {
  Trace trace;
  trace.file = "treiber.plumb";
  trace.line = 27;
  trace.check = "treiber linearizable with 2 processes, values 1";
  trace.constants = {{"N", -4}};
  trace.reason = "no order of the calls explains them";
  trace.processes = 2;
  trace.initial = {{"top", "null"}};
  TraceStep call;
  call.kind = lts::LabelKind::kInvoke;
  call.process = 1;
  call.operation = "cas";
  const Value pair[] = {Value::integer(1), Value()};
  call.value = Value::list(pair);
  call.statement = "cas(1, empty)";
  call.state = {{"top", "null"}, {"process 1: old", "1"}};
  TraceStep inner;
  inner.process = 1;
  inner.operation = "cas";
  inner.line = 9;
  inner.statement = "if (\"\\\xC3\xA9\")";
  inner.effects = {{lts::Effect::Kind::kRead, "top", "null", ""}};
  inner.state = {{"top", "null"}};
  trace.steps = {call, inner};
  trace.back_to = 1;
  trace.stuck = 0;
  trace.waiting = 1;
  return trace;
}

TEST(TraceJson, GivesBackWhatItWrote) {
  const Trace written = sample();
  const Trace read = read_trace("x", trace_file(written));
  EXPECT_EQ(read.file, written.file);
  EXPECT_EQ(read.line, written.line);
  EXPECT_EQ(read.check, written.check);
  EXPECT_EQ(read.constants, written.constants);
  EXPECT_EQ(read.reason, written.reason);
  EXPECT_EQ(read.back_to, written.back_to);
  EXPECT_EQ(read.stuck, written.stuck);
  EXPECT_EQ(read.waiting, written.waiting);
  ASSERT_EQ(read.steps.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.steps[i].kind, written.steps[i].kind);
    EXPECT_EQ(read.steps[i].process, written.steps[i].process);
    EXPECT_EQ(read.steps[i].operation, written.steps[i].operation);
    EXPECT_EQ(read.steps[i].value, written.steps[i].value);
    EXPECT_EQ(read.steps[i].statement, written.steps[i].statement);
    ASSERT_EQ(read.steps[i].state.size(), written.steps[i].state.size());
    EXPECT_EQ(read.steps[i].state.back().name,
              written.steps[i].state.back().name);
  }
}

std::string complaint(const std::string& text) {
  try {
    read_trace("trace.json", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TraceJson, RefusesWhatIsNoJson) {
  EXPECT_EQ(complaint(""), "this is not JSON: it ends too early");
  EXPECT_EQ(complaint("{\"trace\": "), "this is not JSON: it ends too early");
  EXPECT_EQ(complaint("{\"trace\": ]}"), "this is not JSON");
  EXPECT_EQ(complaint(std::string("\0\xFF", 2)), "this is not JSON");
}

TEST(TraceJson, RefusesWhatIsNoTraceAndSaysWhy) {
  EXPECT_EQ(complaint("[]"),
            "this is no trace of a model: this must be an object");
  EXPECT_EQ(complaint("{}"),
            "this is no trace of a model: there is no \"trace\"");
  Json file = Json::parse(trace_file(sample()));
  file["trace"]["steps"][1]["kind"] = "jump";
  EXPECT_EQ(complaint(file.dump()),
            "this is no trace of a model: step 2: there is no kind of step "
            "'jump'");
  file = Json::parse(trace_file(sample()));
  file["trace"]["steps"][0]["process"] = -1;
  EXPECT_EQ(complaint(file.dump()),
            "this is no trace of a model: step 1: \"process\" must be a whole "
            "number, 0 or more");
  file = Json::parse(trace_file(sample()));
  file["trace"]["back_to"] = 3;
  EXPECT_EQ(complaint(file.dump()),
            "this is no trace of a model: \"back_to\" names a step that is not "
            "there");
}

// Whatever member is missing or of another kind: a complaint, never a crash.
TEST(TraceJson, SurvivesEveryMemberBeingSomethingElse) {
  const Json whole = Json::parse(trace_file(sample()));
  for (const auto& item : whole["trace"].items()) {
    Json file = whole;
    file["trace"].erase(item.key());
    EXPECT_NE(complaint(file.dump()), "") << item.key();
    file["trace"][item.key()] = Json::array({Json::object()});
    EXPECT_NE(complaint(file.dump()), "") << item.key();
  }
  for (const char* name : {"process", "kind", "operation", "value", "line",
                           "statement", "state"}) {
    Json file = whole;
    file["trace"]["steps"][0].erase(name);
    EXPECT_NE(complaint(file.dump()), "") << name;
    file["trace"]["steps"][0][name] = Json::array({Json::object()});
    EXPECT_NE(complaint(file.dump()), "") << name;
  }
}

TEST(TraceJson, SurvivesDeepNesting) {
  EXPECT_NE(complaint(std::string(200'000, '[')), "");
  const std::string deep =
      std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_NE(complaint(deep), "");
  Json file = Json::parse(trace_file(sample()));
  file["trace"]["steps"][0]["value"] =
      Json::parse(std::string(1'000, '[') + std::string(1'000, ']'));
  EXPECT_NE(complaint(file.dump()), "");
}

TEST(TraceJson, SurvivesEveryTruncation) {
  const std::string text = trace_file(sample());
  for (std::size_t n = 0; n + 2 < text.size(); ++n) {
    EXPECT_NE(complaint(text.substr(0, n)), "") << n;
  }
}

}  // namespace
}  // namespace plumb::report
