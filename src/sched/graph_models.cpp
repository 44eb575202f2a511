// SPDX-License-Identifier: Apache-2.0
// What memory models ask of an execution graph as a whole: SC, TSO, psc.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

#include "sched/execution_graph.h"

namespace plumb::sched {

namespace {

// A graph's events by dense numbers, thread by thread.
class Numbers {
 public:
  explicit Numbers(const ExecutionGraph& graph) {
    for (std::size_t t = 0; t < graph.threads(); ++t) {
      first_.push_back(size_);
      size_ += graph.size(t);
    }
  }
  std::size_t operator()(EventId id) const {
    return first_[id.thread] + id.index;
  }
  std::size_t size() const { return size_; }

 private:
  std::vector<std::size_t> first_;
  std::size_t size_ = 0;
};

// Is there an order of 0 .. size-1 along all edges?
class Edges {
 public:
  explicit Edges(std::size_t size) : next_(size), before_(size) {}
  void add(std::size_t from, std::size_t to) {
    next_[from].push_back(static_cast<std::uint32_t>(to));
    ++before_[to];
  }
  bool are_acyclic() {
    std::vector<std::uint32_t> ready;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (before_[i] == 0) ready.push_back(static_cast<std::uint32_t>(i));
    }
    std::size_t done = 0;
    while (!ready.empty()) {
      const std::uint32_t event = ready.back();
      ready.pop_back();
      ++done;
      for (const std::uint32_t next : next_[event]) {
        if (--before_[next] == 0) ready.push_back(next);
      }
    }
    return done == next_.size();
  }

 private:
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<std::uint32_t> before_;  // how many
};

template <typename Use>
void for_each_event(const ExecutionGraph& graph, Use use) {
  for (std::size_t t = 0; t < graph.threads(); ++t) {
    for (std::size_t i = 0; i < graph.size(t); ++i) {
      const EventId id = {static_cast<std::uint16_t>(t),
                          static_cast<std::uint16_t>(i)};
      use(id, graph[id]);
    }
  }
}

EventId before(EventId id) {
  --id.index;
  return id;
}
EventId after(EventId id) {
  ++id.index;
  return id;
}

bool is_access(const GraphEvent& event) {
  return event.kind == GraphKind::kRead || event.kind == GraphKind::kWrite;
}

// Takes events as an SC machine would, each as soon as it can be.
class ScMachine {
 public:
  explicit ScMachine(const ExecutionGraph& graph, EventId from = kInitially,
                     EventId to = kInitially)
      : graph_(graph),
        from_(from),
        to_(to),
        done_(graph.threads()),
        spawned_(graph.threads(), true) {
    for (std::size_t l = 0; l < graph.locations(); ++l) {
      written_.push_back(0);
      unread_.emplace_back(graph.location(l).writes.size() + 1);
    }
    for_each_event(graph, [&](EventId, const GraphEvent& event) {
      if (event.kind == GraphKind::kSpawn) spawned_[event.choice] = false;
      if (event.kind != GraphKind::kRead || event.blocked) return;
      ++unread_[event.location][graph.place_of(event.source)];
    });
  }

  bool takes_all() {
    std::size_t left = graph_.events();
    for (bool moves = true; moves && left > 0;) {
      moves = false;
      for (std::size_t t = 0; t < graph_.threads(); ++t) {
        while (done_[t] < graph_.size(t) && spawned_[t] && take(t)) {
          ++done_[t];
          --left;
          moves = true;
        }
      }
    }
    return left == 0;
  }

 private:
  bool take(std::size_t thread) {
    const EventId id = {static_cast<std::uint16_t>(thread),
                        static_cast<std::uint16_t>(done_[thread])};
    if (id == to_ && from_ != kInitially &&
        done_[from_.thread] <= from_.index) {
      return false;
    }
    const GraphEvent& event = graph_[id];
    switch (event.kind) {
      case GraphKind::kRead: {
        if (event.blocked) return true;
        const std::size_t place = graph_.place_of(event.source);
        if (written_[event.location] != place) return false;
        --unread_[event.location][place];
        return true;
      }
      case GraphKind::kWrite: {
        std::size_t& written = written_[event.location];
        if (written + 1 != event.place) return false;
        if (unread_[event.location][written] != 0) return false;
        ++written;
        return true;
      }
      case GraphKind::kSpawn:
        spawned_[event.choice] = true;
        return true;
      case GraphKind::kJoin:
        return event.choice >= graph_.threads() ||
               done_[event.choice] == graph_.size(event.choice);
      default:
        return true;
    }
  }

  const ExecutionGraph& graph_;
  const EventId from_, to_;
  std::vector<std::size_t> done_, written_;
  std::vector<bool> spawned_;
  std::vector<std::vector<std::size_t>> unread_;  // by location and place
};

// Which events of SC order each other, and how: see is_psc_acyclic().
class PscEdges {
 public:
  explicit PscEdges(const ExecutionGraph& graph) : graph_(graph) {
    for_each_event(graph, [&](EventId id, const GraphEvent& event) {
      if (event.order != kSeqCst) return;
      if (is_access(event) || event.kind == GraphKind::kFence) {
        events_.push_back(id);
        has_fences_ |= event.kind == GraphKind::kFence;
      }
    });
  }

  bool are_acyclic() {
    if (events_.size() < 2) return true;
    if (has_fences_) find_bounds();
    Edges edges(events_.size());
    for (std::size_t a = 0; a < events_.size(); ++a) {
      for (std::size_t b = 0; b < events_.size(); ++b) {
        if (a != b && is_edge(a, b)) edges.add(a, b);
      }
    }
    return edges.are_acyclic();
  }

 private:
  using Key = std::uint32_t;
  static constexpr Key kNoKey = std::numeric_limits<Key>::max();

  Key key_of(const GraphEvent& event) const { return graph_.eco_key(event); }
  bool is_fence(std::size_t number) const {
    return graph_[events_[number]].kind == GraphKind::kFence;
  }
  bool hb(EventId a, EventId b) const { return graph_.hb(a, b); }
  bool hb_or_same(EventId a, EventId b) const { return a == b || hb(a, b); }

  // What comes before and after fences along hb, by location.
  struct Bounds {
    Key least_after = kNoKey;
    Key most_before = 0;
    Key most_written_before = 0;
  };
  void find_bounds() {
    bounds_.resize(events_.size() * graph_.locations());
    for_each_event(graph_, [&](EventId id, const GraphEvent& event) {
      if (!is_access(event) || event.blocked) return;
      const Key key = key_of(event);
      for (std::size_t i = 0; i < events_.size(); ++i) {
        if (!is_fence(i)) continue;
        Bounds& bounds = bounds_of(i, event.location);
        if (hb(events_[i], id)) {
          bounds.least_after = std::min(bounds.least_after, key);
        }
        if (!hb(id, events_[i])) continue;
        bounds.most_before = std::max(bounds.most_before, key);
        if (event.kind != GraphKind::kWrite) continue;
        bounds.most_written_before = std::max(bounds.most_written_before, key);
      }
    });
  }
  Bounds& bounds_of(std::size_t number, std::size_t location) {
    return bounds_[number * graph_.locations() + location];
  }

  // [LahavEtAl17]: psc_base or psc_F leads from a to b.
  bool is_edge(std::size_t a, std::size_t b) {
    if (is_fence(a)) {
      return is_fence(b) ? fence_to_fence(a, b) : fence_to_access(a, b);
    }
    return is_fence(b) ? access_to_fence(a, b) : access_to_access(a, b);
  }

  bool fence_to_fence(std::size_t a, std::size_t b) {
    if (hb(events_[a], events_[b])) return true;
    for (std::size_t l = 0; l < graph_.locations(); ++l) {
      const Key least = bounds_of(a, l).least_after;
      if (least != kNoKey && bounds_of(b, l).most_before > least) return true;
    }
    return false;
  }

  bool fence_to_access(std::size_t a, std::size_t b) {
    const EventId to = events_[b];
    const GraphEvent& event = graph_[to];
    if (event.kind == GraphKind::kWrite &&
        bounds_of(a, event.location).least_after < key_of(event)) {
      return true;
    }
    if (to.index > 0 && hb_or_same(events_[a], before(to))) return true;
    return any_between(events_[a], to, event.location);
  }

  bool access_to_fence(std::size_t a, std::size_t b) {
    const EventId from = events_[a];
    const GraphEvent& event = graph_[from];
    if (bounds_of(b, event.location).most_written_before > key_of(event)) {
      return true;
    }
    if (from.index + 1u < graph_.size(from.thread) &&
        hb_or_same(after(from), events_[b])) {
      return true;
    }
    return any_between(from, events_[b], event.location);
  }

  // Is there an access of the location that follows a and that b follows?
  bool any_between(EventId a, EventId b, std::uint32_t location) const {
    const GraphLocation& place = graph_.location(location);
    const auto between = [&](EventId id) { return hb(a, id) && hb(id, b); };
    return std::any_of(place.reads.begin(), place.reads.end(), between) ||
           std::any_of(place.writes.begin(), place.writes.end(), between);
  }

  bool access_to_access(std::size_t a, std::size_t b) const {
    const EventId from = events_[a], to = events_[b];
    const GraphEvent& first = graph_[from];
    const GraphEvent& second = graph_[to];
    if (from.thread == to.thread) return from.index < to.index;
    if (first.location == second.location) {
      if (hb(from, to)) return true;
      if (second.kind == GraphKind::kWrite && key_of(first) < key_of(second)) {
        return true;
      }
    }
    // po, hb, po, where each po goes to another location.
    EventId c = from, d = to;
    do {
      if (++c.index >= graph_.size(c.thread)) return false;
    } while (same_location(graph_[c], first));
    do {
      if (d.index-- == 0) return false;
    } while (same_location(graph_[d], second));
    return hb(c, d);
  }
  static bool same_location(const GraphEvent& a, const GraphEvent& b) {
    return is_access(a) && a.location == b.location;
  }

  const ExecutionGraph& graph_;
  std::vector<EventId> events_;
  std::vector<Bounds> bounds_;
  bool has_fences_ = false;
};

// All that has a lock prefix empties the store buffer, a compare-exchange that
// fails included; and stores of seq_cst are exchanges.  A thread that is joined
// has emptied its own; who joins it looks only.
OnX86 on_x86(const ExecutionGraph& graph, EventId id) {
  const GraphEvent& event = graph[id];
  switch (event.kind) {
    case GraphKind::kRead: {
      const ReadLabel& label = event.label;
      const bool is_locked = label.updates != Updates::kNever &&
                             label.on_x86 == OnX86::kLocked &&
                             (event.exclusive || !label.is_sync);
      return is_locked ? OnX86::kLocked : OnX86::kLoad;
    }
    case GraphKind::kWrite:
      if (event.exclusive) return graph[before(id)].label.on_x86;
      return event.order == kSeqCst ? OnX86::kLocked : OnX86::kStore;
    case GraphKind::kJoin:
      return OnX86::kLoad;
    default:
      return OnX86::kLocked;
  }
}

// x86-TSO [OwensEtAl09] as axioms: what a thread does stays in order, but for
// stores and later loads with nothing between them that empties the buffer.
class TsoEdges {
 public:
  explicit TsoEdges(const ExecutionGraph& graph, std::size_t from_outside = 0)
      : graph_(graph),
        number_(graph),
        edges_(number_.size() + from_outside),
        between_(number_.size()) {
    for (std::size_t t = 0; t < graph.threads(); ++t) add_thread(t);
    for_each_event(graph, [&](EventId id, const GraphEvent& event) {
      if (event.kind == GraphKind::kRead && !event.blocked) {
        add_read(id, event);
      } else if (event.kind == GraphKind::kWrite) {
        add_next(id, event.location, event.place);
      } else if (event.kind == GraphKind::kSpawn) {
        add_spawn(id, event.choice);
      } else if (event.kind == GraphKind::kJoin) {
        add_join(id, event.choice);
      }
    });
  }
  bool are_acyclic() { return edges_.are_acyclic(); }

  // All that is done up to `from` is there for all, all from `to` on sees it.
  void add_from_outside(EventId from, EventId to) {
    const std::size_t between = between_++;
    for (EventId id = {from.thread, 0}; id.index <= from.index; ++id.index) {
      edges_.add(number_(id), between);
    }
    for (EventId id = to; id.index < graph_.size(to.thread); ++id.index) {
      edges_.add(between, number_(id));
    }
  }

 private:
  // From each event to the next that it is kept before; transitively, that is
  // all of them.
  void add_thread(std::size_t t) {
    const auto thread = static_cast<std::uint16_t>(t);
    for (std::uint16_t i = 0; i < graph_.size(t); ++i) {
      const EventId id = {thread, i};
      if (is_nothing(id)) continue;
      for (EventId next = after(id); next.index < graph_.size(t);
           ++next.index) {
        if (is_nothing(next)) continue;
        if (is_store(id) && is_load(next)) continue;
        edges_.add(number_(id), number_(next));
        // A store does not lead on to what is loaded after it.
        if (is_store(id) || !is_store(next)) break;
      }
    }
  }
  // Its first stores, and what they do not lead on to.
  void add_spawn(EventId spawn, std::uint16_t child) {
    if (child >= graph_.threads()) return;
    for (EventId id = {child, 0}; id.index < graph_.size(child); ++id.index) {
      edges_.add(number_(spawn), number_(id));
      if (!is_nothing(id) && !is_store(id)) return;
    }
  }
  // Its last loads, and what does not lead on to them.
  void add_join(EventId join, std::uint16_t child) {
    if (child >= graph_.threads()) return;
    for (std::size_t i = graph_.size(child); i-- > 0;) {
      const EventId id = {child, static_cast<std::uint16_t>(i)};
      edges_.add(number_(id), number_(join));
      if (!is_nothing(id) && !is_load(id)) return;
    }
  }
  bool is_store(EventId id) const {
    return on_x86(graph_, id) == OnX86::kStore;
  }
  bool is_load(EventId id) const { return on_x86(graph_, id) == OnX86::kLoad; }
  // Fences that are weaker than seq_cst are no instructions.
  bool is_nothing(EventId id) const {
    const GraphEvent& event = graph_[id];
    return (event.kind == GraphKind::kFence && event.order != kSeqCst) ||
           event.kind == GraphKind::kChoice;
  }
  void add_read(EventId id, const GraphEvent& event) {
    if (event.source != kInitially && event.source.thread != id.thread) {
      edges_.add(number_(event.source), number_(id));
    }
    add_next(id, event.location, graph_.place_of(event.source));
  }
  // mo, and from-read.
  void add_next(EventId id, std::uint32_t location, std::size_t place) {
    if (place >= graph_.location(location).writes.size()) return;
    const EventId next = graph_.write_at(location, place + 1);
    if (next != id) edges_.add(number_(id), number_(next));
  }

  const ExecutionGraph& graph_;
  Numbers number_;
  Edges edges_;
  std::size_t between_;  // the next edge from outside
};

}  // namespace

bool ExecutionGraph::is_sc() const {
  return ScMachine(*this).takes_all();
}

bool ExecutionGraph::is_tso() const {
  return TsoEdges(*this).are_acyclic();
}

// We write psc = ([E] + [F];hb?) ; scb ; ([E] + hb?;[F]) + [F];(hb +
// hb;eco;hb);[F] with scb = po + po;hb;po (of other locations) + hb (of the
// same one) + mo + fr, where E are accesses and F fences of seq_cst, as
// questions to the clocks of pairs.
bool ExecutionGraph::is_psc_acyclic() const {
  return PscEdges(*this).are_acyclic();
}

// What happens before `from` would happen before all that follows `to`: it
// must not know more of a location.
bool ExecutionGraph::is_coherent_with(EventId from, EventId to) const {
  const Past& before = (*this)[from].hb;
  std::vector<std::uint32_t> most(locations_.size(), 0);
  for (std::size_t l = 0; l < locations_.size(); ++l) {
    const auto look = [&](EventId id) {
      const GraphEvent& event = (*this)[id];
      if (event.blocked || !before.contains(id)) return;
      most[l] = std::max(most[l], eco_key(event));
    };
    for (const EventId id : locations_[l].writes) look(id);
    for (const EventId id : locations_[l].reads) look(id);
  }
  for (std::size_t l = 0; l < locations_.size(); ++l) {
    const auto knows_less = [&](EventId id) {
      return (id == to || hb(to, id)) && !(*this)[id].blocked &&
             eco_key((*this)[id]) < most[l];
    };
    const GraphLocation& location = locations_[l];
    if (std::any_of(location.writes.begin(), location.writes.end(),
                    knows_less) ||
        std::any_of(location.reads.begin(), location.reads.end(), knows_less)) {
      return false;
    }
  }
  return true;
}

bool ExecutionGraph::allows(MemoryModel model, EventId from, EventId to) const {
  if ((*this)[from].porf.contains(to)) return false;
  if ((*this)[to].hb.contains(from)) return true;
  const bool is_sc_order = (*this)[order_.back()].along_order &&
                           (*this)[from].rank < (*this)[to].rank;
  if (is_sc_order) return true;
  if (!is_coherent_with(from, to)) return false;
  if (model == MemoryModel::kSc) return ScMachine(*this, from, to).takes_all();
  if (model == MemoryModel::kTso) {
    TsoEdges edges(*this, 1);
    edges.add_from_outside(from, to);
    return edges.are_acyclic();
  }
  if (!has_seq_cst()) return true;
  ExecutionGraph with = *this;
  for (const EventId id : order_) {
    if (id == to || hb(to, id)) with[id].hb.join((*this)[from].hb);
  }
  return with.is_psc_acyclic();
}

// Does nothing that happens before an access know more of its location?
bool ExecutionGraph::is_coherent() const {
  for (const GraphLocation& location : locations_) {
    std::vector<EventId> all = location.writes;
    all.insert(all.end(), location.reads.begin(), location.reads.end());
    for (const EventId a : all) {
      for (const EventId b : all) {
        const GraphEvent &first = (*this)[a], &second = (*this)[b];
        if (first.blocked || second.blocked || !hb(a, b)) continue;
        if (eco_key(second) < eco_key(first)) return false;
      }
    }
  }
  return true;
}

bool ExecutionGraph::allows_all(MemoryModel model,
                                const std::vector<OutsideEdge>& edges) const {
  assert(model != MemoryModel::kSc);
  ExecutionGraph with = *this;
  // Each round takes what is known one edge further.
  for (std::size_t round = 0; round < edges.size(); ++round) {
    for (const auto& [from, to] : edges) {
      const Past porf = with[from].porf, hb = with[from].hb;
      if (porf.contains(to)) return false;
      for (const EventId id : order_) {
        const bool follows_in_hb = id == to || with.hb(to, id);
        if (follows_in_hb) with[id].hb.join(hb);
        if (id == to || with[id].porf.contains(to)) with[id].porf.join(porf);
      }
    }
  }
  if (!with.is_coherent()) return false;
  if (model == MemoryModel::kRc11) return with.is_psc_acyclic();
  TsoEdges all(*this, edges.size());
  for (const auto& [from, to] : edges) all.add_from_outside(from, to);
  return all.are_acyclic();
}

bool ExecutionGraph::has_seq_cst() const {
  return std::any_of(order_.begin(), order_.end(),
                     [&](EventId id) { return (*this)[id].order == kSeqCst; });
}

bool ExecutionGraph::is_consistent(MemoryModel model) const {
  switch (model) {
    case MemoryModel::kSc:
      return is_sc();
    case MemoryModel::kTso:
      return is_tso();
    case MemoryModel::kRc11:
      return is_psc_acyclic();
  }
  return false;
}

}  // namespace plumb::sched
