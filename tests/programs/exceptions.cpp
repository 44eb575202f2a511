// SPDX-License-Identifier: Apache-2.0
// Exceptions that several threads hold: the last one destroys them.
#include <plumb/test.h>

#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace {

// Its text is freed by code of the test.
struct OwnError : std::exception {
  std::string text = "a text that does not fit into the object itself";
  const char* what() const noexcept override { return text.c_str(); }
};

// Throws it again, and looks at it.
void look_at(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const std::exception& error) {
    PLUMB_ASSERT(std::string(error.what()).size() > 5);
  }
}

template <typename Error>
void share(const Error& error) {
  std::exception_ptr thrown = std::make_exception_ptr(error);
  std::thread other([thrown]() mutable { look_at(std::move(thrown)); });
  look_at(std::move(thrown));
  other.join();
}

}  // namespace

PLUMB_TEST(an_error_of_the_library_is_shared) {
  test.run([] { share(std::runtime_error("a text, copied and counted")); });
}

PLUMB_TEST(an_error_of_the_test_is_shared) {
  test.run([] { share(OwnError()); });
}

PLUMB_TEST(an_error_comes_out_of_a_future) {
  test.run([] {
    std::promise<int> promise;
    std::shared_future<int> result = promise.get_future().share();
    const auto ask = [](std::shared_future<int> future) {
      try {
        future.get();
      } catch (const std::exception& error) {
        PLUMB_ASSERT(std::string(error.what()).size() > 3);
      }
    };
    std::thread other(ask, result);
    promise.set_exception(std::make_exception_ptr(std::logic_error("wrong")));
    ask(std::move(result));
    other.join();
  });
}

// What nobody counts is a race as ever.
PLUMB_TEST(a_text_is_changed_while_it_is_thrown) {
  test.expect("race").run([] {
    std::string text = "a";
    std::thread other([&] { text[0] = 'b'; });
    try {
      throw std::runtime_error(text.c_str());
    } catch (const std::exception&) {
    }
    other.join();
  });
}
