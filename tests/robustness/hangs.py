# SPDX-License-Identifier: Apache-2.0
# Time limits and SIGTERM end tests whatever their code does; nothing is left.
"""Usage: hangs.py --plumb PLUMB"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

# Much more than a run takes: a machine may have other things to do.
PATIENCE = 60

HEAD = """#include <plumb/test.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
inline void forever() { for (volatile int i = 0;; i = i + 1) {} }
"""

# By name: the code, what must be said of each test.
CASES = {
    # Executions are left one after another; the last test is not the worse
    # for it.
    "inside": ("""
PLUMB_TEST(loops) { test.run([] { std::thread([] { forever(); }).join(); }); }
PLUMB_TEST(waits) {
  test.run([] {
    int ends[2];
    char byte;
    if (pipe(ends) == 0) syscall(SYS_read, ends[0], &byte, 1);
  });
}
PLUMB_TEST(ignores_signals) {
  test.run([] {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    for (int one : {SIGINT, SIGTERM, SIGVTALRM}) std::signal(one, SIG_IGN);
    forever();
  });
}
struct Object {
  std::atomic<int> calls = 0;
  void enq(int) {
    if (calls++ == 1) forever();
  }
};
PLUMB_TEST(programs) {
  auto object = test.object<Object>();
  object.operation("enq", PLUMB_METHOD(enq)).values(1, 2);
  test.spec("queue").programs(2, 2);
}
PLUMB_TEST(good) {
  test.run([] {
    std::atomic<int> x = 0;
    std::thread other([&] { x = 1; });
    x = 2;
    other.join();
  });
}
""", {"loops": "unknown", "waits": "unknown", "ignores_signals": "unknown",
      "programs": "unknown", "good": "holds"}),
    # What nobody can control is refused by name, and at once.
    "refused": ("""
void count(int) {}
PLUMB_TEST(forks) {
  test.run([] {
    if (syscall(SYS_fork) == 0) _exit(3);
  });
}
PLUMB_TEST(signals_itself) {
  test.run([] {
    std::signal(SIGUSR1, count);
    std::thread([] {
      syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
    }).join();
  });
}
PLUMB_TEST(queues_a_signal) {
  test.run([] {
    std::signal(SIGUSR1, count);
    sigqueue(getpid(), SIGUSR1, sigval{});
  });
}
PLUMB_TEST(waits_in_the_kernel) {
  test.run([] {
    int ends[2];
    char byte;
    std::thread([&] {
      if (pipe(ends) == 0) syscall(SYS_read, ends[0], &byte, 1);
    }).join();
  });
}
PLUMB_TEST(locks_a_file) {
  test.run([] {
    char name[] = "/tmp/plumb-hangs-XXXXXX";
    const int one = mkstemp(name);
    const int other = open(name, O_RDWR);
    unlink(name);
    std::thread locks([&] { flock(one, LOCK_EX); });
    flock(other, LOCK_EX);
    locks.join();
    close(one);
    close(other);
  });
}
PLUMB_TEST(waits_for_half_a_line) {
  test.run([] {
    int ends[2];
    if (pipe(ends) != 0) return;
    FILE* const stream = fdopen(ends[0], "r");
    std::thread reads([&] {
      char line[10];
      if (fgets(line, 10, stream) == nullptr) return;
    });
    if (write(ends[1], "a", 1) + write(ends[1], "b\\n", 2) != 3) return;
    reads.join();
    fclose(stream);
    close(ends[1]);
  });
}
PLUMB_TEST(opens_half_a_pipe) {
  test.run([] {
    std::thread reads([] { close(open("named_pipe", O_RDONLY)); });
    const int writes = open("named_pipe", O_WRONLY);
    reads.join();
    close(writes);
  });
}
PLUMB_TEST(prints_to_a_full_pipe) {
  test.run([] {
    int ends[2];
    if (pipe(ends) != 0) return;
    std::thread prints([&] {
      FILE* const stream = fdopen(ends[1], "w");
      for (int i = 0; i < 20000; ++i) fprintf(stream, "line %d\\n", i);
      fclose(stream);
    });
    prints.join();
    close(ends[0]);
  });
}
struct Leaver {
  int leave() { pthread_exit(nullptr); }
};
PLUMB_TEST(leaves_a_call) {
  auto leaver = test.object<Leaver>();
  auto leave = leaver.operation("leave", PLUMB_METHOD(leave));
  test.program().thread(leave()).thread(leave());
}
""", {"prints_to_a_full_pipe": ("unknown", "write"),
      "leaves_a_call": ("unknown", "pthread_exit"),
      "forks": ("unknown", "fork"), "signals_itself": ("unknown", "tgkill"),
      "queues_a_signal": ("unknown", "rt_sigqueueinfo"),
      "waits_in_the_kernel": ("unknown", "read"),
      "locks_a_file": ("unknown", "flock"),
      "waits_for_half_a_line": ("unknown", "read"),
      "opens_half_a_pipe": ("unknown", "open")}),
    # Nothing helps but to kill it.
    "before_main": ("""
struct Early {
  Early() { forever(); }
} early;
PLUMB_TEST(never) { test.run([] {}); }
""", {"before_main": "unknown"}),
    "deaf": ("""
struct Early {  // a child that outlives whoever does not kill it
  Early() {
    if (fork() != 0) return;
    setsid();
    forever();
  }
} early;
PLUMB_TEST(first) { test.run([] { std::thread([] {}).join(); }); }
PLUMB_TEST(deaf) {
  test.run([] {
    unsigned long all = ~0ul;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, nullptr, 8);
    forever();
  });
}
""", {"first": "holds", "deaf": "unknown"}),
}


def children_of(process):
    """All processes whose group or parent leads to `process`."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if f"PLUMB_HANGS={process}" in (entry / "environ").read_text(
                    errors="replace"):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def run(plumb, file, words, interrupt):
    mark = f"{os.getpid()}.{time.monotonic_ns()}"
    environment = dict(os.environ, PLUMB_HANGS=mark)
    # Compiled first: that does not count.
    subprocess.run([plumb, "test", str(file), "--time-limit", "0.01s"],
                   env=environment, capture_output=True, timeout=300)
    process = subprocess.Popen(
        [plumb, "test", "--no-color", str(file), "--json",
         str(file) + ".json", *words], env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    if interrupt:
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
    try:
        out = process.communicate(timeout=PATIENCE)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        out = "it did not end\n" + process.communicate()[0]
    return process.returncode, out, children_of(mark)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    plumb = parser.parse_args().plumb
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (code, verdicts) in CASES.items():
            file = pathlib.Path(folder) / f"{name}.cpp"
            file.write_text(HEAD + code)
            if "named_pipe" in code:
                pipe = pathlib.Path(folder) / "named_pipe"
                os.mkfifo(pipe)
                file.write_text((HEAD + code).replace("named_pipe", str(pipe)))
            runs = [(["--time-limit", "3s"], False)]
            if name == "inside":
                runs = [(["--time-limit", "6s", "--jobs", "2"], False),
                        (["--only", "loops"], True)]
            elif name == "refused":
                runs = [(["--time-limit", "40s"], False)]
            elif name == "deaf":
                runs.append(([], True))
            for words, interrupt in runs:
                status, out, left = run(plumb, file, words, interrupt)
                what = f"{name} {words}: exit {status}\n{out[-1500:]}"
                if left:
                    faults.append(f"left behind: {left}\n{what}")
                    for process in left:
                        os.kill(process, signal.SIGKILL)
                if interrupt:
                    if status not in (3, 130):
                        faults.append(what)
                    continue
                told = json.loads(pathlib.Path(f"{file}.json").read_text())
                said = {one["name"]: one["verdict"] for one in told["results"]}
                if said != {name: verdict if isinstance(verdict, str) else
                            verdict[0] for name, verdict in verdicts.items()}:
                    faults.append(f"said {said}: {what}")
                for one in told["results"]:
                    wanted = verdicts.get(one["name"])
                    if (isinstance(wanted, tuple) and
                            wanted[1] not in one["reason"]):
                        faults.append(f"{wanted[1]} is not named: {what}")
                if status != 3:
                    faults.append(what)
    print("\n".join(faults) or "hangs: ok")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
