#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Every violation, replayed again and again, is the same one.
"""replays.py --plumb PLUMB SOURCE_FOLDER [--times N] [FILE...]

FILEs are those of examples/programs; without any, a handful.
"""
import argparse
import json
import pathlib
import subprocess
import sys

FILES = ["i_queue.cpp", "quasi_queue.cpp", "shann_queue.cpp", "faults.cpp",
         "snark_deque.cpp"]


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
            json.dumps(evidence.get("history")), evidence.get("schedule"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("files", nargs="*", default=FILES)
    arguments = parser.parse_args()
    wrong = shown = 0
    for name in arguments.files:
        file = str(arguments.source / "examples" / "programs" / name)
        found = [r for r in ask(arguments.plumb, file)
                 if r["verdict"] == "violated"]
        for result in found[:2]:
            schedule = result["evidence"]["schedule"]
            shown += 1
            seen = set()
            for _ in range(arguments.times):
                again = ask(arguments.plumb, file, "--only", result["name"],
                            "--replay", schedule)
                seen.update(told(r) for r in again)
            if len(seen) != 1 or told(result)[:4] != seen.pop()[:4]:
                wrong += 1
                print(f"{name}, {result['name']}: {schedule} differs")
    print(f"{shown} violations, {arguments.times} times each; {wrong} differ")
    return 1 if wrong or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
