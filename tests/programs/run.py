#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs all tests in files or folders with `plumb test`: each must be as it expects.
"""run.py --plumb PLUMB [--compiler CXX] FILE|FOLDER..."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--compiler", default="")
    parser.add_argument("places", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.compiler and not shutil.which(arguments.compiler):
        print(f"there is no {arguments.compiler}")
        return 77
    files = sorted(file for place in arguments.places for file in files_in(place))
    if not files:
        print(f"there are no tests in {arguments.places}")
        return 1
    environment = dict(os.environ)
    if arguments.compiler:
        environment["CXX"] = arguments.compiler
    command = [arguments.plumb, "test", "--no-color", "--jobs", "1",
               "--time-limit", "1200s", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=environment)
    if done.returncode != 0:
        print(f"exit status {done.returncode}")
        print(what_is_wrong(done.stdout), done.stderr, sep="\n")
    return 1 if done.returncode else 0


def files_in(place):
    if place.is_file():
        return [place]
    return [file for file in place.iterdir()
            if file.suffix in (".cpp", ".c") and has_tests(file)]


# Other C++ files are parts of those that have.
def has_tests(file):
    text = file.read_text()
    return "PLUMB_TEST" in text or "int main" in text


# Of the results, which begin in the first column, those that are not right.
def what_is_wrong(output):
    kept, is_kept = [], True
    for line in output.splitlines():
        if line and not line[0].isspace():
            is_kept = not line.endswith((": holds", "as expected"))
        if is_kept:
            kept.append(line)
    return "\n".join(kept)


if __name__ == "__main__":
    sys.exit(main())
