// SPDX-License-Identifier: Apache-2.0
// Where the bytes of an input come from: file, pipe, memory; gzip'd or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace plumb {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Puts up to `room` bytes at `to`.  Returns how many: 0 only at the end, or
  // when the budget was spent while waiting.  Throws InputError.
  virtual std::size_t read(char* to, std::size_t room) = 0;

  // How many bytes there are in all; 0 if that is not known.
  virtual std::uint64_t total() const { return 0; }
};

// Opens a file, or standard input if `path` is "-".  The bytes are inflated
// if they begin with the magic number of gzip.  Throws InputError.
std::unique_ptr<ByteSource> open_source(const std::string& path,
                                        Budget* budget);

// All that the file holds.  A named pipe is waited for a moment.  Throws
// InputError if that cannot be read, or is more than `most` bytes.
std::string text_of_file(const std::string& path, std::size_t most);

// The same for bytes in memory, which must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::string_view bytes,
                                          const std::string& name);

}  // namespace plumb
