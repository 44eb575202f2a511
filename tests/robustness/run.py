# SPDX-License-Identifier: Apache-2.0
# The tool under bad conditions: a clear message, the right status, no hang.
"""Usage: run.py --plumb PLUMB ROOT [PART]

Each case runs a command of the tool under one condition that users meet: no
space left, a folder that cannot be written, a closed standard output, a signal
at a random time, a gigabyte of rubbish, little memory, no time."""

import argparse
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds; nothing may hang
GIGABYTE = 1 << 30

HISTORY = "examples/histories/queue_overtaken.jsonl"
MODEL = "examples/models/treiber_stack.plumb"
CSP = "examples/csp/peterson.csp"
PROGRAM = "tests/golden/files/programs/counter.cpp"


class Cases:
    def __init__(self, plumb, root, folder):
        self.plumb = str(pathlib.Path(plumb).resolve())
        self.root = pathlib.Path(root).resolve()
        self.folder = pathlib.Path(folder)
        self.random = random.Random(1)
        self.count = 0
        self.failures = []

    def run(self, words, **options):
        """Returns (status, output, errors); a hang is a status of None."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen([self.plumb, *map(str, words)],
                                   cwd=self.root, **options)
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "", ""
        decode = lambda text: (text or b"").decode(errors="replace")
        return process.returncode, decode(out), decode(err)

    def expect(self, name, got, status, words=""):
        self.count += 1
        code, out, err = got
        wanted = status if isinstance(status, tuple) else (status,)
        said = out + err
        if code not in wanted:
            self.fail(name, f"exit {code}, expected {wanted}", said)
        elif words and words not in said:
            self.fail(name, f"the message lacks '{words}'", said)
        elif "terminate called" in said or "Assertion" in said:
            self.fail(name, "it crashed", said)

    def fail(self, name, why, said):
        self.failures.append(f"{name}: {why}\n{said[-1500:]}")


def small_files():
    """Writing more than a few bytes fails, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


COMMANDS = {
    "history": ["history", "--spec", "queue", HISTORY],
    "verify": ["verify", MODEL],
    "csp": ["verify", CSP],
    "specs": ["specs"],
    "format": ["format", MODEL],
}


def no_space_left(cases):
    commands = dict(COMMANDS, tests=["test", PROGRAM, PROGRAM],
                    help=["--help"], version=["--version"])
    for name, words in commands.items():
        with open("/dev/full", "wb") as full:
            cases.expect(f"no space for the output of {name}",
                         cases.run(words, stdout=full), 2, "No space left")
    for name in ("history", "verify", "csp"):
        for option in ("--json", "--html", "--junit", "--sarif"):
            target = cases.folder / "full.out"
            got = cases.run([*COMMANDS[name], option, target],
                            preexec_fn=small_files,
                            stdout=subprocess.DEVNULL)
            cases.expect(f"no space for {option} of {name}", got, 2,
                         "full.out")
            if target.exists():
                cases.fail(f"{option} of {name}", "half a file is left", "")
            for left in cases.folder.glob("full.out*"):
                cases.fail(f"{option} of {name}", f"{left.name} is left", "")
                left.unlink()


def folder_that_cannot_be_written(cases):
    for name in ("history", "verify", "csp"):
        for option in ("--json", "--html", "--junit", "--sarif"):
            cases.expect(f"{option} of {name} where nothing can be written",
                         cases.run([*COMMANDS[name], option,
                                    "/proc/plumb.out"]), 2,
                         "/proc/plumb.out")
    cases.expect("--trace where nothing can be written",
                 cases.run(["verify", "--check", "69", "--trace",
                            "/proc/t.json", MODEL]), 2, "/proc/t.json")


def closed_output(cases):
    def close_output():
        os.close(1)

    def close_both():
        os.close(1)
        os.close(2)

    expected = {"history": 1}
    for name, words in COMMANDS.items():
        cases.expect(f"standard output of {name} closed",
                     cases.run(words, stdout=None, preexec_fn=close_output),
                     2, "standard output")
        cases.expect(f"all output of {name} closed",
                     cases.run(words, stdout=None, stderr=None,
                               preexec_fn=close_both), 2)
        cases.expect(f"quiet {name} needs no output",
                     cases.run([*words, "--quiet"], stdout=None,
                               preexec_fn=close_output),
                     expected.get(name, 0)) if name in (
                         "history", "verify", "csp") else None
    for name, words in COMMANDS.items():
        reader, writer = os.pipe()
        os.close(reader)  # as `| head -0` does
        got = cases.run(words, stdout=writer)
        os.close(writer)
        cases.expect(f"nobody reads the output of {name}", got,
                     -signal.SIGPIPE)


def await_handler(process, number):
    """Before that, nothing of the tool ran, however slow the machine is."""
    status = pathlib.Path(f"/proc/{process.pid}/status")
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        caught = [line for line in status.read_text().splitlines()
                  if line.startswith("SigCgt:")]
        if caught and int(caught[0].split()[1], 16) >> (number - 1) & 1:
            return
        time.sleep(0.005)


def signals(cases):
    model = cases.folder / "large.plumb"
    text = (cases.root / "examples/models/ms_queue.plumb").read_text()
    objects = text.split("\ncheck ")[0]
    model.write_text(objects + "\ncheck ms_queue linearizable with "
                     "4 processes, values 1..3, 4 operations;\n")
    csp = cases.folder / "large.csp"
    csp.write_text("#define N 9;\nvar x[N];\n"
                   "P(i) = a.i{x[i] = (x[i] + 1) % 7;} -> P(i);\n"
                   "All() = ||| i:{0..N-1} @ P(i);\n"
                   "#assert All() deadlockfree;\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for delay in (0, 0.1, cases.random.uniform(0.1, 1.5)):
            for file in (model, csp):
                name = f"{number.name} after {delay:.2f} s: {file.name}"
                target = cases.folder / "stopped.json"
                process = subprocess.Popen(
                    [cases.plumb, "verify", "--no-symmetry", str(file), "--json",
                     str(target)], cwd=cases.root, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
                await_handler(process, number)
                time.sleep(delay)
                process.send_signal(number)
                begin = time.monotonic()
                try:
                    out, err = process.communicate(timeout=LIMIT)
                except subprocess.TimeoutExpired:
                    process.kill()
                    cases.fail(name, "it did not end", "")
                    continue
                if time.monotonic() - begin > 10:
                    cases.fail(name, "it took more than 10 s to end", "")
                cases.expect(name, (process.returncode, out.decode(),
                                    err.decode()), 130)
                if process.returncode == 130:
                    written = json.loads(target.read_text())["results"]
                    if written[0]["verdict"] != "unknown":
                        cases.fail(name, "the result is not 'unknown'", "")
                target.unlink(missing_ok=True)
                for left in cases.folder.glob("stopped.json*"):
                    cases.fail(name, f"{left.name} is left", "")
                    left.unlink()


    for file in (model, csp):
        saved = cases.folder / "saved"
        process = subprocess.Popen(
            [cases.plumb, "verify", "--no-symmetry", "--checkpoint",
             str(saved), str(file)], cwd=cases.root,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        await_handler(process, signal.SIGTERM)
        process.terminate()
        out, err = process.communicate(timeout=LIMIT)
        name = f"a checkpoint of {file.name} when it is ended"
        cases.expect(name, (process.returncode, out.decode(), err.decode()),
                     130)
        cases.expect(f"{name}, resumed",
                     cases.run(["verify", "--no-symmetry", "--resume", saved,
                                "--time-limit", "2s", file]), 3,
                     "time limit")
        saved.unlink(missing_ok=True)


def rubbish(cases):
    zeros = cases.folder / "zeros.jsonl"
    with open(zeros, "wb") as file:
        file.truncate(GIGABYTE)
    cases.expect("a gigabyte of zeros as a history",
                 cases.run(["history", "--spec", "queue", zeros]), 2,
                 "error")
    for suffix, words in ((".plumb", ["verify"]), (".csp", ["verify"]),
                          (".plumb", ["format"]), (".json", ["report"])):
        file = zeros.rename(zeros.with_suffix(suffix))
        cases.expect(f"a gigabyte of zeros for {words[0]} {suffix}",
                     cases.run([*words, file]), 2, "error")
        zeros = file
    zeros.unlink()
    noise = random.Random(2).randbytes(1 << 20)
    for name, block in (("noise", noise), ("one long line", b"x" * (1 << 20)),
                        ("brackets", b"[" * (1 << 20)),
                        ("quotes", b'"\\' * (1 << 19)),
                        ("empty lines", b"\n" * (1 << 20))):
        process = subprocess.Popen(
            [cases.plumb, "history", "--spec", "queue", "-"],
            cwd=cases.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        begin = time.monotonic()
        try:
            for _ in range(1024):
                process.stdin.write(block)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has seen enough
        out = process.stdout.read().decode(errors="replace")
        process.wait(LIMIT)
        # Empty lines are no error: a history without operations.
        cases.expect(f"a gigabyte of {name} on standard input",
                     (process.returncode, out, ""),
                     (2, 3) if name == "empty lines" else 2)
        if time.monotonic() - begin > LIMIT:
            cases.fail(name, "it took more than a minute", "")


def little_memory(cases):
    cases.expect("a memory limit of 1M",
                 cases.run(["verify", "--memory-limit", "1M", "--check", "38",
                            MODEL]), (0, 3))
    big = cases.folder / "big.csp"
    big.write_text("#define N 9;\nvar x[N];\n"
                   "P(i) = a.i{x[i] = (x[i] + 1) % 7;} -> P(i);\n"
                   "All() = ||| i:{0..N-1} @ P(i);\n"
                   "#assert All() deadlockfree;\n")
    cases.expect("a memory limit that is reached",
                 cases.run(["verify", "--no-symmetry", "--memory-limit", "30M",
                            "--spill", "none", big]), 3,
                 "memory")

    def few_pages():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
    cases.expect("a limit of the system's on memory",
                 cases.run(["verify", "--no-symmetry", big],
                           preexec_fn=few_pages), 3,
                 "memory")


def no_time(cases):
    for name in ("verify", "csp"):
        cases.expect(f"no time for {name}",
                     cases.run([*COMMANDS[name], "--time-limit", "0s"]), 3,
                     "time limit")
    cases.expect("no time for history",
                 cases.run([*COMMANDS["history"], "--time-limit", "0s"]), 3,
                 "time limit")
    cases.expect("no time for test",
                 cases.run(["test", PROGRAM, "--time-limit", "0s"]), 3,
                 "time limit")


PARTS = [no_space_left, folder_that_cannot_be_written, closed_output, signals,
         rubbish, little_memory, no_time]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("root")
    parser.add_argument("part", nargs="?")
    arguments = parser.parse_args()
    failed = False
    for part in PARTS:
        if arguments.part not in (None, part.__name__):
            continue
        with tempfile.TemporaryDirectory() as folder:
            cases = Cases(arguments.plumb, arguments.root, folder)
            part(cases)
        print(f"{part.__name__}: {cases.count} cases,"
              f" {len(cases.failures)} failures")
        for failure in cases.failures:
            print("  " + failure.replace("\n", "\n    "))
        failed |= bool(cases.failures) or cases.count == 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
