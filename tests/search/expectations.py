#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs test files, with and without optimisation: all must be as they expect.
"""expectations.py --plumb PLUMB FILE..."""
import argparse
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--memory", default="sc")
    parser.add_argument("--levels", default="02")
    arguments = parser.parse_args()
    wrong = 0
    for level in arguments.levels:
        command = [arguments.plumb, "test", "--opt", level, "--no-color",
                   "--memory", arguments.memory,
                   "--time-limit", "600s", *arguments.files]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            wrong += 1
            print(f"--opt {level}: exit status {done.returncode}")
            print(done.stdout + done.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
