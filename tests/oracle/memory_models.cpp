// SPDX-License-Identifier: Apache-2.0
#include "oracle/memory_models.h"

#include <algorithm>
#include <functional>

namespace plumb::oracle {

namespace {

// A set of pairs of events.
class Relation {
 public:
  explicit Relation(std::size_t size) : rows_(size) {}
  void add(std::size_t a, std::size_t b) { rows_[a] |= bit(b); }
  bool has(std::size_t a, std::size_t b) const {
    return (rows_[a] & bit(b)) != 0;
  }
  std::size_t size() const { return rows_.size(); }

  Relation operator|(const Relation& other) const {
    Relation out = *this;
    for (std::size_t i = 0; i < size(); ++i) out.rows_[i] |= other.rows_[i];
    return out;
  }
  // First this, then the other.
  Relation then(const Relation& other) const {
    Relation out(size());
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < size(); ++j) {
        if (has(i, j)) out.rows_[i] |= other.rows_[j];
      }
    }
    return out;
  }
  Relation closed() const {
    Relation out = *this;
    for (std::size_t k = 0; k < size(); ++k) {
      for (std::size_t i = 0; i < size(); ++i) {
        if (out.has(i, k)) out.rows_[i] |= out.rows_[k];
      }
    }
    return out;
  }
  Relation or_same() const {
    Relation out = *this;
    for (std::size_t i = 0; i < size(); ++i) out.add(i, i);
    return out;
  }
  Relation inverse() const {
    return where([this](std::size_t a, std::size_t b) { return has(b, a); });
  }
  Relation where(
      const std::function<bool(std::size_t, std::size_t)>& keep) const {
    Relation out(size());
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < size(); ++j) {
        if (keep(i, j)) out.add(i, j);
      }
    }
    return out;
  }
  bool is_irreflexive() const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (has(i, i)) return false;
    }
    return true;
  }
  bool is_acyclic() const { return closed().is_irreflexive(); }

 private:
  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }
  std::vector<std::uint64_t> rows_;
};

bool acquires(int order) {
  return order == 2 || order == 4 || order == 5;
}
bool releases(int order) {
  return order == 3 || order == 4 || order == 5;
}

struct Relations {
  explicit Relations(const WeakGraph& graph)
      : events(graph.events), n(events.size()), po(n), rf(n), mo(n), extra(n) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        const bool first = events[a].thread == -1 && events[b].thread != -1;
        const bool same = events[a].thread == events[b].thread &&
                          events[a].thread != -1 &&
                          events[a].number < events[b].number;
        if (first || same) po.add(a, b);
      }
      if (events[a].reads)
        rf.add(static_cast<std::size_t>(events[a].source), a);
    }
    for (const auto& writes : graph.mo) {
      for (std::size_t i = 0; i < writes.size(); ++i) {
        for (std::size_t j = i + 1; j < writes.size(); ++j) {
          mo.add(static_cast<std::size_t>(writes[i]),
                 static_cast<std::size_t>(writes[j]));
        }
      }
    }
    for (const auto& [a, b] : graph.extra) {
      extra.add(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
    }
  }

  bool same_location(std::size_t a, std::size_t b) const {
    return events[a].location >= 0 && events[a].location == events[b].location;
  }
  Relation fr() const {
    const Relation all = rf.inverse().then(mo);
    return all.where(
        [&](std::size_t a, std::size_t b) { return a != b && all.has(a, b); });
  }
  // Nothing comes between what an update reads and what it writes.
  bool are_updates_atomic() const {
    const Relation between = fr().then(mo);
    for (std::size_t i = 0; i < n; ++i) {
      if (events[i].reads && events[i].writes && between.has(i, i)) {
        return false;
      }
    }
    return true;
  }
  Relation synchronises() const;
  Relation hb() const { return (po | synchronises() | extra).closed(); }

  const std::vector<WeakEvent>& events;
  std::size_t n;
  Relation po, rf, mo, extra;
};

Relation Relations::synchronises() const {
  const Relation update_reads = rf.where([&](std::size_t a, std::size_t b) {
    return rf.has(a, b) && events[b].reads && events[b].writes;
  });
  const Relation sequence = update_reads.closed().or_same();
  const Relation readers = sequence.then(rf);
  Relation out(n);
  for (std::size_t w = 0; w < n; ++w) {
    if (!events[w].writes || events[w].thread < 0) continue;
    for (std::size_t r = 0; r < n; ++r) {
      if (!readers.has(w, r)) continue;
      std::vector<std::size_t> from, to;
      if (releases(events[w].order)) from.push_back(w);
      if (acquires(events[r].order)) to.push_back(r);
      for (std::size_t f = 0; f < n; ++f) {
        if (!events[f].fence) continue;
        if (releases(events[f].order) && po.has(f, w)) from.push_back(f);
        if (acquires(events[f].order) && po.has(r, f)) to.push_back(f);
      }
      for (const std::size_t a : from) {
        for (const std::size_t b : to) out.add(a, b);
      }
    }
  }
  return out;
}

bool is_sc(const Relations& g) {
  return g.are_updates_atomic() &&
         (g.po | g.rf | g.mo | g.fr() | g.extra).is_acyclic();
}

bool is_tso(const Relations& g) {
  const auto on_one_location = g.po.where([&](std::size_t a, std::size_t b) {
    return g.po.has(a, b) && g.same_location(a, b);
  });
  if (!g.are_updates_atomic()) return false;
  if (!(on_one_location | g.rf | g.mo | g.fr()).is_acyclic()) return false;
  // Who synchronises from outside stores something at the end of a call that
  // is loaded at the beginning of another one.
  const auto is_source = [&](std::size_t i) {
    for (std::size_t j = 0; j < g.n; ++j) {
      if (g.extra.has(i, j)) return true;
    }
    return false;
  };
  const auto is_target = [&](std::size_t i) {
    for (std::size_t j = 0; j < g.n; ++j) {
      if (g.extra.has(j, i)) return true;
    }
    return false;
  };
  const auto empties = [&](std::size_t i) {
    const WeakEvent& event = g.events[i];
    return event.locked || (event.fence && event.order == 5);
  };
  const auto is_nothing = [&](std::size_t i) {
    return (g.events[i].fence && g.events[i].order != 5) ||
           (g.events[i].marks && !is_source(i) && !is_target(i));
  };
  const auto is_store = [&](std::size_t i) {
    const WeakEvent& event = g.events[i];
    return (event.writes && !empties(i) && event.order != 5) || is_source(i);
  };
  const auto is_load = [&](std::size_t i) {
    // Who gives back a lock knows what it reads: it only stores.
    const WeakEvent& event = g.events[i];
    return (event.reads && !event.writes && !empties(i)) || is_target(i);
  };
  const Relation kept = g.po.where([&](std::size_t a, std::size_t b) {
    if (!g.po.has(a, b) || is_nothing(a) || is_nothing(b)) return false;
    if (!is_store(a) || !is_load(b)) return true;
    for (std::size_t c = 0; c < g.n; ++c) {
      if (empties(c) && g.po.has(a, c) && g.po.has(c, b)) return true;
    }
    return false;
  });
  const Relation from_others = g.rf.where([&](std::size_t a, std::size_t b) {
    return g.rf.has(a, b) && g.events[a].thread != g.events[b].thread;
  });
  return (kept | from_others | g.mo | g.fr() | g.extra).is_acyclic();
}

bool is_rc11(const Relations& g) {
  const Relation hb = g.hb(), fr = g.fr();
  const Relation eco = (g.rf | g.mo | fr).closed();
  if (!hb.then(eco.or_same()).is_irreflexive()) return false;
  if (!g.are_updates_atomic()) return false;
  if (!(g.po | g.rf | g.extra).is_acyclic()) return false;
  const auto is_access = [&](std::size_t i) {
    return g.events[i].order == 5 && !g.events[i].fence;
  };
  const auto is_fence = [&](std::size_t i) {
    return g.events[i].order == 5 && g.events[i].fence;
  };
  const Relation elsewhere = g.po.where([&](std::size_t a, std::size_t b) {
    return g.po.has(a, b) && !g.same_location(a, b);
  });
  const Relation here = hb.where([&](std::size_t a, std::size_t b) {
    return hb.has(a, b) && g.same_location(a, b);
  });
  const Relation scb =
      g.po | elsewhere.then(hb).then(elsewhere) | here | g.mo | fr;
  const Relation left = hb.where([&](std::size_t a, std::size_t b) {
    return (a == b && (is_access(a) || is_fence(a))) ||
           (is_fence(a) && hb.has(a, b));
  });
  const Relation right = hb.where([&](std::size_t a, std::size_t b) {
    return (a == b && (is_access(a) || is_fence(a))) ||
           (is_fence(b) && hb.has(a, b));
  });
  const Relation around = hb | hb.then(eco).then(hb);
  const Relation fences = around.where([&](std::size_t a, std::size_t b) {
    return is_fence(a) && is_fence(b) && around.has(a, b);
  });
  return (left.then(scb).then(right) | fences).is_acyclic();
}

// Adds events in every way.
class Enumeration {
 public:
  Enumeration(const WeakProgram& program, int locations, Axioms axioms)
      : program_(program), axioms_(axioms) {
    State start;
    start.at.assign(program.size(), 0);
    start.done.assign(program.size(), 0);
    start.graph.mo.resize(static_cast<std::size_t>(locations));
    for (int l = 0; l < locations; ++l) {
      WeakEvent first;
      first.writes = true;
      first.location = l;
      start.graph.mo[static_cast<std::size_t>(l)].push_back(l);
      start.graph.events.push_back(first);
    }
    for (std::size_t t = 0; t < program.size(); ++t) {
      if (program[t].empty()) start.at[t] = -1;
    }
    visit(start);
  }
  WeakGraphs found;

 private:
  struct State {
    std::vector<int> at, done;
    WeakGraph graph;
  };

  void visit(const State& state) {
    if (!seen_.insert(text_of(state.graph)).second) return;
    bool moves = false, ended = true;
    for (std::size_t t = 0; t < program_.size(); ++t) {
      if (state.at[t] < 0) continue;
      ended = false;
      moves |= step(state, t);
    }
    if (ended) {
      found.complete.insert(text_of(state.graph));
      found.outcomes.insert(outcome_of(state.graph));
    }
    if (!ended && !moves) found.stuck.insert(text_of(state.graph));
  }

  const WeakStep& step_of(const State& state, std::size_t t) const {
    return program_[t][static_cast<std::size_t>(state.at[t])];
  }

  // Returns false if the thread has to wait.
  bool step(const State& state, std::size_t t) {
    const WeakStep& step = step_of(state, t);
    WeakEvent event;
    event.thread = static_cast<int>(t);
    event.number = state.done[t];
    event.order = step.order;
    if (step.what == WeakStep::Do::kFence) {
      event.fence = true;
      go_on(state, event, 0, 0);
      return true;
    }
    event.location = step.location;
    const auto& writes =
        state.graph.mo[static_cast<std::size_t>(step.location)];
    if (step.what == WeakStep::Do::kStore) {
      event.writes = true;
      event.value = step.value;
      for (std::size_t p = 1; p <= writes.size(); ++p)
        go_on(state, event, p, 0);
      return true;
    }
    event.reads = true;
    event.locked =
        step.what != WeakStep::Do::kLoad && step.what != WeakStep::Do::kUnlock;
    bool moves = false;
    for (std::size_t p = 0; p < writes.size(); ++p) {
      event.source = writes[p];
      const int found_value =
          state.graph.events[static_cast<std::size_t>(writes[p])].value;
      const bool waits = step.what == WeakStep::Do::kLock && found_value != 0;
      if (waits) continue;
      moves |= go_on_reading(state, event, step, found_value, p);
    }
    return moves;
  }

  bool go_on_reading(const State& state, WeakEvent event, const WeakStep& step,
                     int value, std::size_t place) {
    using Do = WeakStep::Do;
    event.writes = step.what == Do::kAdd || step.what == Do::kLock ||
                   step.what == Do::kUnlock ||
                   (step.what == Do::kCas && value == step.expected);
    event.value = step.value;
    if (step.what == Do::kAdd) event.value = value + step.value;
    if (step.what == Do::kLock) event.value = 1;
    if (step.what == Do::kUnlock) event.value = 0;
    if (step.what == Do::kLock) event.order = 2;
    if (step.what == Do::kUnlock) event.order = 3;
    if (step.what == Do::kCas && !event.writes) event.order = step.failure;
    return go_on(state, event, place + 1, value);
  }

  bool go_on(const State& state, const WeakEvent& event, std::size_t place,
             int value) {
    State next = state;
    const auto t = static_cast<std::size_t>(event.thread);
    if (event.writes) {
      auto& writes = next.graph.mo[static_cast<std::size_t>(event.location)];
      writes.insert(writes.begin() + static_cast<std::ptrdiff_t>(place),
                    static_cast<int>(next.graph.events.size()));
    }
    next.graph.events.push_back(event);
    if (!satisfies(next.graph, axioms_)) return false;
    next.at[t] = step_of(state, t).next[value % 2];
    ++next.done[t];
    visit(next);
    return true;
  }

  std::vector<std::vector<int>> outcome_of(const WeakGraph& graph) const {
    std::vector<std::vector<int>> outcome(program_.size() + 1);
    const auto value_of = [&](int event) {
      return graph.events[static_cast<std::size_t>(event)].value;
    };
    for (const WeakEvent& e : graph.events) {
      if (!e.reads) continue;
      outcome[static_cast<std::size_t>(e.thread)].push_back(value_of(e.source));
    }
    for (const auto& writes : graph.mo) {
      outcome.back().push_back(value_of(writes.back()));
    }
    return outcome;
  }

  static std::string name_of(const WeakGraph& graph, int event) {
    const WeakEvent& e = graph.events[static_cast<std::size_t>(event)];
    if (e.thread < 0) return "-";
    return std::to_string(e.thread) + '.' + std::to_string(e.number);
  }
  static std::string text_of(const WeakGraph& graph) {
    std::set<std::string> lines;
    for (std::size_t i = 0; i < graph.events.size(); ++i) {
      const WeakEvent& e = graph.events[i];
      if (e.thread < 0) continue;
      std::string line = name_of(graph, static_cast<int>(i));
      if (e.reads) line += " reads " + name_of(graph, e.source);
      if (e.writes) line += " writes";
      lines.insert(line);
    }
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    for (const auto& writes : graph.mo) {
      for (const int write : writes) text += name_of(graph, write) + ' ';
      text += '\n';
    }
    return text;
  }

  const WeakProgram& program_;
  const Axioms axioms_;
  std::set<std::string> seen_;
};

}  // namespace

bool satisfies(const WeakGraph& graph, Axioms axioms) {
  const Relations relations(graph);
  switch (axioms) {
    case Axioms::kSc:
      return is_sc(relations);
    case Axioms::kTso:
      return is_tso(relations);
    case Axioms::kRc11:
      return is_rc11(relations);
  }
  return false;
}

WeakGraphs all_graphs(const WeakProgram& program, int locations,
                      Axioms axioms) {
  return Enumeration(program, locations, axioms).found;
}

}  // namespace plumb::oracle
