# SPDX-License-Identifier: Apache-2.0
# What the tests of packages share.
import pathlib
import subprocess
import sys

SKIPPED = 77  # the exit status by which ctest knows a test that was skipped
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = HERE.parent / "golden/files/programs"


def run(*command, status=0, **options):
    """What a command prints; it must end with this status."""
    done = subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    if done.returncode != status:
        print("$", *command)
        print(done.stdout)
        sys.exit(f"its status is {done.returncode}, not {status}")
    return done.stdout


def demand(holds, *what):
    if not holds:
        print(*what)
        sys.exit(1)
