// SPDX-License-Identifier: Apache-2.0
#include "harness/given.h"

#include <span>
#include <utility>

#include "plumb/test/abi.h"

namespace plumb::harness {

namespace {

bool nothing_runs = false;
Given* redirected = nullptr;

Given& redirected_given() {
  return *redirected;
}

// Our own memory, while it lives.
class Outside {
 public:
  Outside() : was_(std::exchange(*code_under_test_runs, false)) {}
  ~Outside() { *code_under_test_runs = was_; }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  bool was_;
};

// Requires: `value` was made without memory, or outside.
void give(Value value) {
  Given& given = find_given();
  if (!given.in_list()) {
    given.add(value);
    return;
  }
  const Outside outside;
  given.add(value);
}

}  // namespace

Given& given_of_this_thread() {
  static thread_local Given given;
  return given;
}

FindGiven find_given = given_of_this_thread;
bool* code_under_test_runs = &nothing_runs;

std::uint64_t Given::hash() const {
  std::uint64_t out =
      count_ + (blocks_ ? 1u << 20 : 0) + (is_refused_ ? 1u << 21 : 0);
  const auto add = [&out](std::uint64_t word) {
    out = (out ^ word) * 0x9E3779B97F4A7C15 + (out >> 29);
  };
  add(value_.word());
  for (const Value item : items_) add(item.word());
  for (const std::size_t begin : open_) add(begin);
  return out;
}

void Given::close_list() {
  if (open_.empty()) return;  // a test that calls the interface by itself
  const std::size_t begin = open_.back();
  open_.pop_back();
  const Value list =
      Value::list(std::span(items_).subspan(begin, items_.size() - begin));
  items_.resize(begin);
  add(list);
}

GivenTo::GivenTo(Given& collector)
    : previous_(std::exchange(redirected, &collector)),
      found_by_(std::exchange(find_given, redirected_given)) {}

GivenTo::~GivenTo() {
  redirected = previous_;
  find_given = found_by_;
}

}  // namespace plumb::harness

using plumb::Value;
using plumb::harness::find_given;
using plumb::harness::give;
using plumb::harness::Outside;

void plumb_give_null() {
  give(Value());
}

void plumb_give_boolean(bool value) {
  give(Value::boolean(value));
}

void plumb_give_integer(std::int64_t value) {
  constexpr std::int64_t kSmall = std::int64_t{1} << 60;
  if (-kSmall <= value && value < kSmall) {
    give(Value::integer(value));
    return;
  }
  plumb::harness::Given& given = find_given();
  const Outside outside;
  given.add(Value::integer(value));
}

void plumb_refuse_argument() {
  find_given().refuse();
}

void plumb_give_real(double value) {
  plumb::harness::Given& given = find_given();
  const Outside outside;
  given.add(Value::real(value));
}

void plumb_give_text(const char* characters, std::size_t length) {
  plumb::harness::Given& given = find_given();
  const Outside outside;
  given.add(Value::text({characters, length}));
}

void plumb_open_list() {
  plumb::harness::Given& given = find_given();
  const Outside outside;
  given.open_list();
}

void plumb_close_list() {
  plumb::harness::Given& given = find_given();
  const Outside outside;
  given.close_list();
}

void plumb_blocks() {
  find_given().block();
}
