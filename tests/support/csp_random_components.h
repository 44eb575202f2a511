// SPDX-License-Identifier: Apache-2.0
// Random CSP# models of components with much of their own and little to share.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace plumb::csp {

// Writes models whose process P is two or three components Q<n>(i) under |||
// or ||, with hiding around them; `l`, `m` and `g` have an element for each of
// them.  The first proposition is x == 1, the second one a number.
class ComponentsWriter {
 public:
  explicit ComponentsWriter(std::uint32_t seed) : random_(seed) {}

  // `flat`: no components within components.
  std::string model(bool flat);

 private:
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(random_() % n);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::string pick(std::vector<std::string> all) {
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }

  std::string system(bool flat);
  std::string place();
  std::string value();
  std::string condition();
  std::string statement(int depth);
  std::string block();
  std::string rest(int depth);
  std::string prefix(int depth);
  std::string process(int depth);
  std::string special(int depth);

  std::mt19937 random_;
  bool flat_ = true;
};

}  // namespace plumb::csp
