#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Partial order reduction changes neither verdicts nor the lengths of runs.
"""partial_order.py --plumb PLUMB ROOT

Every assertion of examples/csp, and of a model whose nearest witness is not
the reduced system's, with the reduction and without it."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# The first component goes first, but has nothing to do with what is asked.
MODEL = """
var l; var x; var a[2];
Busy() = tau{l = 1;} -> tau{l = 2;} -> tau{l = 3;} -> Skip;
Quick() = tau{x = 1;} -> go -> tau{x = 2;} -> stop -> Skip;
System() = Busy() ||| Quick();
Spec() = go -> Skip;
Wrong() = tau{x = 3;} -> tau{a[x] = 1;} -> Skip;
Faulty() = Busy() ||| Wrong();
Loop() = tau{x = 1 - x;} -> Loop();
Diverging() = Busy() ||| (go -> Loop());
#define two (x == 2);
#define three (x == 3);
#assert System() reaches two;
#assert System() reaches three;
#assert System() |= [] !two;
#assert System() |= [] !stop;
#assert System() |= [] (go -> <> stop);
#assert System() |= [] (go -> X stop);
#assert System() refines Spec();
#assert System() refines<F> Spec();
#assert Diverging() divergencefree;
#assert Diverging() refines<FD> Spec();
#assert System() deadlockfree;
#assert System() nonterminating;
#assert System() deterministic;
#assert Faulty() reaches two;
#assert Faulty() reaches three;
#assert Faulty() deadlockfree;
"""


def answers(plumb, options, what):
    done = subprocess.run([plumb, "verify", "--json", "-", *options, str(what)],
                          capture_output=True, text=True, check=False)
    found = {}
    left_out = 0
    for result in json.loads(done.stdout)["results"]:
        trace = (result["evidence"] or {}).get("trace") or {}
        steps = (len(trace.get("steps", [])), trace.get("back_to"))
        found[result["name"]] = (result["verdict"], result["reason"], steps)
        left_out += result["stats"]["reductions"]["transitions_left_out"]
    return found, left_out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("root", type=pathlib.Path)
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.csp"
        model.write_text(MODEL)
        for what in (model, arguments.root / "examples" / "csp"):
            reduced, left_out = answers(arguments.plumb, [], what)
            whole, nothing = answers(arguments.plumb, ["--no-por"], what)
            if left_out == 0 or nothing != 0 or not whole:
                wrong += 1
                print(f"{what}: {left_out} and {nothing} steps are left out")
            for name, answer in whole.items():
                if reduced.get(name) != answer:
                    wrong += 1
                    print(f"{name}: {answer}, but {reduced.get(name)} reduced")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
