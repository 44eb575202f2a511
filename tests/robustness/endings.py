# SPDX-License-Identifier: Apache-2.0
# Code under test that ends the process, or takes its files away, decides nothing.
"""Usage: endings.py --plumb PLUMB

One test program that does, where a file of words tells it to, what code can do
to the process it runs in: the status of `plumb test` is that of the verdicts,
or 2 if the program did not tell them all; and nothing is left behind."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 60
PROGRAM = r"""
#include <fcntl.h>
#include <plumb/test.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

static char way[100];
static bool is(const char* word) { return std::strcmp(way, word) == 0; }
static void do_it(const char* place) {
  char text[100];
  const auto now = [&](const char* what) {
    std::snprintf(text, sizeof text, "%s %s", place, what);
    return is(text);
  };
  if (now("exit")) std::exit(0);
  if (now("_exit")) _exit(0);
  if (now("quick_exit")) std::quick_exit(0);
  if (now("syscall")) syscall(SYS_exit_group, 0);
  if (now("abort")) std::abort();
  if (now("exec")) execl("/bin/true", "true", static_cast<char*>(nullptr));
  if (now("kill")) kill(getpid(), SIGKILL);
  if (now("throw")) throw std::runtime_error("thrown");
  if (now("close")) { close(1); close(2); }
  if (now("close_all")) { for (int i = 0; i < 1000; ++i) close(i); }
  if (now("fclose")) { std::fclose(stdout); std::fclose(stderr); }
  if (now("dup2")) {
    const int file = open("/dev/null", O_WRONLY);
    dup2(file, 1);
    dup2(file, 2);
  }
  if (now("chdir")) { if (chdir("/proc") != 0) std::abort(); }
  if (now("rubbish")) {
    char name[200];
    FILE* words = std::fopen("/proc/self/cmdline", "r");
    char all[4000] = {};
    const std::size_t size = std::fread(all, 1, sizeof all - 1, words);
    std::fclose(words);
    for (std::size_t at = 0; at < size; at += std::strlen(all + at) + 1) {
      if (std::strcmp(all + at, "--results") != 0) continue;
      std::snprintf(name, sizeof name, "%s", all + at + 10);
      FILE* results = std::fopen(name, "a");
      if (results == nullptr) return;
      std::fputs("{\"end\": true}\nrubbish\n{\"result\": 1}\n", results);
      std::fclose(results);
    }
  }
  if (now("sleep")) { for (;;) pause(); }
}

struct Early {
  Early() {
    FILE* file = std::fopen("way", "r");
    if (file == nullptr) return;
    if (std::fgets(way, sizeof way, file) == nullptr) way[0] = '\0';
    std::fclose(file);
    do_it("ctor");
    std::atexit([] { do_it("atexit"); });
  }
  ~Early() { do_it("dtor"); }
} early;

struct C {
  std::atomic<int> v{0};
  int inc() {
    do_it("operation");
    const int seen = v.load();
    v.store(seen + 1);
    return seen;
  }
};
PLUMB_TEST(c) {
  auto o = test.object<C>();
  auto inc = o.operation("inc", PLUMB_METHOD(inc));
  test.spec("counter");
  test.program().thread(inc()).thread(inc());
  do_it("declaration");
}
"""
WAYS = ["exit", "_exit", "quick_exit", "syscall", "abort", "exec", "kill",
        "throw", "close", "close_all", "fclose", "dup2", "chdir", "rubbish"]


class Cases:
    def __init__(self, plumb, folder):
        self.plumb, self.folder = plumb, pathlib.Path(folder)
        self.environment = dict(os.environ, HOME=str(folder),
                                TMPDIR=str(folder), PWD=str(folder))
        self.environment.pop("XDG_CACHE_HOME", None)
        (self.folder / "t.cpp").write_text(PROGRAM)
        self.count, self.faults = 0, []

    def start(self, *words):
        return subprocess.Popen(
            [self.plumb, "test", "t.cpp", *words], cwd=self.folder,
            env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, way, *words):
        (self.folder / "way").write_text(way)
        process = self.start(*words)
        try:
            said, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "it hangs"
        return process.returncode, said

    def require(self, what, fact, said=""):
        self.count += 1
        if not fact:
            self.faults.append(f"{what}\n{said[-1500:]}")


def endings(cases):
    """The test is violated, whatever the program does before or after."""
    for place in ("ctor", "declaration", "operation", "atexit", "dtor"):
        for way in WAYS:
            both = f"{place} {way}"
            out = cases.folder / "out.json"
            out.unlink(missing_ok=True)
            code, said = cases.run(both, "--json", str(out))
            told = json.loads(out.read_text()) if out.exists() else None
            verdicts = [each["verdict"] for each in told["results"]] \
                if told else []
            what = f"{both}: exit {code}, {verdicts}"
            if verdicts == ["violated"]:
                cases.require(what, code == 1 or (code == 2 and
                                                  told["errors"]), said)
                cases.require(f"{what}, nothing is said",
                              "violated" in said, said)
            elif verdicts == ["unknown"]:
                cases.require(what, code == 3 or (code == 2 and
                                                  told["errors"]), said)
            else:
                cases.require(what, code == 2 and told and told["errors"] and
                              "error" in said, said)
            if place in ("atexit", "dtor") and way != "rubbish":
                cases.require(f"{what}: it had told its verdict", code == 1,
                              said)


def running(folder):
    """Processes that run something of that folder."""
    out = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
            where = os.readlink(process / "cwd")
        except OSError:
            continue
        if os.fsencode(folder) in words or where.startswith(str(folder)):
            out.append(process.name)
    return out


def nothing_is_left(cases):
    """kill -9 of plumb: while it compiles, while a test runs."""
    cases.run("none")  # so that it is in the cache
    cache = cases.folder / ".cache" / "plumbline"
    cases.require("something is kept", cache.is_dir())
    for way, words in (("operation sleep", ("--rebuild",)),
                       ("operation sleep", ()), ("ctor sleep", ()),
                       ("operation sleep", ("--stress", "1h"))):
        (cases.folder / "way").write_text(way)
        for moment in ("at once", "later"):
            process = cases.start(*words)
            end = time.monotonic() + LIMIT
            while len(running(cases.folder)) < 3 and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(0 if moment == "at once" else 0.5)
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            end = time.monotonic() + LIMIT
            while running(cases.folder) and time.monotonic() < end:
                time.sleep(0.05)
            left = running(cases.folder)
            cases.require(f"{way} {words} {moment}: {left} still run",
                          not left)
            folders = [each.name for each in (*cache.iterdir(),
                                              *cases.folder.iterdir())
                       if each.is_dir() and each.name.startswith("build-")]
            cases.require(f"{way} {words} {moment}: {folders} are left",
                          not folders)


def interrupted(cases):
    """What does not heed an interrupt is ended; what was decided is told."""
    for way in ("operation sleep", "ctor sleep", "dtor sleep"):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            (cases.folder / "way").write_text(way)
            process = cases.start("--json", "out.json")
            end = time.monotonic() + LIMIT
            while len(running(cases.folder)) < 3 and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(0.2)
            process.send_signal(number)
            try:
                said, _ = process.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                said = "it hangs"
            cases.require(f"{way}, {number.name}: exit {process.returncode}",
                          process.returncode == 130, said)
            cases.require(f"{way}, {number.name}: {running(cases.folder)}",
                          not running(cases.folder))


CASES = [endings, nothing_is_left, interrupted]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("case", nargs="?")
    arguments = parser.parse_args()
    plumb = str(pathlib.Path(arguments.plumb).resolve())
    failed = False
    for function in CASES:
        if arguments.case not in (None, function.__name__):
            continue
        with tempfile.TemporaryDirectory() as folder:
            cases = Cases(plumb, folder)
            function(cases)
        print(f"{function.__name__}: {cases.count} cases,"
              f" {len(cases.faults)} faults")
        for fault in cases.faults:
            print("  " + fault.replace("\n", "\n    "))
        failed |= bool(cases.faults) or cases.count == 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
