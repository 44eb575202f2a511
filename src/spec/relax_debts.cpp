// SPDX-License-Identifier: Apache-2.0
#include "spec/relax_debts.h"

#include <algorithm>
#include <functional>

#include "base/invariant.h"

namespace plumb::spec {

namespace {

// A debt is three words: one for code, class, age and result_known, then the
// values.
constexpr std::size_t kWordsPerDebt = 3;
constexpr unsigned kCodeAt = 1, kClassAt = 17, kAgeAt = 33;
constexpr std::int64_t kSixteenBits = 0xffff;

void pack_debts(Debts& debts, State& out) {
  std::sort(debts.begin(), debts.end(),
            [](const Debt& a, const Debt& b) { return a.key() < b.key(); });
  for (const Debt& debt : debts) {
    out.push_back(Value::integer((std::int64_t{debt.age} << kAgeAt) |
                                 (std::int64_t{debt.one} << kClassAt) |
                                 (std::int64_t{debt.code} << kCodeAt) |
                                 (debt.result_known ? 1 : 0)));
    out.push_back(debt.argument);
    out.push_back(debt.result);
  }
}

Debt unpack_debt(const State& state, std::size_t at) {
  const std::int64_t head = state[at].as_integer();
  return {.code = static_cast<std::uint16_t>((head >> kCodeAt) & kSixteenBits),
          .one = static_cast<ClassIndex>((head >> kClassAt) & kSixteenBits),
          .age = static_cast<std::uint32_t>(head >> kAgeAt),
          .result_known = (head & 1) != 0,
          .argument = state[at + 1],
          .result = state[at + 2]};
}

}  // namespace

State pack(Unpacked& state) {
  PLUMB_CHECK(state.early.size() == state.late.size());
  State out;
  out.reserve(1 + state.base.size() + 2 * kWordsPerDebt * state.late.size());
  out.push_back(Value::integer(static_cast<std::int64_t>(state.late.size())));
  pack_debts(state.early, out);
  pack_debts(state.late, out);
  out.insert(out.end(), state.base.begin(), state.base.end());
  return out;
}

std::size_t debts_of(const State& packed) {
  return static_cast<std::size_t>(packed[0].as_integer());
}

State base_of(const State& packed) {
  const std::size_t skip = 1 + 2 * kWordsPerDebt * debts_of(packed);
  return State(packed.begin() + static_cast<std::ptrdiff_t>(skip),
               packed.end());
}

Unpacked unpack(const State& state) {
  Unpacked out;
  const std::size_t count = debts_of(state);
  for (std::size_t i = 0; i < count; ++i) {
    out.early.push_back(unpack_debt(state, 1 + kWordsPerDebt * i));
    out.late.push_back(unpack_debt(state, 1 + kWordsPerDebt * (count + i)));
  }
  out.base = base_of(state);
  return out;
}

State pack_owed(const State& base, Debts late) {
  State out;
  out.reserve(1 + base.size() + kWordsPerDebt * late.size());
  out.push_back(Value::integer(static_cast<std::int64_t>(late.size())));
  pack_debts(late, out);
  out.insert(out.end(), base.begin(), base.end());
  return out;
}

bool is_younger_copy(const Debts& debts, std::size_t index) {
  const Debt& debt = debts[index];
  for (std::size_t i = 0; i < debts.size(); ++i) {
    const bool comes_first =
        debts[i].age > debt.age || (debts[i].age == debt.age && i < index);
    if (comes_first && debts[i].same_operation(debt)) return true;
  }
  return false;
}

bool in_time(const Debts& debts, ClassIndex one, std::uint32_t factor) {
  absl::InlinedVector<std::uint32_t, 8> ages;
  for (const Debt& debt : debts) {
    if (debt.one == one) ages.push_back(debt.age);
  }
  std::sort(ages.begin(), ages.end(), std::greater<>());
  for (std::size_t i = 0; i < ages.size(); ++i) {
    if (ages[i] + i > factor) return false;
  }
  return true;
}

}  // namespace plumb::spec
