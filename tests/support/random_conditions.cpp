// SPDX-License-Identifier: Apache-2.0
#include "support/random_conditions.h"

#include <cctype>

#include "spec/catalogue.h"
#include "support/random_histories.h"

namespace plumb::testing {

using check::Condition;
using check::Order;
using check::Reading;

std::vector<std::string> all_objects() {
  std::vector<std::string> names;
  for (const spec::Entry& entry : spec::catalogue()) {
    const std::string name(entry.name);
    names.push_back(name);
    if (entry.can_be_bounded) names.push_back(name + "(1)");
    if (entry.can_be_bounded) names.push_back(name + "(2)");
    if (entry.can_block) names.push_back("blocking_" + name);
    if (entry.can_be_bounded && entry.can_block) {
      names.push_back("blocking_" + name + "(2)");
    }
  }
  return names;
}

std::string test_name(const std::string& object) {
  std::string name;
  bool begins = true;
  for (const char c : object) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter)) {
      name += static_cast<char>(begins ? std::toupper(letter) : letter);
    }
    begins = !std::isalnum(letter);
  }
  return name;
}

Condition random_order(std::mt19937& random) {
  constexpr Order kOrders[] = {Order::kRealTime, Order::kProgram,
                               Order::kQuiescent, Order::kQuiescentAndProgram};
  Condition condition;
  condition.order = kOrders[below(random, 4)];
  return condition;
}

Condition random_quasi(std::mt19937& random,
                       const spec::Specification& object) {
  Condition condition;
  if (below(random, 2) == 0) condition.order = random_order(random).order;
  const auto codes = static_cast<std::uint32_t>(object.operations().size());
  for (std::uint32_t classes = 1 + below(random, 2); classes > 0; --classes) {
    const auto& signature = object.operations()[below(random, codes)];
    condition.factors[std::string(signature.name)] = 1 + below(random, 2);
  }
  condition.closed = below(random, 3) == 0;
  if (below(random, 4) == 0) condition.reading = Reading::kLiteral;
  return condition;
}

Condition random_transformed(std::mt19937& random,
                             const spec::Specification& object) {
  Condition condition;
  if (below(random, 2) == 0) condition.order = random_order(random).order;
  const auto codes = static_cast<std::uint32_t>(object.operations().size());
  for (std::uint32_t left = 1 + below(random, 3); left > 0; --left) {
    const auto code = static_cast<std::uint16_t>(below(random, codes));
    const std::string name(object.operations()[code].name);
    const std::uint32_t kind = object.has_turns(code) ? below(random, 5) : 4;
    const std::uint32_t number = below(random, 4);
    if (kind < 2) condition.out_of_order[name] = number;
    if (kind == 2 || kind == 3) condition.late[name] = number;
    if (kind == 4) condition.stuttering[name] = number;
  }
  return condition;
}

std::string describe(const Condition& condition) {
  return condition.to_string() + (condition.closed ? " --closed" : "") +
         (condition.reading == Reading::kLiteral ? " --literal" : "");
}

}  // namespace plumb::testing
