// SPDX-License-Identifier: Apache-2.0
// Results that are written by reference: bool try_pop(T&) and its like.
#include <plumb/test.h>

#include <optional>
#include <string>
#include <type_traits>

namespace {

// Nobody but one thread at a time calls it.
template <bool kRight>
struct Stack {
  int items[8] = {};
  int count = 0;

  bool push(int value) {
    items[count++] = value;
    return true;
  }
  std::optional<int> take() {
    if (count == 0) return std::nullopt;
    --count;
    return kRight ? items[count] : items[count] + 1;
  }

  bool try_pop(int& out) { return to(&out); }
  bool quiet_pop(int& out) noexcept { return to(&out); }
  bool pointer_pop(int* out) { return to(out); }
  template <typename U>
  bool any_pop(U& out) {
    const std::optional<int> taken = take();
    if (taken) out = *taken;
    return taken.has_value();
  }
  // As boost::lockfree has them.
  bool both_pop(int& out) { return to(&out); }
  template <typename U>
  bool both_pop(U& out) {
    return any_pop(out);
  }
  bool many_pop() { return take().has_value(); }
  bool many_pop(int& out) { return to(&out); }

 private:
  bool to(int* out) {
    const std::optional<int> taken = take();
    if (taken) *out = *taken;
    return taken.has_value();
  }
};

struct Map {
  int value = 0;
  std::optional<int> put(int key, int next) {
    if (key != 1) return std::nullopt;
    const int before = value;
    value = next;
    return before == 0 ? std::nullopt : std::optional(before);
  }
  bool get(int key, int& out) const noexcept {
    out = 99;  // it may write what it likes and say no
    if (key != 1 || value == 0) return false;
    out = value;
    return true;
  }
};

struct Names {
  int puts = 0;
  void put() { ++puts; }
  bool last(std::string& out) const {
    if (puts == 0) return false;
    out.assign(40, static_cast<char>('a' + puts));
    return true;
  }
};

template <typename Right, typename Pop>
void one_thread(plumb::Test& test, Pop pop_function) {
  auto stack = test.object<Right>();
  auto push = stack.operation("push", PLUMB_METHOD(push));
  auto pop = stack.operation("pop", pop_function);
  test.spec("stack");
  push.values(1, 2).distinct();
  test.programs(1, 3);
  (void)pop;
}

}  // namespace

#define PLUMB_BOTH(name, ...)         \
  PLUMB_TEST(name) {                  \
    using S = Stack<true>;            \
    one_thread<S>(test, __VA_ARGS__); \
  }                                   \
  PLUMB_TEST(name##_wrong) {          \
    using S = Stack<false>;           \
    one_thread<S>(test, __VA_ARGS__); \
    test.expect("violated");          \
  }

PLUMB_BOTH(method, PLUMB_METHOD(try_pop))
PLUMB_BOTH(method_noexcept, PLUMB_METHOD(quiet_pop))
PLUMB_BOTH(method_with_pointer, PLUMB_METHOD(pointer_pop))
PLUMB_BOTH(method_template, PLUMB_METHOD(any_pop))
PLUMB_BOTH(method_overloaded, PLUMB_METHOD(both_pop))
PLUMB_BOTH(pointer_to_method, &S::try_pop)
PLUMB_BOTH(pointer_to_noexcept_method, &S::quiet_pop)
PLUMB_BOTH(lambda, [](S& s, int& out) { return s.try_pop(out); })
PLUMB_BOTH(lambda_pointer,
           [](S& s, int* out) noexcept { return s.pointer_pop(out); })

// What can be called without is called without.
PLUMB_TEST(without_if_possible) {
  auto stack = test.object<Stack<true>>();
  auto push = stack.operation("push", PLUMB_METHOD(push));
  auto pop = stack.operation("pop", PLUMB_METHOD(many_pop));
  test.program().thread(push(1), pop(), pop());
}

// `bool push(const T&)` and `bool push(T)` take values, as ever.
static_assert(
    !plumb::test::kWritesResult<decltype(PLUMB_METHOD(push)), Stack<true>>);
struct Forwarding {
  template <typename U>
  bool push(U&&) {
    return true;
  }
  bool add(const int&) { return true; }
  bool name(const char*) { return true; }
  bool names(char*) { return true; }
};
static_assert(
    !plumb::test::kWritesResult<decltype(PLUMB_METHOD(push)), Forwarding>);
static_assert(
    !plumb::test::kWritesResult<decltype(PLUMB_METHOD(add)), Forwarding>);
static_assert(
    !plumb::test::kWritesResult<decltype(PLUMB_METHOD(name)), Forwarding>);
static_assert(
    !plumb::test::kWritesResult<decltype(PLUMB_METHOD(names)), Forwarding>);
static_assert(!plumb::test::kWritesResult<decltype([](Forwarding& f, auto v) {
                                            return f.add(v + 1);
                                          }),
                                          Forwarding>);

PLUMB_TEST(behind_other_arguments) {
  auto map = test.object<Map>();
  auto put = map.operation("put", PLUMB_METHOD(put));
  auto get = map.operation("get", PLUMB_METHOD(get));
  test.spec("map");
  put.arguments(1, 5).arguments(1, 6);
  get.values(1, 2);
  test.programs(1, 3);
}

// A model may have another signature.
PLUMB_TEST(model_with_an_optional) {
  struct Model {
    int count = 0;
    std::optional<std::string> last() const {
      if (count == 0) return std::nullopt;
      return std::string(40, static_cast<char>('a' + count));
    }
    void put() { ++count; }
    bool operator==(const Model& other) const { return count == other.count; }
  };
  auto names = test.object<Names, Model>();
  auto put = names.operation("put", PLUMB_METHOD(put));
  auto last = names.operation("last", PLUMB_METHOD(last));
  test.programs(1, 3);
  (void)put;
  (void)last;
}

// It says that there is something, and does not say what.
template <typename T>
struct Mute {
  int count = 0;
  void enq(T) { ++count; }
  bool deq(T&) { return count > 0 && count-- > 0; }
};

template <typename T>
void put_and_take(plumb::Test& test) {
  auto queue = test.object<Mute<T>>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  test.spec("queue").expect("violated");
  test.program().thread(enq(T{}), deq());
}

PLUMB_TEST(a_result_that_is_not_written_is_none) {
  put_and_take<int>(test);
}
PLUMB_TEST(a_small_result_that_is_not_written_is_none) {
  put_and_take<unsigned char>(test);
}
PLUMB_TEST(a_large_result_that_is_not_written_is_none) {
  put_and_take<unsigned long>(test);
}

// What is put is moved from, or changed: each call has a value of its own.
struct Taker {
  Stack<true> stack;
  bool push(int& value) {
    const bool is_done = stack.push(value);
    value = 99;
    return is_done;
  }
  void add(int&& value) {
    stack.push(value);
    value = 99;
  }
  std::optional<int> pop() { return stack.take(); }
};
template <typename Push>
void put_and_take_own(plumb::Test& test, Push push_function) {
  auto taker = test.object<Taker>();
  auto push = taker.operation("push", push_function);
  taker.operation("pop", PLUMB_METHOD(pop));
  test.spec("stack");
  push.values(1, 2);
  test.programs(1, 3);
}
PLUMB_TEST(a_value_is_taken_by_reference) {
  put_and_take_own(test, PLUMB_METHOD(push));
}
PLUMB_TEST(a_value_is_moved) {
  put_and_take_own(test, PLUMB_METHOD(add));
}
PLUMB_TEST(a_value_is_moved_by_a_pointer_to_a_method) {
  put_and_take_own(test, &Taker::add);
}
PLUMB_TEST(a_value_is_taken_by_a_lambda) {
  put_and_take_own(test, [](Taker& t, int& value) { return t.push(value); });
}
