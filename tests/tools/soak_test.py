# SPDX-License-Identifier: Apache-2.0
# tools/soak sees memory and descriptors that grow, and nothing where none do.
"""Usage: soak_test.py ROOT"""

import pathlib
import subprocess
import sys
import tempfile

TOOL = """#!{python}
import os, sys, time
is_first = not os.path.exists("ran")
open("ran", "w").close()
kept = [bytearray(30 << 20)]
for i, name in enumerate(sys.argv[sys.argv.index("--jobs") + 2:]):
    print(name + ": holds: linearizable", flush=True)
    time.sleep(0.003)
    {leak}
"""
CASES = [("flat", "bytearray(5 << 20)", 0, " 0 faults"),
         ("memory", "kept.append(bytearray(b'x' * (1 << 17)))", 1,
          "memory grows"),
         ("once", "is_first and kept.append(bytearray(b'x' * (1 << 17)))", 0,
          " 0 faults"),
         ("descriptors", "i % 10 or kept.append(open('/dev/null'))", 1,
          "descriptors grow"),
         ("verdicts", "i == 300 and print('x: violated', flush=True)", 1,
          "other verdicts"),
         ("status", "i == 300 and sys.exit(134)", 1, "exit 134")]


def main():
    soak = pathlib.Path(sys.argv[1]) / "tools" / "soak"
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, leak, status, words in CASES:
            tool = pathlib.Path(folder) / name
            tool.write_text(TOOL.format(python=sys.executable, leak=leak))
            tool.chmod(0o755)
            ran = subprocess.run(
                [soak, "--plumb", tool, "--only", "history", "--minutes",
                 "0.001"], text=True, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
            if ran.returncode != status or words not in ran.stdout:
                failed = True
                print(f"{name}: exit {ran.returncode}\n{ran.stdout}")
    print("soak: " + ("wrong" if failed else "ok"))
    sys.exit(failed)


if __name__ == "__main__":
    main()
