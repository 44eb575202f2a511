# SPDX-License-Identifier: Apache-2.0
# Limits on memory and time are kept; failures of the system end no run badly.
"""Usage: limits.py --plumb PLUMB ROOT

Memory is what the system counts (resident size, at most), not what the tool
says of itself."""

import argparse
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 120
MIB = 1 << 20

# Makes the Nth call of a kind fail.
FAULTS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
static int due(const char* kind) {
  static const char* which;
  static long left = -1;
  if (which == 0) {
    which = getenv("FAULT_KIND") ? getenv("FAULT_KIND") : "none";
    left = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : -1;
  }
  return strcmp(which, kind) == 0 && __sync_sub_and_fetch(&left, 1) == 0;
}
void* malloc(size_t n) {
  if (due("malloc")) { errno = ENOMEM; return 0; }
  return __libc_malloc(n);
}
void* calloc(size_t n, size_t m) {
  if (due("malloc")) { errno = ENOMEM; return 0; }
  return __libc_calloc(n, m);
}
void* realloc(void* p, size_t n) {
  if (due("malloc")) { errno = ENOMEM; return 0; }
  return __libc_realloc(p, n);
}
ssize_t read(int file, void* to, size_t n) {
  static ssize_t (*real)(int, void*, size_t);
  if (!real) real = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
  if (due("read")) { errno = EIO; return -1; }
  return real(file, to, n);
}
int open64(const char* name, int flags, int mode) {
  static int (*real)(const char*, int, int);
  if (!real) real = (int(*)(const char*, int, int))dlsym(RTLD_NEXT, "open64");
  if (due("open")) { errno = EMFILE; return -1; }
  return real(name, flags, mode);
}
int open(const char* name, int flags, int mode) {
  static int (*real)(const char*, int, int);
  if (!real) real = (int(*)(const char*, int, int))dlsym(RTLD_NEXT, "open");
  if (due("open")) { errno = EMFILE; return -1; }
  return real(name, flags, mode);
}
"""


class Cases:
    def __init__(self, plumb, root, folder):
        self.plumb, self.root = plumb, root
        self.folder = pathlib.Path(folder)
        self.count, self.faults = 0, []

    def run(self, words, **options):
        """Returns (status, output, largest resident size, seconds)."""
        before = time.monotonic()
        process = subprocess.Popen(
            [self.plumb, *map(str, words)], cwd=self.root,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, **options)
        out = process.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return (process.returncode, out, usage.ru_maxrss * 1024,
                time.monotonic() - before)

    def fail(self, what, said=""):
        self.faults.append(f"{what}\n{said[-1000:]}")


def long_history(file, operations, seed):
    """A queue of many processes, in which nearly all overlap."""
    choose = random.Random(seed)
    with open(file, "w") as out:
        for i in range(operations):
            name = "enq" if i % 2 == 0 else "deq"
            value = choose.randrange(50) if name == "enq" else "null"
            out.write(f'{{"process": {i % 40}, "type": "invoke", "f": "{name}",'
                      f' "value": {value}}}\n')
            result = "null" if name == "enq" else choose.randrange(50)
            if i % 40 > 20:
                out.write(f'{{"process": {i % 40}, "type": "ok", "f": "{name}",'
                          f' "value": {result}}}\n')
            else:
                out.write(f'{{"process": {i % 40}, "type": "info",'
                          f' "f": "{name}", "value": null}}\n')


def memory_of_histories(cases):
    plain = cases.folder / "plain.jsonl"
    with open(plain, "w") as out:
        for i in range(300_000):
            out.write(f'{{"process": 0, "type": "invoke", "f": "enq", "value":'
                      f' {i}}}\n{{"process": 0, "type": "ok", "f": "enq"}}\n')
    hard = cases.folder / "hard.jsonl"
    long_history(hard, 4000, 1)
    # Whichever of its tables it is that may not grow any more.
    several = [(hard, limit) for limit in range(32, 100, 7)]
    for file, limit in [(plain, 40), *several, (hard, 160)]:
        for more in ((), ("--json", cases.folder / "out.json")):
            code, said, peak, _ = cases.run(
                ["history", "--spec", "queue", "--memory-limit", f"{limit}M",
                 "--time-limit", "20s", "--decider", "general", file, *more])
            cases.count += 1
            what = (f"{file.name} with {limit}M {more}: exit {code},"
                    f" {peak // MIB} MiB")
            if peak > limit * MIB or code not in (0, 1, 3):
                cases.fail(what, said)
            if code == 3 and "limit" not in said:
                cases.fail(f"{what}: no limit is named", said)


def memory_of_models(cases):
    csp = cases.folder / "big.csp"
    csp.write_text("#define N 9;\nvar x[N];\n"
                   "P(i) = a.i{x[i] = (x[i] + 1) % 7;} -> P(i);\n"
                   "All() = ||| i:{0..N-1} @ P(i);\n"
                   "#assert All() deadlockfree;\n")
    refines = cases.folder / "refines.csp"  # each state is a set of its own
    refines.write_text(csp.read_text().replace("deadlockfree",
                                               "refines All()"))
    queue = cases.folder / "big.plumb"
    text = (cases.root / "examples/models/ms_queue.plumb").read_text()
    queue.write_text(text.split("\ncheck ")[0] + "\ncheck ms_queue "
                     "linearizable with 3 processes, values 1..3, 3 "
                     "operations;\n")
    for file, limit, spill in ((csp, 64, ("--spill", "none")),
                               (refines, 40, ()),
                               (refines, 64, ("--spill", "none")),
                               (refines, 100, ("--spill", "none")),
                               (queue, 100, ("--spill", "none")),
                               (queue, 128, ())):
        code, said, peak, _ = cases.run(
            ["verify", "--no-symmetry", "--memory-limit", f"{limit}M",
             "--time-limit", "10s", *spill, file])
        cases.count += 1
        if peak > limit * MIB or code not in (0, 3):
            cases.fail(f"{file.name} with {limit}M {spill}: exit {code},"
                       f" {peak // MIB} MiB", said)


def time_limits(cases):
    """Within 5 % or half a second of the process's own time: other processes
    may be in its way."""
    hard = cases.folder / "hard.jsonl"
    long_history(hard, 2000, 2)
    csp = cases.folder / "big.csp"
    csp.write_text("#define N 9;\nvar x[N];\n"
                   "P(i) = a.i{x[i] = (x[i] + 1) % 7;} -> P(i);\n"
                   "All() = ||| i:{0..N-1} @ P(i);\n"
                   "#assert All() deadlockfree;\n")
    for words in (["history", "--spec", "queue", "--decider", "general", hard],
                  ["history", "--spec", "queue", "--decider", "general", hard,
                   "--condition", "quasi(deq=2)", "--minimum-factor"],
                  ["verify", "--no-symmetry", csp]):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        code, said, _, wall = cases.run([*words, "--jobs", "1", "--time-limit",
                                         "2s"])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = (after.ru_utime + after.ru_stime - before.ru_utime -
                before.ru_stime)
        cases.count += 1
        if code not in (1, 3) or used > 2.5 or (os.getloadavg()[0] < 1 and
                                                wall > 2.6):
            cases.fail(f"{words}: exit {code}, {used:.2f} s of work,"
                       f" {wall:.2f} s", said)


def faults_of_the_system(cases):
    """Each call that can fail does, once: an answer, or a reason."""
    if shutil.which("gcc") is None:
        return
    source = cases.folder / "faults.c"
    source.write_text(FAULTS)
    library = cases.folder / "faults.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"],
                   check=True)
    history = "examples/histories/queue_overtaken.jsonl"
    page = cases.folder / "page.html"
    runs = {"history": (["history", "--spec", "queue", history, "--html",
                         page, "--jobs", "1"], 1),
            "verify": (["verify", "--check", "38", "--jobs", "1",
                        "examples/models/treiber_stack.plumb"], 0)}
    for name, (words, usual) in runs.items():
        for kind, places in (("read", range(1, 13)), ("open", range(1, 16)),
                             ("malloc", [*range(1, 40), *range(40, 4000, 97)])):
            for at in places:
                environment = dict(os.environ, LD_PRELOAD=str(library),
                                   FAULT_KIND=kind, FAULT_AT=str(at))
                code, said, _, _ = cases.run(words, env=environment)
                cases.count += 1
                # The loader of programs has its own words, and status.
                if code == 127 and kind != "malloc":
                    continue
                if code not in (usual, 2, 3) or (code in (2, 3) and not said):
                    cases.fail(f"{name}, {kind} {at} fails: exit {code}", said)


def little_address_space(cases):
    """What the system refuses is no crash."""
    plain = cases.folder / "plain.jsonl"
    long_history(plain, 100_000, 3)
    pending = cases.folder / "pending.jsonl"  # a pop of what nobody pushed
    with open(pending, "w") as out:
        def event(process, kind, name, value="null"):
            out.write(f'{{"process": {process}, "type": "{kind}", "f":'
                      f' "{name}", "value": {value}}}\n')
        for i in range(9):
            event(10 + i, "invoke", "push", 100 + i)
        for name, value in (("push", 1), ("pop", 9), ("push", 2)):
            event(0, "invoke", name, value)
            event(0, "ok", name, value)
    for megabytes in (45, 57, 60, 83, 100, 118, 126, 143, 150, 172):
        def few(size=megabytes * MIB):
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        for words in (["history", "--spec", "queue", plain, "--time-limit",
                       "10s"],
                      ["history", "--spec", "stack", "--condition",
                       "quasi(pop=2)", pending, "--time-limit", "3s"],
                      ["verify", "--check", "38",
                       "examples/models/treiber_stack.plumb"],
                      ["verify", "--time-limit", "5s", "examples/csp"]):
            code, said, _, _ = cases.run(words, preexec_fn=few)
            cases.count += 1
            if code not in (0, 1, 3):
                cases.fail(f"{words} in {megabytes} MiB: exit {code}", said)


CASES = [memory_of_histories, memory_of_models, time_limits,
         faults_of_the_system, little_address_space]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("root")
    parser.add_argument("case", nargs="?")
    arguments = parser.parse_args()
    plumb = str(pathlib.Path(arguments.plumb).resolve())
    failed = False
    for function in CASES:
        if arguments.case not in (None, function.__name__):
            continue
        with tempfile.TemporaryDirectory() as folder:
            cases = Cases(plumb, pathlib.Path(arguments.root).resolve(),
                          folder)
            function(cases)
        print(f"{function.__name__}: {cases.count} cases,"
              f" {len(cases.faults)} faults")
        for fault in cases.faults:
            print("  " + fault.replace("\n", "\n    "))
        failed |= bool(cases.faults)
    sys.exit(failed)


if __name__ == "__main__":
    main()
