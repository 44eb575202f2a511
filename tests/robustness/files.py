# SPDX-License-Identifier: Apache-2.0
# Files of users: nothing is destroyed, no pipe hangs, checkpoints are there and
# cannot be forged, no text of an input speaks to the terminal.
"""Usage: files.py --plumb PLUMB ROOT"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds; nothing may hang
VIOLATED = ('{"process": 0, "type": "invoke", "f": "enq", "value": 1}\n'
            '{"process": 0, "type": "ok", "f": "enq", "value": 1}\n'
            '{"process": 0, "type": "invoke", "f": "deq", "value": null}\n'
            '{"process": 0, "type": "ok", "f": "deq", "value": 2}\n')
LARGE = ("#define N 9;\nvar x[N];\n"
         "P(i) = a.i{x[i] = (x[i] + 1) % 7;} -> P(i);\n"
         "All() = ||| i:{0..N-1} @ P(i);\n#assert All() deadlockfree;\n")


class Cases:
    def __init__(self, plumb, root, folder):
        self.plumb, self.root = plumb, root
        self.folder = pathlib.Path(folder)
        self.environment = dict(os.environ, HOME=str(self.folder),
                                XDG_STATE_HOME="", LC_ALL="C.UTF-8")
        self.count, self.faults = 0, []

    def start(self, words, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   **options}
        return subprocess.Popen(
            [self.plumb, *map(str, words)], cwd=self.folder,
            env=self.environment, stderr=subprocess.STDOUT, **options)

    def end(self, process):
        try:
            out, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "it hangs"
        return process.returncode, out.decode("utf-8", "surrogateescape")

    def run(self, *words, **options):
        return self.end(self.start(words, **options))

    def expect(self, what, got, status, words=""):
        self.count += 1
        if got[0] != status or words not in got[1]:
            self.faults.append(f"{what}: exit {got[0]}, not {status}"
                               f" ('{words}')\n{got[1][-1500:]}")

    def require(self, what, fact):
        self.count += 1
        if not fact:
            self.faults.append(what)


def history(cases, name="h.jsonl"):
    file = cases.folder / name
    file.write_text(VIOLATED)
    return file


def model(cases):
    text = (cases.root / "examples/models/treiber_stack.plumb").read_text()
    file = cases.folder / "m.plumb"
    file.write_text(text)
    return file


def outputs_apart(cases):
    """An output is no input and no other output, whatever they are called."""
    file = history(cases)
    (cases.folder / "link").symlink_to("h.jsonl")
    os.link(file, cases.folder / "hard")
    words = ("history", "--spec", "queue", "h.jsonl")
    for name in ("h.jsonl", "./h.jsonl", "link", "hard", str(file)):
        cases.expect(f"--json over its input as {name}",
                     cases.run(*words, "--json", name), 2, "would write over")
    cases.expect("two outputs in one file",
                 cases.run(*words, "--json", "new", "--html", "./new"), 2,
                 "both write to")
    with open(file) as standard:
        cases.expect("--json over what standard input reads",
                     cases.run(*words[:-1], "-", "--json", "h.jsonl",
                               stdin=standard), 2, "would write over")
    with open(cases.folder / "both", "w") as standard:
        process = cases.start((*words, "--json", "-", "--html", "both"),
                              stdout=standard)
        process.communicate(timeout=LIMIT)
        cases.require("--html where standard output goes",
                      process.returncode == 2)
    cases.require("the history is as it was", file.read_text() == VIOLATED)
    (cases.folder / "part.csp").write_text("P = a -> P;\n")
    (cases.folder / "whole.csp").write_text(
        '#include "part.csp";\n#assert P deadlockfree;\n')
    cases.expect("--json over what a model includes",
                 cases.run("verify", "--json", "part.csp", "whole.csp"), 2,
                 "would write over")
    cases.require("the part is as it was",
                  (cases.folder / "part.csp").read_text().startswith("P ="))
    for name in ("kv.plumb", "kv.jsonl"):
        shutil.copy(cases.root / "examples/specs" / name, cases.folder)
    (cases.folder / "spec link").symlink_to("kv.plumb")
    for name in ("kv.plumb", "spec link"):
        cases.expect(f"--json over the specification as '{name}'",
                     cases.run("history", "--spec", "kv.plumb:kv", "--json",
                               name, "kv.jsonl"), 2, "would write over")
    # Only the test knows that it reads it, and this one is not even built.
    (cases.folder / "t.cpp").write_text("not C++: test.spec(\"kv.plumb\")\n")
    cases.expect("--json over the specification of a test",
                 cases.run("test", "--json", "kv.plumb", "t.cpp"), 2,
                 "would write over")
    cases.require("the specification is as it was",
                  "spec kv" in (cases.folder / "kv.plumb").read_text())
    mine = model(cases)
    text = mine.read_text()
    for option in ("--trace", "--checkpoint", "--json", "--lts"):
        name = "./m.plumb"
        if option == "--lts":
            (cases.folder / "m.aut").symlink_to("m.plumb")
            name = "m.aut"
        cases.expect(f"{option} over the model",
                     cases.run("verify", "--check", "38", option, name,
                               "m.plumb"), 2, "would write over")
    cases.expect("--trace and --lts in one file",
                 cases.run("verify", "--trace", "x.aut", "--lts", "./x.aut",
                           "m.plumb"), 2, "both write to")
    (cases.folder / "notes").write_text("mine")
    cases.expect("--checkpoint over something else",
                 cases.run("verify", "--check", "38", "--checkpoint", "notes",
                           "m.plumb"), 2, "is no checkpoint")
    cases.require("the notes are as they were",
                  (cases.folder / "notes").read_text() == "mine")
    cases.require("the model is as it was", mine.read_text() == text)


def nothing_is_lost(cases):
    """A write that fails leaves what was there; owner and names stay."""
    import resource

    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))

    model(cases)
    target = cases.folder / "states.aut"
    target.write_text("old")
    os.link(target, cases.folder / "second name")
    words = ("verify", "--check", "38", "--lts", target, "m.plumb")
    cases.expect("--lts on a full disk", cases.run(*words, preexec_fn=full), 2,
                 "states.aut")
    cases.require("the old states are there", target.read_text() == "old")
    cases.expect("--lts", cases.run(*words), 0)
    cases.require("both names have the new states",
                  target.read_text().startswith("des") and
                  (cases.folder / "second name").read_text() ==
                  target.read_text())
    if os.geteuid() == 0:
        history(cases)
        mine = cases.folder / "mine.json"
        mine.write_text("old")
        os.chown(mine, 12345, 12345)
        cases.expect("--json over somebody's file",
                     cases.run("history", "--spec", "queue", "--json", mine,
                               "h.jsonl"), 1)
        cases.require("it is still theirs", mine.stat().st_uid == 12345 and
                      mine.read_text().startswith("{"))
    victim = cases.folder / "victim"
    victim.write_text("precious")
    (cases.folder / "k.ck.new").symlink_to(victim)
    cases.run("verify", "--check", "38", "--checkpoint", "k.ck",
              "--checkpoint-every", "0s", "m.plumb")
    cases.require("a link where a checkpoint is prepared is not followed",
                  victim.read_text() == "precious")


def pipes(cases):
    """A pipe without anybody at its other end is waited for in vain."""
    history(cases)
    model(cases)
    for name in ("p.plumb", "p.csp", "p.json", "out"):
        os.mkfifo(cases.folder / name)
    runs = [
        (("verify", "p.plumb"), "nobody writes"),
        (("verify", "p.csp"), "nobody writes"),
        (("report", "p.json"), "nobody writes"),
        (("verify", "--replay", "p.json", "m.plumb"), "nobody writes"),
        (("verify", "--check", "38", "--resume", "p.json", "m.plumb"),
         "cannot read"),
        (("verify", "--check", "38", "--checkpoint", "out", "m.plumb"),
         "is no checkpoint"),
        (("history", "--spec", "queue", "h.jsonl", "--json", "out"),
         "nobody reads"),
    ]
    started = [cases.start(words) for words, _ in runs]
    for process, (words, said) in zip(started, runs):
        cases.expect(" ".join(words), cases.end(process), 2, said)
    process = cases.start(("verify", "p.plumb"))
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    code, said = cases.end(process)
    cases.require(f"a wait that is interrupted: {code} {said}",
                  code in (130, -signal.SIGTERM))


def checkpoints(cases):
    """However early a run ends, whatever ends it, it can be resumed."""
    (cases.folder / "large.csp").write_text(LARGE)
    (cases.folder / "large.plumb").write_text(
        (cases.root / "examples/models/ms_queue.plumb").read_text().split(
            "\ncheck ")[0] + "\ncheck ms_queue linearizable with 4 processes, "
        "values 1..3, 4 operations;\n")
    for name in ("large.csp", "large.plumb"):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT,
                       signal.SIGKILL):
            saved = cases.folder / f"{name}.{number.name}"
            process = cases.start(("verify", "--no-symmetry", "--checkpoint",
                                   saved, name))
            end = time.monotonic() + LIMIT
            while not saved.exists() and time.monotonic() < end:
                time.sleep(0.01)  # it is there before the search begins
            process.send_signal(number)
            code, said = cases.end(process)
            what = f"{name} ended by {number.name}"
            wanted = -9 if number == signal.SIGKILL else 130
            cases.require(f"{what}: {code} {said}", code == wanted)
            cases.expect(f"{what}, resumed",
                         cases.run("verify", "--no-symmetry", "--resume",
                                   saved, "--time-limit", "300ms", name), 3,
                         "time limit")
            left = [each.name for each in cases.folder.glob(f"{saved.name}*")]
            cases.require(f"{what}: {left} are left", left == [saved.name])
    cases.expect("a run without time",
                 cases.run("verify", "--no-symmetry", "--checkpoint", "none",
                           "--time-limit", "0s", "large.csp"), 3)
    cases.expect("that, resumed",
                 cases.run("verify", "--no-symmetry", "--resume", "none",
                           "--time-limit", "300ms", "large.csp"), 3, "time")


def forged(cases):
    """A checkpoint that somebody has changed, or another user made, is
    refused: it would be believed."""
    text = (cases.root / "examples/models/ms_queue.plumb").read_text()
    (cases.folder / "a.plumb").write_text(
        text.split("\ncheck ")[0] + "\ncheck ms_queue linearizable with "
        "2 processes, values 1..2, 2 operations;\n")
    words = ("verify", "--method", "exact", "--state-limit", "300")
    cases.expect("a part of a check",
                 cases.run(*words, "--checkpoint", "k.ck", "a.plumb"), 3)
    whole = (cases.folder / "k.ck").read_bytes()
    resume = ("verify", "--method", "exact", "--resume", "f.ck", "a.plumb")
    step = max(1, len(whole) // 25)
    for at in range(0, len(whole), step):
        changed = bytearray(whole)
        changed[at] ^= 1 << at % 8
        (cases.folder / "f.ck").write_bytes(changed)
        cases.expect(f"byte {at} changed", cases.run(*resume), 2)
    (cases.folder / "f.ck").write_bytes(whole)
    cases.expect("as it was", cases.run(*resume), 0)
    cases.environment["HOME"] = str(cases.folder / "other home")
    cases.expect("another user's", cases.run(*resume), 2, "another user")


def terminals(cases):
    """ESC, C1, DEL, bidirectional marks: in values, names, files."""
    bad = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f"
                     "\u2028-\u202e\u2066-\u2069\udc80-\udcff]")
    nasty = "\\u001b[31m\\u009b2J\\u007f\\u202e"
    value = VIOLATED.replace('"value": 2', f'"value": "{nasty}"')
    name = VIOLATED.replace('"enq"', f'"{nasty}"')
    process = VIOLATED.replace('"process": 0', f'"process": "{nasty}"')
    raw = "x\x1b]0;t\x07\n::error::y\u202e.jsonl"
    files = {"value.jsonl": value, "name.jsonl": name, "process.jsonl": process,
             raw: VIOLATED, raw[:-6] + "-bad.jsonl": "{rubbish \x1b[31m",
             "-dash.jsonl": VIOLATED,
             "bad\x1b[31m.plumb": "object \x1b[31m \u202e {",
             "bad\x1b[31m.csp": "P = \x1b[31m \u202e -> {"}
    for file, text in files.items():
        (cases.folder / file).write_text(text)
        command = ("verify",) if file.endswith(("plumb", "csp")) else (
            "history", "--spec", "queue", "--witness")
        for more in ((), ("--json", "-"), ("--junit", "-"), ("--sarif", "-")):
            code, said = cases.run(*command, *more, "--", file)
            found = bad.search(said.replace("\n", ""))
            cases.require(f"{file!r} {more}: {found} in\n{said!r}",
                          found is None and code in (1, 2))
            cases.require(f"{file!r}: a command for a runner\n{said}",
                          not re.search(r"^\s*::", said, re.MULTILINE))
        again = re.search(r"To see it again: (.*)", said) or re.search(
            r"To see it again: (.*)", cases.run(*command, "--", file)[1])
        if again:
            shown = subprocess.run(
                ["bash", "-c", again[1].replace("plumb ", cases.plumb + " ")],
                cwd=cases.folder, env=cases.environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            cases.expect(f"{again[1]}", (shown.returncode, shown.stdout), 1)
        elif file.endswith("dash.jsonl"):
            cases.faults.append(f"{file!r} is not told how to be seen again")
    cases.environment["GITHUB_ACTIONS"] = "true"
    code, said = cases.run("history", "--spec", "queue", raw)
    commands = [line for line in said.splitlines() if line.startswith("::")]
    cases.require(f"annotations: {said!r}",
                  len(commands) == 1 and not bad.search(said.replace("\n", "")))


def specifications_of_tests(cases):
    """What a test reads is known when it runs, by whatever name."""
    spec = ("spec one {\n    value x = 0;\n    void put(value v) { x = v; }\n"
            "    value get() { return x; }\n}\n")
    (cases.folder / "below").mkdir()
    real = cases.folder / "below/real"
    real.write_text(spec)
    (cases.folder / "one.plumb").symlink_to("below/real")
    os.link(real, cases.folder / "second.json")
    (cases.folder / "t.cpp").write_text(
        "#include <plumb/test.h>\n#include <atomic>\n"
        "struct C { std::atomic<int> v{0}; int get() { return v; }\n"
        "  void put(int n) { v = n; } };\n"
        "PLUMB_TEST(c) {\n  auto o = test.object<C>();\n"
        "  auto get = o.operation(\"get\", PLUMB_METHOD(get));\n"
        "  auto put = o.operation(\"put\", PLUMB_METHOD(put));\n"
        "  test.spec(\"one.plumb:one\");\n"
        "  test.program().thread(put(1)).thread(get());\n}\n")
    for name in ("below/real", "second.json"):
        cases.expect(f"--json over the specification as '{name}'",
                     cases.run("test", "--json", name, "t.cpp"), 2,
                     "this file was read")
    cases.require("the specification is as it was", real.read_text() == spec)
    cases.expect("--json to a file of its own",
                 cases.run("test", "--json", "own.json", "t.cpp"), 0)


def terminals_of_tests(cases):
    """What code under test throws, and what a compiler shows of it."""
    (cases.folder / "t.cpp").write_text(
        "#include <plumb/test.h>\n#include <stdexcept>\n"
        "struct C { int inc() { throw std::runtime_error("
        "\"x\\x1b[31m\\n::error::\\xc2\\x9b\"); } };\n"
        "PLUMB_TEST(c) {\n  auto o = test.object<C>();\n"
        "  auto inc = o.operation(\"in\\x1b]0;c\\x07\", PLUMB_METHOD(inc));\n"
        "  test.spec(\"counter\");\n  test.program().thread(inc());\n}\n")
    (cases.folder / "e.cpp").write_text("int x = \"\x1b[31m\x1b]0;t\x07\";\n")
    for name in ("t.cpp", "e.cpp"):
        for color in ((), ("--no-color",)):
            _, said = cases.run("test", *color, name)
            cases.require(f"{name}: {said!r}", not re.search(
                "[\x00-\x08\x0b-\x1f\x7f-\x9f]", said))
            cases.require(f"{name}: a command for a runner\n{said}",
                          not re.search(r"^\s*::", said, re.MULTILINE))


CASES = [outputs_apart, nothing_is_lost, pipes, checkpoints, forged, terminals,
         terminals_of_tests, specifications_of_tests]
OF_CODE = [terminals_of_tests, specifications_of_tests]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("root")
    parser.add_argument("case", nargs="?")
    arguments = parser.parse_args()
    plumb = str(pathlib.Path(arguments.plumb).resolve())
    root = pathlib.Path(arguments.root).resolve()
    failed = False
    for function in CASES:
        if arguments.case not in (None, function.__name__):
            continue
        is_built = (pathlib.Path(plumb).parent / "libplumbline.so").exists()
        if function in OF_CODE and not is_built:
            continue  # the sanitizers' build has no tests of code
        with tempfile.TemporaryDirectory() as folder:
            cases = Cases(plumb, root, folder)
            function(cases)
        print(f"{function.__name__}: {cases.count} cases,"
              f" {len(cases.faults)} faults")
        for fault in cases.faults:
            print("  " + fault.replace("\n", "\n    "))
        failed |= bool(cases.faults) or cases.count == 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
