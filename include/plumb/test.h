// SPDX-License-Identifier: Apache-2.0
// Writing tests of concurrent objects: `plumb test FILE.cpp` runs them (C++17).
//
//   #include <plumb/test.h>
//   #include "stack.h"
//
//   PLUMB_TEST(my_stack) {
//     auto stack = test.object<Stack>();
//     auto push = stack.operation("push", PLUMB_METHOD(push));
//     auto pop = stack.operation("pop", PLUMB_METHOD(pop));
//     test.spec("stack");
//     test.program().thread(push(1), pop()).thread(push(2), pop());
//   }
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/test/abi.h"
#include "plumb/test/give.h"
#include "plumb/test/make.h"

namespace plumb {

// A call of an operation with its arguments, to be put into programs.
struct Call {
  int number;
};

// An operation of the object under test.
template <typename Object, typename Model, typename Function>
class Operation {
 public:
  Operation(test::Case* test, int number, Function function)
      : test_(test), number_(number), function_(std::move(function)) {
    if constexpr (std::is_invocable_v<const Function&, Object&> ||
                  test::kWritesResult<Function, Object>) {
      add_default();
    }
  }

  // A call with these arguments.
  template <typename... Arguments>
  Call operator()(Arguments... arguments) const {
    return make(false, std::move(arguments)...);
  }

  // Programs that are generated call it with each of these; without this,
  // they call it without an argument.
  template <typename... Values>
  Operation& values(Values... each) {
    (make(true, std::move(each)), ...);
    return *this;
  }
  // ... with these arguments, where there are several: once for each call.
  template <typename... Arguments>
  Operation& arguments(Arguments... all) {
    make(true, std::move(all)...);
    return *this;
  }

  // Programs that are generated give no value twice, and give values in the
  // order in which they stand in values(): every put another one.
  Operation& distinct() {
    plumb_make_distinct(test_, number_);
    return *this;
  }

  // Only this thread of a program may call it (from 0): an owner's push, say.
  Operation& only_by(int thread) {
    plumb_restrict_operation(test_, number_, thread, false);
    return *this;
  }
  // Every thread but this one may.
  Operation& not_by(int thread) {
    plumb_restrict_operation(test_, number_, thread, true);
    return *this;
  }

 private:
  template <typename... Arguments>
  Call make(bool generated, Arguments... arguments) const {
    test::give_arguments(arguments...);
    return {plumb_add_call(test_, number_, action<Object>(arguments...),
                           action<Model>(arguments...), generated)};
  }
  void add_default() const {
    plumb_add_default_call(test_, number_, action<Object>(), action<Model>());
  }
  template <typename Target, typename... Arguments>
  test::Action* action(const Arguments&... arguments) const {
    if constexpr (std::is_void_v<Target>) {
      return nullptr;
    } else {
      return test::new_action<Target>(function_, arguments...);
    }
  }

  test::Case* test_;
  int number_;
  Function function_;
};

// The object under test, made anew for every execution; and, if there is one,
// its model: a class with the same methods that is right when one call runs at
// a time.
template <typename Object, typename Model = void>
class ObjectUnderTest {
 public:
  explicit ObjectUnderTest(test::Case* test) : test_(test) {}

  // `function`: PLUMB_METHOD(name), a pointer to a method, or a lambda that
  // takes the object and the arguments.  With a model, one that both take:
  // PLUMB_METHOD or a generic lambda.  What says true and writes its result to
  // its last argument, bool try_pop(T&), has that for its result, or nothing.
  template <typename Function>
  Operation<Object, Model, Function> operation(
      const char* name, Function function, const char* file = __builtin_FILE(),
      int line = __builtin_LINE()) {
    return {test_, plumb_add_operation(test_, name, file, line),
            std::move(function)};
  }

 private:
  test::Case* test_;
};

// One program: what is called before, in and after its threads.
class Program {
 public:
  explicit Program(test::Case* test)
      : test_(test), number_(plumb_add_program(test)) {}

  template <typename... Calls>
  Program& before(Calls... calls) {
    return add(-1, calls...);
  }
  template <typename... Calls>
  Program& thread(Calls... calls) {
    return add(threads_++, calls...);
  }
  template <typename... Calls>
  Program& after(Calls... calls) {
    return add(-2, calls...);
  }

 private:
  template <typename... Calls>
  Program& add(int thread, Calls... calls) {
    (plumb_add_to_program(test_, number_, thread, calls.number), ...);
    return *this;
  }

  test::Case* test_;
  int number_;
  int threads_ = 0;
};

// A test.  PLUMB_TEST declares one and gives it the name `test`; in other test
// frameworks make one and ask it: EXPECT_TRUE(test.holds()) << test.report().
class Test {
 public:
  explicit Test(const char* name)
      : case_(plumb_new_case(name, "", 0)), owned_(true) {}
  explicit Test(test::Case* other) : case_(other), owned_(false) {}
  ~Test() {
    if (owned_) plumb_drop_case(case_);
  }
  Test(const Test&) = delete;
  Test& operator=(const Test&) = delete;

  // The object under test, made by its default constructor.
  template <typename Object, typename Model = void>
  ObjectUnderTest<Object, Model> object() {
    plumb_set_object(case_, new test::MakerOf<Object>(), model<Model>());
    return ObjectUnderTest<Object, Model>(case_);
  }
  // The same, made by `make`, which returns what `new` gave it.
  template <typename Object, typename Model = void, typename Make>
  ObjectUnderTest<Object, Model> object(Make make) {
    plumb_set_object(case_, new test::MakerBy<Object, Make>(std::move(make)),
                     model<Model>());
    return ObjectUnderTest<Object, Model>(case_);
  }

  // What it must do: a built-in specification by name ("queue", "stack(3)");
  // without it, the model; without a model, the object itself when its calls
  // run one after another.
  Test& spec(const char* name) { return set("spec", name); }
  // "linearizable" unless told otherwise; "quasi(deq=2)", "quiescent", ...
  Test& condition(const char* text) { return set("condition", text); }
  // "holds", "violated", or a finding: "race", "deadlock", "leak", ...
  Test& expect(const char* verdict) { return set("expect", verdict); }
  // What reads may read: "sc", "tso" (x86), "rc11" (C++), "auto".
  Test& memory(const char* model) { return set("memory", model); }
  // Any other: "heap", "races", "search", "executions", "preemptions", ...
  Test& set(const char* setting, const char* value) {
    plumb_set(case_, setting, value);
    return *this;
  }

  Program program() { return Program(case_); }
  // All programs with so many threads and at most so many calls in each,
  // smallest first.
  Test& programs(int threads, int calls) {
    plumb_generate(case_, threads, calls);
    return *this;
  }

  // After their threads, these programs make `call` until nothing can be left:
  // once more than the threads called other operations.
  Test& drain(Call call) {
    plumb_set_drain(case_, call.number);
    return *this;
  }

  // A free-form test: whatever starts threads and asserts.
  template <typename Function>
  Test& run(Function function) {
    plumb_set_body(case_, new BodyOf<Function>(std::move(function)));
    return *this;
  }

  // Explores it, once.
  bool holds() { return plumb_check(case_) == 0; }
  std::string report() { return plumb_report(case_); }

 private:
  template <typename Function>
  class BodyOf final : public test::Body {
   public:
    explicit BodyOf(Function function) : function_(std::move(function)) {}
    void run() const override { function_(); }

   private:
    Function function_;
  };

  template <typename Model>
  static test::Maker* model() {
    if constexpr (std::is_void_v<Model>) {
      return nullptr;
    } else {
      return new test::ModelOf<Model>();
    }
  }

  test::Case* case_;
  bool owned_;
};

// For models: says that this call blocks here, a `deq` of an empty blocking
// queue, say.  Whatever the call does or returns after that does not matter.
inline void blocks() {
  plumb_blocks();
}

// One of 0 .. bound-1; a test tries each.  For the random choices of code.
inline std::uint32_t choose(std::uint32_t bound) {
  return plumb_choose(bound);
}

// Which thread of the program calls this operation: 0, 1, ...  The calls before
// and after the threads have the number behind theirs: `slots[plumb::thread()]`
// has one more slot than there are threads.  In a test that run()s, threads are
// numbered as they start, main() first.
inline int thread() {
  return plumb_thread();
}

}  // namespace plumb

// The method of this name, of whatever class.
#define PLUMB_METHOD(name)                                                     \
  ::plumb::test::Method {                                                      \
    [](auto& plumb_object_, auto&&... plumb_arguments_)                        \
        -> decltype(plumb_object_.name(                                        \
            static_cast<decltype(plumb_arguments_)&&>(plumb_arguments_)...)) { \
      return plumb_object_.name(                                               \
          static_cast<decltype(plumb_arguments_)&&>(plumb_arguments_)...);     \
    }                                                                          \
  }

// Fails the test, with its run.
#define PLUMB_ASSERT(condition) \
  ((condition) ? void() : plumb_fail(#condition, __FILE__, __LINE__))

// Declares a test; what stands in braces behind it says what it tests.
#define PLUMB_TEST(name)                                  \
  static void plumb_declare_##name(::plumb::Test& test);  \
  static const int plumb_registered_##name =              \
      (plumb_register(#name, __FILE__, __LINE__,          \
                      [](::plumb::test::Case* declared) { \
                        ::plumb::Test test(declared);     \
                        plumb_declare_##name(test);       \
                      }),                                 \
       0);                                                \
  static void plumb_declare_##name(::plumb::Test& test)
