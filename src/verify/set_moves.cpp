// SPDX-License-Identifier: Apache-2.0
#include "verify/set_moves.h"

#include <algorithm>
#include <numeric>

#include "base/invariant.h"

namespace plumb::verify {

using lts::Permutation;
using lts::Renaming;

void SetMoves::note_if_new(std::size_t sets_before, const Origin& origin) {
  if (sets_.size() > sets_before) note(origin);
}

SetId SetMoves::after(SetId set, const lts::Label& label) {
  if (!point(label)) return set;
  const std::lock_guard lock(mutex_);
  const std::size_t before = sets_.size();
  if (label.operation < 64) {
    const std::uint64_t bit = std::uint64_t{1} << label.operation;
    if (label.kind == lts::LabelKind::kInvoke) invoked_ |= bit;
    if (label.kind == lts::LabelKind::kReturn) returned_ |= bit;
  }
  const SetId next = move(set, label);
  note_if_new(before, {set, false, label, {}});
  return next;
}

// LIMIT: unless the user gave one on states.  A specification without a bound,
// as in queue(2), that has far more states than the object mostly has no end: a
// queue that nobody can take from.  Long states fill memory sooner.
bool SetMoves::grows(std::size_t states) const {
  constexpr std::size_t kTimes = 1'000, kMost = 5'000, kMostWords = 2'000'000;
  const std::size_t count = graph().size() - known_;
  if (count < kTimes * states) return false;
  const auto last = static_cast<AbstractId>(graph().size() - 1);
  return (count >= kMost ||
          count * graph().state_of(last).size() >= kMostWords) &&
         graph().object().name().find('(') == std::string::npos;
}

MemberList SetMoves::members_of(SetId set, const Renaming& renaming) {
  const auto before = sets_[set];
  MemberList members(before.begin(), before.end());
  if (renaming.is_identity()) return members;
  for (MemberId& c : members) {
    c = members_.renamed(c, renaming, values());
  }
  std::ranges::sort(members);
  return members;
}

SetId SetMoves::keep(SetId from, const Renaming& renaming,
                     MemberList& members) {
  const std::size_t count = sets_.size();
  const SetId set = sets_.intern(members);
  note_if_new(count, {from, true, {}, renaming});
  return set;
}

SetId SetMoves::renamed(SetId set, const Renaming& renaming) {
  if (renaming.is_identity() || set == kEmptySet) return set;
  const std::lock_guard lock(mutex_);
  MemberList members = members_of(set, renaming);
  return keep(set, renaming, members);
}

namespace {

// Trying more orders than this costs more than it saves.
constexpr std::size_t kMostOrders = 720;

// A run of twins: processes begin .. end - 1 may change places.
struct TwinClass {
  std::size_t begin, end;
};

std::vector<TwinClass> classes_of(std::uint16_t twins, std::size_t processes) {
  std::vector<TwinClass> classes;
  for (std::size_t p = 0; p < processes;) {
    std::size_t end = p + 1;
    while (end < processes && (twins >> (end - 1) & 1) != 0) ++end;
    if (end > p + 1) classes.push_back({p, end});
    p = end;
  }
  return classes;
}

// What a set says of each process, whatever the twins are called: the same
// for a process before and after they change places.
class Portraits {
 public:
  // Takes the place of the last ones, and their memory.
  void make(const Members& all, std::span<const MemberId> members,
            const std::vector<TwinClass>& classes) {
    portraits_.resize(all.processes());
    for (auto& portrait : portraits_) portrait.clear();
    for (const MemberId c : members) {
      const std::uint64_t whole = hash_of(all, c, classes);
      for (const TwinClass& twins : classes) {
        for (std::size_t p = twins.begin; p < twins.end; ++p) {
          portraits_[p].push_back(mixed(whole, all.about(c, p)));
        }
      }
    }
    for (auto& portrait : portraits_) std::ranges::sort(portrait);
  }
  const std::vector<std::uint64_t>& operator[](std::size_t process) const {
    return portraits_[process];
  }

 private:
  static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t product = (a ^ b) * 0x9E3779B97F4A7C15;
    return (product ^ product >> 29) * 0xD6E8FEB86659FD93 + b;
  }
  // Of a configuration, the same for all orders of the twins.
  static std::uint64_t hash_of(const Members& all, MemberId c,
                               const std::vector<TwinClass>& classes) {
    std::uint64_t hash = all.beside(c);
    std::size_t next = 0;
    for (std::size_t p = 0; p < all.processes();) {
      if (next < classes.size() && classes[next].begin == p) {
        std::uint64_t sum = 0;
        for (; p < classes[next].end; ++p) {
          sum += mixed(17, all.about(c, p));
        }
        hash = mixed(hash, sum);
        ++next;
      } else {
        hash = mixed(hash, all.about(c, p));
        ++p;
      }
    }
    return hash;
  }

  std::vector<std::vector<std::uint64_t>> portraits_;
};

// Sorts the twins of each class by their portraits; equal ones stand next to
// each other then and make up the classes that are left.
Permutation sorted(const Portraits& portraits,
                   std::vector<TwinClass>& classes) {
  Permutation order;
  std::vector<TwinClass> left;
  for (const TwinClass& twins : classes) {
    std::vector<std::size_t> members(twins.end - twins.begin);
    std::iota(members.begin(), members.end(), twins.begin);
    std::ranges::stable_sort(members, [&](std::size_t a, std::size_t b) {
      return portraits[a] < portraits[b];
    });
    for (std::size_t i = 0; i < members.size(); ++i) {
      order.set(members[i], twins.begin + i);
    }
    for (std::size_t i = 0; i < members.size();) {
      std::size_t end = i + 1;
      while (end < members.size() &&
             portraits[members[i]] == portraits[members[end]]) {
        ++end;
      }
      if (end > i + 1) left.push_back({twins.begin + i, twins.begin + end});
      i = end;
    }
  }
  classes = left;
  return order;
}

// All orders in which members of the same class change places; just the present
// one if they are too many.
std::vector<Permutation> orders_of(const std::vector<TwinClass>& classes) {
  std::vector<Permutation> all = {Permutation()};
  for (const TwinClass& twins : classes) {
    std::vector<std::size_t> places(twins.end - twins.begin);
    std::iota(places.begin(), places.end(), twins.begin);
    std::vector<Permutation> more;
    do {
      for (Permutation order : all) {
        for (std::size_t i = 0; i < places.size(); ++i) {
          order.set(twins.begin + i, places[i]);
        }
        more.push_back(order);
        if (more.size() > kMostOrders) return {Permutation()};
      }
    } while (std::ranges::next_permutation(places).found);
    all = std::move(more);
  }
  return all;
}

}  // namespace

SetMoves::Settled SetMoves::canonical(SetId set, const lts::Canonical& how) {
  Settled settled{set, how.renaming};
  if (set == kEmptySet || is_settled(how)) return settled;
  const bool has_free_values = how.used_values + 1u < values().size();
  const std::lock_guard lock(mutex_);
  const auto members = sets_[set];
  if (members.size() == 1 && !has_free_values) {
    // The usual case, and quick: the twins' statuses are sorted.
    MemberList one = {members_.with_sorted_twins(members[0], how.twins,
                                                 settled.renaming, values())};
    settled.tag = keep(set, settled.renaming, one);
    return settled;
  }
  settle(set, how, settled);
  return settled;
}

// Twins are sorted by what the set says of them.  Where that leaves several
// orders, all of them are tried and the least list of configurations wins: for
// all sets of an orbit these are the same lists.
void SetMoves::settle(SetId set, const lts::Canonical& how, Settled& best) {
  std::vector<Permutation> value_orders = {Permutation()};
  if (how.used_values + 1u < values().size()) {
    value_orders = orders_of({TwinClass{how.used_values, values().size()}});
  }
  thread_local Portraits portraits;
  MemberList least;
  for (const Permutation names : value_orders) {
    const Renaming first = how.renaming.then({Permutation(), names});
    std::vector<TwinClass> classes =
        classes_of(how.twins, members_.processes());
    Permutation order;
    if (!classes.empty()) {
      portraits.make(members_, members_of(set, first), classes);
      order = sorted(portraits, classes);
    }
    for (const Permutation further : orders_of(classes)) {
      const Renaming renaming = first.then({order.then(further), {}});
      MemberList members = members_of(set, renaming);
      if (!least.empty() && members >= least) continue;
      least = std::move(members);
      best.renaming = renaming;
    }
  }
  PLUMB_CHECK(!least.empty());
  best.tag = keep(set, best.renaming, least);
}

}  // namespace plumb::verify
