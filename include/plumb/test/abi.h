// SPDX-License-Identifier: Apache-2.0
// What a test and the library that explores it say to each other (C++17).
//
// Nothing here is for users; plumb/test.h is.  A test is compiled with the
// user's compiler and options, the library with ours: so only pointers, numbers
// and abstract classes cross the border.
#pragma once

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)

namespace plumb::test {

// Makes the object under test, or its model, anew.
class Maker {
 public:
  virtual ~Maker() = default;
  virtual void* make() const = 0;
  virtual void destroy(void* object) const = 0;
  // Of a model: are they in the same state?  `known` becomes false if its class
  // has no operator==.
  virtual bool equal(const void* /*a*/, const void* /*b*/, bool* known) const {
    return *known = false;
  }
};

// One call with its arguments, on whatever object of its class.  Tells its
// result by plumb_give_*() before it returns; a void call gives nothing.
class Action {
 public:
  virtual ~Action() = default;
  virtual void run(void* object) const = 0;
};

// What a free-form test does.
class Body {
 public:
  virtual ~Body() = default;
  virtual void run() const = 0;
};

struct Case;  // lives in the library

}  // namespace plumb::test

extern "C" {
// A value, piece by piece: a list is opened, filled and closed.
void plumb_give_null();
void plumb_give_boolean(bool value);
void plumb_give_integer(std::int64_t value);
void plumb_give_real(double value);
void plumb_give_text(const char* characters, std::size_t length);
// The argument that follows is a number that specifications do not know.
void plumb_refuse_argument();
void plumb_open_list();
void plumb_close_list();
// In a model: this call cannot return in this state.
void plumb_blocks();

// Declaring a test.  What is given with `new` belongs to the library then.
// Names are copied.  Operations, calls and programs are numbered from 0.
plumb::test::Case* plumb_new_case(const char* name, const char* file, int line);
void plumb_drop_case(plumb::test::Case* test);
void plumb_set_object(plumb::test::Case* test, plumb::test::Maker* object,
                      plumb::test::Maker* model);  // model: may be null
int plumb_add_operation(plumb::test::Case* test, const char* name,
                        const char* file, int line);
// Only thread `thread` of a program may make it; or every other one.
void plumb_restrict_operation(plumb::test::Case* test, int operation,
                              int thread, bool others);
// The argument is what was given since the last call of a plumb_ function that
// took it; none given: no argument.  `model` is null where there is none.
// `generated`: programs that are generated use this call.
int plumb_add_call(plumb::test::Case* test, int operation,
                   plumb::test::Action* action, plumb::test::Action* model,
                   bool generated);
// The same for programs that are generated, unless others of this operation
// are given for them: a call without arguments.
int plumb_add_default_call(plumb::test::Case* test, int operation,
                           plumb::test::Action* action,
                           plumb::test::Action* model);
// Programs that are generated make no two calls of this operation with one
// argument, and take arguments in the order in which they were given.
void plumb_make_distinct(plumb::test::Case* test, int operation);
int plumb_add_program(plumb::test::Case* test);
// `thread`: -1 for calls before all threads, -2 for those after them.
void plumb_add_to_program(plumb::test::Case* test, int program, int thread,
                          int call);
// All programs of so many threads and at most so many calls in each.
void plumb_generate(plumb::test::Case* test, int threads, int calls);
// After the threads of a generated program, this call once more often than
// the threads made calls of other operations.
void plumb_set_drain(plumb::test::Case* test, int call);
void plumb_set_body(plumb::test::Case* test, plumb::test::Body* body);
// Settings: "spec", "condition", "expect", ... as plumb/test.h names them.
void plumb_set(plumb::test::Case* test, const char* setting, const char* value);

// Explores it now; 0 holds, 1 violated, 2 wrong input, 3 unknown.
int plumb_check(plumb::test::Case* test);
// What there is to say about it, for people.  Valid until it is dropped.
const char* plumb_report(plumb::test::Case* test);

// Registers a test of this program: run by the main() of the library.
void plumb_register(const char* name, const char* file, int line,
                    void (*declare)(plumb::test::Case*));

// A program with a main() of its own: all of it is a test.
int plumb_whole_program(const char* name, const char* file,
                        int (*main_function)(int, char**, char**), int argc,
                        char** argv);
// Where debuggers stop a replay whose calls cannot be explained.
void plumb_stop_here();

// While a test is explored, one of 0 .. bound-1: each is tried.  Elsewhere 0.
std::uint32_t plumb_choose(std::uint32_t bound);
// Which thread of a program runs: from 0; before and after the threads, how
// many there are.
int plumb_thread();
// Fails the test at this place.
void plumb_fail(const char* what, const char* file, int line);
}

#pragma GCC visibility pop
