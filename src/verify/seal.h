// SPDX-License-Identifier: Apache-2.0
// Seals of checkpoints: texts that nobody can forge without a secret key (MAC).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace plumb::verify {

using Seal = std::array<std::uint64_t, 2>;
using SealKey = std::array<std::uint64_t, 2>;

// SipHash-2-4 with 128 bits [Aumasson, Bernstein, INDOCRYPT 2012].
Seal seal_of(std::string_view text, const SealKey& key);

}  // namespace plumb::verify
