#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# --pat-counts gives the figures that PAT's authors published.
"""pat_counts.py --plumb PLUMB ROOT

Visited states and transitions of PAT's own loop for models written as PAT's
are.  Each figure was printed by PAT itself for its own example."""
import argparse
import json
import pathlib
import subprocess
import sys

KNOWN = [
    ("examples/csp/register.csp", "Register() refines RegisterAbs()",
     2_624, 7_086),
    ("examples/csp/register.csp", "RegisterAbs() refines Register()",
     228, 744),
    ("examples/csp/register_readers.csp", "Register() refines RegisterAbs()",
     128_188, 845_813),
    ("examples/csp/register_readers.csp", "RegisterAbs() refines Register()",
     1_940, 12_990),
    ("examples/csp/register_copies.csp", "Register() deadlockfree",
     838_656, 3_384_576),
    ("examples/csp/stack_copies.csp", "Stack() deadlockfree", 22_079, 93_055),
    ("examples/csp/dining_philosophers.csp", "Meals() refines Always()",
     35, 66),
    ("examples/csp/dining_philosophers.csp", "Always() refines Meals()", 1, 1),
]


def count(plumb, file, assertion):
    command = [plumb, "verify", "--pat-counts", "--quiet", "--json", "-",
               "--check", assertion, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    result = json.loads(done.stdout)["results"][0]
    stats = result["stats"]
    return result["verdict"], stats["states"], stats["transitions"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("root", type=pathlib.Path)
    arguments = parser.parse_args()
    wrong = 0
    for file, assertion, states, transitions in KNOWN:
        seen = count(arguments.plumb, arguments.root / file, assertion)
        if seen != ("holds", states, transitions):
            wrong += 1
            print(f"{file}: {assertion}: {seen}, not {states}/{transitions}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
