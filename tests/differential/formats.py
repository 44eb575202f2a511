# SPDX-License-Identifier: Apache-2.0
# The formats of other checkers: the same history in each has the same verdict.
import json
import os
import subprocess

BATCH = 40
OBJECTS = [("queue", "queue", "enq", "deq", "deq"),
           ("stack", "stack", "push", "pop", "pop"),
           ("priority_queue", "priorityqueue", "insert", "remove_min", "poll")]


def random_operations(rng):
    """(process, begin, end, value put or None, value taken), -1 for nothing."""
    free = [0] * rng.randint(1, 4)
    values, operations = [], []
    for _ in range(rng.randint(2, 9)):
        process = rng.randrange(len(free))
        begin = free[process] + rng.randint(1, 3)
        end = free[process] = begin + rng.randint(0, 6)
        if rng.random() < 0.55:
            values.append(rng.randint(1, 3))
            operations.append((process, begin, end, values[-1], None))
        else:
            taken = rng.choice(values + [-1])
            operations.append((process, begin, end, None, taken))
    return operations


def texts(rng, operations, kind):
    spec, header, put, take, theirs = kind
    largest_first = spec == "priority_queue"

    def value(v):
        return None if v in (None, -1) else [-v, v] if largest_first else v

    def words(v):
        return "" if v in (None, -1) else f"{-v}, {v}" if largest_first else str(v)

    rows = [(p, b, e, put if x is not None else theirs, y if x is None else x)
            for p, b, e, x, y in operations]
    rng.shuffle(rows)
    # What ends when another begins overlaps it.
    events = sorted(((o[1 + done], done, o) for o in operations
                     for done in (0, 1)), key=lambda event: event[:2])
    lines, calls = [], ["# @object any"]
    for _, done, (process, _, _, given, taken) in events:
        name = take if given is None else put
        seen = value(taken if done else given)
        lines.append(json.dumps({"process": process, "f": name, "value": seen,
                                 "type": "ok" if done else "invoke"}))
        calls.append(f"[{process}] return {words(taken)}" if done else
                     f"[{process}] call {name}({words(given)})")
    return {
        "json": lines, "calls": calls,
        "named": [f"# {header}"] + [f"{p} {f} {v} {b} {e}"
                                    for p, b, e, f, v in rows],
        "times first": [f"# {header}"] + [f"{p} {b} {e} {f.upper()} {v}"
                                          for p, b, e, f, v in rows],
        "nameless": [f"# {header}"] + [f"{f} {v} {b} {e}"
                                       for p, b, e, f, v in rows]}


def verdicts(plumb, folder, spec, condition, paths):
    answers = os.path.join(folder, "answers.json")
    run = subprocess.run(
        [plumb, "history", "--quiet", "--jobs", "1", "--spec", spec,
         "--condition", condition, "--json", answers, *paths],
        capture_output=True, text=True)
    if run.returncode not in (0, 1):
        return f"exit {run.returncode}: {run.stderr}"
    with open(answers) as file:
        return [result["verdict"] for result in json.load(file)["results"]]


def batch(rng, plumb, folder, tally):
    kind = rng.choice(OBJECTS)
    condition = rng.choice(["linearizable", "sequential"])
    paths, forms = [], []
    for number in range(BATCH):
        for form, lines in texts(rng, random_operations(rng), kind).items():
            # Rows that name nobody have no program order.
            if form == "nameless" and condition == "sequential":
                continue
            paths.append(os.path.join(folder, f"{number} {form}"))
            forms.append(form)
            with open(paths[-1], "w") as out:
                out.write("\n".join(lines) + "\n")
    answers = verdicts(plumb, folder, kind[0], condition, paths)
    if isinstance(answers, str):
        yield answers
        return
    for form, path, answer in zip(forms, paths, answers):
        if form == "json":
            expected = answer
            continue
        tally[answer] += 1
        tally["histories"] += 1
        if answer != expected:
            with open(path) as file:
                yield (f"{kind[0]}, {condition}, {form}: {answer}, not "
                       f"{expected}\n{file.read()}")
