// SPDX-License-Identifier: Apache-2.0
#include "oracle/literal.h"

#include <cstdlib>
#include <vector>

namespace plumb::oracle {
namespace {

// One choice of `pi`; looks for the permutation, from left to right.
class Permutation {
 public:
  Permutation(const spec::Specification& object, const Factors& factors,
              const std::vector<Placed>& pi)
      : object_(object),
        factors_(factors),
        pi_(pi),
        used_(pi.size()),
        next_place_(factors.size(), 0) {
    std::vector<long> count(factors.size(), 0);
    for (const Placed& placed : pi) {
      place_.push_back(placed.in_class ? count[placed.operation->code]++ : 0);
    }
  }

  bool exists() { return extend(object_.initial(), 0); }

 private:
  bool extend(const spec::State& state, std::size_t length) {
    if (length == pi_.size()) return true;
    for (std::size_t i = 0; i < pi_.size(); ++i) {
      if (used_[i] || !is_near(i)) continue;
      used_[i] = true;
      if (pi_[i].in_class) ++next_place_[pi_[i].operation->code];
      std::vector<spec::State> next;
      run(object_, state, pi_[i], next);
      for (const spec::State& after : next) {
        if (extend(after, length + 1)) return true;
      }
      if (pi_[i].in_class) --next_place_[pi_[i].operation->code];
      used_[i] = false;
    }
    return false;
  }

  bool is_near(std::size_t i) const {
    if (!pi_[i].in_class) return true;
    const auto code = pi_[i].operation->code;
    return std::labs(place_[i] - next_place_[code]) <=
           static_cast<long>(factors_[code]);
  }

  const spec::Specification& object_;
  const Factors& factors_;
  const std::vector<Placed>& pi_;
  std::vector<long> place_;       // of each operation of pi in its class
  std::vector<bool> used_;        // in the permutation
  std::vector<long> next_place_;  // by class: in the permutation
};

}  // namespace

bool holds_literally(const Judged& all, const spec::Specification& object,
                     const Factors& factors) {
  return some_sequence(all, [&](const Sequence& sequence) {
    return some_reading(all, sequence, object, Factors(factors.size(), 1),
                        [&](const std::vector<Placed>& pi) {
                          return Permutation(object, factors, pi).exists();
                        });
  });
}

}  // namespace plumb::oracle
