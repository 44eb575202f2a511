# SPDX-License-Identifier: Apache-2.0
# Random histories whose events tell bounds of their times, in any order.
"""What is certain of the order of events follows from two things: a process does
one thing after the other, and an event whose latest moment is before the
earliest of another comes before it.  Both are put into one graph here, whose
closure says which operation precedes which; the tool, which tightens bounds,
has never seen it."""
import json
import os

import objects
from definitions import NEVER, Operation
from histories import (BATCH, FAILED, OBJECTS, ask, definition, plain,
                       random_condition, random_history)
from objects import SILENT, UNSEEN


class Event:
    def __init__(self, operation, kind, moment, low, high):
        self.operation, self.kind, self.moment = operation, kind, moment
        self.low, self.high = low, high


def events_of(rng, history, failed):
    """With bounds round a true moment, by how wrong its clock may be."""
    wrong = rng.choice([0, 3, 10, 25, 60])
    made = []

    def add(operation, kind, moment):
        true = 10 * moment
        made.append(Event(operation, kind, moment,
                          true - rng.randint(0, wrong),
                          true + rng.randint(0, wrong)))
    for o in history + failed:
        add(o, "invoke", o.invoked)
        if o.result is FAILED:
            add(o, "fail", o.returned)
        elif not o.pending:
            add(o, "ok", o.returned)
        elif o.given_up is not None:
            add(o, "info", o.given_up)
        elif rng.random() < 0.5:
            add(o, "info", o.invoked + 0.5)
    made.sort(key=lambda e: e.moment)
    return made


def closure(events):
    """certain[i] has j: event i was strictly before event j."""
    size = len(events)
    # 0: nothing is known, 1: not after, 2: before.
    known = [[0] * size for _ in range(size)]
    for i, a in enumerate(events):
        for j, b in enumerate(events):
            if a.high < b.low:
                known[i][j] = 2
            elif a.operation.process == b.operation.process and i < j:
                known[i][j] = 1
    for k in range(size):
        for i in range(size):
            for j in range(size):
                if known[i][k] and known[k][j]:
                    known[i][j] = max(known[i][j], known[i][k], known[k][j])
    return known


def certain_history(events):
    """Operations with moments that say what is certain: the earliest time of an
    invocation, the latest of a return, by rank."""
    known = closure(events)

    def earliest(j):
        return max([e.low for i, e in enumerate(events)
                    if known[i][j]] + [events[j].low])

    def latest(i):
        return min([e.high for j, e in enumerate(events)
                    if known[i][j]] + [events[i].high])
    ends = []
    for i, event in enumerate(events):
        if event.kind == "invoke":
            ends.append((earliest(i), 0, i))
        elif event.kind == "ok":
            ends.append((latest(i), 1, i))
    rank = {i: at for at, (_, _, i) in enumerate(sorted(ends))}
    made = []
    for i, event in enumerate(events):
        if event.kind != "invoke" or event.operation.result is FAILED:
            continue
        o = event.operation
        end = [j for j, other in enumerate(events)
               if other.operation is o and other.kind == "ok"]
        made.append(Operation(o.process, o.f, o.argument, o.result, rank[i],
                              rank[end[0]] if end else NEVER, True))
    return made


def line(rng, event):
    o = event.operation
    fields = {"process": o.process, "type": event.kind, "f": o.f}
    if event.kind == "invoke":
        fields["value"] = plain(o.argument)
    elif event.kind == "ok" and o.result is UNSEEN:
        fields["result"] = "?"
    elif event.kind == "ok":
        fields["value"] = None if o.result is SILENT else plain(o.result)
    fields["time"] = [event.low, event.high]
    return json.dumps(fields)


def shuffled(rng, events):
    """Each process keeps its order, and nothing else does."""
    by_process = {}
    for event in events:
        by_process.setdefault(event.operation.process, []).append(event)
    waiting, out = list(by_process.values()), []
    while waiting:
        one = rng.choice(waiting)
        out.append(one.pop(0))
        waiting = [w for w in waiting if w]
    return out


def batch(rng, plumb, folder, tally):
    name = rng.choice(OBJECTS)
    object_ = objects.make(name)
    condition = random_condition(rng, object_)
    expected, paths = [], []
    for i in range(BATCH):
        history, failed = random_history(rng, object_, condition)
        events = events_of(rng, history, failed)
        expected.append(definition(certain_history(events), name, condition))
        paths.append(os.path.join(folder, f"{i}.jsonl"))
        with open(paths[-1], "w") as out:
            for event in shuffled(rng, events):
                out.write(line(rng, event) + "\n")
    command = [plumb, "history", "--quiet", "--jobs", "1", "--keys", "none",
               "--spec", name, "--condition", condition.text()]
    command += ["--closed"] if condition.closed else []
    command += rng.choice([[], [], ["--witness"], ["--decider", "general"]])
    verdicts = ask(command, paths, os.path.join(folder, "answers.json"))
    if isinstance(verdicts, str):
        yield verdicts
        return
    for path, verdict, wanted in zip(paths, verdicts, expected):
        if wanted is None:
            tally["too large"] += 1
            continue
        tally[verdict] += 1
        tally["histories"] += 1
        if verdict not in ("unknown", wanted):
            with open(path) as file:
                yield (f"{' '.join(command)}: {verdict}, the definition says "
                       f"{wanted}\n{file.read()}")
