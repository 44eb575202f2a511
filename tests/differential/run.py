#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Random inputs without end: the tool against definitions written once more.
"""run.py --plumb PLUMB [--seconds 30] [--jobs 2] [--seed 1] KIND...

Kinds: histories (all objects, conditions, orders), clocks (bounds of times), specs (the objects as users
would write them in a file), values (of EDN and JSON), formats (of other checkers),
models (all conditions, clients and reductions), traces and containers (levels
1 and 3), csp.  Needs Python alone.  Each job has seeds of its own, so that runs with other seeds try other inputs.  Says
what differs, with all that is needed to see it again; exit status 1.
"""
import argparse
import collections
import importlib
import multiprocessing
import os
import random
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["histories", "clocks", "specs", "values", "formats", "models", "traces", "containers",
         "csp"]
MOST_SHOWN = 5  # differences of one job


def work(job):
    kind, plumb, seed, seconds, rounds = job
    sys.path.insert(0, HERE)
    module = importlib.import_module(kind)
    tally, found = collections.Counter(), []
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end and (not rounds or number < rounds):
        rng = random.Random(f"{kind} {seed} {number}")
        with tempfile.TemporaryDirectory(prefix="plumb-random-") as folder:
            for difference in module.batch(rng, plumb, folder, tally):
                tally["differences"] += 1
                if len(found) < MOST_SHOWN:
                    found.append(f"{kind}, seed {seed}, round {number}:\n"
                                 f"{difference}")
        number += 1
    return tally, found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rounds", type=int, default=0, help="of each job")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("kinds", nargs="+", choices=KINDS)
    options = parser.parse_args()
    plumb = os.path.abspath(options.plumb)
    failed = False
    for kind in options.kinds:
        jobs = [(kind, plumb, options.seed * 1000 + job, options.seconds,
                 options.rounds) for job in range(options.jobs)]
        with multiprocessing.Pool(options.jobs) as pool:
            tally = collections.Counter()
            for part, found in pool.imap_unordered(work, jobs):
                tally += part
                for difference in found:  # now: the rest may be cut off
                    print(difference, flush=True)
        print(f"{kind}:", ", ".join(f"{v} {k}"
                                    for k, v in sorted(tally.items())))
        sys.stdout.flush()
        failed |= tally["differences"] > 0 or sum(tally.values()) == 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
