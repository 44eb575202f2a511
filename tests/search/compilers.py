#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The same verdicts whatever compiler and level of optimisation are used.
"""compilers.py --plumb PLUMB SOURCE_FOLDER [FILE...]

FILEs are those of examples/programs; without any, ones with retry loops,
thread_local data with hazard pointers and epochs, and a 16-byte
compare-exchange. Compilers that are not installed are left out.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

COMPILERS = ["g++", "clang++-14", "clang++-19"]
LEVELS = "0123"
FILES = ["treiber_stack.cpp", "shann_queue.cpp", "two_lock_queue.cpp",
         "hazard_stack.cpp", "epoch_stack.cpp", "wide_stack.cpp"]


def verdicts(plumb, file, compiler, level):
    environment = dict(os.environ, CXX=compiler)
    done = subprocess.run(
        [plumb, "test", str(file), "--opt", level, "--memory", "sc",
         "--quiet", "--json", "-",
         "--time-limit", "60s"], capture_output=True, text=True,
        env=environment)
    try:
        results = json.loads(done.stdout)["results"]
    except json.JSONDecodeError:
        return f"no result: {done.stderr[-300:]}"
    return {result["name"]: result["verdict"] for result in results}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("files", nargs="*", default=FILES)
    arguments = parser.parse_args()
    compilers = [c for c in COMPILERS if shutil.which(c)]
    wrong = 0
    for name in arguments.files:
        file = arguments.source / "examples" / "programs" / name
        first = None
        for compiler in compilers:
            for level in LEVELS:
                seen = verdicts(arguments.plumb, file, compiler, level)
                first = first or seen
                if seen != first or not isinstance(seen, dict):
                    wrong += 1
                    print(f"{name}, {compiler} -O{level}: {seen}\n"
                          f"  elsewhere: {first}")
    print(f"{len(arguments.files)} files, {', '.join(compilers)}, "
          f"-O0 to -O3; {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
