# SPDX-License-Identifier: Apache-2.0
# The sequential objects of `plumb specs`, once more and plainly.
"""An object gives `apply(state, f, argument)`: the list of its outcomes
(result, next state), empty where the operation has to wait.  States are
tuples.  `None` is null; a put into an unbounded container returns SILENT."""
import re

SILENT = "(nothing to see)"  # a result that is not compared
PENDING = "(not known)"
UNSEEN = "?"  # it returned, but nobody wrote down what


def priority(value):
    return value[0] if isinstance(value, tuple) else value


class Container:
    """Queue, stack, deque, priority queue, bag; bounded, blocking."""
    PUTS = {"queue": ["enq"], "stack": ["push"],
            "deque": ["push_front", "push_back"],
            "priority_queue": ["insert"], "bag": ["add"]}
    TAKES = {"queue": ["deq"], "stack": ["pop"],
             "deque": ["pop_front", "pop_back"],
             "priority_queue": ["remove_min"], "bag": ["take"]}

    def __init__(self, kind, capacity, blocking):
        self.kind, self.capacity, self.blocking = kind, capacity, blocking
        self.puts, self.takes = self.PUTS[kind], self.TAKES[kind]
        self.operations = self.puts + self.takes
        self.initial = ()
        self.turns = kind != "bag"

    def apply(self, state, f, argument):
        if f in self.puts:
            if self.capacity is not None and len(state) >= self.capacity:
                return [(False, state)]
            result = SILENT if self.capacity is None else True
            if f in ("push_front", "push"):
                return [(result, (argument,) + state)]
            made = state + (argument,)
            if self.kind in ("priority_queue", "bag"):
                made = tuple(sorted(made, key=lambda v: (priority(v), str(v))))
            return [(result, made)]
        if not state:
            return [] if self.blocking else [(None, state)]
        return [self.without(state, i) for i in self.next_ones(state, f)]

    def without(self, state, i):
        return state[i], state[:i] + state[i + 1:]

    def next_ones(self, state, f):
        if self.kind == "bag":
            return range(len(state))
        if self.kind == "priority_queue":
            return [i for i, v in enumerate(state)
                    if priority(v) == priority(state[0])]
        return [len(state) - 1 if f == "pop_back" else 0]

    def overtakes(self, state, f, furthest):
        """What takes give that pass by at least one other."""
        found = []
        for i, value in enumerate(state):
            if self.kind == "priority_queue":
                before = sum(priority(v) < priority(value) for v in state)
            else:
                before = len(state) - 1 - i if f == "pop_back" else i
            if 1 <= before <= furthest:
                found.append(self.without(state, i))
        return found

    def part(self, argument):
        return None

    def argument_kind(self, f):
        return "value" if f in self.puts else None


class Other:
    """An object with at most one outcome, given by a function."""

    def __init__(self, step, operations, initial=(), part=None):
        self.step, self.operations, self.initial = step, operations, initial
        self.takes, self.turns, self.blocking = [], False, False
        self.capacity = None
        self.part = part or (lambda argument: None)

    def apply(self, state, f, argument):
        outcome = self.step(state, f, argument)
        return [] if outcome is None else [outcome]

    def argument_kind(self, f):
        return self.operations[f]


def set_step(state, f, v):
    if f == "contains":
        return v in state, state
    rest = tuple(x for x in state if x != v)
    if f == "remove":
        return v in state, rest
    return v not in state, tuple(sorted(rest + (v,)))


def map_step(state, f, argument):
    entries = dict(state)
    key = argument[0] if f == "put" else argument
    previous = entries.get(key)
    if f == "get":
        return previous, state
    entries.pop(key, None)
    if f == "put" and argument[1] is not None:
        entries[key] = argument[1]
    return previous, tuple(sorted(entries.items()))


def register_step(state, f, argument):
    if f == "read":
        return state[0], state
    if f == "write":
        return SILENT, (argument,)
    if state[0] == argument[0]:
        return True, (argument[1],)
    return False, state


def counter_step(state, f, _):
    n = state[0]
    return n, ({"inc": n + 1, "dec": max(n - 1, 0), "get": n}[f],)


def mutex_step(state, f, _):
    if (f == "acquire") == bool(state[0]):
        return None
    return SILENT, (1 - state[0],)


def snzi_step(state, f, _):
    n = state[0]
    if f == "query":
        return n > 0, state
    if f == "depart" and n == 0:
        return None
    return SILENT, (n + (1 if f == "arrive" else -1),)


def make(name):
    kind, capacity = re.fullmatch(r"(\w+)(?:\((\d+)\))?", name).groups()
    blocking = kind.startswith("blocking_")
    kind = kind.removeprefix("blocking_")
    if kind in Container.PUTS:
        return Container(kind, capacity and int(capacity), blocking)
    return {
        "set": lambda: Other(set_step, dict.fromkeys(
            ["add", "remove", "contains"], "value")),
        "map": lambda: Other(
            map_step, {"put": "pair", "get": "value", "remove": "value"},
            part=lambda a: a[0] if isinstance(a, tuple) else a),
        "register": lambda: Other(
            register_step, {"read": None, "write": "value", "cas": "pair"},
            (None,)),
        "counter": lambda: Other(
            counter_step, dict.fromkeys(["inc", "dec", "get"]), (0,)),
        "mutex": lambda: Other(
            mutex_step, dict.fromkeys(["acquire", "release"]), (0,)),
        "snzi": lambda: Other(
            snzi_step, dict.fromkeys(["arrive", "depart", "query"]), (0,)),
    }[kind]()
