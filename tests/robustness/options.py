# SPDX-License-Identifier: Apache-2.0
# Every option that says how to search, for every property of both languages.
"""Usage: options.py --plumb PLUMB ROOT [--table]

Each option works for every property, or is refused with a reason that names
it. What works changes no answer: with a store that may overlook states and
with a limit, `unknown` may stand for it, with the reason; breadth first, runs
are as long as without the option; on two threads, and after a checkpoint,
counts are the same. --table shows what is what."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# What is asked, the file, the check.
CASES = [
    ("linearizable", "treiber_stack.plumb",
     "treiber linearizable with 2 processes, values 1..2, 3 operations"),
    ("linearizable, large", "ms_queue.plumb", "with 3 processes"),
    ("linearizable, not", "treiber_stack.plumb", "unguarded_stack"),
    ("at marks", "counter.plumb",
     "marked_counter linearizable at marks with 3 processes"),
    ("at marks, not", "counter.plumb",
     "badly_marked_counter linearizable at marks"),
    ("quasi", "treiber_stack.plumb", "treiber quasi"),
    ("quiescent", "counting_network.plumb",
     "one_balancer quiescent with 2 processes"),
    ("quiescent, not", "counting_network.plumb",
     "careless_balancer quiescent with 2 processes"),
    ("sequential", "snapshot.plumb", "single_collect sequential"),
    ("sequential, not", "counting_network.plumb", "one_balancer sequential"),
    ("by relation", "diffracting_queue.plumb",
     "diffracting_queue quiescent by relation with 2 processes"),
    ("by relation, not", "diffracting_queue.plumb",
     "hasty_diffracting_queue quiescent by relation"),
    ("safe", "treiber_stack.plumb", "treiber safe"),
    ("safe, not", "k_valued_register.plumb", "register_as_printed safe"),
    ("deadlock_free", "lazy_list.plumb", "lazy_list deadlock_free"),
    ("lock_free", "treiber_stack.plumb", "treiber lock_free"),
    ("obstruction_free", "treiber_stack.plumb", "treiber obstruction_free"),
    ("wait_free, not", "treiber_stack.plumb", "treiber wait_free"),
    ("formula", "peterson_lock.plumb", "fair"),
    ("specifications", "cluster_queue.plumb",
     "spec free_queue refines out_of_order"),
    ("specifications, not", "cluster_queue.plumb",
     "spec free_queue refines quasi(deq=3)"),
    ("deadlockfree", "peterson.csp", "Peterson() deadlockfree"),
    ("deadlockfree, not", "peterson.csp", "TooPolite() deadlockfree"),
    ("reaches", "peterson.csp", "Swapped() reaches"),
    ("reaches, not", "peterson.csp", "Peterson() reaches"),
    ("LTL, safety", "peterson.csp", "Peterson() |= [] exclusive"),
    ("LTL, not", "peterson.csp", "Peterson() |= [] (want.0"),
    ("LTL", "constructs.csp", "Belt() |= <> second"),
    ("divergencefree, not", "dining_philosophers.csp", "divergencefree"),
    ("deterministic", "constructs.csp", "deterministic"),
    ("nonterminating, not", "constructs.csp", "nonterminating"),
    ("refines", "counter.csp", "Counter() refines CounterAbs()"),
    ("refines, not", "counter.csp", "NaiveCounter() refines"),
    ("refines<F>", "dining_philosophers.csp", "Always() refines<F>"),
    ("refines<F>, not", "dining_philosophers.csp", "Meals() refines<F>"),
    ("refines<FD>", "dining_philosophers.csp", "Always() refines<FD>"),
    ("refines<FD>, not", "dining_philosophers.csp", "Meals() refines<FD>"),
]

JOBS, COMPACT, BITSTATE = "--jobs", "--store compact", "--store bitstate"
DFS, STATES, MEMORY = "--search dfs", "--state-limit", "--memory-limit"
SAVED = "--checkpoint"
OPTIONS = [JOBS, COMPACT, BITSTATE, DFS, STATES, MEMORY, SAVED]
WORDS = {JOBS: ["--jobs", "2"], STATES: ["--state-limit", "3"],
         MEMORY: ["--memory-limit", "1G"]}


class Run:
    def __init__(self, plumb, file, words):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.json"
            ended = subprocess.run(
                [plumb, "verify", "--quiet", "--json", out, *words, file],
                capture_output=True, text=True, timeout=120)
            self.status, self.said = ended.returncode, ended.stderr
            told = json.loads(out.read_text()) if out.exists() else {}
        results = told.get("results", [])
        self.said += "".join(str(e) for e in told.get("errors", []))
        self.result = results[0] if len(results) == 1 else None
        self.refused = self.status == 2
        if self.result is None:
            return
        self.verdict = self.result["verdict"]
        self.reason = self.result["reason"]
        stats = self.result["stats"]
        self.counts = [stats[k] for k in ("states", "transitions", "pairs")]
        trace = (self.result.get("evidence") or {}).get("trace") or {}
        self.steps = len(trace.get("steps", []))


def fault(option, plain, run):
    """What is wrong with a run with an option, or None."""
    if run.refused:
        named = option.split()[0] in run.said or (
            option == SAVED and "checkpoint" in run.said)
        return None if named else f"refused, but says: {run.said[:200]}"
    if run.result is None:
        return f"status {run.status}, and no result"
    if run.verdict == "unknown" and plain.verdict != "unknown":
        said = {COMPACT: "overlooked", BITSTATE: "overlooked",
                STATES: "limit of 3 states"}.get(option, "nothing")
        return None if said in run.reason else f"unknown: {run.reason}"
    if run.verdict != plain.verdict:
        return f"{run.verdict}, not {plain.verdict}"
    if option == STATES and plain.verdict == "holds" and run.counts[0] > 3:
        return f"{run.counts[0]} states, and three were allowed"
    # What is reached is reached.
    if option in (COMPACT, BITSTATE) and run.verdict == "holds" and \
            " reaches " not in run.result["check"]:
        return "holds, although states may be overlooked"
    if option != DFS and run.steps != plain.steps:
        return f"{run.steps} steps, not {plain.steps}"
    if option in (JOBS, MEMORY, SAVED) and plain.verdict == "holds" and \
            run.counts != plain.counts:
        return f"counts {run.counts}, not {plain.counts}"
    return None


def runs_with(option, plumb, file, words):
    if option != SAVED:
        yield Run(plumb, file, words + WORDS.get(option, option.split()))
        return
    with tempfile.TemporaryDirectory() as folder:
        saved = str(pathlib.Path(folder) / "saved")
        first = Run(plumb, file, words + ["--checkpoint", saved,
                                          "--checkpoint-every", "0s"])
        yield first
        if not first.refused and pathlib.Path(saved).exists():
            yield Run(plumb, file, words + ["--resume", saved])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plumb", required=True)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("root", type=pathlib.Path)
    given = parser.parse_args()
    bad = 0
    for name, file, check, *more in CASES:
        language = "csp" if file.endswith(".csp") else "models"
        path = given.root / "examples" / language / file
        words = ["--check", check, *more]
        plain = Run(given.plumb, path, words + ["--jobs", "1"])
        if plain.result is None:
            print(f"{name}: status {plain.status}: {plain.said[:300]}")
            bad += 1
            continue
        row = []
        for option in OPTIONS:
            cell = "works"
            for run in runs_with(option, given.plumb, path, words):
                wrong = fault(option, plain, run)
                if wrong:
                    bad += 1
                    print(f"{name}, {option}: {wrong}")
                if run.refused:
                    cell = "refused"
                elif run.verdict == "unknown":
                    cell = "unknown"
            row.append(cell)
        if given.table:
            print(f"{name:22} {plain.verdict:9}",
                  *(f"{option.removeprefix('--')} {cell};"
                    for option, cell in zip(OPTIONS, row)))
    print("options: ok" if bad == 0 else f"options: {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
