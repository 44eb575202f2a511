#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs all tests in a folder with `plumb test`: each must be as it expects.
"""run.py --plumb PLUMB FOLDER"""
import argparse
import pathlib
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    files = sorted(file for file in arguments.folder.iterdir()
                   if file.suffix in (".cpp", ".c") and has_tests(file))
    if not files:
        print(f"there are no tests in {arguments.folder}")
        return 1
    command = [arguments.plumb, "test", "--no-color", "--jobs", "1",
               "--time-limit", "1200s", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"exit status {done.returncode}")
        print(done.stdout + done.stderr)
    return 1 if done.returncode else 0


# Other C++ files are parts of those that have.
def has_tests(file):
    text = file.read_text()
    return "PLUMB_TEST" in text or "int main" in text


if __name__ == "__main__":
    sys.exit(main())
