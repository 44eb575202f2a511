#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Which orders to strengthen: written into the code, each set that is named
# makes the test hold, and no set without one of its members does.
"""remedies.py --plumb PLUMB FILE"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

REMEDY = re.compile(r".*:(\d+): ([a-z -]+), (\w+) -> (\w+)$")


def results_of(plumb, file, *options):
    done = subprocess.run(
        [plumb, "test", "--quiet", "--json", "-", *options, str(file)],
        capture_output=True, text=True)
    return json.loads(done.stdout)["results"]


def evidence_of(result):
    return result.get("evidence", {})


# The order of an operation that fails is the last of its line.
def write(lines, remedy):
    number, what, old, new = REMEDY.match(remedy).groups()
    at = int(number) - 1
    old, new = f"memory_order_{old}", f"memory_order_{new}"
    # Calls may go over several lines.
    while old not in lines[at]:
        at += 1
    if "fails" in what:
        head, tail = lines[at].rsplit(old, 1)
    else:
        head, tail = lines[at].split(old, 1)
    lines[at] = head + new + tail


def verdict_with(plumb, file, name, remedies):
    lines = file.read_text().split("\n")
    for remedy in remedies:
        write(lines, remedy)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / file.name
        copy.write_text("\n".join(lines))
        return results_of(plumb, copy, "--only", name)[0]["verdict"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("file", type=pathlib.Path)
    arguments = parser.parse_args()
    wrong = []
    for result in results_of(arguments.plumb, arguments.file):
        name = result["name"]
        sets = evidence_of(result).get("stronger_orders", [])
        print(name, result["verdict"], sets)
        if result["verdict"] != "violated" or not sets:
            wrong.append(f"{name} is {result['verdict']}, and nothing is named")
        for remedies in sets:
            def verdict(some):
                return verdict_with(arguments.plumb, arguments.file, name, some)
            if verdict(remedies) != "holds":
                wrong.append(f"{name}: {remedies} does not help")
            for one in remedies if len(remedies) > 1 else []:
                rest = [other for other in remedies if other != one]
                if verdict(rest) != "violated":
                    wrong.append(f"{name}: {remedies} has more than is needed")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
