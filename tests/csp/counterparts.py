#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# CSP# models and their counterparts agree: counterparts.py --plumb BINARY ROOT
"""A linearizability model in CSP# (implementation refines specification) and
the same algorithm as an object must get the same verdict, and where it is
violated, the same calls must be seen, with the same results, one before the
other in the same way.  Which process is called 0 does not matter."""

import argparse
import json
import pathlib
import subprocess
import sys

# CSP# file and assertion; model and check.
PAIRS = [
    ("register", "Register() refines RegisterAbs()",
     "examples/models/k_valued_register",
     "k_valued_register linearizable with 2 processes"),
    ("register_readers", "Register() refines RegisterAbs()",
     "examples/models/k_valued_register",
     "k_valued_register linearizable with 3 processes"),
    ("register", "RegularRegister() refines RegisterAbs()",
     "tests/csp/counterparts", "regular_register"),
    ("counter", "Counter() refines CounterAbs()",
     "examples/models/counter", "counter linearizable with 2 processes"),
    ("counter", "NaiveCounter() refines CounterAbs()",
     "tests/csp/counterparts", "read_and_write_counter"),
    ("stack", "Stack() refines StackAbs()",
     "tests/csp/counterparts", "size_stack"),
    ("stack", "CarelessStack() refines StackAbs()",
     "tests/csp/counterparts", "careless_stack"),
    ("stack_points", "Stack() refines StackAbs()",
     "examples/models/counter", "marked_counter linearizable at marks"),
    ("queue", "Queue() refines QueueAbs()", "examples/models/ms_queue",
     "ms_queue linearizable with 2 processes, values 1..2, 2 operations"),
    ("queue", "HastyQueue() refines QueueAbs()",
     "examples/models/ms_queue", "tail_first_queue linearizable"),
    ("snzi", "SNZI() refines SNZIAbs()", "examples/models/snzi",
     "snzi_tree linearizable with 2 processes, 2 operations, LEAVES = 2"),
    ("snzi", "HastySNZI() refines SNZIAbs()",
     "examples/models/snzi", "snzi_without_half linearizable"),
    ("mailbox", "Mailbox() refines MailboxAbs()",
     "examples/models/mailbox", "refreshed_mailbox linearizable"),
    ("mailbox", "MailboxOnce() refines MailboxAbs()",
     "examples/models/mailbox", "once_refreshed_mailbox"),
    ("mailbox", "CarelessMailbox() refines MailboxAbs()",
     "examples/models/mailbox", "careless_mailbox"),
    ("list_set", "List() refines ListAbs()",
     "examples/models/harris_michael_list", "harris_michael_list linearizable"),
    ("list_set", "HastyList() refines ListAbs()",
     "examples/models/harris_michael_list", "attempt_mark_list linearizable"),
]
# What an operation is called in CSP#.
NAMES = {"check_flag": "check"}


def verdict(plumb, file, check):
    """What `plumb verify` says of the first check that reads so."""
    run = subprocess.run(
        [plumb, "verify", "--quiet", "--json", "-", "--check", check, file],
        capture_output=True, text=True, check=False)
    results = json.loads(run.stdout)["results"]
    assert results, f"{file} has no check '{check}'\n{run.stderr}"
    return results[0]


def number(value):
    """Truth values and nothing are numbers in CSP#."""
    return str(int(value or 0)) if not isinstance(value, list) else str(value)


def events_of_model(steps):
    for step in steps:
        if step["kind"] in ("invoke", "return"):
            kind = "inv" if step["kind"] == "invoke" else "res"
            name = NAMES.get(step["operation"], step["operation"])
            yield kind, step["process"], name, step["value"]


def events_of_csp(steps):
    for step in steps:
        if step["kind"] == "event":
            name, *fields = step["value"].split(".")
            operation, kind = name.rsplit("_", 1)
            yield kind, step["process"], operation, fields


class Call:
    def __init__(self, name, argument, before):
        self.name = name
        self.argument = argument
        self.before = before
        self.result = None

    def text(self):
        before = ", ".join(sorted(call.text() for call in self.before))
        return (f"{self.name}({self.argument}) -> {self.result} "
                f"after [{before}]")


def history(events, value_of):
    """The calls, each with its result and the calls that ended before it."""
    calls, open_calls, ended = [], {}, []
    for kind, process, name, value in events:
        if kind == "inv":
            call = Call(name, value_of(value), list(ended))
            calls.append(call)
            open_calls[process] = call
        else:
            call = open_calls.pop(process)
            call.result = value_of(value)
            ended.append(call)
    return sorted(call.text() for call in calls)


def last_field(fields, processes):
    """What an event carries besides the process that it is of."""
    return number(fields[-1]) if len(fields) > processes else "0"


def compare(plumb, root, pair):
    csp, assertion, model, check = pair
    left = verdict(plumb, root / f"examples/csp/{csp}.csp", assertion)
    right = verdict(plumb, root / f"{model}.plumb", check)
    if left["verdict"] != right["verdict"]:
        return f"{left['verdict']}, but {check}: {right['verdict']}"
    if left["verdict"] == "holds":
        return None
    processes = 0 if csp == "register" else 1
    ours = history(events_of_csp(left["evidence"]["trace"]["steps"]),
                   lambda fields: last_field(fields, processes))
    theirs = history(events_of_model(right["evidence"]["trace"]["steps"]),
                     number)
    if ours == theirs:
        return None
    return "\n  ".join(["other calls:", *ours, "counterpart:", *theirs])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plumb", required=True)
    parser.add_argument("root", type=pathlib.Path)
    args = parser.parse_args()
    failed = 0
    for pair in PAIRS:
        problem = compare(args.plumb, args.root, pair)
        if problem:
            failed += 1
            print(f"{pair[0]}.csp: {pair[1]}: {problem}")
    print(f"{len(PAIRS)} pairs, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
