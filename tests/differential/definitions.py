# SPDX-License-Identifier: Apache-2.0
# Slow deciders of all conditions on histories, straight from the definitions.
"""`decide(history, name of the object, condition, effort)` is True or False; it
raises TooLarge where trying everything would take too long.

A history is a list of Operation.  A condition is a Condition; its text() is
what `plumb history --condition` takes.  Shares nothing with the tool."""
from collections import namedtuple
from dataclasses import dataclass, field

import objects
from objects import PENDING, SILENT, UNSEEN

NEVER = 10 ** 9
UNBOUNDED = 10 ** 9


class TooLarge(Exception):
    pass


class Effort:
    """How many nodes may still be tried."""

    def __init__(self, most):
        self.left = most

    def spend(self):
        self.left -= 1
        if self.left < 0:
            raise TooLarge()


@dataclass
class Operation:
    process: int
    f: str
    argument: object
    result: object  # or PENDING, SILENT, UNSEEN
    invoked: int
    returned: int   # NEVER if it is pending
    clocked: bool = False  # both are bounds by clocks: see clocks.py
    given_up: int = None   # when a pending one was, if its process goes on

    @property
    def pending(self):
        return self.result is PENDING


# Ranges are (lowest, highest) or None; factor 0: keeps its place.
Member = namedtuple("Member", "f argument result")


@dataclass
class Class:
    name: str  # "": the operations of one name
    factor: int
    members: list

    def text(self):
        if not self.name:
            return f"{self.members[0].f}={self.factor}"

        def span(r):
            one = str(r[0]).lower()  # true, not True
            return one if r[0] == r[1] else f"{one}..{r[1]}"
        parts = [m.f + (f"({span(m.argument)})" if m.argument else "") +
                 (f" -> {span(m.result)}" if m.result else "")
                 for m in self.members]
        return f"{self.name}{{{', '.join(parts)}}}={self.factor}"


@dataclass
class Condition:
    order: str = ""  # "", sequential, quiescent, quiescent+sequential
    classes: list = field(default_factory=list)
    out_of_order: dict = field(default_factory=dict)
    late: dict = field(default_factory=dict)
    stuttering: dict = field(default_factory=dict)
    stutters_first: bool = False
    closed: bool = False

    def text(self):
        def factors(word, by_name):
            inner = ", ".join(f"{k}={v}" for k, v in by_name.items())
            return f"{word}({inner})" if by_name else ""
        quasi = ", ".join(c.text() for c in self.classes)
        stutter = factors("stuttering", self.stuttering)
        passing = [factors("out_of_order", self.out_of_order),
                   factors("late", self.late)]
        relaxed = ([stutter] + passing if self.stutters_first
                   else passing + [stutter])
        words = [self.order, f"quasi({quasi})" if quasi else "", *relaxed]
        return "+".join(w for w in words if w) or "linearizable"


# --- orders -----------------------------------------------------------------

def between_neighbours(history):
    """Bounds by clocks may let two operations of a process overlap.  They do
    not: between them nothing is pending unless another process's operation
    can be, or one that the process gave up.  Gives the second ones."""
    found = []
    for a in history:
        later = [b for b in history if b.process == a.process
                 and history.index(a) < history.index(b)]
        if not a.clocked or a.pending or not later:
            continue
        b = later[0]
        if a.returned > b.invoked and not any(
                c.invoked < a.returned and c.returned > b.invoked
                for c in history if c.process != a.process or
                c.pending and history.index(c) < history.index(a)):
            found.append(b)
    return found


def quiescent_moments(history):
    """Moments after a return at which nothing is pending."""
    events = sorted([(o.invoked, 1) for o in history] +
                    [(o.returned, -1) for o in history if not o.pending])
    inside, found = 0, []
    for moment, change in events:
        inside += change
        if inside == 0:
            found.append(moment)
    return found


def judged_part(history, order):
    if "quiescent" not in order:
        return history
    last = max(quiescent_moments(history), default=-1)
    rests = [b.invoked for b in between_neighbours(history)]
    return [o for o in history if o.returned <= last or
            any(o.invoked < m for m in rests)]


def predecessors(history, order):
    """For each operation, the mask of those that must stand before it."""
    moments = quiescent_moments(history) if "quiescent" in order else []
    rests = [b.invoked for b in between_neighbours(history)] \
        if "quiescent" in order else []

    def before(a, b):
        if not order:
            own = a.clocked and a.process == b.process and not a.pending and \
                history.index(a) < history.index(b)
            return own or a.returned < b.invoked
        same = "sequential" in order and a.process == b.process and \
            a.invoked < b.invoked
        return same or any(a.invoked < m <= b.invoked for m in rests) or \
            any(a.returned <= m < b.invoked for m in moments)
    return [sum(1 << i for i, a in enumerate(history)
                if a is not b and before(a, b)) for b in history]


# --- objects that are relaxed at each call ----------------------------------

class Overtaken:
    def __init__(self, base, out_of_order, late):
        self.base, self.out_of_order, self.late = base, out_of_order, late
        self.initial = (base.initial, ())

    def bounds(self, f):
        named = f in self.out_of_order or f in self.late
        return (self.out_of_order.get(f, UNBOUNDED if named else 0),
                self.late.get(f, UNBOUNDED if named else 0))

    def apply(self, state, f, argument):
        inner, rows = state
        furthest, in_a_row = self.bounds(f)
        relaxed = furthest > 0 and in_a_row > 0
        row = dict(rows).get(f, 0)
        out = []
        for result, after in self.base.apply(inner, f, argument):
            ends = relaxed and result is not None
            out.append((result, (after, with_row(rows, f, 0) if ends
                                 else rows)))
        if relaxed and row < in_a_row:
            count = row + 1 if in_a_row < UNBOUNDED else 0
            for result, after in self.base.overtakes(inner, f, furthest):
                out.append((result, (after, with_row(rows, f, count))))
        return out


class Stuttering:
    def __init__(self, base, times, may_end=lambda state: True):
        self.base, self.times, self.may_end = base, times, may_end
        self.initial = (base.initial, ())

    def apply(self, state, f, argument):
        inner, rows = state
        where = (f, part_of(self.base, argument))
        most = self.times.get(f, 0)
        out = []
        for result, after in self.base.apply(inner, f, argument):
            if most == 0 or after == inner:
                out.append((result, (after, rows)))
                continue
            out.append((result, (after, with_row(rows, where, 0))))
            row = dict(rows).get(where, 0)
            if row < most and self.may_end(after):
                out.append((result, (inner, with_row(rows, where, row + 1))))
        return out

    def overtakes(self, state, f, furthest):
        inner, rows = state
        return [(result, (after, rows)) for result, after
                in self.base.overtakes(inner, f, furthest)]


def with_row(rows, where, count):
    made = {**dict(rows), where: count}
    return tuple(sorted((k, v) for k, v in made.items() if v))


def part_of(object_, argument):
    part = getattr(object_, "part", None)
    return part(argument) if part else None


def fits(operation, result):
    return operation.pending or operation.result is UNSEEN or \
        operation.result == result or result is SILENT


def is_linear(history, order, object_, effort, may_end=lambda state: True):
    """Some order of the operations is one of the object."""
    before = predecessors(history, order)
    certain = sum(1 << i for i, o in enumerate(history) if not o.pending)
    seen, stack = set(), [(0, object_.initial)]
    while stack:
        placed, state = stack.pop()
        if placed & certain == certain and may_end(state):
            return True
        for i, o in enumerate(history):
            # What did not happen stands in nobody's way.
            needed = before[i] & certain
            if placed >> i & 1 or needed & ~placed:
                continue
            if any(placed >> j & 1 and before[j] >> i & 1
                   for j in range(len(history))):
                continue
            for result, after in object_.apply(state, o.f, o.argument):
                node = (placed | 1 << i, after)
                if fits(o, result) and node not in seen:
                    seen.add(node)
                    stack.append(node)
                    effort.spend()
    return False


def decide(history, name, condition, effort):
    from quasi import is_quasi, Relaxed
    object_ = objects.make(name)
    history = judged_part(history, condition.order)
    if any(c.factor for c in condition.classes):
        if any(condition.stuttering.values()):
            relaxed = Relaxed(object_, condition, history, effort)
            return is_linear(
                history, condition.order,
                Stuttering(relaxed, condition.stuttering, relaxed.may_end),
                effort, lambda state: relaxed.may_end(state[0]))
        return is_quasi(history, object_, condition, effort)
    if condition.stuttering and condition.stutters_first:
        object_ = Stuttering(object_, condition.stuttering)
    if condition.out_of_order or condition.late:
        object_ = Overtaken(object_, condition.out_of_order, condition.late)
    if condition.stuttering and not condition.stutters_first:
        object_ = Stuttering(object_, condition.stuttering)
    return is_linear(history, condition.order, object_, effort)
