# SPDX-License-Identifier: Apache-2.0
# Random histories and conditions: `plumb history` against the definitions.
"""Legal runs are made of an object, their operations exchanged within their
classes or their results changed, then they are stretched until they overlap,
cut off, and some calls never return; others fail, which is to say that they
did not happen, or return what nobody wrote down.  Each batch has one object
and one condition, so that one run of the tool judges many files, and another
one follows them (`--follow`) where it can."""
import json
import os
import subprocess

import objects
from definitions import (NEVER, Class, Condition, Effort, Member, Operation,
                         TooLarge, decide)
from objects import PENDING, SILENT, UNSEEN
from quasi import class_of

OBJECTS = ["queue", "stack", "deque", "priority_queue", "bag", "set", "map",
           "register", "counter", "mutex", "snzi", "queue(1)", "queue(2)",
           "queue(3)", "stack(1)", "stack(2)", "stack(3)", "deque(1)",
           "deque(2)", "priority_queue(1)", "priority_queue(2)", "bag(1)",
           "bag(2)", "blocking_queue", "blocking_stack", "blocking_deque",
           "blocking_priority_queue", "blocking_bag", "blocking_queue(2)",
           "blocking_stack(1)"]
BATCH = 40
MOST_NODES = 8000  # of one history
FAILED = "(it failed)"


def random_span(rng):
    low = rng.randint(-1, 4)
    return (low, low + rng.choice([0, 0, 1, 2]))


def shows_value(object_, f):
    return f in object_.takes or f in ("read", "inc", "dec", "get", "put") \
        or (f == "remove" and object_.part((0, 0)) is not None)


def shows_truth(object_, f):
    if isinstance(object_, objects.Container):
        return object_.capacity is not None and f not in object_.takes
    return f in ("cas", "contains", "query", "add", "remove") and \
        not shows_value(object_, f)


def random_classes(rng, object_):
    """By names, or with names, ranges, puts and takes together."""
    names = list(object_.operations)
    if rng.random() < 0.5:
        chosen = rng.sample(names, rng.randint(1, len(names)))
        return [Class("", rng.choice([0, 1, 1, 2, 3]), [Member(f, None, None)])
                for f in chosen]
    count = rng.choice([1, 1, 2])
    made = [Class("ab"[c], rng.choice([1, 1, 2, 3]), []) for c in range(count)]
    for f in names:
        if rng.random() < 0.25:
            continue
        argument = result = None
        if object_.argument_kind(f) and rng.random() < 0.35:
            argument = random_span(rng)
        if shows_value(object_, f) and rng.random() < 0.35:
            result = random_span(rng)
        elif shows_truth(object_, f) and rng.random() < 0.2:
            truth = rng.random() < 0.5
            result = (truth, truth)
        rng.choice(made).members.append(Member(f, argument, result))
    return [c for c in made if c.members]


def random_condition(rng, object_):
    condition = Condition()
    condition.order = rng.choice(["", "", "", "", "quiescent", "sequential",
                                  "quiescent+sequential"])
    names = list(object_.operations)
    turning = object_.takes if object_.turns else []
    kind = rng.choice(["plain", "quasi", "quasi", "quasi", "quasi", "passing",
                       "stuttering", "mixed", "quasi_stuttering"])
    if kind in ("quasi", "quasi_stuttering"):
        condition.classes = random_classes(rng, object_)
        condition.closed = kind == "quasi" and rng.random() < 0.25 and \
            bool(condition.classes)
    if kind in ("passing", "mixed") and turning:
        for f in turning:
            if rng.random() < 0.6:
                condition.out_of_order[f] = rng.randint(0, 2)
            if rng.random() < 0.6:
                condition.late[f] = rng.randint(0, 2)
    if kind in ("stuttering", "mixed", "quasi_stuttering"):
        for f in rng.sample(names, rng.randint(1, len(names))):
            condition.stuttering[f] = rng.randint(0, 2)
        condition.stutters_first = rng.random() < 0.5 and bool(
            condition.out_of_order or condition.late)
    return condition


def random_argument(rng, object_, f, values):
    kind = object_.argument_kind(f)
    if kind is None:
        return None
    if kind == "value":
        return rng.choice(values)
    first = rng.choice(values + ([None] if f == "cas" else []))
    return (first, rng.choice(values))


def legal_run(rng, object_, length, values):
    run, state, again, f = [], object_.initial, 0, None
    for _ in range(10 * length):
        if len(run) == length:
            break
        if not again:
            f, again = rng.choice(list(object_.operations)), rng.randint(1, 3)
        again -= 1
        argument = random_argument(rng, object_, f, values)
        outcomes = object_.apply(state, f, argument)
        if not outcomes:
            again = 0
            continue
        result, state = rng.choice(outcomes)
        run.append((f, argument, result))
    return run


def exchange(rng, run, object_, condition):
    """Operations of a class change places, mostly within its factor."""
    places = {}
    for i, (f, argument, result) in enumerate(run):
        one = class_of(condition.classes, object_, f, argument, result)
        if one is None and (f in condition.out_of_order or f in condition.late
                            or condition.order and rng.random() < 0.3):
            one = f
        places.setdefault(one, []).append(i)
    for one, where in places.items():
        if one is None or len(where) < 2:
            continue
        factor = 2
        if isinstance(one, tuple):
            factor = condition.classes[one[0]].factor
        factor += rng.choice([0, 0, 0, 1])
        who = list(range(len(where)))
        for _ in range(2 * len(where)):
            i, j = rng.randrange(len(who)), rng.randrange(len(who))
            if abs(who[i] - j) <= factor and abs(who[j] - i) <= factor:
                who[i], who[j] = who[j], who[i]
        before = list(run)
        for at, of in zip(where, who):
            run[at] = before[where[of]]


def stutter(rng, run, condition):
    for i, step in reversed(list(enumerate(run))):
        if rng.random() < 0.2 * (condition.stuttering.get(step[0], 0) > 0):
            run.insert(i, step)


def spoil(rng, run, object_, values):
    """One operation is gone, twice there, elsewhere, or saw something else."""
    i = rng.randrange(len(run))
    f, argument, result = run[i]
    way = rng.randrange(4)
    if way == 0:
        del run[i]
    elif way == 1:
        run.insert(rng.randrange(len(run)), run[i])
    elif way == 2:
        run.insert(rng.randrange(len(run)), run.pop(i))
    elif shows_value(object_, f):
        none = [] if isinstance(result, int) and f in object_.operations and \
            object_.initial == (0,) else [None]
        if f not in object_.takes or not object_.blocking:
            values = values + none
        run[i] = (f, argument, rng.choice(values))
    elif isinstance(result, bool):
        run[i] = (f, argument, not result)


def random_history(rng, object_, condition):
    """What happened, and what failed."""
    values = rng.choice([[1], [1, 2], [1, 2, 3], [0, 2, 4]])
    if isinstance(object_, objects.Container) and \
            object_.kind == "priority_queue" and rng.random() < 0.2:
        values = [(v, w) for v in values for w in (1, 2)]
    length = rng.choice([2, 3, 4, 4, 5, 5, 6, 7])
    if condition.classes and condition.stuttering:
        length = min(length, 4)
    run = legal_run(rng, object_, length, values)
    exchange(rng, run, object_, condition)
    stutter(rng, run, condition)
    for _ in range(rng.choice([0, 1, 1, 2])):
        if len(run) > 1:
            spoil(rng, run, object_, values)
    run = run[:rng.randint(max(1, len(run) - 3), len(run))]
    relaxed = condition.classes or condition.out_of_order or \
        condition.late or condition.stuttering
    return overlap(rng, run, 0 if relaxed else rng.choice([0, 0, 0.2]))


def overlap(rng, run, unseen):
    """Effects at 100, 200, ...; calls begin before and end after them."""
    processes = rng.choice([1, 2, 3, 4])
    reach = rng.choice([0, 4, 12, 25])
    fails = rng.choice([0, 0, 0.1, 0.4])
    made = []
    free = [0] * processes
    gone = set()
    for i, (f, argument, result) in enumerate(run):
        effect = 100 * (i + 1)
        if rng.random() < fails:
            p = rng.randrange(processes)
            begin = max(free[p] + 1, effect - rng.randint(0, 150))
            if p not in gone and begin < effect:
                free[p] = effect + rng.randint(0, 350)
                other = rng.choice(run)
                made.append([p, *other[:2], FAILED, begin, free[p], False,
                             None])
        able = [p for p in range(processes) if free[p] < effect
                and p not in gone]
        if not able:
            continue
        p = rng.choice(able)
        invoked = max(free[p] + 1, effect - rng.randint(0, 10 * reach) - 1)
        returned = effect + rng.randint(0, 10 * reach) + 1
        known = result
        given_up = None
        if rng.random() < 0.1:
            returned, known = NEVER, PENDING
            if rng.random() < 0.5:
                free[p] = given_up = effect + rng.randint(0, 10 * reach)
            else:
                gone.add(p)
        else:
            free[p] = returned
            if rng.random() < unseen:
                known = UNSEEN
        made.append([p, f, argument, known, invoked, returned, False,
                     given_up])
    moments = sorted((o[side], k, side) for k, o in enumerate(made)
                     for side in (4, 5, 7)
                     if o[side] is not None and o[side] < NEVER)
    for at, (_, k, side) in enumerate(moments):
        made[k][side] = at
    made = sorted((Operation(*o) for o in made), key=lambda o: o.invoked)
    return ([o for o in made if o.result is not FAILED],
            [o for o in made if o.result is FAILED])


def plain(value):
    return [plain(v) for v in value] if isinstance(value, tuple) else value


def write(history, failed, path, rng):
    events = []
    for o in history + failed:
        events.append((o.invoked, {"process": o.process, "type": "invoke",
                                   "f": o.f, "value": plain(o.argument)}))
        if o.result is FAILED:
            events.append((o.returned, {"process": o.process, "type": "fail",
                                        "f": o.f, "value": None}))
        elif o.result is UNSEEN:
            events.append((o.returned, {"process": o.process, "type": "ok",
                                        "f": o.f, "result": "?"}))
        elif not o.pending:
            shown = None if o.result is SILENT else plain(o.result)
            events.append((o.returned, {"process": o.process, "type": "ok",
                                        "f": o.f, "value": shown}))
        elif o.given_up is not None:
            events.append((o.given_up, {"process": o.process, "type": "info",
                                        "f": o.f, "value": None}))
        elif rng.random() < 0.5:  # some time later it is given up
            events.append((o.invoked + rng.choice([0.5, 2.5, NEVER]),
                           {"process": o.process, "type": "info",
                            "f": o.f, "value": None}))
    events.sort(key=lambda e: e[0])
    with open(path, "w") as out:
        for _, event in events:
            out.write(json.dumps(event) + "\n")


def batch(rng, plumb, folder, tally):
    """One object, one condition, many histories; yields what differs."""
    name = rng.choice(OBJECTS)
    condition = random_condition(rng, objects.make(name))
    yield from compare(rng, plumb, folder, tally, name, name, condition)


def can_be_followed(condition):
    return not condition.classes and condition.order in ("", "quiescent")


def ask(command, paths, answers):
    """The verdicts, or what went wrong."""
    run = subprocess.run([*command, "--json", answers, *paths],
                         capture_output=True, text=True)
    if run.returncode not in (0, 1, 3):
        return f"exit {run.returncode}: {' '.join(command)}\n{run.stderr}"
    with open(answers) as file:
        return [r["verdict"] for r in json.load(file)["results"]]


def compare(rng, plumb, folder, tally, name, spec, condition):
    """`spec` is what the tool is told that the object `name` is."""
    object_ = objects.make(name)
    histories, paths = [], []
    for i in range(BATCH):
        history, failed = random_history(rng, object_, condition)
        histories.append(history)
        paths.append(os.path.join(folder, f"{i}.jsonl"))
        write(history, failed, paths[-1], rng)
    command = [plumb, "history", "--quiet", "--jobs", "1", "--keys", "none",
               "--spec", spec, "--condition", condition.text()]
    command += ["--closed"] if condition.closed else []
    command += ["--witness"] if rng.random() < 0.2 else []
    commands = [command]
    if can_be_followed(condition):
        commands.append([o for o in command if o != "--witness"] +
                        ["--follow"])
    expected = [definition(history, name, condition) for history in histories]
    for command in commands:
        verdicts = ask(command, paths, os.path.join(folder, "answers.json"))
        if isinstance(verdicts, str):
            yield verdicts
            continue
        for path, verdict, wanted in zip(paths, verdicts, expected):
            if wanted is None:
                tally["too large"] += 1
                continue
            tally[verdict] += 1
            tally["followed" if command[-1] == "--follow" else
                  "histories"] += 1
            if verdict not in ("unknown", wanted):
                with open(path) as file:
                    yield (f"{' '.join(command)}: {verdict}, the definition "
                           f"says {wanted}\n{file.read()}")


def definition(history, name, condition):
    try:
        effort = Effort(MOST_NODES)
        good = decide(history, name, condition, effort)
        return "holds" if good else "violated"
    except TooLarge:
        return None
