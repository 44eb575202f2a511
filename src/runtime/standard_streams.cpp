// SPDX-License-Identifier: Apache-2.0
#include "runtime/standard_streams.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <ostream>

// Without <iostream>, which would construct them before anything else.
namespace std {
extern istream cin;
extern ostream cout, cerr, clog;
extern wistream wcin;
extern wostream wcout, wcerr, wclog;
}  // namespace std

namespace plumb::runtime {

namespace standard_streams {
constinit std::uintptr_t low = 0;
constinit std::size_t size = 0;
}  // namespace standard_streams

namespace {

struct Stream {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};
constinit Stream streams[8];

template <typename T>
Stream place_of(const T& stream) {
  return {reinterpret_cast<std::uintptr_t>(&stream), sizeof(stream)};
}

}  // namespace

bool standard_streams::contain(std::uintptr_t address) {
  return std::any_of(std::begin(streams), std::end(streams),
                     [&](const Stream& stream) {
                       return address - stream.begin < stream.bytes;
                     });
}

// The executable may have its own copies, which all then use.
void find_standard_streams() {
  const Stream all[] = {place_of(std::cin),   place_of(std::cout),
                        place_of(std::cerr),  place_of(std::clog),
                        place_of(std::wcin),  place_of(std::wcout),
                        place_of(std::wcerr), place_of(std::wclog)};
  std::copy(std::begin(all), std::end(all), streams);
  std::uintptr_t high = 0;
  standard_streams::low = UINTPTR_MAX;
  for (const Stream& stream : streams) {
    standard_streams::low = std::min(standard_streams::low, stream.begin);
    high = std::max(high, stream.begin + stream.bytes);
  }
  standard_streams::size = high - standard_streams::low;
}

}  // namespace plumb::runtime
