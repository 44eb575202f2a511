// SPDX-License-Identifier: Apache-2.0
// Events with blocks that never synchronise, hiding sets that miss one.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "csp/lints_parts.h"
#include "csp/lints_reach.h"
#include "csp/text_of.h"
#include "text/diagnostics.h"

namespace plumb::csp {
namespace {

using Tuple = std::vector<std::int64_t>;

// All combinations, or none if one is not known or if there are too many.
std::optional<std::set<Tuple>> tuples_of(const std::vector<ValueSet>& fields) {
  std::set<Tuple> made = {{}};
  for (const ValueSet& values : fields) {
    if (!values || made.size() * values->size() > 1000) return std::nullopt;
    std::set<Tuple> longer;
    for (const Tuple& tuple : made) {
      for (const std::int64_t value : *values) {
        Tuple next = tuple;
        next.push_back(value);
        longer.insert(std::move(next));
      }
    }
    made = std::move(longer);
  }
  return made;
}

std::string named(const std::string& name, const Tuple& tuple) {
  std::string made = name;
  for (const std::int64_t value : tuple) made += fmt::format(".{}", value);
  return made;
}

class EventTraps {
 public:
  explicit EventTraps(Module& module)
      : module_(module), all_(module, budget_) {}

  void run() {
    all_.run_all();
    for (std::uint32_t i = 0; i < module_.processes.size(); ++i) {
      slots_ = all_.slots_of(i);
      if (slots_.empty()) slots_.resize(module_.processes[i].slots);
      for_each_process(*module_.processes[i].body, [&](const Process& process) {
        // Indices around it have all their values.
        for (const Index& index : process.indices) {
          slots_[index.slot] = all_.values_of(index, slots_);
        }
        if (process.kind == ProcessKind::kParallel) parallel(process);
        if (process.kind == ProcessKind::kHide) hide(process);
      });
    }
    add(module_, std::move(found_));
  }

 private:
  // --- Events with blocks in parallel compositions -------------------------

  void parallel(const Process& process) {
    std::vector<Reach> sides;
    if (process.indices.empty()) {
      for (const ProcessPtr& child : process.children) {
        sides.emplace_back(module_, budget_).run(*child, slots_);
      }
    } else {
      // Two components stand for all.
      const ValueSet values = slots_[process.indices[0].slot];
      if (!values || values->size() < 2) return;
      for (const std::int64_t value : {*values->begin(), *values->rbegin()}) {
        std::vector<ValueSet> slots = slots_;
        slots[process.indices[0].slot] = std::set{value};
        sides.emplace_back(module_, budget_).run(*process.children[0], slots);
      }
    }
    for (const Reach& side : sides) {
      for (const Doing& doing : side.events()) {
        if (doing.has_block) lonely(doing, side, sides);
      }
    }
  }

  void lonely(const Doing& doing, const Reach& own,
              const std::vector<Reach>& sides) {
    const std::string& name = doing.event->name;
    if (own.hidden().contains(name)) return;
    for (const Reach& side : sides) {
      side.spend(side.events().size());
      if (&side == &own || side.hidden().contains(name)) continue;
      for (const Doing& other : side.events()) {
        if (!are_equal(doing, other)) continue;
        tell(doing.event->span,
             fmt::format("'{}' has a block, so it is never synchronised: the "
                         "sides of '||' each do it on their own",
                         text_of(*doing.event)),
             fmt::format("give the block to an event of its own: '{} -> "
                         "tau{{...}} -> P'",
                         text_of(*doing.event)));
        return;
      }
    }
  }

  // For certain sometimes: all values are known, and some are in both.
  static bool are_equal(const Doing& left, const Doing& right) {
    if (left.event->name != right.event->name ||
        left.fields.size() != right.fields.size()) {
      return false;
    }
    for (std::size_t i = 0; i < left.fields.size(); ++i) {
      const ValueSet &a = left.fields[i], &b = right.fields[i];
      if (!a || !b) return false;
      const bool meet = std::any_of(
          a->begin(), a->end(), [&](auto value) { return b->contains(value); });
      if (!meet) return false;
    }
    return true;
  }

  // --- Hiding --------------------------------------------------------------

  void hide(const Process& process) {
    Reach inside(module_, budget_);
    inside.run(*process.children[0], slots_);
    for (const EventName& event : process.events) {
      never_done(event, inside);
    }
    std::set<std::pair<std::string, std::size_t>> families;
    for (const EventName& event : process.events) {
      if (!families.emplace(event.name, event.fields.size()).second) continue;
      missed(process, event, inside);
    }
  }

  void never_done(const EventName& event, const Reach& inside) {
    if (event.name.empty() || is_channel(event.name)) return;
    std::vector<std::string> near;
    std::set<std::size_t> lengths;
    for (const Doing& doing : inside.events()) {
      near.push_back(doing.event->name);
      if (doing.event->name == event.name) lengths.insert(doing.fields.size());
    }
    if (lengths.contains(event.fields.size())) return;
    if (lengths.empty()) {
      std::sort(near.begin(), near.end());
      near.erase(std::unique(near.begin(), near.end()), near.end());
      tell(event.span,
           fmt::format("'{}' is hidden here, but the process never does it",
                       text_of(event)),
           text::suggestion(event.name, near));
      return;
    }
    tell(event.span,
         fmt::format("'{}' is hidden with {} value{}, but the process does it "
                     "with {}",
                     event.name, event.fields.size(),
                     event.fields.size() == 1 ? "" : "s", *lengths.begin()),
         "an event is hidden only if all its values are listed, as in "
         "'x:{0..3}@e.x'");
  }

  bool is_channel(const std::string& name) const {
    return std::any_of(
        module_.channels.begin(), module_.channels.end(),
        [&](const Channel& channel) { return channel.name == name; });
  }

  // Speaks if two or more of a family are listed one by one, and not more are
  // missing than are listed.
  void missed(const Process& process, const EventName& family,
              const Reach& inside) {
    const auto listed = listed_of(process, family);
    if (!listed || listed->size() < 2) return;
    std::set<Tuple> missing;
    for (const Doing& doing : inside.events()) {
      if (doing.event->name != family.name ||
          doing.fields.size() != family.fields.size()) {
        continue;
      }
      const auto done = tuples_of(doing.fields);
      if (!done) return;
      std::set_difference(done->begin(), done->end(), listed->begin(),
                          listed->end(),
                          std::inserter(missing, missing.begin()));
    }
    if (missing.empty() || missing.size() > listed->size()) return;
    tell(family.span,
         fmt::format("'{}' may happen, but is not hidden as '{}' is",
                     named(family.name, *missing.begin()),
                     named(family.name, *listed->begin())),
         "a range lists them all, as in 'x:{0..3}@e.x'");
  }

  std::optional<std::set<Tuple>> listed_of(const Process& process,
                                           const EventName& family) {
    std::set<Tuple> made;
    for (const EventName& event : process.events) {
      if (event.name != family.name ||
          event.fields.size() != family.fields.size()) {
        continue;
      }
      std::vector<ValueSet> slots = slots_, fields;
      for (const Index& index : event.indices) {
        slots[index.slot] = all_.values_of(index, slots);
      }
      for (const ExprPtr& field : event.fields) {
        fields.push_back(all_.values_of(*field, slots));
      }
      const auto tuples = tuples_of(fields);
      if (!tuples) return std::nullopt;
      made.insert(tuples->begin(), tuples->end());
    }
    return made;
  }

  void tell(Span span, std::string what, std::string hint) {
    if (!told_.emplace(span.begin, what).second) return;
    found_.push_back({span, std::move(what), std::move(hint)});
  }

  Module& module_;
  std::size_t budget_ = 2'000'000;  // about a second
  Reach all_;
  std::vector<ValueSet> slots_;
  std::vector<Warning> found_;
  std::set<std::pair<std::uint32_t, std::string>> told_;
};

}  // namespace

void find_traps_of_events(Module& module) {
  try {
    EventTraps(module).run();
  } catch (const TooMuchToLookAt&) {
    // Warnings are worth a second, not more.
  }
}

}  // namespace plumb::csp
