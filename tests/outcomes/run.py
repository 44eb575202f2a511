#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Random C++ programs: all their outcomes, as `plumb test` sees them and as an
# interpreter does that tries every interleaving.
"""run.py --plumb PLUMB [--count N] [--seed N] [--batch seen|unseen|far] ...

For each program there is a test that says that every outcome is one of those
that the interpreter found, and for some of these one that says that it never
comes: the first must hold, the others be violated; a program that can race,
deadlock and so on must be violated by that. All of it with each compiler,
level of optimisation, treatment of loops and number of jobs.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import NamedTuple

import gadgets
import waiting
from generator import Generator
from world import TooLarge

HERE = pathlib.Path(__file__).parent
BATCHES = {"seen": {"weak"}, "unseen": {"unseen", "asm", "kernel"},
           "far": {"unseen", "far"}}
GADGETS = (gadgets.cells, gadgets.big_cells, gadgets.sections,
           gadgets.sections, gadgets.two_locks, gadgets.handover,
           gadgets.own_values, waiting.semaphores, waiting.tokens,
           waiting.conditions, waiting.retries, waiting.retries,
           waiting.lifetimes, waiting.once, waiting.barriers,
           waiting.lent_values)
# Where loops are kept, an endless one ends here.
SPINNING = 'test.set("steps", "200").set("executions", "300"); '
MOST_SECONDS = 240  # of one run of the tool


class Expected(NamedTuple):
    program: str
    verdict: str
    faults: frozenset      # violated: one of these
    may_be_unknown: bool   # an access that no hook sees, a loop with locks
    spins: bool            # endless where loops are kept
    weak: bool             # has a weak compare-exchange, which may fail


class Way(NamedTuple):
    """How to ask."""
    compiler: str
    level: str
    standard: str
    loops: str
    jobs: str

    def __str__(self):
        return (f"{self.compiler} -O{self.level} -std={self.standard} --loops "
                f"{self.loops} --jobs {self.jobs}")


def programs(arguments, batch):
    """Pairs of a program and its meaning."""
    made = number = 0
    chosen = [gadget for gadget in GADGETS
              if gadget.__name__ in (arguments.gadgets or gadget.__name__)]
    while made < arguments.count:
        number += 1
        source = random.Random(f"{batch} {arguments.seed} {number}")
        program = Generator(source, f"p{number}", BATCHES[batch],
                            not arguments.no_spurious,
                            arguments.without).make(chosen)
        if batch != "seen" and "unseen" not in program.features:
            continue
        try:
            meaning = program.meaning(arguments.states)
        except TooLarge:
            continue
        made += 1
        yield program, meaning


def write_tests(file, chosen, targets, seed):
    """Returns what is expected of each test."""
    expected = {}
    texts = ['#include "prelude.h"\n']
    source = random.Random(seed)
    for program, meaning in chosen:
        texts.append(program.text())
        name = program.name
        values = ", ".join(f"{value}L" for value in sorted(meaning.outcomes))
        unseen = bool(program.features & {"unseen", "spins with locks"})
        spins = "spins" in program.features
        weak = "weak" in program.features
        bound = SPINNING if spins else ""
        texts.append(
            f"PLUMB_TEST({name}_all) {{ {bound}test.run([] {{ PLUMB_ASSERT("
            f"is_one_of({name}::run(), {{{values}}})); }}); }}")
        verdict = "violated" if meaning.faults else "holds"
        expected[f"{name}_all"] = Expected(
            name, verdict, frozenset(meaning.faults), unseen, spins,
            weak)
        outcomes = sorted(meaning.outcomes)
        if meaning.faults:
            continue
        for value in source.sample(outcomes, min(targets, len(outcomes))):
            test = f"{name}_never_{value}"
            texts.append(
                f"PLUMB_TEST({test}) {{ {bound}test.run([] {{ "
                f"PLUMB_ASSERT({name}::run() != {value}L); }}); }}")
            expected[test] = Expected(name, "violated",
                                      frozenset({"assertion"}), unseen, spins,
                                      weak)
    file.write_text("\n".join(texts) + "\n")
    return expected


def ask(plumb, folder, way, far, tests=()):
    """The result of each test, or of those named; and what went wrong."""
    command = [plumb, "test", str(folder / "tests.cpp"), "--memory", "sc",
               "--opt", way.level,
               "--loops", way.loops, "--jobs", way.jobs, "--all", "--quiet",
               "--json", "-", "--time-limit", f"{MOST_SECONDS}s", "--", "-I", str(HERE),
               str(far), "-latomic", "-g0",
               f"-std={way.standard}"]
    command[3:3] = [word for test in tests for word in ("--only", test)]
    environment = dict(os.environ, CXX=way.compiler,
                       XDG_CACHE_HOME=str(folder / "cache"))
    running = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               env=environment, start_new_session=True)
    try:
        out, err = running.communicate(timeout=MOST_SECONDS + 60)
        told = json.loads(out)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        out, err = running.communicate()
        told, err = {}, "it hangs"
    except json.JSONDecodeError:
        told = {}
    results = {result["name"]: result for result in told.get("results", [])}
    return results, err if told.get("errors", True) else ""


def ask_one_by_one(plumb, folder, way, far, expected):
    """As ask(), when one of the tests takes the others with it."""
    results = {}
    for program in sorted({what.program for what in expected.values()}):
        tests = [test for test, what in expected.items()
                 if what.program == program]
        some, error = ask(plumb, folder, way, far, tests)
        results.update(some)
        if error:
            print(f"{program}, {way}: {error}", flush=True)
    return results


def complaint(expected, result, way):
    """What is wrong with a result; "": nothing."""
    if result is None:
        return "there is no result"
    verdict = result["verdict"]
    fault = (result.get("evidence") or {}).get("fault")
    told = f"{verdict} {fault or ''} {result.get('reason') or ''}"
    if verdict == "unknown":
        if expected.may_be_unknown or (expected.spins and
                                       way.loops == "keep"):
            return ""
    elif (verdict == "holds" and expected.weak and
          way.compiler.startswith("clang")):
        return ""  # it does not tell weak ones from strong ones
    elif verdict == expected.verdict:
        if verdict == "holds" or fault in expected.faults:
            return ""
    return (f"{told}, but it is {expected.verdict} "
            f"{', '.join(sorted(expected.faults))}")


def ways(compilers, levels):
    """The standards differ in what a library's compiled part does."""
    for compiler in compilers:
        for level in levels:
            older = (compiler == "g++") == (level == "2")
            for loops in ("cut", "keep"):
                jobs = "2" if (loops == "cut") == (level == "2") else "1"
                yield Way(compiler, level, "c++17" if older else "c++20",
                          loops, jobs)


def check(arguments, batch, folder):
    """Returns how many programs are wrong."""
    chosen = list(programs(arguments, batch))
    expected = write_tests(folder / "tests.cpp", chosen, arguments.targets,
                           arguments.seed)
    wrong, unknown, asked = {}, 0, 0
    for way in ways(arguments.compilers, arguments.levels):
        far = folder / "far.o"
        subprocess.run([way.compiler, "-c", "-O1", "-fPIC", "-o", str(far),
                        str(HERE / "far.cpp")], check=True)
        question = (arguments.plumb, folder, way,
                    far if batch == "far" else "-DPLUMB_NOT_FAR")
        results, error = ask(*question)
        if error and "built" not in error:
            results = ask_one_by_one(*question, expected)
        elif error:
            sys.exit(f"{way}: {error}")
        for test, what in expected.items():
            asked += 1
            result = results.get(test)
            unknown += result is not None and result["verdict"] == "unknown"
            problem = complaint(what, result, way)
            if problem:
                wrong.setdefault(what.program, []).append(
                    f"{test}, {way}: {problem}")
    for program, problems in wrong.items():
        print(f"{batch} {arguments.seed} {program}: {len(problems)} verdicts")
        print("\n".join(f"  {problem}" for problem in problems[:3]))
    faulty = sum(bool(meaning.faults) for _, meaning in chosen)
    outcomes = sum(len(meaning.outcomes) for _, meaning in chosen)
    print(f"{batch}: {len(chosen)} programs, {faulty} with faults, {outcomes} "
          f"outcomes; {asked} verdicts, {unknown} unknown; {len(wrong)} "
          f"programs wrong", flush=True)
    return len(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--count", type=int, default=18)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--states", type=int, default=4000)
    parser.add_argument("--targets", type=int, default=4)
    parser.add_argument("--levels", default="02")
    parser.add_argument("--compilers", nargs="*", default=[
        c for c in ("g++", "clang++") if shutil.which(c)])
    parser.add_argument("--batch", choices=BATCHES, action="append")
    parser.add_argument("--gadgets", nargs="*")
    parser.add_argument("--without", nargs="*", default=[],
                        help="places of variables")
    parser.add_argument("--no-spurious", action="store_true",
                        help="nobody is woken up for no reason")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    wrong = 0
    for batch in arguments.batch or BATCHES:
        if arguments.keep:
            folder = arguments.keep / batch
            folder.mkdir(parents=True, exist_ok=True)
            wrong += check(arguments, batch, folder)
            continue
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(arguments, batch, pathlib.Path(folder))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
