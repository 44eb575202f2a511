// SPDX-License-Identifier: Apache-2.0
//
// A deque that is used as a stack, at one end only, or as a queue, put in at
// one end and taken out at the other.  At which end a take found nothing makes
// no difference.
//
// LIMIT: nothing better than the general search is known for the rest.  Values
// that leave at the end where they came behave like those of a stack, the
// others like those of a queue, and neither's argument survives the mixture.
#include "check/special.h"
#include "check/special_common.h"

namespace plumb::check {

namespace {

using history::History;
using history::Operation;

struct DequeCodes {
  std::uint16_t push_front = code_of("deque", "push_front");
  std::uint16_t push_back = code_of("deque", "push_back");
  std::uint16_t pop_front = code_of("deque", "pop_front");
  std::uint16_t pop_back = code_of("deque", "pop_back");
};

// At which ends something came and went.
struct Ends {
  bool in_front = false, in_back = false;
  bool out_front = false, out_back = false;
};

Ends ends_of(const History& history, const DequeCodes& codes) {
  Ends ends;
  for (const Operation& o : history.operations) {
    const bool found_nothing = !o.pending() && o.result.is_null();
    ends.in_front |= o.code == codes.push_front;
    ends.in_back |= o.code == codes.push_back;
    ends.out_front |= o.code == codes.pop_front && !found_nothing;
    ends.out_back |= o.code == codes.pop_back && !found_nothing;
  }
  return ends;
}

}  // namespace

std::optional<Verdict> decide_deque(const History& history,
                                    const SpecialOptions& options,
                                    Budget& budget) {
  static const DequeCodes codes;
  static const std::uint16_t put = code_of("queue", "enq");
  static const std::uint16_t take = code_of("queue", "deq");
  static const std::uint16_t push = code_of("stack", "push");
  static const std::uint16_t pop = code_of("stack", "pop");
  const Ends ends = ends_of(history, codes);
  if ((ends.in_front && ends.in_back) || (ends.out_front && ends.out_back)) {
    return std::nullopt;
  }
  const bool crosses =
      (ends.in_front && ends.out_back) || (ends.in_back && ends.out_front);
  History other = history;
  for (Operation& o : other.operations) {
    const bool puts = o.code == codes.push_front || o.code == codes.push_back;
    o.code = crosses ? (puts ? put : take) : (puts ? push : pop);
  }
  return crosses ? decide_queue(other, options, budget)
                 : decide_stack(other, options, budget);
}

}  // namespace plumb::check
