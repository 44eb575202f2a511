# SPDX-License-Identifier: Apache-2.0
# bench/compare flags what is worse, and nothing that noise explains.
"""Usage: compare_test.py ROOT"""

import json
import pathlib
import subprocess
import sys
import tempfile


def figure(**changes):
    made = {"name": "a", "seconds": 1.0, "ratio": 2.0, "spread": 0.05,
            "peak_bytes": 100 << 20, "counts": {"states": 7}}
    made.update(changes)
    return made


CASES = [
    ("the same", {}, 0, "0 worse"),
    ("noise", {"ratio": 2.3}, 0, "0 worse"),
    ("slower", {"ratio": 2.6}, 1, "WORSE a: slower by 1.30"),
    ("slower, but its runs differ", {"ratio": 2.6, "spread": 0.3}, 0,
     "0 worse"),
    ("faster", {"ratio": 1.0}, 0, "a: faster by 2.00"),
    ("more memory", {"peak_bytes": 150 << 20}, 1, "1.50 times the memory"),
    ("other counts", {"counts": {"states": 8}}, 1, "WORSE a: counts"),
    ("another figure", {"name": "b"}, 0, "b: only in the new one"),
]


def main():
    compare = pathlib.Path(sys.argv[1]) / "bench" / "compare"
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        old, new = pathlib.Path(folder) / "old", pathlib.Path(folder) / "new"
        old.write_text(json.dumps({"figures": [figure()]}))

        def check(name, status, words):
            nonlocal failed
            done = subprocess.run([sys.executable, compare, old, new],
                                  capture_output=True, text=True)
            said = done.stdout + done.stderr
            if done.returncode != status or words not in said:
                print(f"{name}: exit {done.returncode}\n{said}")
                failed = True

        for name, changes, status, words in CASES:
            new.write_text(json.dumps({"figures": [figure(**changes)]}))
            check(name, status, words)
        new.write_text("{")
        check("no figures", 2, "bench/compare: ")
    sys.exit(failed)


if __name__ == "__main__":
    main()
