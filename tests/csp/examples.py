#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The CSP# models that are shipped give what their lines expect.
"""examples.py --plumb PLUMB ROOT

Every assertion of examples/csp, with our reductions, without them, and as PAT
would search.  The table of examples/csp/README.md names every file."""
import argparse
import pathlib
import subprocess
import sys

WAYS = [[], ["--keep-dead", "--no-symmetry", "--no-por"], ["--pat-counts"],
        ["--search", "dfs"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("root", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.root / "examples" / "csp"
    wrong = 0
    for way in WAYS:
        done = subprocess.run([arguments.plumb, "verify", *way, str(folder)],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            wrong += 1
            print(f"{' '.join(way) or 'as it is'}: exit {done.returncode}")
            print(done.stdout, done.stderr)
    table = (folder / "README.md").read_text()
    for file in sorted(folder.glob("*.csp")):
        if f"`{file.name}`" not in table:
            wrong += 1
            print(f"README.md does not name {file.name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
