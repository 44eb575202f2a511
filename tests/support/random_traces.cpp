// SPDX-License-Identifier: Apache-2.0
#include "support/random_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "support/random_histories.h"

namespace plumb::testing {

namespace {

using harness::CallTrace;
using harness::first_end;
using harness::last_end;

struct Access {
  std::size_t call;
  std::uint32_t thread;
  std::uint32_t variable;
  bool writes;
};

// The accesses of each thread, in program order.
std::vector<std::vector<Access>> random_accesses(std::mt19937& random,
                                                 const CallTrace& trace,
                                                 const TraceShape& shape) {
  std::vector<std::vector<Access>> out(shape.threads);
  for (std::size_t i = 0; i < trace.size; ++i) {
    const std::uint32_t thread = trace.thread[i] - 1u;
    const std::uint32_t count = below(random, shape.events + 1);
    for (std::uint32_t k = 0; k < count; ++k) {
      out[thread].push_back(
          {i, thread, below(random, shape.variables), below(random, 2) == 0});
    }
  }
  return out;
}

std::vector<Access> interleaved(std::mt19937& random,
                                std::vector<std::vector<Access>> threads) {
  std::vector<Access> out;
  for (;;) {
    std::vector<std::size_t> left;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      if (!threads[t].empty()) left.push_back(t);
    }
    if (left.empty()) return out;
    auto& thread =
        threads[left[below(random, static_cast<std::uint32_t>(left.size()))]];
    out.push_back(thread.front());
    thread.erase(thread.begin());
  }
}

bool dependent(const Access& a, const Access& b) {
  return a.thread == b.thread ||
         (a.variable == b.variable && (a.writes || b.writes));
}

// The ends whose access happens before each end's.
void order_ends(CallTrace& trace, const std::vector<Access>& run) {
  // Of each access, the ends that happen before it or are it.
  std::vector<std::uint64_t> past(run.size());
  for (std::size_t k = 0; k < run.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      if (dependent(run[j], run[k])) past[k] |= past[j];
    }
    const std::size_t call = run[k].call;
    const auto same_call = [&](const Access& a) { return a.call == call; };
    const auto here = run.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::none_of(run.begin(), here, same_call)) {
      trace.before[2 * call] |= past[k];
      past[k] |= first_end(call);
    }
    if (std::none_of(here + 1, run.end(), same_call)) {
      trace.before[2 * call + 1] |= past[k];
      past[k] |= last_end(call);
    }
  }
}

bool keeps_order(const CallTrace& trace, std::uint64_t done, std::size_t end) {
  return (trace.before[end] & ~done) == 0;
}

void extend(
    const CallTrace& trace, std::uint64_t done, std::uint64_t left,
    std::vector<std::uint8_t>& ends,
    const std::function<void(const std::vector<std::uint8_t>&)>& visit) {
  if (left == 0) return visit(ends);
  for (std::size_t end = 0; end < 2 * trace.size; ++end) {
    const std::uint64_t bit = std::uint64_t{1} << end;
    if ((left & bit) == 0 || !keeps_order(trace, done, end)) continue;
    ends.push_back(static_cast<std::uint8_t>(end));
    extend(trace, done | bit, left & ~bit, ends, visit);
    ends.pop_back();
  }
}

// The last ends of pending calls count as done, so that nobody waits for them.
std::uint64_t never(const CallTrace& trace) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < trace.size; ++i) {
    if (trace.is_pending(i)) out |= last_end(i);
  }
  return out;
}

std::uint64_t all_ends(const CallTrace& trace) {
  return trace.size == 32 ? ~std::uint64_t{0}
                          : (std::uint64_t{1} << (2 * trace.size)) - 1;
}

// What the call gives, if it does not block.
std::optional<Value> run(const spec::Specification& object, spec::State& state,
                         const spec::Call& call) {
  std::vector<spec::Outcome> outcomes;
  object.apply(state, call, outcomes);
  if (outcomes.empty()) return std::nullopt;
  state = outcomes[0].next;
  return outcomes[0].result;
}

void add_solo(std::vector<harness::SoloCall>& solo, std::uint32_t count,
              const std::function<std::uint16_t()>& some_call,
              const std::vector<spec::Call>& calls,
              const spec::Specification& object, spec::State& state) {
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint16_t call = some_call();
    const auto result = run(object, state, calls[call]);
    if (result) solo.push_back({call, false, *result});
  }
}

// The results of two calls that are alike.
void exchange(CallTrace& trace, std::mt19937& random) {
  const std::size_t i = below(random, trace.size);
  const std::size_t j = below(random, trace.size);
  if (trace.call[i] == trace.call[j]) {
    std::swap(trace.result[i], trace.result[j]);
  }
}

}  // namespace

CallTrace random_trace(std::mt19937& random, const TraceShape& shape) {
  CallTrace trace;
  trace.size = shape.calls;
  trace.before.fill(0);
  for (std::size_t i = 0; i < shape.calls; ++i) {
    trace.call[i] = 0;
    trace.thread[i] =
        static_cast<std::uint8_t>(1 + below(random, shape.threads));
  }
  std::sort(trace.thread.begin(), trace.thread.begin() + shape.calls);
  for (std::size_t i = 0; i < shape.calls; ++i) {
    const bool last =
        i + 1 == shape.calls || trace.thread[i] != trace.thread[i + 1];
    if (last && below(random, 100) < shape.pending) {
      trace.pending |= 1u << i;
    }
  }
  order_ends(trace, interleaved(random, random_accesses(random, trace, shape)));
  close_order(trace);
  return trace;
}

void give_results(CallTrace& trace, std::mt19937& random,
                  const std::vector<spec::Call>& calls,
                  const spec::Specification& object) {
  spec::State state = object.initial();
  const auto some_call = [&] {
    return static_cast<std::uint16_t>(
        below(random, static_cast<std::uint32_t>(calls.size())));
  };
  add_solo(trace.first, below(random, 6) == 0 ? 1 : 0, some_call, calls, object,
           state);
  std::uint64_t done = 0;
  for (std::uint32_t left = trace.size; left > 0;) {
    const std::size_t i = below(random, trace.size);
    if ((done & first_end(i)) != 0) continue;
    if ((trace.before[2 * i] & ~done & 0x5555555555555555) != 0) continue;
    done |= first_end(i);
    --left;
    trace.call[i] = some_call();
    const auto result = run(object, state, calls[trace.call[i]]);
    if (result) {
      trace.result[i] = *result;
    } else if (!trace.is_pending(i)) {
      trace.call[i] = some_call();  // perhaps it returned though it blocks
      trace.result[i] =
          run(object, state, calls[trace.call[i]]).value_or(Value());
    }
  }
  add_solo(trace.after, below(random, 6) == 0 ? 1 + below(random, 2) : 0,
           some_call, calls, object, state);
  if (trace.size > 0 && below(random, 3) == 0) exchange(trace, random);
}

void for_each_order(
    const CallTrace& trace,
    const std::function<void(const std::vector<std::uint8_t>&)>& visit) {
  std::vector<std::uint8_t> ends;
  const std::uint64_t missing = never(trace);
  extend(trace, missing, all_ends(trace) & ~missing, ends, visit);
}

std::string describe(const CallTrace& trace) {
  std::string out;
  for (std::size_t i = 0; i < trace.size; ++i) {
    out += fmt::format(
        "call {} (number {}) of T{}: {}, ends after {:x} {:x}\n", i,
        trace.call[i], trace.thread[i],
        trace.is_pending(i) ? "pending" : trace.result[i].to_string(),
        trace.before[2 * i], trace.before[2 * i + 1]);
  }
  return out;
}

}  // namespace plumb::testing
