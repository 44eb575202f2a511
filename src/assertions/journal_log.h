// SPDX-License-Identifier: Apache-2.0
// The log of what the searches of an assertion expand, in a journal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "explore/expansion_log.h"
#include "verify/journal.h"

namespace plumb::assertions {

class JournalLog final : public explore::ExpansionLog {
 public:
  // Must last.
  explicit JournalLog(verify::Journal& journal);

  bool is_writing() const override { return is_writing_; }

 private:
  std::optional<std::string> read() override;
  void write(std::string_view piece, bool is_final) override;
  bool is_due() override { return journal_.is_due(); }
  void stop_writing();

  verify::Journal& journal_;
  bool is_writing_;
};

}  // namespace plumb::assertions
