#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Every counterexample of a CSP# example can be walked again.
"""replays.py --plumb PLUMB ROOT

For each assertion of examples/csp that is violated: its counterexample, written
by --trace, is a run of the model that violates it, says --replay."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

LIMIT = "20s"  # what takes longer is not asked for


def run(plumb, *arguments):
    return subprocess.run([plumb, "verify", *map(str, arguments)],
                          capture_output=True, text=True, check=False)


def violated(plumb, file):
    """Lines of the assertions that have a counterexample: what is not reached
    at all has none."""
    done = run(plumb, "--quiet", "--time-limit", LIMIT, "--json", "-", file)
    return [result["line"] for result in json.loads(done.stdout)["results"]
            if result["verdict"] == "violated"
            and result["condition"] != "reaches"]


def check(plumb, file, line, trace):
    """What is wrong with the counterexample, or nothing."""
    run(plumb, "--quiet", "--trace", trace, "--check", line, file)
    if not trace.exists():
        return "no trace is written"
    done = run(plumb, "--replay", trace)
    return "" if done.returncode == 1 else (done.stdout + done.stderr).strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("root", type=pathlib.Path)
    arguments = parser.parse_args()
    asked = wrong = 0
    for file in sorted((arguments.root / "examples/csp").glob("*.csp")):
        for line in violated(arguments.plumb, file):
            asked += 1
            with tempfile.TemporaryDirectory() as folder:
                trace = pathlib.Path(folder) / "trace.json"
                what = check(arguments.plumb, file, line, trace)
            if what:
                wrong += 1
                print(f"{file.name}:{line}: {what}")
    print(f"{asked} counterexamples, {wrong} of them cannot be walked again")
    return 1 if wrong or not asked else 0


if __name__ == "__main__":
    sys.exit(main())
