// SPDX-License-Identifier: Apache-2.0
// std::cout, std::cin, std::cerr and the like, which any threads may use.
//
// [iostream.objects.overview]: using them at the same time is no data race, at
// most letters come out mixed.  Nor are their settings, width() say, anything
// that a right test looks at; so what is done to them is not watched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

namespace standard_streams {
#pragma GCC visibility push(hidden)
extern std::uintptr_t low;  // of the hull of all of them
extern std::size_t size;
#pragma GCC visibility pop
bool contain(std::uintptr_t address);
}  // namespace standard_streams

void find_standard_streams();

inline bool is_standard_stream(std::uintptr_t address) {
  return address - standard_streams::low < standard_streams::size &&
         standard_streams::contain(address);
}

}  // namespace plumb::runtime
