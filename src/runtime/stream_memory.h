// SPDX-License-Identifier: Apache-2.0
// Streams that write to memory of the test's: open_memstream, fmemopen.
#pragma once

#include <cstdint>
#include <cstdio>

namespace plumb::runtime {

// This stream, or any if it is null, is about to be flushed or closed.
void tell_memory_of(const std::FILE* stream, std::uintptr_t pc);
// It is about to be read.
void tell_memory_read_by(const std::FILE* stream, std::uintptr_t pc);
// It is closed: another one may have its place.
void forget_memory_of(const std::FILE* stream);

}  // namespace plumb::runtime
