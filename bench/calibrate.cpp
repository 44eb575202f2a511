// SPDX-License-Identifier: Apache-2.0
// A fixed piece of work, to compare machines and moments by: it mixes numbers
// and goes through memory at random, as searches do.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  constexpr std::size_t kSlots = std::size_t{1} << 22;  // 32 MiB
  constexpr std::uint64_t kSteps = 20'000'000;
  std::vector<std::uint64_t> slots(kSlots);
  std::uint64_t mixed = 1;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    mixed ^= mixed >> 31;
    mixed *= 0x9E3779B97F4A7C15;
    mixed += i;
    slots[mixed & (kSlots - 1)] += mixed;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t slot : slots) sum ^= slot;
  std::printf("%016llx\n", static_cast<unsigned long long>(sum));
}
