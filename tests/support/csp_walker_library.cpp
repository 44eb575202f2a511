// SPDX-License-Identifier: Apache-2.0
// Set, List, Queue and Stack as csp.md's table has them.
#include <algorithm>
#include <optional>

#include "support/csp_walker_data.h"

namespace plumb::walked {
namespace {

using Items = std::vector<WalkedDatum>;
using Kind = WalkedDatum::Kind;

[[noreturn]] void fail(const char* what) {
  throw WalkedFault{what};
}

std::vector<std::int64_t> numbers(const WalkedDatum& object) {
  std::vector<std::int64_t> made;
  for (const WalkedDatum& item : object.items) made.push_back(item.number);
  return made;
}

WalkedDatum object_of(const std::string& type,
                      const std::vector<std::int64_t>& numbers) {
  WalkedDatum made;
  made.kind = Kind::kObject;
  made.type = type;
  for (const std::int64_t x : numbers) made.items.push_back(walked_number(x));
  return made;
}

std::size_t checked(const WalkedDatum& object, std::int64_t index) {
  if (index < 0 || index >= std::ssize(object.items)) fail("no such item");
  return static_cast<std::size_t>(index);
}

bool has(const WalkedDatum& object, std::int64_t x) {
  const auto all = numbers(object);
  return std::find(all.begin(), all.end(), x) != all.end();
}

// Takes the first x away.
bool removed(WalkedDatum& object, std::int64_t x) {
  for (std::size_t i = 0; i < object.items.size(); ++i) {
    if (object.items[i].number != x) continue;
    object.items.erase(object.items.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

void same_class(const WalkedDatum& object, const WalkedDatum& other) {
  if (other.type != object.type) fail("an object of another class");
}

std::optional<WalkedDatum> of_set(WalkedDatum& self, const std::string& name,
                                  const Items& given) {
  const std::int64_t x = given.empty() ? 0 : given[0].number;
  if (name == "Add") {
    if (has(self, x)) return walked_boolean(false);
    self.items.push_back(walked_number(x));
    std::sort(self.items.begin(), self.items.end(),
              [](const WalkedDatum& left, const WalkedDatum& right) {
                return left.number < right.number;
              });
    return walked_boolean(true);
  }
  if (name == "Remove") return walked_boolean(removed(self, x));
  if (name == "Get") return self.items[checked(self, x)];
  if (name == "GetSubsetByIndex") {
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < self.items.size() && i < 32; ++i) {
      if ((x >> i & 1) != 0) kept.push_back(self.items[i].number);
    }
    self = object_of("Set", kept);
    WalkedDatum array = self;
    array.kind = Kind::kArray;
    array.type.clear();
    return array;
  }
  if (name == "GetData") {
    std::int64_t data = 0;
    for (std::size_t i = 0; i < self.items.size(); ++i) {
      const std::int64_t each = self.items[i].number;
      if (each < 0 || each > 3) fail("GetData is for 0..3");
      data |= each << (2 * i);
    }
    return walked_number(data);
  }
  for (const WalkedDatum& one : given) {
    if (name != "Contains") same_class(self, one);
  }
  std::vector<std::int64_t> made;
  if (name == "IsOverlapping" || name == "IsDisjoint") {
    bool overlap = false;
    for (const std::int64_t each : numbers(given[0]))
      overlap |= has(self, each);
    return walked_boolean(overlap == (name == "IsOverlapping"));
  }
  if (name == "Union") {
    made = numbers(given[0]);
    for (const std::int64_t each : numbers(given[1])) {
      if (!has(given[0], each)) made.push_back(each);
    }
  } else if (name == "Intersect" || name == "Substract") {
    for (const std::int64_t each : numbers(given[0])) {
      if (has(given[1], each) == (name == "Intersect")) made.push_back(each);
    }
  } else {
    return std::nullopt;
  }
  std::sort(made.begin(), made.end());
  return object_of("Set", made);
}

std::optional<WalkedDatum> of_list(WalkedDatum& self, const std::string& name,
                                   const Items& given) {
  const std::int64_t x = given.empty() ? 0 : given[0].number;
  if (name == "Add") {
    self.items.push_back(walked_number(x));
    return WalkedDatum();
  }
  if (name == "Get") return self.items[checked(self, x)];
  if (name == "Remove") return walked_boolean(removed(self, x));
  if (name == "RemoveAt") {
    const auto at = static_cast<std::ptrdiff_t>(checked(self, x));
    self.items.erase(self.items.begin() + at);
    return WalkedDatum();
  }
  return std::nullopt;
}

std::optional<WalkedDatum> of_queue(WalkedDatum& self, const std::string& name,
                                    const Items& given) {
  if (name == "Enqueue") {
    self.items.push_back(walked_number(given[0].number));
    return WalkedDatum();
  }
  if (name != "Dequeue" && name != "First" && name != "Last") {
    return std::nullopt;
  }
  if (self.items.empty()) fail("an empty Queue");
  if (name == "First") return self.items.front();
  if (name == "Last") return self.items.back();
  self.items.erase(self.items.begin());
  return WalkedDatum();
}

std::optional<WalkedDatum> of_stack(WalkedDatum& self, const std::string& name,
                                    const Items& given) {
  if (name == "Push") {
    self.items.push_back(walked_number(given[0].number));
    return WalkedDatum();
  }
  if (name != "Pop" && name != "Peek") return std::nullopt;
  if (self.items.empty()) fail("an empty Stack");
  const WalkedDatum top = self.items.back();
  if (name == "Pop") self.items.pop_back();
  return top;
}

}  // namespace

WalkedDatum call_method(WalkedDatum& object, const std::string& name,
                        const Items& arguments) {
  if (object.kind != Kind::kObject) fail("no object");
  std::optional<WalkedDatum> made;
  if (object.type == "Set") made = of_set(object, name, arguments);
  if (object.type == "List") made = of_list(object, name, arguments);
  if (object.type == "Queue") made = of_queue(object, name, arguments);
  if (object.type == "Stack") made = of_stack(object, name, arguments);
  if (made) return *made;
  if (name == "Count") return walked_number(std::ssize(object.items));
  if (name == "Contains") {
    return walked_boolean(has(object, arguments[0].number));
  }
  if (name == "Clear") {
    object.items.clear();
    return WalkedDatum();
  }
  if (name == "Concat") {
    std::vector<std::int64_t> all;
    for (const WalkedDatum& one : arguments) {
      same_class(object, one);
      for (const std::int64_t x : numbers(one)) all.push_back(x);
    }
    return object_of(object.type, all);
  }
  fail("no such method");
}

}  // namespace plumb::walked
