// SPDX-License-Identifier: Apache-2.0
//
// What may be forgotten.  Let H be the history of a queue whose values are
// distinct, and let some of it be left out: pairs of a put and the take of its
// value, and takes that found nothing.  If H is linearizable, so is the rest.
// Conversely, H is violated iff [HenzingerEtAl13] (1) a value is taken that was
// not put before, or twice; (2) b is put after a was (the one returned before
// the other was invoked), and taken before a is, or a never; (3) a take finds
// nothing, though at every moment of it some value was inside for certain.
//
// Let m be the first invocation of what is in flight now (given up does not
// count), so that whatever follows m begins after all that ended before m.  The
// pair of `a` goes if it ended before m, and no value that is inside was put
// before `a` was invoked.  (1) A second take of `a` has no put then.  (2) With
// `a` as the earlier one, all has happened already, and was judged.  With `a`
// as the later one and b the earlier: either b has been taken, and it was
// judged, or b is inside, and was not put before `a`.  (3) Takes that find
// nothing and begin after m begin after `a` was gone. A take E that found
// nothing goes if it ended before m: what is inside now was inside from its put
// on, which was judged.  But one that was given up may have taken some value
// before E; then E stays as long as such a value is inside.
#include "check/queue_window.h"

#include <algorithm>
#include <utility>

#include "check/decide.h"
#include "spec/initial.h"

namespace plumb::check {

using history::History;
using history::Operation;

QueueWindow::Handle QueueWindow::invoked(const Operation& operation) {
  Handle handle = static_cast<Handle>(places_.size());
  if (free_.empty()) {
    places_.emplace_back();
  } else {
    handle = free_.back();
    free_.pop_back();
  }
  const auto place = static_cast<std::uint32_t>(operations_.size());
  places_[handle] = place;
  operations_.push_back({operation, handle, End::kOpen,
                         static_cast<std::uint32_t>(events_.size()), 0});
  events_.push_back({place, true});
  ++unjudged_;
  return handle;
}

QueueWindow::Kept& QueueWindow::end(Handle handle, End how) {
  Kept& kept = operations_[places_[handle]];
  kept.end = how;
  kept.ended = static_cast<std::uint32_t>(events_.size());
  free_.push_back(handle);
  return kept;
}

void QueueWindow::returned(Handle handle, const Operation& operation) {
  if (operation.result == spec::unknown_result()) {
    answer_ = Answer::kUnknown;
    reason_ =
        "a result is not known, and the stream of a queue needs all of them";
    return;
  }
  Kept& kept = end(handle, End::kReturned);
  kept.operation = operation;
  events_.push_back({places_[handle], false});
  ++unjudged_;
}

void QueueWindow::failed(Handle handle, const Operation& operation) {
  end(handle, End::kFailed).operation = operation;
  ++unjudged_;
}

void QueueWindow::gave_up(Handle handle) {
  end(handle, End::kGivenUp);
}

// Of the first so many events: what has not returned then is pending.  What
// failed did not happen.
History QueueWindow::history_of(std::size_t events) const {
  History history;
  std::vector<std::uint32_t> index(operations_.size());
  history::Moment now = 0;
  for (std::size_t i = 0; i < events; ++i) {
    const std::uint32_t place = events_[i].operation;
    const Kept& kept = operations_[place];
    if (kept.end == End::kFailed) continue;
    if (events_[i].begins) {
      index[place] = static_cast<std::uint32_t>(history.size());
      Operation operation = kept.operation;
      operation.result = Value();
      operation.invoked = now++;
      operation.returned = history::kNever;
      operation.process = static_cast<std::uint32_t>(history.size());
      history.operations.push_back(operation);
      history.processes.emplace_back();
    } else {
      Operation& operation = history.operations[index[place]];
      operation.result = kept.operation.result;
      operation.returned = now++;
    }
  }
  return history;
}

void QueueWindow::judge() {
  if (answer_ != Answer::kHolds || unjudged_ == 0) return;
  const std::size_t judged =
      events_.size() - std::min(unjudged_, events_.size());
  unjudged_ = 0;
  const Verdict verdict =
      decide(history_of(events_.size()), queue_, {}, {}, budget_);
  answer_ = verdict.answer;
  reason_ = verdict.reason;
  if (answer_ == Answer::kViolated) {
    blame(judged);
  } else if (answer_ == Answer::kHolds) {
    forget();
  }
}

// Finds the first event that makes it violated.  More events never mend it.
void QueueWindow::blame(std::size_t judged) {
  std::size_t low = judged, high = events_.size();
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    const Verdict verdict = decide(history_of(middle), queue_, {}, {}, budget_);
    (verdict.answer == Answer::kViolated ? high : low) = middle;
  }
  if (high == 0) high = events_.size();
  last_ = operations_[events_[high - 1].operation].operation;
}

// What was put and taken so far, by value, and what that says of the rest.
QueueWindow::Contents QueueWindow::contents() const {
  Contents out;
  out.in_flight_since = static_cast<std::uint32_t>(events_.size());
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    const Kept& kept = operations_[i];
    if (kept.end == End::kOpen) {
      out.in_flight_since = std::min(out.in_flight_since, kept.invoked);
    }
    if (kept.end == End::kFailed) continue;
    if (!takes(kept)) {
      Item& item = out.items[kept.operation.argument];
      item.repeated |= item.put != kNone;
      item.put = i;
    } else if (kept.end == End::kGivenUp) {
      out.lost_take = true;
    } else if (kept.end == End::kReturned && !kept.operation.result.is_null()) {
      Item& item = out.items[kept.operation.result];
      item.repeated |= item.take != kNone;
      item.take = i;
    }
  }
  for (const auto& [value, item] : out.items) {
    const bool inside = item.repeated || item.take == kNone;
    if (!inside || item.put == kNone) continue;
    const Kept& put = operations_[item.put];
    out.first_begun = std::min(out.first_begun, put.invoked);
    if (item.repeated) {
      out.first_put = out.first_begun = 0;  // nobody knows which is inside
    } else if (put.end == End::kReturned) {
      out.first_put = std::min(out.first_put, put.ended);
    }
  }
  return out;
}

void QueueWindow::forget() {
  const Contents now = contents();
  std::vector<bool> goes(operations_.size());
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    const Kept& kept = operations_[i];
    if (kept.end == End::kFailed) {
      goes[i] = true;
    } else if (kept.end == End::kReturned && takes(kept) &&
               kept.operation.result.is_null()) {
      goes[i] = kept.ended < now.in_flight_since &&
                (!now.lost_take || kept.ended < now.first_begun);
    }
  }
  for (const auto& [value, item] : now.items) {
    if (item.repeated || item.put == kNone || item.take == kNone) continue;
    const Kept& put = operations_[item.put];
    const Kept& take = operations_[item.take];
    if (put.end == End::kOpen || take.ended >= now.in_flight_since ||
        (put.end == End::kReturned && put.ended >= now.in_flight_since) ||
        put.invoked >= now.first_put) {
      continue;
    }
    goes[item.put] = goes[item.take] = true;
  }
  drop(goes);
}

void QueueWindow::drop(const std::vector<bool>& goes) {
  std::vector<std::uint32_t> place(operations_.size(), kNone);
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    if (goes[i]) continue;
    place[i] = static_cast<std::uint32_t>(kept);
    if (operations_[i].end == End::kOpen) {
      places_[operations_[i].handle] = place[i];
    }
    if (kept != i) operations_[kept] = std::move(operations_[i]);
    ++kept;
  }
  operations_.resize(kept);
  std::size_t left = 0;
  for (const Event& event : events_) {
    if (place[event.operation] == kNone) continue;
    Kept& of = operations_[place[event.operation]];
    (event.begins ? of.invoked : of.ended) = static_cast<std::uint32_t>(left);
    events_[left++] = {place[event.operation], event.begins};
  }
  events_.resize(left);
}

}  // namespace plumb::check
