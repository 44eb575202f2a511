// SPDX-License-Identifier: Apache-2.0
#include "harness/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/input_error.h"
#include "harness/child_process.h"
#include "harness/progress.h"
#include "runtime/patience.h"

namespace plumb::harness {

namespace {

using check::Answer;

// Lies in memory that all processes share.
struct Shared {
  std::atomic<std::size_t> next{0};  // which program nobody has begun
  // Programs behind this one need not be explored.
  std::atomic<std::size_t> first_violated{SIZE_MAX};
};

// Out of the way of code that closes or replaces what has a small number.
int far_from_others(int file) {
  constexpr int kFar = 500;
  const int far = fcntl(file, F_DUPFD_CLOEXEC, kFar);
  if (far < 0) return file;
  close(file);
  return far;
}

// How an outcome goes through a pipe; texts follow.
struct Message {
  std::uint64_t program;
  Answer answer;
  bool exhaustive;
  bool has_schedule;
  bool is_error;  // the reason is an InputError's text
  runtime::Finding finding;
  Statistics statistics;
  std::uint64_t histories;
  std::uint32_t heaps;
  std::uint32_t reason_bytes;
  std::uint32_t schedule_bytes;
};

void write_all(int file, const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t written = write(file, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // nobody listens any more
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void send(int file, std::size_t program, const ProgramOutcome& outcome,
          bool is_error) {
  const std::string schedule =
      outcome.schedule ? to_string(*outcome.schedule) : "";
  const Message message = {program,
                           outcome.answer,
                           outcome.exhaustive,
                           outcome.schedule.has_value(),
                           is_error,
                           outcome.finding,
                           outcome.statistics,
                           outcome.histories,
                           outcome.heaps,
                           static_cast<std::uint32_t>(outcome.reason.size()),
                           static_cast<std::uint32_t>(schedule.size())};
  std::string bytes(sizeof(message), '\0');
  std::memcpy(bytes.data(), &message, sizeof(message));
  bytes += outcome.reason + schedule;
  write_all(file, bytes.data(), bytes.size());
}

void lower(std::atomic<std::size_t>& least, std::size_t to) {
  std::size_t now = least.load();
  while (to < now && !least.compare_exchange_weak(now, to)) {
  }
}

class Pool {
 public:
  Pool(const WorkPlan& plan,
       const std::function<ProgramOutcome(std::size_t)>& explore,
       Budget& budget)
      : plan_(plan), explore_(explore), budget_(budget) {
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw InputError("out of memory");
    shared_ = new (memory) Shared();
    outcomes_.resize(plan.programs);
  }
  ~Pool() { munmap(shared_, sizeof(Shared)); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::vector<ProgramOutcome> run();

 private:
  struct Worker {
    pid_t process = 0;
    int pipe = -1;
    std::string bytes;  // read, but not yet understood
  };

  bool start_one();
  [[noreturn]] void work(int pipe);
  void listen();
  void end_the_lost();
  void understand(Worker& worker);
  void end(Worker& worker);

  const WorkPlan& plan_;
  const std::function<ProgramOutcome(std::size_t)>& explore_;
  Budget& budget_;
  Shared* shared_ = nullptr;
  std::vector<Worker> workers_;
  std::vector<std::optional<ProgramOutcome>> outcomes_;
  std::optional<std::string> error_;               // of what the user gave us
  std::optional<Budget::Clock::time_point> told_;  // of an interrupt
  bool were_ended_ = false;                        // by us
};

bool Pool::start_one() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return false;
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (process == 0) {
    end_with(parent);
    close(ends[0]);
    for (const Worker& other : workers_) close(other.pipe);
    runtime::start_ticks();
    work(far_from_others(ends[1]));
  }
  close(ends[1]);
  workers_.push_back({process, ends[0], ""});
  return true;
}

void Pool::work(int pipe) {
  while (!budget_.spent_now()) {
    const std::size_t program = shared_->next++;
    if (program >= plan_.programs) break;
    if (program > shared_->first_violated) break;
    ProgramOutcome outcome;
    bool is_error = false;
    try {
      outcome = explore_(program);
    } catch (const InputError& error) {
      outcome.reason = error.describe();
      is_error = true;
    } catch (const std::bad_alloc&) {
      outcome.reason = "out of memory";
    }
    if (is_error ||
        (outcome.answer == Answer::kViolated && plan_.stop_at_violation)) {
      lower(shared_->first_violated, program);
    }
    send(pipe, program, outcome, is_error);
  }
  _exit(0);
}

void Pool::understand(Worker& worker) {
  Message message;
  while (worker.bytes.size() >= sizeof(message)) {
    std::memcpy(&message, worker.bytes.data(), sizeof(message));
    const std::size_t whole =
        sizeof(message) + message.reason_bytes + message.schedule_bytes;
    if (worker.bytes.size() < whole) return;
    ProgramOutcome outcome;
    outcome.answer = message.answer;
    outcome.exhaustive = message.exhaustive;
    outcome.finding = message.finding;
    outcome.statistics = message.statistics;
    outcome.histories = message.histories;
    outcome.heaps = message.heaps;
    outcome.reason = worker.bytes.substr(sizeof(message), message.reason_bytes);
    if (message.has_schedule) {
      outcome.schedule = parse_schedule(worker.bytes.substr(
          sizeof(message) + message.reason_bytes, message.schedule_bytes));
    }
    if (message.is_error && !error_) error_ = outcome.reason;
    worker.bytes.erase(0, whole);
    executions_so_far += outcome.statistics.executions;
    if (execution_samples != nullptr) {
      execution_samples->add(outcome.statistics.executions);
    }
    finished_one_program();
    outcomes_[message.program] = std::move(outcome);
  }
}

// They look at limits themselves, unless the code under test keeps them from
// it.
void Pool::end_the_lost() {
  constexpr auto kGrace = std::chrono::milliseconds(500);
  const auto now = Budget::Clock::now();
  if (Budget::interrupted && !told_) {
    told_ = now;
    for (const Worker& worker : workers_) kill(worker.process, SIGINT);
  }
  const bool is_late = (told_ && now - *told_ > kGrace) ||
                       (now > plan_.end && now - plan_.end > kGrace);
  if (!is_late || were_ended_) return;
  were_ended_ = true;
  for (const Worker& worker : workers_) {
    if (worker.pipe >= 0) kill(worker.process, SIGKILL);
  }
}

void Pool::listen() {
  std::array<char, 1 << 16> block;
  for (std::size_t open = workers_.size(); open > 0;) {
    end_the_lost();
    std::vector<pollfd> files;
    for (const Worker& worker : workers_) {
      files.push_back({worker.pipe, POLLIN, 0});
    }
    // A signal may come just before this.
    if (poll(files.data(), files.size(), 100) < 0) continue;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].fd < 0 || files[i].revents == 0) continue;
      const ssize_t got = read(files[i].fd, block.data(), block.size());
      if (got > 0) {
        workers_[i].bytes.append(block.data(), static_cast<std::size_t>(got));
        understand(workers_[i]);
      } else if (got == 0 || errno != EINTR) {
        close(std::exchange(workers_[i].pipe, -1));
        --open;
      }
    }
  }
}

std::vector<ProgramOutcome> Pool::run() {
  const std::size_t wanted =
      std::min<std::size_t>(plan_.processes, plan_.programs);
  while (workers_.size() < wanted && start_one()) {
  }
  if (workers_.empty()) throw InputError("cannot start a process");
  listen();
  budget_.spent_now();  // so that it knows what ended the others
  int died_of = 0;
  for (const Worker& worker : workers_) {
    int status = 0;
    while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) died_of = WTERMSIG(status);
  }
  if (error_) throw InputError(*error_);
  std::vector<ProgramOutcome> out;
  const std::size_t begun =
      std::min<std::size_t>(shared_->next.load(), plan_.programs);
  for (std::size_t i = 0; i < begun; ++i) {
    if (!outcomes_[i] && i > shared_->first_violated) break;
    if (!outcomes_[i] && were_ended_) {
      outcomes_[i].emplace().reason =
          budget_.describe_limit() + ", in code that did not come back in time";
    } else if (!outcomes_[i] && died_of != 0) {
      outcomes_[i].emplace().reason = fmt::format(
          "the process that explored it was ended by signal {} ({})", died_of,
          strsignal(died_of));
    }
    if (!outcomes_[i]) break;
    out.push_back(std::move(*outcomes_[i]));
    if (plan_.stop_at_violation && out.back().answer == Answer::kViolated) {
      break;
    }
  }
  return out;
}

}  // namespace

std::vector<ProgramOutcome> explore_programs(
    const WorkPlan& plan,
    const std::function<ProgramOutcome(std::size_t)>& explore, Budget& budget) {
  if (plan.processes > 1 && plan.programs > 1) {
    return Pool(plan, explore, budget).run();
  }
  std::vector<ProgramOutcome> out;
  for (std::size_t i = 0; i < plan.programs; ++i) {
    if (i > 0 && budget.spent_now()) break;
    out.push_back(explore(i));
    finished_one_program();
    if (plan.stop_at_violation && out.back().answer == Answer::kViolated) {
      break;
    }
  }
  return out;
}

}  // namespace plumb::harness
