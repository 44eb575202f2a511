// SPDX-License-Identifier: Apache-2.0
// Declarations, propositions and blocks of models as they are written.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "csp/evaluate.h"
#include "csp/read.h"

namespace plumb::csp {
namespace {

// Runs the block of the first event of each process, in order, and then
// evaluates the propositions.
class Model {
 public:
  explicit Model(const std::string& text) {
    ReadResult result = read_module("model.csp", text, {});
    for (const InputError& error : result.errors) {
      ADD_FAILURE() << error.what();
    }
    module_ = result.module;
    layout_ = std::make_unique<Layout>(*module_);
    valuation_ =
        std::make_unique<Valuation>(initial_valuations(*module_, *layout_)[0]);
    for (const Definition& process : module_->processes) {
      run_block(*process.body);
    }
  }

  std::string operator()(const std::string& name) const {
    for (const Proposition& proposition : module_->propositions) {
      if (proposition.name != name) continue;
      Context context{*valuation_};
      try {
        return evaluate(*proposition.expression, context).text();
      } catch (const RuntimeFault& fault) {
        return std::string(words(fault.kind)) + " in '" +
               std::string(module_->source->text(fault.span)) + "'";
      }
    }
    for (const lts::Variable& line : valuation_->describe()) {
      if (line.name == name) return line.value;
    }
    return "?";
  }
  const std::string& fault() const { return fault_; }

 private:
  void run_block(const Process& process) {
    if (process.block == nullptr) return;
    Context context{*valuation_};
    try {
      run(*process.block, context);
    } catch (const RuntimeFault& fault) {
      fault_ = std::string(words(fault.kind)) + " in '" +
               std::string(module_->source->text(fault.span)) + "'";
    }
  }

  std::shared_ptr<const Module> module_;
  std::unique_ptr<Layout> layout_;
  std::unique_ptr<Valuation> valuation_;
  std::string fault_;
};

TEST(ModelData, DeclarationsGiveInitialValues) {
  const Model model(R"(
    #define N 2;
    enum {red, green};
    var x; var y = N * 3; var b = true; var colour = green;
    var a[3]; var list = [1(2), 3..5, 7..6]; var m[N][3] = [1..6];
    var z:{0..9} = y;
    #define corner m[1][2];
    #define flat (m[N-1][0] + a[2]);
    P = Stop;
  )");
  EXPECT_EQ(model("y"), "6");
  EXPECT_EQ(model("b"), "true");
  EXPECT_EQ(model("colour"), "1");
  EXPECT_EQ(model("a"), "[0,0,0]");
  EXPECT_EQ(model("list"), "[1,1,3,4,5,7,6]");
  EXPECT_EQ(model("z"), "6");
  EXPECT_EQ(model("corner"), "6");
  EXPECT_EQ(model("flat"), "4");
}

TEST(ModelData, BlocksRun) {
  const Model model(R"(
    var a = [3, 1, 2]; var n; var last; var swapped;
    P = sort {
      var i = 0;
      while (i < 2) {
        var j = 0;
        while (j < 2 - i) {
          if (a[j] > a[j + 1]) {
            var t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; swapped++;
          }
          j++;
        }
        i = i + 1;
      }
      n = i; last = a[2];
    } -> Stop;
    #define sorted (&& k:{0..1} @ (a[k] <= a[k + 1]));
  )");
  EXPECT_EQ(model.fault(), "");
  EXPECT_EQ(model("a"), "[1,2,3]");
  EXPECT_EQ(model("n"), "2");
  EXPECT_EQ(model("last"), "3");
  EXPECT_EQ(model("swapped"), "2");
  EXPECT_EQ(model("sorted"), "true");
}

TEST(ModelData, MacrosWithParametersAndBlocksRun) {
  const Model model(R"(
    var x = 5; var y;
    #define larger(a, b) (a > b);
    #define bump(by) { x = x + by; y = x * 2; };
    P = e { if (call(larger, x, 4)) { call(bump, 3); } } -> Stop;
  )");
  EXPECT_EQ(model.fault(), "");
  EXPECT_EQ(model("x"), "8");
  EXPECT_EQ(model("y"), "16");
}

TEST(ModelData, ObjectsOfTheLibraryWork) {
  const Model model(R"(
    #import "PAT.Lib.Set";
    #import "PAT.Lib.Stack";
    #import "PAT.Lib.List";
    #import "PAT.Lib.Array";
    #import "PAT.Math";
    var<Set> s; var<Set> t; var<Set> u; var<Stack> k; var<List> l;
    var top; var most;
    P = e {
      s.Add(3); s.Add(1); t.Add(3); t.Add(8);
      u = s.Union(s, t);
      k.Push(7); k.Push(9); top = k.Pop();
      l.Add(4); l$Field = 6;
      most = call(ArrayMax, [2, 5, 3]) + call(Pow, 2, 3);
    } -> Stop;
    #define three (s.Contains(3) && u.Count() == 3);
    #define field (l$Property);
    #define bad (k.Peek() / 0);
  )");
  EXPECT_EQ(model.fault(), "");
  EXPECT_EQ(model("u"), "[1,3,8]");
  EXPECT_EQ(model("k"), "[7]");
  EXPECT_EQ(model("top"), "9");
  EXPECT_EQ(model("l"), "[4]$6");
  EXPECT_EQ(model("most"), "13");
  EXPECT_EQ(model("three"), "true");
  EXPECT_EQ(model("field"), "6");
  EXPECT_EQ(model("bad"), "division by zero in '(k.Peek() / 0)'");
}

TEST(ModelData, FaultsNameTheirPlace) {
  EXPECT_EQ(
      Model("var a[2]; var i = 2; P = e{a[0] = 1 + a[i];} -> Stop;").fault(),
      "index out of bounds in 'a[i]'");
  EXPECT_EQ(Model("var x:{0..2}; P = e{x = x + 3;} -> Stop;").fault(),
            "value outside of the variable's range in 'x = x + 3'");
  EXPECT_EQ(Model("var x; P = e{while (x == 0) { }} -> Stop;").fault(),
            "loop without an end in sight in 'while (x == 0)'");
  EXPECT_EQ(Model("#import \"PAT.Lib.Queue\"; var<Queue> q; "
                  "P = e{q.Dequeue();} -> Stop;")
                .fault(),
            "nothing there to take or look at in 'q.Dequeue()'");
}

TEST(ModelData, ChannelFunctionsAreAnswered) {
  const Model model(R"(
    channel c 2; channel d[3] 1;
    #define none (call(cempty, c) && call(ccount, d[2]) == 0);
    #define room call(csize, d[0]);
    #define outside call(cfull, d[3]);
    #define nothing call(cpeek, c);
    P = Stop;
  )");
  EXPECT_EQ(model("none"), "true");
  EXPECT_EQ(model("room"), "1");
  EXPECT_EQ(model("outside"), "index out of bounds in 'call(cfull, d[3])'");
  EXPECT_EQ(model("nothing"),
            "nothing there to take or look at in 'call(cpeek, c)'");
}

}  // namespace
}  // namespace plumb::csp
