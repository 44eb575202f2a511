// SPDX-License-Identifier: Apache-2.0
#include "harness/run_program.h"

#include <fmt/format.h>

#include "harness/given.h"

namespace plumb::harness {

ProgramRun::Listener ProgramRun::listener = nullptr;

namespace {

// What calls under test give, by thread.
Given collected[sched::kMaxThreads];

}  // namespace

ProgramRun::ProgramRun(const test::Case& test, const Program& program)
    : test_(test) {
  const auto add = [](std::vector<Record>& to, int call, std::size_t thread) {
    Record record;
    record.call = static_cast<std::uint16_t>(call);
    record.thread = static_cast<std::uint8_t>(thread);
    to.push_back(record);
  };
  for (const int call : program.before) add(before_, call, 0);
  for (const int call : program.after) add(after_, call, 0);
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    jobs_.push_back({this, calls_.size(), program.threads[t].size()});
    for (const int call : program.threads[t]) add(calls_, call, t + 1);
  }
  if (calls_.size() > kMaxCalls || jobs_.size() >= sched::kMaxThreads) {
    throw InputError(test.place(),
                     fmt::format("a program makes {} calls in {} threads",
                                 calls_.size(), jobs_.size()),
                     fmt::format("at most {} calls in {} threads can be judged",
                                 kMaxCalls, sched::kMaxThreads - 1));
  }
}

void ProgramRun::reset() {
  for (auto* records : {&before_, &calls_, &after_}) {
    for (Record& record : *records) {
      record.began = record.returned = false;
      record.span = runtime::Span{};
      record.result = Value();
    }
  }
}

void ProgramRun::make_call(Record& record) {
  const test::Action& action = *test_.calls[record.call].action;
  record.began = true;
  if (listener) {
    const runtime::OwnWork own;
    listener(record, false);
  }
  runtime::begin_span();
  Given& mine = collected[runtime::self()];
  mine.clear();
  action.run(object_);
  record.result = mine.value();
  record.span = runtime::span();
  record.returned = true;
  ++calls_returned;
  if (listener) {
    const runtime::OwnWork own;
    listener(record, true);
  }
}

void* ProgramRun::thread_main(void* argument) {
  const ThreadJob& job = *static_cast<ThreadJob*>(argument);
  for (std::size_t i = 0; i < job.count; ++i) {
    Record& record = job.run->calls_[job.first + i];
    job.run->make_call(record);
    seen.add(job.run->test_.calls[record.call].operation,
             record.span.touches || record.span.first != UINT32_MAX);
  }
  return nullptr;
}

void ProgramRun::run_all() {
  object_ = test_.object->make();
  for (Record& record : before_) make_call(record);
  for (ThreadJob& job : jobs_) runtime::spawn(thread_main, &job);
  runtime::wait_for_all();
  for (Record& record : after_) make_call(record);
  const std::uint64_t frees = runtime::heap().frees();
  test_.object->destroy(object_);
  last_frees_ += runtime::heap().frees() - frees;
}

void* ProgramRun::main(void* argument) {
  auto& run = *static_cast<ProgramRun*>(argument);
  run.reset();
  calls_returned = 0;
  find_given = []() -> Given& {
    return runtime::active ? collected[runtime::self()]
                           : given_of_this_thread();
  };
  code_under_test_runs = &runtime::active;
  threads = run.test_.body ? -1 : static_cast<int>(run.jobs_.size());
  if (run.test_.body) {
    run.test_.body->run();
  } else {
    run.run_all();
  }
  return nullptr;
}

std::uint64_t ProgramRun::given_by(sched::ThreadId thread) {
  return collected[thread].hash();
}

// One that never returned has its events so far.
runtime::Span ProgramRun::span_of(const Record& record) {
  return record.returned ? record.span : runtime::span_of(record.thread);
}

void ProgramRun::fill(CallTrace& calls, const sched::Trace* trace) const {
  calls.clear();
  for (const Record& record : before_) {
    if (!record.began) break;
    calls.first.push_back({record.call, !record.returned, record.result});
  }
  for (const Record& record : after_) {
    if (!record.began) break;
    calls.after.push_back({record.call, !record.returned, record.result});
  }
  std::uint32_t events[2 * kMaxCalls];  // by end; UINT32_MAX: none
  bool has_gaps = false;
  for (const Record& record : calls_) {
    if (!record.began) continue;
    const runtime::Span span = span_of(record);
    const std::size_t i = calls.size++;
    calls.call[i] = record.call;
    calls.thread[i] = record.thread;
    calls.result[i] = record.result;
    if (!record.returned) calls.pending |= 1u << i;
    const bool none = span.first == UINT32_MAX;
    has_gaps |= none;
    events[2 * i] = span.first;
    events[2 * i + 1] = none ? UINT32_MAX : span.last;
  }
  const std::size_t ends = 2 * calls.size;
  for (std::size_t a = 0; a < ends; ++a) {
    std::uint64_t before = 0;
    if (events[a] != UINT32_MAX) {
      const std::uint64_t* row = trace ? trace->before(events[a]) : nullptr;
      for (std::size_t b = 0; b < ends; ++b) {
        const std::uint32_t event = events[b];
        if (event == UINT32_MAX) continue;
        const std::uint64_t is_before =
            row ? row[event >> 6] >> (event & 63) & 1 : event < events[a];
        before |= is_before << b;
      }
    }
    if (a & 1) before |= std::uint64_t{1} << (a - 1);
    calls.before[a] = before;
  }
  if (has_gaps) close_order(calls);
}

}  // namespace plumb::harness
