// SPDX-License-Identifier: Apache-2.0
#include "verify/seal.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace plumb::verify {

namespace {

struct State {
  std::uint64_t a, b, c, d;

  void mix(int rounds) {
    for (; rounds > 0; --rounds) {
      a += b;
      b = std::rotl(b, 13) ^ a;
      a = std::rotl(a, 32);
      c += d;
      d = std::rotl(d, 16) ^ c;
      a += d;
      d = std::rotl(d, 21) ^ a;
      c += b;
      b = std::rotl(b, 17) ^ c;
      c = std::rotl(c, 32);
    }
  }
  void add(std::uint64_t word) {
    d ^= word;
    mix(2);
    a ^= word;
  }
  std::uint64_t all() const { return a ^ b ^ c ^ d; }
};

}  // namespace

Seal seal_of(std::string_view text, const SealKey& key) {
  State state = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f83,
                 key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
  const std::uint64_t length = text.size();
  for (; text.size() >= sizeof length; text.remove_prefix(sizeof length)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    state.add(word);
  }
  std::uint64_t last = length << 56;
  for (std::size_t i = 0; i < text.size(); ++i) {
    last |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i]))
            << 8 * i;
  }
  state.add(last);
  state.c ^= 0xee;
  state.mix(4);
  Seal seal = {state.all(), 0};
  state.b ^= 0xdd;
  state.mix(4);
  seal[1] = state.all();
  return seal;
}

}  // namespace plumb::verify
