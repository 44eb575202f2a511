#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Counts the traces of programs whose numbers of traces are known.
"""counts.py --plumb PLUMB SOURCE_FOLDER

Two independent tools that count Mazurkiewicz traces agree on the figures of
KNOWN: they are what there is, not what we happen to explore.  GENMC has what
GenMC counts for its tests of that name, traces and graphs.
"""
import argparse
import json
import pathlib
import subprocess
import sys

KNOWN = [("treiber.cpp", "t2", 40), ("treiber.cpp", "t3", 25680),
         ("ms_queue.cpp", "q2", 222)]

# No graphs: all accesses are seq_cst, and have as many graphs as traces.
GENMC = {"infr_TLS1": (3, 0), "infr_TLS2": (1, 0), "infr_atomic_ops": (1, 0),
         "infr_c11_threads": (2, 0), "infr_cpp_mp": (2, 2),
         "infr_cpp_mutex": (1, 0), "infr_cpp_mutex2": (2, 0),
         "infr_cpp_sb": (3, 0), "infr_cpp_sb_class": (3, 0),
         "infr_cpp_sb_static": (3, 0), "infr_cpp_sb_ctor_dtor": (3, 4),
         "infr_unsigned_cas": (1, 0)}


def results(plumb, file, *options):
    command = [plumb, "test", str(file), "--loops", "keep", *options,
               "--quiet", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout)["results"]


def count(plumb, file, test, level):
    result = results(plumb, file, "--only", test, "--memory", "sc",
                     "--opt", level)[0]
    return result["verdict"], result["stats"]["executions"]


def genmc(plumb, file):
    seen = {result["name"]: (result["stats"]["executions"],
                             result["stats"]["graphs"])
            for result in results(plumb, file, "--heap", "quarantine")}
    wrong = [name for name in GENMC | seen
             if GENMC.get(name) != seen.get(name)]
    for name in wrong:
        print(f"{name}: {seen.get(name)}, not {GENMC.get(name)}")
    return len(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("source", type=pathlib.Path)
    arguments = parser.parse_args()
    wrong = genmc(arguments.plumb,
                  arguments.source / "tests" / "programs" / "counted.cpp")
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
