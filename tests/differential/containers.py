# SPDX-License-Identifier: Apache-2.0
# Random containers, with capacities and silent takes: levels 1 and 3 agree.
"""Each object is written as a model and, beside it, as a few lines of Python.
An interpreter here makes all histories that its clients can see, and `plumb
history` judges each of them, and each beginning; that must be what `plumb
verify` says of the model, with all reductions and with none."""
import json
import os
import subprocess

MOST_HISTORIES = 4000
MOST_STATES = 60000
NO_REDUCTIONS = ["--no-symmetry", "--no-data-symmetry", "--no-tight-calls",
                 "--no-por"]
PUT = {"queue": "enq", "stack": "push", "bag": "add",
       "priority_queue": "insert"}
TAKE = {"queue": "deq", "stack": "pop", "bag": "take",
        "priority_queue": "remove_min"}


class Fault(Exception):
    pass


class Blocked(Exception):
    pass


class Object:
    """A container of which some operations do something else now and then."""

    def __init__(self, rng):
        self.kind = rng.choice(list(PUT))
        self.capacity = rng.choice([None, 1, 1, 2])
        self.says = self.capacity is not None and rng.random() < 0.35
        self.silent = rng.random() < (0.15 if self.capacity is None else 0.05)
        self.order = rng.choice(["front", "back", "second", "least"])
        self.when_empty = rng.choice(["empty", "empty", "one", "wait", "early"])
        self.keeps = rng.random() < 0.15       # takes leave every second item
        self.split_put = rng.random() < 0.4    # two steps
        self.split_take = rng.random() < 0.3
        self.refuses = rng.choice(["full", "full", "never", "late"])
        self.most_puts = rng.choice([None, None, 2, 3])
        # Now and then what reductions went wrong on once: classes that tell
        # values apart, takes that give room back before anything is inside.
        self.about = rng.choice(["values", "room"] + 4 * [None])
        if self.about:
            self.says = self.silent = self.keeps = False
        if self.about == "values":
            self.kind = rng.choice(["queue", "stack"])
            self.order = rng.choice(
                ["second", "back" if self.kind == "queue" else "front"])
            self.capacity = rng.choice([None, 2, 3])
            self.when_empty, self.most_puts = "empty", None
        if self.about == "room":
            self.capacity = rng.choice([1, 1, 2])
            self.when_empty, self.most_puts = "only", self.capacity + 1

    # As a model.
    def text(self):
        size = 8
        spec = self.kind + (f"({self.capacity})" if self.capacity else "")
        check = (f" assert puts < {self.most_puts};" if self.most_puts else "")
        put = ["puts = min(puts + 1, 7);" + check]
        if self.says:
            room = {"full": self.capacity, "never": 99,
                    "late": self.capacity + 1}[self.refuses]
            put.append(f"if (len(q) >= {room}) return false;")
        put.append(f"if (len(q) < {size}) push_back(q, v);")
        lines = [f"object o implements {spec} {{",
                 f"    shared seq<int, {size}> q;",
                 "    shared int puts = 0, gave = 0, ahead = 0, odd = 0;",
                 "    shared int noise = 0;"]
        result = "bool" if self.says else "void"
        lines.append(f"    {result} {PUT[self.kind]}(int v) {{")
        if self.split_put:
            lines.append("        noise = 1;")
        lines.append("        atomic { " + " ".join(put) +
                     (" return true;" if self.says else "") + " }")
        lines.append("    }")
        result = "void" if self.silent else "int"
        lines.append(f"    {result} {TAKE[self.kind]}() {{")
        if self.split_take:
            lines.append("        noise = 0;")
        body = []
        give = "" if self.silent else "x"
        if self.when_empty == "wait":
            body.append("await len(q) > 0;")
        elif self.when_empty == "only":
            body.append("await len(q) == 0 && ahead == 0; ahead = 1; "
                        "if (ahead == 1) return 1;")
        elif self.when_empty == "empty":
            body.append("if (len(q) == 0) return" +
                        (";" if self.silent else " empty;"))
        elif self.when_empty == "one":
            body.append("if (len(q) == 0) return" +
                        (";" if self.silent else " 1;"))
        else:
            body.append("await len(q) > 0 || ahead == 0; "
                        "if (len(q) == 0) { ahead = 1; return" +
                        (";" if self.silent else " 1;") + " }")
        if self.keeps:
            body.append("odd = 1 - odd; if (odd == 1) return" +
                        (";" if self.silent else " q[0];"))
        at = {"front": "0", "back": "len(q) - 1",
              "second": "len(q) >= 2 ? 1 : 0"}.get(self.order)
        if at is None:
            body.append("int at = 0; int i = 1; "
                        "while (i < len(q)) { if (q[i] < q[at]) at = i; "
                        "i = i + 1; }")
        else:
            body.append(f"int at = {at};")
        body.append("int x = q[at]; remove_at(q, at);")
        body.append(f"return {give};" if give else "return;")
        lines.append("        atomic { " + " ".join(body) + " }")
        lines.append("    }")
        lines.append("}")
        return "\n".join(lines)

    # As steps: each is one that the model takes at once.
    def start(self):
        return ((), 0, 0, 0)  # q, puts, ahead, odd

    def steps(self, op):
        split = self.split_put if op == "put" else self.split_take
        return 2 if split else 1

    def last_step(self, state, op, v):
        q, puts, ahead, odd = state
        if op == "put":
            puts = min(puts + 1, 7)
            if self.most_puts and not puts < self.most_puts:
                raise Fault()
            if self.says:
                room = {"full": self.capacity, "never": 99,
                        "late": self.capacity + 1}[self.refuses]
                if len(q) >= room:
                    return (q, puts, ahead, odd), False
            if len(q) < 8:
                q = q + (v,)
            return (q, puts, ahead, odd), (True if self.says else None)
        if self.when_empty == "only" and (q or ahead):
            raise Blocked()
        if not q:
            if self.when_empty == "wait":
                raise Blocked()
            if self.when_empty == "empty":
                return state, None
            if self.when_empty == "one":
                return state, None if self.silent else 1
            if ahead:
                raise Blocked()
            return (q, puts, 1, odd), None if self.silent else 1
        if self.keeps:
            odd = 1 - odd
            if odd == 1:
                return ((q, puts, ahead, odd),
                        None if self.silent else q[0])
        at = {"front": 0, "back": len(q) - 1,
              "second": 1 if len(q) >= 2 else 0,
              "least": min(range(len(q)), key=lambda i: (q[i], i))}[self.order]
        x = q[at]
        q = q[:at] + q[at + 1:]
        return (q, puts, ahead, odd), (None if self.silent else x)

    @property
    def room(self):
        return None if self.says else self.capacity


def random_range(rng):
    low = rng.randint(1, 3)
    high = rng.randint(low, 4)
    return str(low) if low == high else f"{low}..{high}"


def random_relaxation(rng, obj):
    put, take = PUT[obj.kind], TAKE[obj.kind]
    n = lambda: rng.randint(1, 2)
    ordered = obj.kind != "bag"
    kinds = ["plain", "one", "two", "mixed", "value", "values", "stuttering"]
    if ordered and not obj.silent:
        kinds += ["out_of_order", "late", "both", "late_stuttering",
                  "stuttering_late"]
    kinds += ["quasi_stuttering"]
    kind = rng.choice(kinds)
    if obj.silent and kind in ("one", "two", "mixed", "value", "values",
                               "quasi_stuttering"):
        return f"quasi({put}={n()})"
    result = f" -> {random_range(rng)}"
    argument = f"({random_range(rng)})"
    return {
        "plain": "",
        "one": f"quasi({rng.choice([put, take])}={n()})",
        "two": f"quasi({put}={n()}, {take}={n()})",
        "mixed": f"quasi(m{{{put}, {take}}}={rng.randint(1, 3)})",
        "value": f"quasi(a{{{take}{result}}}={n()})",
        "values": f"quasi(a{{{take}{result}, {put}{argument}}}={n()})",
        "stuttering": f"stuttering({take}={n()})",
        "out_of_order": f"out_of_order({take}={n()})",
        "late": f"late({take}={n()})",
        "both": f"out_of_order({take}={n()})+late({take}={n()})",
        "late_stuttering": f"late({take}={n()})+stuttering({take}={n()})",
        "stuttering_late": f"stuttering({take}={n()})+late({take}={n()})",
        "quasi_stuttering": f"quasi({take}={n()})+stuttering({take}={n()})",
    }[kind]


class Check:
    def __init__(self, rng, obj):
        self.processes, self.operations = rng.choice(
            [(1, 2), (1, 3), (1, 4), (1, None), (2, 1), (2, 1), (2, 2),
             (2, None), (3, 1)])
        self.values = rng.choice([1, 2, 2, 3])
        self.busy = None
        self.safe = rng.random() < 0.15
        order = rng.choice(["", "", "", "quiescent", "sequential",
                            "quiescent+sequential"])
        if self.operations is None:
            order = rng.choice(["", "", "quiescent"])
            if order:
                self.busy = rng.choice([2, 3])
        relaxation = random_relaxation(rng, obj)
        if obj.about:
            self.processes, self.operations = rng.choice(
                [(1, 3), (1, 4), (2, 2)])
            order, self.busy = rng.choice(["", "", "quiescent"]), None
        if obj.about == "values":
            self.values, self.safe = rng.choice([2, 3]), False
            some = rng.choice(["1", f"1..{self.values - 1}", "2"])
            relaxation = (f"quasi(a{{{TAKE[obj.kind]} -> {some}}}="
                          f"{rng.randint(1, 2)})")
        if obj.about == "room":
            self.safe = rng.random() < 0.5
        self.condition = "safe" if self.safe else (
            "+".join(filter(None, [order, relaxation])) or "linearizable")

    def text(self):
        many = "es" if self.processes > 1 else ""
        out = f"check o {self.condition} with {self.processes} process{many}"
        out += f", values 1..{self.values}"
        if self.operations:
            s = "s" if self.operations > 1 else ""
            out += f", {self.operations} operation{s}"
        if self.busy and not self.safe:
            out += f", busy {self.busy}"
        return out + ";"


class TooMany(Exception):
    pass


def histories(obj, check):
    """All histories that end with a return; raises Fault, TooMany."""
    found = set()
    seen = set()
    calls = [("put", v) for v in range(1, check.values + 1)] + [("take", None)]

    # A process: calls made, what it does ((op, v, steps left) or result).
    start = (obj.start(), 0, tuple((0, None) for _ in range(check.processes)))

    def moves(node):
        state, items, processes = node
        for p, (made, doing) in enumerate(processes):
            def with_process(new):
                return processes[:p] + (new,) + processes[p + 1:]
            if doing is None:
                if made >= check.operations:
                    continue
                for op, v in calls:
                    inside = items
                    if op == "put" and obj.room is not None:
                        if items >= obj.room:
                            continue
                        inside += 1
                    yield (("invoke", p, op, v),
                           (state, inside, with_process(
                               (made + 1, (op, v, obj.steps(op))))))
            elif doing[0] == "done":
                _, op, v, result = doing
                inside = items
                if op == "take" and obj.room is not None and result is not None:
                    inside -= 1
                yield (("return", p, op, result),
                       (state, inside, with_process((made, None))))
            else:
                op, v, left = doing
                if left > 1:
                    yield None, (state, items,
                                 with_process((made, (op, v, left - 1))))
                    continue
                try:
                    after, result = obj.last_step(state, op, v)
                except Blocked:
                    continue
                yield None, (after, items,
                             with_process((made, ("done", op, v, result))))

    stack = [(start, ())]
    while stack:
        node, events = stack.pop()
        for event, after in moves(node):
            longer = events if event is None else canonical(events, event)
            if (after, longer) in seen:
                continue
            seen.add((after, longer))
            if len(seen) > 20 * MOST_HISTORIES:
                raise TooMany()
            if event is not None and event[0] == "return":
                found.add(longer)
                if len(found) > MOST_HISTORIES:
                    raise TooMany()
            stack.append((after, longer))
    return found


def canonical(events, event):
    """Adjacent invocations, and adjacent returns, may change places."""
    events = list(events) + [event]
    i = len(events) - 1
    while i > 0 and events[i - 1][0] == event[0] and \
            events[i - 1][1] > event[1]:
        events[i - 1], events[i] = events[i], events[i - 1]
        i -= 1
    return tuple(events)


def some_history_is_violated(plumb, obj, check, found, folder):
    path = os.path.join(folder, "all.jsonl")
    with open(path, "w") as out:
        for key, events in enumerate(sorted(found, key=str)):
            for kind, p, op, value in events:
                name = (PUT if op == "put" else TAKE)[obj.kind]
                line = {"process": 10 * key + p, "key": key,
                        "type": "invoke" if kind == "invoke" else "ok",
                        "f": name, "value": value}
                if len(found) == 1:
                    del line["key"]
                out.write(json.dumps(line) + "\n")
    spec = obj.kind
    if obj.says:
        spec += f"({obj.capacity})"
    # Judged as one by one: every key is a history of its own.
    run = subprocess.run(
        [plumb, "history", "--quiet", "--spec", spec, "--condition",
         check.condition, "--keys", "none", path],
        capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"history: {run.returncode} {run.stderr}")
    return run.returncode == 1


def is_refused(obj):
    """Clients count what is inside by what puts and takes return."""
    return obj.silent and obj.capacity is not None and not obj.says


def verdict(plumb, path, options):
    run = subprocess.run(
        [plumb, "verify", "--state-limit", str(MOST_STATES), "--time-limit",
         "20s", "--jobs", "1", *options, path],
        capture_output=True, text=True)
    if "clients cannot tell how many items are inside" in run.stderr:
        return "refused"
    if run.returncode not in (0, 1, 3):
        return f"exit {run.returncode}: {run.stderr}"
    return {0: "holds", 1: "violated", 3: "unknown"}[run.returncode]


def by_histories(plumb, obj, check, folder):
    """What level 1 says; None if there is too much, or nothing to see."""
    if is_refused(obj):
        return "refused"
    # A history cannot say that nobody saw what a call returned.
    if not check.operations or (obj.silent and not check.safe):
        return None
    try:
        found = histories(obj, check)
        # Sequential consistency is not local, so that keys cannot be judged
        # together there.
        return "holds" if check.safe else judge(plumb, obj, check, found,
                                                folder)
    except Fault:
        return "violated"
    except TooMany:
        return None


def batch(rng, plumb, folder, tally):
    obj = Object(rng)
    check = Check(rng, obj)
    path = os.path.join(folder, "model.plumb")
    text = obj.text() + "\n" + check.text() + "\n"
    with open(path, "w") as out:
        out.write(text)
    answers = {"reduced": verdict(plumb, path, []),
               "whole": verdict(plumb, path, NO_REDUCTIONS)}
    if check.operations and "quasi" in check.condition:
        answers["exact"] = verdict(plumb, path, ["--method", "exact"])
    known = {a for a in answers.values()
             if a != "unknown" or is_refused(obj)}
    expected = by_histories(plumb, obj, check, folder)
    if expected is not None:
        known.add(expected)
        tally["by histories"] += 1
    tally["models"] += 1
    tally[" or ".join(sorted(k[:8] for k in known)) or "unknown"] += 1
    if len(known) > 1 or any(k.startswith("exit") for k in known):
        yield f"{answers}, histories: {expected}\n{text}"


def judge(plumb, obj, check, found, folder):
    if "sequential" not in check.condition:
        violated = some_history_is_violated(plumb, obj, check, found, folder)
        return "violated" if violated else "holds"
    if len(found) > 150:
        raise TooMany()
    for one in found:
        if some_history_is_violated(plumb, obj, check, {one}, folder):
            return "violated"
    return "holds"

