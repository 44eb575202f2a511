// SPDX-License-Identifier: Apache-2.0
// A log of expansions that lies in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explore/expansion_log.h"

namespace plumb::testing {

// What would lie in a file: pieces up to the last final one.
class TextLog final : public explore::ExpansionLog {
 public:
  explicit TextLog(std::vector<std::string> pieces = {})
      : pieces_(std::move(pieces)), final_(pieces_.size()) {}

  bool is_writing() const override { return true; }
  std::vector<std::string> saved() const {
    return {pieces_.begin(), pieces_.begin() + static_cast<long>(final_)};
  }
  bool has_read_all() const { return next_ >= final_; }

 private:
  std::optional<std::string> read() override {
    if (next_ >= final_ || next_ >= pieces_.size()) return std::nullopt;
    return pieces_[next_++];
  }
  void write(std::string_view piece, bool is_final) override {
    pieces_.emplace_back(piece);
    if (is_final) final_ = pieces_.size();
    next_ = pieces_.size();
  }
  bool is_due() override { return false; }

  std::vector<std::string> pieces_;
  std::size_t final_;
  std::size_t next_ = 0;
};

}  // namespace plumb::testing
