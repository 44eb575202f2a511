#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Every violation, replayed again and again, is the same one.
"""replays.py --plumb PLUMB SOURCE_FOLDER [--times N] [--all | FILE...]

All violations of the FILEs, which are those of examples/programs; all there are
with --all; a handful without either.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HANDFUL = [("i_queue.cpp", "i_queue"), ("quasi_queue.cpp", "quasi_queue_b1"),
           ("shann_queue.cpp", "shann_queue"),
           ("treiber_stack.cpp", "treiber_stack_reuse"),
           ("faults.cpp", "use_after_free"),
           ("memory_orders.cpp", "dekker_release_acquire"),
           ("../../tests/programs/weak_memory.cpp",
            "waits_since_both_were_missed")]


def ask(plumb, *words):
    done = subprocess.run([plumb, "test", *words, "--quiet", "--json", "-"],
                          capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["results"]
    except (json.JSONDecodeError, KeyError):
        print(done.stdout[-500:], done.stderr[-500:])
        return []


def told(result):
    """What must be the same each time: the verdict, the history, the fault."""
    evidence = result["evidence"] or {}
    return (result["verdict"], evidence.get("kind"), evidence.get("fault"),
            order_of(evidence.get("history") or []))


def order_of(history):
    """The calls, and which returned before which was made: no more matters."""
    calls = [(call["process"], call["text"]) for call in history]
    return sorted(calls), sorted(
        (calls[i], calls[j]) for i, one in enumerate(history)
        for j, other in enumerate(history)
        if one["returned"] is not None and one["returned"] < other["invoked"])


def replays(plumb, file, result, times):
    """How often it was something else than the first time."""
    schedule = result["evidence"]["schedule"]
    command = (file, "--only", result["name"], "--replay", schedule)
    again = [ask(plumb, *command) for _ in range(times)]
    schedules = {r["evidence"]["schedule"] for one in again for r in one
                 if r["evidence"]}
    other = sum([told(r) for r in one] != [told(result)] for one in again)
    if other or len(schedules) != 1:
        print(f"{file}, {result['name']}: {schedule} differs {other} times;"
              f" as it is told afterwards: {schedules}")
    return other + len(schedules) - 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_intermixed_args()
    folder = arguments.source / "examples" / "programs"
    files = arguments.files
    if arguments.all:
        files = sorted(file.name for file in folder.glob("*.c*"))
    asked = [(name,) for name in files] or [
        (name, "--only", test) for name, test in HANDFUL]
    wrong = shown = 0
    for name, *only in asked:
        file = str(folder / name)
        found = [r for r in ask(arguments.plumb, file, *only)
                 if r["verdict"] == "violated"]
        shown += len(found)
        wrong += sum(replays(arguments.plumb, file, result,
                             arguments.times) != 0 for result in found)
    if not arguments.files and not arguments.all and shown < len(HANDFUL):
        wrong += 1
        print(f"{len(HANDFUL)} were to be violated")
    print(f"{shown} violations, {arguments.times} times each; {wrong} differ")
    return 1 if wrong or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
