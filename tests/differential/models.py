# SPDX-License-Identifier: Apache-2.0
# Random models: all conditions, clients and reductions, against all histories.
"""An object is taken from templates.py, with mistakes or without, and asked
for a random condition with a random client.  An interpreter makes every
history that the client can see and the definitions judge each of them; that
must be what `plumb verify` says, with each choice of reductions, on one thread
and on two.  Without a bound on operations, the choices must agree."""
import os
import subprocess

import objects
from definitions import NEVER, Effort, Operation, TooLarge, decide
from histories import random_condition
from objects import PENDING, SILENT, Container
from programs import Fault, begin, compiled, steps, text, value
from templates import (CONTAINERS, NONE, ONE_PLACE, SEQ, SIGNATURES, TEMPLATES,
                       TREIBER, TYPES, changed, put, take)

MOST_HISTORIES = 1000
MOST_NODES = 10000   # of the model
MOST_EFFORT = 60000  # of all its histories together
ALL_OFF = ["--no-symmetry", "--no-data-symmetry", "--no-tight-calls",
           "--no-por"]
WAYS = [[w] for w in ALL_OFF] + [["--jobs", "2"], ["--method", "exact"],
                                 ALL_OFF[:2], ALL_OFF[2:]]


class Model:
    def __init__(self, rng):
        self.says, self.room, self.name = False, None, None
        self.kind = rng.choice([*TEMPLATES, *CONTAINERS, "stack", "queue"])
        if self.kind in TEMPLATES:
            self.name = self.kind
            variables, programs = rng.choice(TEMPLATES[self.kind])
            names = rng.sample(sorted(programs),
                               rng.randint(1, len(programs)))
            programs = {f: programs[f] for f in names}
        else:
            variables, programs = self.container(rng)
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            f = rng.choice(sorted(programs))
            programs[f] = changed(rng, programs[f])
        if rng.random() < 0.1:
            f = rng.choice(sorted(programs))
            programs[f] = [("let", "seen", ("add", ("var", "calls"), 1)),
                           ("assert", ("<", "seen", rng.randint(1, 3))),
                           *programs[f]]
            variables = {**variables, "calls": ("int", 0)}
        self.variables, self.programs = variables, programs
        self.code = {f: compiled(p) for f, p in programs.items()}
        self.spec = objects.make(self.name)

    def container(self, rng):
        capacity = rng.choice([None, 1, 1, 2, 2, 3])
        self.says = capacity is not None and rng.random() < 0.4
        self.room = None if self.says else capacity
        self.name = f"{self.kind}({capacity})" if self.says else self.kind
        puts, takes = Container.PUTS[self.kind][0], \
            Container.TAKES[self.kind][0]
        if self.kind == "stack" and not self.says and rng.random() < 0.3:
            return TREIBER[0], dict(TREIBER[1])
        if not self.says and rng.random() < 0.2:
            return NONE, {puts: ONE_PLACE["put"], takes: ONE_PLACE["take"]}
        refuses = (capacity or 0) + rng.choice([0, 0, 0, 1])
        return SEQ, {
            puts: put(rng.choice(["back", "back", "front"]), self.says,
                      refuses),
            takes: take(rng.choice(CONTAINERS[self.kind]),
                        rng.random() < 0.2)}

    def signature(self, f):
        if self.kind == "map":
            return ["int", "k", "v"] if f == "put" else ["int", "k"]
        if f in self.spec.takes:
            return ["int"]
        if self.kind in Container.PUTS:
            return ["bool" if self.says else "void", "v"]
        return SIGNATURES[f].split()

    def declared(self, name):
        kind, first = self.variables[name]
        return {"int": f"shared int {name} = {first};",
                "process": f"shared process {name} = {first};",
                "seq": f"shared seq<int, 6> {name};",
                "Node": f"struct Node {{ int val; Node next; }} "
                        f"shared Node {name} = null;",
                "mine": f"shared int {name}[process];",
                "bools": f"shared bool {name}[5];",
                "ints": f"shared int {name}[5]; init {{ " + " ".join(
                    f"{name}[{i}] = {first};" for i in range(5)) + " }",
                }[kind]

    def text(self):
        bound = f"({self.room})" if self.room else ""
        lines = [f"object o implements {self.name}{bound} {{"]
        lines += ["    " + self.declared(name) for name in self.variables]
        for f, program in self.programs.items():
            result, *names = self.signature(f)
            parameters = ", ".join("int " + n for n in names)
            lines += [f"    {result} {f}({parameters}) {{",
                      text(program, TYPES), "    }"]
        return "\n".join([*lines, "}"])

    def initial(self, processes):
        shared = {}
        for name, (kind, first) in self.variables.items():
            first = value(first, {"self": None}) if kind != "seq" else ()
            if kind == "mine":
                shared |= {(name, p): first for p in range(processes)}
            elif kind in ("bools", "ints"):
                shared |= {(name, i): first for i in range(5)}
            else:
                shared[name] = first
        return frozenset(shared.items())

    def calls(self, values):
        for f in self.programs:
            names = self.signature(f)[1:]
            for a in values if names else [None]:
                for b in values if len(names) == 2 else [None]:
                    yield f, dict(zip(names, (a, b)))


class Check:
    def __init__(self, rng, model):
        self.processes, self.operations = rng.choice(
            [(1, 2), (1, 3), (1, 4), (1, None), (2, 1), (2, 1), (2, 2),
             (2, 2), (2, None), (3, 1)])
        self.values = range(1, 1 + rng.choice([1, 2, 2, 3]))
        self.safe = rng.random() < 0.1
        spec = objects.make(model.name)
        if rng.random() < 0.7:  # else it may speak of what is not there
            spec.operations = {f: spec.argument_kind(f)
                               for f in model.programs}
            spec.takes = [f for f in spec.takes if f in model.programs]
        self.condition = random_condition(rng, spec)
        self.condition.closed = False
        self.busy = 0
        if self.operations is None:
            self.condition.order = rng.choice(["", "", "quiescent"])
            busy = self.condition.order and not self.safe
            self.busy = rng.choice([2, 3]) if busy else 0

    def text(self):
        asked = "safe" if self.safe else self.condition.text()
        out = f"check o {asked} with {self.processes} process"
        out += "es" if self.processes > 1 else ""
        out += f", values 1..{self.values[-1]}"
        if self.operations:
            out += f", {self.operations} operation"
            out += "s" if self.operations > 1 else ""
        return out + (f", busy {self.busy};" if self.busy else ";")


def moves(model, check, node):
    """(event or None, next node); a node is the shared state, the items that
    clients have on their way, and what each process does."""
    shared, items, processes = node

    def with_process(p, new):
        return processes[:p] + (new,) + processes[p + 1:]
    for p, (made, doing) in enumerate(processes):
        if doing is None:
            if made == check.operations:
                continue
            for f, names in model.calls(check.values):
                after = items
                if model.room and f not in model.spec.takes:
                    if items >= model.room:
                        continue
                    after += 1
                argument = tuple(names.values())
                argument = argument if len(argument) == 2 else \
                    (argument or (None,))[0]
                for at, local in begin(model.code[f], {**names, "self": p}):
                    yield (("call", p, f, argument),
                           (shared, after,
                            with_process(p, (made + 1, (f, at, local)))))
            continue
        f, at, local = doing
        code = model.code[f]
        if code[at][0] == "return":
            result = value(code[at][1], dict(local))
            if model.signature(f)[0] == "void":
                result = SILENT
            after = items
            if model.room and f in model.spec.takes and result is not None:
                after -= 1
            yield (("return", p, f, result),
                   (shared, after, with_process(p, (made, None))))
            continue
        for then, now, names in steps(code, at, shared, dict(local)):
            yield None, (now, items, with_process(p, (made, (f, then, names))))


def canonical(events, event):
    """Adjacent calls, and adjacent returns, may change places."""
    events = [*events, event]
    i = len(events) - 1
    while i and events[i - 1][0] == event[0] and events[i - 1][1] > event[1]:
        events[i - 1], events[i] = events[i], events[i - 1]
        i -= 1
    return tuple(events)


def histories(model, check):
    """All of them, and all beginnings, that end with a return."""
    start = (model.initial(check.processes), 0,
             ((0, None),) * check.processes)
    found, seen, stack = {}, {(start, ())}, [(start, ())]
    while stack:
        node, events = stack.pop()
        for event, after in moves(model, check, node):
            longer = events if event is None else canonical(events, event)
            if (after, longer) in seen:
                continue
            seen.add((after, longer))
            stack.append((after, longer))
            if event is not None and event[0] == "return":
                found[longer] = None
            if len(seen) > MOST_NODES or len(found) > MOST_HISTORIES:
                raise TooLarge()
    return found


def as_history(events):
    made, doing = [], {}
    for moment, (kind, p, f, what) in enumerate(events):
        if kind == "call":
            doing[p] = Operation(p, f, what, PENDING, moment, NEVER)
            made.append(doing[p])
        else:
            doing[p].result, doing[p].returned = what, moment
    return made


def expected(model, check):
    """holds, violated, or None if there is too much to try."""
    if not check.operations:
        return None
    try:
        found = histories(model, check)
        if check.safe:
            return "holds"
        effort = Effort(MOST_EFFORT)
        good = all(decide(as_history(events), model.name, check.condition,
                          effort)
                   for events in sorted(found, key=len))
        return "holds" if good else "violated"
    except Fault:
        return "violated"
    except TooLarge:
        return None


def ask(plumb, path, options):
    run = subprocess.run(
        [plumb, "verify", "--state-limit", "60000", "--time-limit", "20s",
         "--quiet", *(options if "--jobs" in options
                      else ["--jobs", "1", *options]), path],
        capture_output=True, text=True)
    words = {0: "holds", 1: "violated", 3: "unknown"}
    if "too many states to list the results" in run.stderr:
        return "unknown"  # a counter without a bound
    return words.get(run.returncode, f"exit {run.returncode}: {run.stderr}")


def batch(rng, plumb, folder, tally):
    model = Model(rng)
    check = Check(rng, model)
    path = os.path.join(folder, "model.plumb")
    whole = f"{model.text()}\n{check.text()}\n"
    with open(path, "w") as out:
        out.write(whole)
    answers = {}
    for options in [[], ALL_OFF, *rng.sample(WAYS, 2)]:
        if "--method" in options and check.safe:
            continue
        answers[" ".join(options)] = ask(plumb, path, options)
    definition = expected(model, check)
    tally["models"] += 1
    known = set(answers.values()) - {"unknown"}
    if definition is not None:
        known.add(definition)
        tally["by all histories"] += 1
    tally[" or ".join(sorted(k[:8] for k in known)) or "unknown"] += 1
    if len(known) > 1 or any(k.startswith("exit") for k in known):
        yield f"{answers}, histories say {definition}\n{whole}"
