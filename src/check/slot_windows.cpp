// SPDX-License-Identifier: Apache-2.0
#include "check/slot_windows.h"

#include <algorithm>
#include <utility>

namespace plumb::check {

SlotWindows::SlotWindows(std::uint32_t factor) : factor_(factor) {
  windows_.emplace_back();
  ids_.emplace(windows_.front(), kEmpty);
}

void SlotWindows::after(Id id, Value value, Taker taker, Value taken,
                        std::vector<Id>& next) {
  after_put_.clear();
  after_take_.clear();
  put(windows_[id], value, after_put_);
  for (const Window& window : after_put_) {
    take(window, taker, taken, after_take_);
  }
  for (Window& window : after_take_) {
    if (!grow_older(window)) continue;
    const auto [entry, is_new] =
        ids_.try_emplace(window, static_cast<Id>(windows_.size()));
    if (is_new) windows_.push_back(std::move(window));
    next.push_back(entry->second);
  }
}

// A value goes to the oldest take that returned it, or to the oldest of those
// that can have; if there is none of the former it may also wait.
void SlotWindows::put(const Window& from, Value value,
                      std::vector<Window>& out) const {
  bool met = false, met_unknown = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Entry& entry = from[i];
    if (!entry.is_take) continue;
    if (entry.is_known ? met || entry.word != value.word() : met_unknown) {
      continue;
    }
    (entry.is_known ? met : met_unknown) = true;
    Window& window = out.emplace_back(from);
    window.erase(window.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (met) return;
  Window& window = out.emplace_back(from);
  window.push_back({.word = value.word()});
}

void SlotWindows::take(const Window& from, Taker taker, Value value,
                       std::vector<Window>& out) const {
  bool met = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Entry& entry = from[i];
    if (entry.is_take) continue;
    const bool fits = taker != Taker::kKnown || entry.word == value.word();
    // One that comes last has no reason not to take the oldest.
    if (!fits || (met && taker != Taker::kUnknown)) continue;
    met = true;
    Window& window = out.emplace_back(from);
    window.erase(window.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (met && taker != Taker::kUnknown) return;
  const bool known = taker == Taker::kKnown;
  Window& window = out.emplace_back(from);
  window.push_back(
      {.word = known ? value.word() : 0, .is_take = true, .is_known = known});
}

// False if something gets too old: it could meet no sooner than in the next
// slot.
bool SlotWindows::grow_older(Window& window) const {
  for (Entry& entry : window) {
    if (++entry.age > factor_) return false;
  }
  return true;
}

}  // namespace plumb::check
