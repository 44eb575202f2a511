// SPDX-License-Identifier: Apache-2.0
// Streams of the C library (FILE) as threads share them.
//
// Each use is an event, in every order; the stream's own lock orders them, and
// flockfile() holds it.  What is said to stdout and stderr is no event: nobody
// of the test can read it.
#pragma once

#include <cstdint>
#include <cstdio>

namespace plumb::runtime {

enum class StreamUse : std::uint8_t { kRead, kWrite, kOther };

// A function for streams begins, called at `pc`.  `locks`: else the caller must
// see to it that nobody else uses the stream.
void use_stream(std::FILE* stream, StreamUse how, std::uintptr_t pc,
                bool locks = true);
// It has read something.
void stream_told(std::FILE* stream);

// A new one begins, maybe where another one ended.
void stream_begins(const std::FILE* stream);
// It is about to be closed.
void stream_ends(std::FILE* stream, std::uintptr_t pc);

}  // namespace plumb::runtime
