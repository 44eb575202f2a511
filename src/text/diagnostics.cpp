// SPDX-License-Identifier: Apache-2.0
#include "text/diagnostics.h"

#include <absl/strings/match.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace plumb::text {

void Diagnostics::report(Span span, std::string what, std::string hint) {
  errors_.try_emplace(span.begin,
                      Entry{span, std::move(what), std::move(hint)});
  if (errors_.size() > most_) errors_.erase(std::prev(errors_.end()));
}

std::vector<InputError> Diagnostics::errors() const {
  std::vector<InputError> made;
  for (const auto& [begin, entry] : errors_) {
    made.emplace_back(source_.place(entry.span), entry.what, entry.hint);
  }
  return made;
}

std::string suggestion(const std::string& word,
                       const std::vector<std::string>& candidates,
                       std::string otherwise) {
  // Comparing words costs the product of their lengths, for each pair.  Very
  // short names are near to all others; there, only capitals can be meant.
  constexpr std::size_t kShortest = 3, kLongest = 100, kMost = 2000;
  if (word.size() > kLongest || candidates.size() > kMost) return otherwise;
  std::vector<std::string> fair;
  for (const std::string& candidate : candidates) {
    const std::size_t change = std::max<std::size_t>(word.size() / 2, 1);
    const bool is_fair = word.size() >= kShortest
                             ? candidate.size() <= word.size() + change &&
                                   candidate.size() + change >= word.size()
                             : absl::EqualsIgnoreCase(candidate, word);
    if (is_fair) fair.push_back(candidate);
  }
  const std::string meant = nearest(word, fair);
  return meant.empty() ? otherwise : fmt::format("did you mean '{}'?", meant);
}

}  // namespace plumb::text
