#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Counts the traces of programs whose numbers of traces are known.
"""counts.py --plumb PLUMB SOURCE_FOLDER

Two independent tools that count Mazurkiewicz traces agree on these figures:
they are what there is, not what we happen to explore.
"""
import argparse
import json
import pathlib
import subprocess
import sys

KNOWN = [("treiber.cpp", "t2", 40), ("treiber.cpp", "t3", 25680),
         ("ms_queue.cpp", "q2", 222)]


def count(plumb, file, test, level):
    command = [plumb, "test", str(file), "--only", test, "--loops", "keep",
               "--memory", "sc",
               "--opt", level, "--quiet", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    result = json.loads(done.stdout)["results"][0]
    return result["verdict"], result["stats"]["executions"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("source", type=pathlib.Path)
    arguments = parser.parse_args()
    wrong = 0
    for name, test, traces in KNOWN:
        file = arguments.source / "bench" / "programs" / name
        for level in "02":
            seen = count(arguments.plumb, file, test, level)
            if seen != ("holds", traces):
                wrong += 1
                print(f"{test} --opt {level}: {seen}, not {traces} traces")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
