// SPDX-License-Identifier: Apache-2.0
// The part that is compiled as tests are, with -fsanitize=thread.
#include "search/machine.h"

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "search/orders.h"
#include "search/weak_machine.h"

namespace plumb::search_test {
namespace {

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

struct Machine {
  std::atomic<int> cells[4] = {};
  std::mutex mutexes[2];
  int plain[2] = {};
  std::atomic<Node*> top{nullptr};
  std::atomic<Node*> head, tail;
  sem_t semaphores[2];
  pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
  std::condition_variable condition;
  bool is_told = false;
  pthread_barrier_t barrier;

  Machine() : head(new Node), tail(head.load()) {
    cells[3] = 1;  // so that some stores change nothing
    sem_init(&semaphores[0], 0, 0);
    sem_init(&semaphores[1], 0, 1);
    pthread_barrier_init(&barrier, nullptr, 2);
  }
};

Node* make_node(int value) {
  auto* node = new Node;
  node->value = value;
  return node;
}

// [Treiber86]
template <typename O>
void push(Machine& machine, int value) {
  Node* node = make_node(value);
  Node* top = machine.top.load(O::kLoad);
  do {
    node->next.store(top, O::kStore);
  } while (!machine.top.compare_exchange_strong(top, node, O::kBoth, O::kLoad));
}

template <typename O>
Node* pop(Machine& machine) {
  for (;;) {
    Node* top = machine.top.load(O::kLoad);
    if (top == nullptr) return nullptr;
    Node* next = top->next.load(O::kLoad);
    if (machine.top.compare_exchange_strong(top, next, O::kBoth, O::kLoad))
      return top;
  }
}

// [MichaelScott96]
template <typename O>
void enqueue(Machine& machine, int value) {
  Node* node = make_node(value);
  for (;;) {
    Node* tail = machine.tail.load(O::kLoad);
    Node* next = tail->next.load(O::kLoad);
    if (tail != machine.tail.load(O::kLoad)) continue;
    if (next != nullptr) {
      machine.tail.compare_exchange_strong(tail, next, O::kBoth, O::kLoad);
      continue;
    }
    if (!tail->next.compare_exchange_strong(next, node, O::kBoth, O::kLoad))
      continue;
    machine.tail.compare_exchange_strong(tail, node, O::kBoth, O::kLoad);
    return;
  }
}

template <typename O>
int dequeue(Machine& machine) {
  for (;;) {
    Node* head = machine.head.load(O::kLoad);
    Node* tail = machine.tail.load(O::kLoad);
    Node* next = head->next.load(O::kLoad);
    if (head != machine.head.load(O::kLoad)) continue;
    if (head == tail) {
      if (next == nullptr) return -1;
      machine.tail.compare_exchange_strong(tail, next, O::kBoth, O::kLoad);
      continue;
    }
    const int value = next->value;
    if (machine.head.compare_exchange_strong(head, next, O::kBoth, O::kLoad))
      return value;
  }
}

struct Thread {
  int held = 0;  // bits: mutexes
  int register_ = 0;
};

template <typename O>
int snapshot(Machine& machine, std::size_t first) {
  for (;;) {
    const int a = machine.cells[first].load(O::kLoad);
    const int b = machine.cells[(first + 1) % 4].load(O::kLoad);
    if (machine.cells[first].load(O::kLoad) == a) return a * 16 + b;
  }
}

template <typename O>
int increment(std::atomic<int>& cell) {
  int old = cell.load(O::kLoad);
  while (!cell.compare_exchange_strong(old, old + 1, O::kStore,
                                       std::memory_order_relaxed)) {
  }
  return old;
}

void do_lock(Machine& machine, Thread& thread, const Instruction& step) {
  const std::size_t which = step.variable % 2;
  const int bit = 1 << which;
  if (step.what == Do::kUnlock) {
    if (!(thread.held & bit)) return;
    thread.held &= ~bit;
    machine.mutexes[which].unlock();
    return;
  }
  if (thread.held & bit) return;
  if (step.what == Do::kLock) {
    machine.mutexes[which].lock();
    thread.held |= bit;
    return;
  }
  thread.register_ = machine.mutexes[which].try_lock() ? 1 : 0;
  if (thread.register_) thread.held |= bit;
}

void do_semaphore(Machine& machine, Thread& thread, const Instruction& step) {
  sem_t* semaphore = &machine.semaphores[step.variable % 2];
  if (step.what == Do::kUp) {
    sem_post(semaphore);
  } else if (step.what == Do::kDown) {
    sem_wait(semaphore);
  } else {
    thread.register_ = sem_trywait(semaphore) == 0 ? 1 : 0;
  }
}

void do_shared(Machine& machine, Thread& thread, const Instruction& step) {
  int& word = machine.plain[step.variable % 2];
  if (step.what == Do::kReadLocked) {
    pthread_rwlock_rdlock(&machine.shared);
    thread.register_ = word;
  } else {
    pthread_rwlock_wrlock(&machine.shared);
    word = step.constant;
  }
  pthread_rwlock_unlock(&machine.shared);
}

void do_condition(Machine& machine, const Instruction& step) {
  if (step.what == Do::kNotifyAll) return machine.condition.notify_all();
  std::unique_lock lock(machine.mutexes[0]);
  if (step.what == Do::kNotifyOne) {
    machine.is_told = true;
    lock.unlock();
    machine.condition.notify_one();
  } else if (!machine.is_told) {
    machine.condition.wait(lock);
  }
}

void do_futex(Machine& machine, Thread& thread, const Instruction& step) {
  std::atomic<int>& cell = machine.cells[step.variable % 4];
  if (step.what == Do::kFutexWake) {
    cell.store(step.constant);
    syscall(SYS_futex, &cell, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  } else {
    syscall(SYS_futex, &cell, FUTEX_WAIT, step.constant, nullptr, nullptr, 0);
    thread.register_ = cell.load();
  }
}

int made_once(int value) {
  static const int kept = value;
  return kept;
}

void push_badly(Machine& machine, int value) {
  Node* node = make_node(value);
  node->next = machine.top.load();
  machine.top = node;
}

int pop_badly(Machine& machine) {
  Node* top = machine.top.load();
  if (top == nullptr) return -1;
  machine.top.store(top->next.load());
  return top->value;
}

void enqueue_badly(Machine& machine, int value) {
  Node* node = make_node(value);
  Node* tail = machine.tail.load();
  tail->next.store(node);
  machine.tail.compare_exchange_strong(tail, node);
}

int increment_badly(std::atomic<int>& cell) {
  const int old = cell;
  cell = old + 1;
  return old;
}

template <typename O>
void do_node(Machine& machine, Thread& thread, const Instruction& step) {
  if (step.what == Do::kPush) {
    push<O>(machine, step.constant);
  } else if (step.what == Do::kPushBadly) {
    push_badly(machine, step.constant);
  } else if (step.what == Do::kPopBadly) {
    thread.register_ = pop_badly(machine);
  } else if (step.what == Do::kEnqueueBadly) {
    enqueue_badly(machine, step.constant);
  } else if (step.what == Do::kEnqueue) {
    enqueue<O>(machine, step.constant);
  } else if (step.what == Do::kDequeue) {
    thread.register_ = dequeue<O>(machine);
  } else {
    Node* node = pop<O>(machine);
    thread.register_ = node ? node->value : -1;
    if (step.what == Do::kPopAndFree) delete node;
  }
}

void do_waiting(Machine& machine, Thread& thread, const Instruction& step) {
  switch (step.what) {
    case Do::kReadLocked:
    case Do::kWriteLocked:
      return do_shared(machine, thread, step);
    case Do::kWaitFor:
    case Do::kNotifyOne:
    case Do::kNotifyAll:
      return do_condition(machine, step);
    case Do::kFutexWait:
    case Do::kFutexWake:
      return do_futex(machine, thread, step);
    case Do::kMeet:
      pthread_barrier_wait(&machine.barrier);
      return;
    case Do::kOnce:
      thread.register_ = made_once(step.constant);
      return;
    case Do::kStartAnother: {
      int seen = 0;
      std::thread other([&] {
        seen = machine.cells[step.variable % 4].exchange(step.constant);
      });
      other.join();
      thread.register_ = seen;
      return;
    }
    default:
      return do_semaphore(machine, thread, step);
  }
}

// One for each place in code: a loop is where the same one is reached again.
template <std::size_t kPlace, typename O>
[[gnu::noinline]] void do_access(Machine& machine, Thread& thread,
                                 const Instruction& step) {
  std::atomic<int>& cell = machine.cells[step.variable % 4];
  switch (step.what) {
    case Do::kLoad:
      thread.register_ = cell.load(O::kLoad);
      break;
    case Do::kStore:
      cell.store(step.constant, O::kStore);
      break;
    case Do::kAdd:
      thread.register_ = cell.fetch_add(step.constant, O::kBoth);
      break;
    case Do::kSwap:
      thread.register_ = cell.exchange(step.constant, O::kBoth);
      break;
    case Do::kCas: {
      int found = step.other;
      cell.compare_exchange_strong(found, step.constant, O::kBoth, O::kLoad);
      thread.register_ = found;
      break;
    }
    case Do::kIncrement:
      thread.register_ = increment<O>(cell);
      break;
    case Do::kSnapshot:
      thread.register_ = snapshot<O>(machine, step.variable % 4);
      break;
    case Do::kSpinLock:
      while (cell.exchange(1, O::kBoth) != 0) {
      }
      break;
    case Do::kSpinUnlock:
      cell.store(0, O::kStore);
      break;
    default:
      do_node<O>(machine, thread, step);
  }
}

template <std::size_t kPlace>
[[gnu::noinline]] void do_step(Machine& machine, Thread& thread,
                               const Instruction& step) {
  std::atomic<int>& cell = machine.cells[step.variable % 4];
  switch (step.what) {
    case Do::kIncrementBadly:
      thread.register_ = increment_badly(cell);
      break;
    case Do::kPlainRead:
      thread.register_ = machine.plain[step.variable % 2];
      break;
    case Do::kPlainWrite:
      machine.plain[step.variable % 2] = step.constant;
      break;
    case Do::kCheck:
      if (thread.register_ == step.constant) {
        plumb_fail("register is what it must not be", __FILE__, __LINE__);
      }
      break;
    case Do::kLock:
    case Do::kUnlock:
    case Do::kTryLock:
      do_lock(machine, thread, step);
      break;
    case Do::kDown:
    case Do::kUp:
    case Do::kTryDown:
    case Do::kReadLocked:
    case Do::kWriteLocked:
    case Do::kWaitFor:
    case Do::kNotifyOne:
    case Do::kNotifyAll:
    case Do::kFutexWait:
    case Do::kFutexWake:
    case Do::kMeet:
    case Do::kOnce:
    case Do::kStartAnother:
      do_waiting(machine, thread, step);
      break;
    default:
      if (step.strength == Strength::kRelaxed) {
        do_access<kPlace, Orders<Strength::kRelaxed>>(machine, thread, step);
      } else if (step.strength == Strength::kAcquireRelease) {
        do_access<kPlace, Orders<Strength::kAcquireRelease>>(machine, thread,
                                                             step);
      } else {
        do_access<kPlace, Orders<Strength::kSeqCst>>(machine, thread, step);
      }
  }
}

using Step = void (*)(Machine&, Thread&, const Instruction&);
template <std::size_t... kPlaces>
constexpr auto make_steps(std::index_sequence<kPlaces...>) {
  return std::array<Step, sizeof...(kPlaces)>{do_step<kPlaces>...};
}
constexpr auto kSteps =
    make_steps(std::make_index_sequence<kMostInstructions>());

void run_loop(Machine& machine, Thread& thread, const Code& code,
              std::size_t at) {
  const Instruction& head = code.steps[at];
  while (machine.cells[head.variable % 4].load() != head.constant) {
    thread.register_ = 0;
    for (std::size_t i = at + 1; i <= at + head.other; ++i) {
      const Instruction& step = code.steps[i];
      if (step.what == Do::kSkipIf) {
        i += thread.register_ == step.constant;
      } else {
        kSteps[i](machine, thread, step);
      }
    }
  }
}

class Run final : public test::Action {
 public:
  explicit Run(const Code* code) : code_(code) {}
  void run(void* object) const override {
    auto& machine = *static_cast<Machine*>(object);
    Thread thread;
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < code_->size; ++i) {
      const Instruction& step = code_->steps[i];
      if (step.what == Do::kSkipIf) {
        i += thread.register_ == step.constant;
      } else if (step.what == Do::kUntil) {
        run_loop(machine, thread, *code_, i);
        i += step.other;
      } else {
        kSteps[i](machine, thread, step);
      }
      seen = seen * 37 + thread.register_ + 2;
    }
    for (std::size_t m = 0; m < 2; ++m) {
      if (code_->keeps_locks || !(thread.held >> m & 1)) continue;
      machine.mutexes[m].unlock();
    }
    plumb_give_integer(seen & 0xFFFFFFFFFFFF);
  }

 private:
  const Code* code_;
};

class Look final : public test::Action {
 public:
  void run(void* object) const override {
    auto& machine = *static_cast<Machine*>(object);
    std::int64_t seen = 0;
    for (const auto& cell : machine.cells) seen = seen * 19 + cell.load();
    for (const int word : machine.plain) seen = seen * 7 + word;
    for (Node* n = machine.top.load(); n; n = n->next.load()) {
      seen = seen * 11 + n->value + 1;
    }
    for (Node* n = machine.head.load(); n; n = n->next.load()) {
      seen = seen * 13 + n->value + 2;
    }
    plumb_give_integer(seen & 0xFFFFFFFFFFFF);
  }
};

class Operation final : public test::Action {
 public:
  explicit Operation(Instruction step) : step_(step) {}
  void run(void* object) const override {
    Thread thread;
    do_step<0>(*static_cast<Machine*>(object), thread, step_);
    switch (step_.what) {
      case Do::kStore:
      case Do::kPush:
      case Do::kPushBadly:
      case Do::kEnqueue:
      case Do::kEnqueueBadly:
        return;
      default:
        if (thread.register_ == -1) return plumb_give_null();
        plumb_give_integer(thread.register_);
    }
  }

 private:
  Instruction step_;
};

// The machine's nodes are not given back: leaks are allowed here.
class Make final : public test::Maker {
 public:
  void* make() const override { return new Machine; }
  void destroy(void* object) const override {
    delete static_cast<Machine*>(object);
  }
};

}  // namespace
}  // namespace plumb::search_test

int main(int argc, char** argv) {
  using namespace plumb;
  using namespace plumb::search_test;
  const Machines machines = {
      [] { return static_cast<test::Maker*>(new Make); },
      [](const Code* code) {
        return static_cast<test::Action*>(new Run(code));
      },
      [] { return static_cast<test::Action*>(new Look); },
      [](Instruction step) {
        return static_cast<test::Action*>(new Operation(step));
      },
      make_cells,
      make_weak_thread,
      make_look_at_cells};
  return plumb_compare_searches(&machines, argc, argv);
}
