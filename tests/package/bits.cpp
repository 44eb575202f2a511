// SPDX-License-Identifier: Apache-2.0
#include "bits.h"

// Wrong: between the two, another one may be added, which is lost.
bool Bits::add(int number) {
  const unsigned old = bits_.load();
  if (old & (1u << number)) return false;
  bits_.store(old | (1u << number));
  return true;
}

bool Bits::contains(int number) {
  return bits_.load() & (1u << number);
}
