// SPDX-License-Identifier: Apache-2.0
#include "assertions/journal_log.h"

#include <fmt/format.h>

#include <cstdio>

namespace plumb::assertions {

JournalLog::JournalLog(verify::Journal& journal)
    : journal_(journal), is_writing_(journal.saves()) {
  journal.begin("expansions");
}

// Another file gets all that is read; the same one goes on behind it.
std::optional<std::string> JournalLog::read() {
  if (!journal_.resumes()) return std::nullopt;
  auto piece = journal_.read();
  if (piece) {
    if (is_writing_ && !journal_.saves_to_resumed()) write(*piece, false);
  } else if (is_writing_ && journal_.saves_to_resumed() &&
             !journal_.continues()) {
    stop_writing();
  }
  return piece;
}

// A text with a gap would be worth nothing.
void JournalLog::write(std::string_view piece, bool is_final) {
  if (is_writing_ && !journal_.write(piece, is_final)) stop_writing();
}

void JournalLog::stop_writing() {
  fmt::print(stderr, "plumb: {}: the checkpoint before still counts\n",
             journal_.why_not());
  is_writing_ = false;
}

}  // namespace plumb::assertions
