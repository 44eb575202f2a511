// SPDX-License-Identifier: Apache-2.0
// Sets that know their members by a hash only, and so err now and then.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::explore {

// A fingerprint is a hash of 64 bits, each value as likely as any other.
class FingerprintSet {
 public:
  enum class Answer : std::uint8_t {
    kNew,    // it was not there, and is now
    kKnown,  // it was there, or cannot be told from what was there
    kFull,   // it was not there, and there is no memory for it
  };

  virtual ~FingerprintSet() = default;

  virtual Answer insert(std::uint64_t fingerprint) = 0;
  // Brings what insert() reads from memory.
  virtual void prefetch(std::uint64_t fingerprint) const = 0;
  // Of all fingerprints, the share that insert() would call known.  It never
  // falls.
  virtual double known_share() const = 0;
  // Memory held.
  virtual std::size_t bytes() const = 0;
};

}  // namespace plumb::explore
