// SPDX-License-Identifier: Apache-2.0
// A libFuzzer target: PLUMB_TARGET of PLUMB_ENTRY_POINTS, with any bytes.
#include <cstddef>
#include <cstdint>

#include PLUMB_ENTRY_POINTS

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  plumb::fuzz::PLUMB_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
