// SPDX-License-Identifier: Apache-2.0
// Systems that are a few runs, written down as labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "spec/catalogue.h"
#include "support/table_system.h"
#include "verify/outcome.h"
#include "verify/verify_test_support.h"

namespace plumb::testing {

inline constexpr std::uint16_t kEnq = 0, kDeq = 1;

inline lts::Label enq(std::uint16_t process, std::int64_t value) {
  return invoke(process, kEnq, number(value));
}
inline lts::Label enqs(std::uint16_t process) {  // its return
  return returns(process, kEnq);
}
inline lts::Label deq(std::uint16_t process) {
  return invoke(process, kDeq);
}
inline lts::Label deqs(std::uint16_t process, std::int64_t value) {
  return returns(process, kDeq, number(value));
}

class Runs {
 public:
  explicit Runs(std::size_t processes = 2, const std::string& object = "queue")
      : system(processes, {"enq", "deq"}), object_(spec::make(object)) {}

  // Steps from one state, through new ones, to another: the last one.
  std::size_t add(std::initializer_list<lts::Label> labels,
                  std::size_t from = 0) {
    return add(from, labels, 0);
  }
  // ... to a state that is there.
  void join(std::size_t from, std::initializer_list<lts::Label> labels,
            std::size_t to) {
    add(from, labels, to);
  }

  verify::Question question() const { return {system, object_.get(), {}, {}}; }
  verify::Outcome check(check::Order order,
                        verify::Options options = {}) const {
    Budget budget;
    return check_order(question(), order, options, budget);
  }
  const spec::Specification& object() const { return *object_; }

  TableSystem system;

 private:
  std::size_t add(std::size_t from, std::initializer_list<lts::Label> labels,
                  std::size_t to) {
    for (const lts::Label* label = labels.begin(); label != labels.end();
         ++label) {
      const bool is_last = label + 1 == labels.end();
      const std::size_t next = is_last && to != 0 ? to : next_++;
      system.add(from, *label, next);
      from = next;
    }
    return from;
  }

  spec::SpecificationPtr object_;
  std::size_t next_ = 1;
};

}  // namespace plumb::testing
