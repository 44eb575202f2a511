# SPDX-License-Identifier: Apache-2.0
# Objects that can do one run only: levels 1 and 3 agree on quasi conditions.
"""Each random run is written as a model that does just that, for one client,
and its beginnings as histories.  `plumb verify` holds of the model if and only
if `plumb history` does of each beginning, whatever values the object gives
back and whichever operations of the specification it has."""
import json
import os
import subprocess

import histories
import objects
from definitions import Operation
from objects import SILENT

RUNS = 20
OBJECTS = histories.OBJECTS + ["register", "map", "set"] * 4


def random_run(rng, object_, condition, values):
    run = histories.legal_run(rng, object_, rng.randint(1, 5), values)
    histories.exchange(rng, run, object_, condition)
    unknown = values + [values[-1] + 1, values[-1] + 2]
    for _ in range(rng.choice([0, 1, 1, 2])):
        if run:
            histories.spoil(rng, run, object_, unknown)
    # Clients of a model pass neither null nor what they do not have.
    return [(f, argument, result) for f, argument, result in run
            if all(v in values for v in parts(argument))]


def parts(argument):
    if argument is None:
        return ()
    return argument if isinstance(argument, tuple) else (argument,)


def result_type(object_, f):
    if histories.shows_value(object_, f):
        return "int"
    return "bool" if histories.shows_truth(object_, f) else "void"


def literal(value):
    if value is None:
        return "empty"
    return str(value).lower() if isinstance(value, bool) else str(value)


def operation_text(object_, f, run):
    """`f`, which waits unless it is its turn."""
    made = result_type(object_, f)
    names = {"value": ["a"], "pair": ["a", "b"]}.get(
        object_.argument_kind(f), [])
    ways = []
    for at, (g, argument, result) in enumerate(run):
        if g != f:
            continue
        tests = [f"at == {at}"] + [f"{n} == {v}" for n, v in
                                   zip(names, parts(argument))]
        says = "" if made == "void" else f" {literal(result)}"
        ways.append(f"{{ await {' && '.join(tests)}; at = {at + 1}; "
                    f"return{says}; }}")
    never = {"int": " 0", "bool": " false", "void": ""}[made]
    ways.append(f"{{ await at == 100; return{never}; }}")
    ways = ways if len(ways) > 1 else ways * 2
    arguments = ", ".join(f"int {n}" for n in names)
    return (f"    {made} {f}({arguments}) {{ atomic {{ choose "
            f"{' or '.join(ways)} }} }}\n")


def model_text(object_, name, runs, condition, values, all_operations):
    out = ""
    for i, run in enumerate(runs):
        out += f"object o{i} implements {name} {{\n    shared int at = 0;\n"
        for f in object_.operations:
            if all_operations or any(g == f for g, _, _ in run):
                out += operation_text(object_, f, run)
        plural = "s" if len(run) > 1 else ""
        out += (f"}}\ncheck o{i} {condition.text()} with 1 process, values "
                f"1..{values[-1]}, {len(run)} operation{plural};\n")
    return out


def as_history(run):
    return [Operation(0, f, argument, result, 2 * i, 2 * i + 1)
            for i, (f, argument, result) in enumerate(run)]


def by_histories(rng, plumb, folder, name, runs, condition):
    """Of each run, what level 1 says of its beginnings."""
    paths = {}
    for i, run in enumerate(runs):
        for k in range(1, len(run) + 1):
            path = os.path.join(folder, f"{i}_{k}.jsonl")
            histories.write(as_history(run[:k]), [], path, rng)
            paths[path] = i
    answers = histories.ask(
        [plumb, "history", "--quiet", "--jobs", "1", "--keys", "none",
         "--time-limit", "20s", "--spec", name, "--condition",
         condition.text()], list(paths), os.path.join(folder, "1.json"))
    if isinstance(answers, str):
        return answers
    worst = ["holds"] * len(runs)
    for i, verdict in zip(paths.values(), answers):
        if verdict == "violated" or worst[i] == "holds":
            worst[i] = verdict
    return worst


def by_model(plumb, folder):
    answers = os.path.join(folder, "3.json")
    run = subprocess.run(
        [plumb, "verify", "--quiet", "--jobs", "1", "--time-limit", "20s",
         "--json", answers, os.path.join(folder, "model.plumb")],
        capture_output=True, text=True)
    if "too many states to list the results" in run.stderr:
        return None  # a counter without a bound
    if run.returncode not in (0, 1, 3):
        return f"exit {run.returncode}\n{run.stderr}"
    with open(answers) as file:
        return [r["verdict"] for r in json.load(file)["results"]]


def batch(rng, plumb, folder, tally):
    name = rng.choice(OBJECTS)
    object_ = objects.make(name)
    condition = histories.Condition(
        classes=histories.random_classes(rng, object_))
    if not any(c.factor for c in condition.classes):
        return
    if rng.random() < 0.1:
        condition.stuttering[rng.choice(list(object_.operations))] = 1
    values = rng.choice([[1], [1], [1, 2]])
    runs = [random_run(rng, object_, condition, values) for _ in range(RUNS)]
    runs = [run for run in runs if run]
    if not runs:
        return
    whole = model_text(object_, name, runs, condition, values,
                       rng.random() < 0.5)
    with open(os.path.join(folder, "model.plumb"), "w") as out:
        out.write(whole)
    one = by_histories(rng, plumb, folder, name, runs, condition)
    three = by_model(plumb, folder)
    if three is None:
        tally["refused"] += 1
        return
    if isinstance(one, str) or isinstance(three, str):
        yield f"{one}\n{three}\n{whole}"
        return
    for i, run in enumerate(runs):
        tally["runs"] += 1
        tally[three[i]] += 1
        if "unknown" not in (one[i], three[i]) and one[i] != three[i]:
            shown = [(f, a, None if r is SILENT else r) for f, a, r in run]
            yield (f"{name} {condition.text()}, values {values}, {shown}: the "
                   f"model {three[i]}, its beginnings: {one[i]}\n"
                   f"{model_text(object_, name, [run], condition, values, 0)}")
