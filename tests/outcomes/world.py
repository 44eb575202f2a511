# SPDX-License-Identifier: Apache-2.0
# What a small concurrent program may do: every interleaving, from the
# definition. Shares nothing with the tool.
#
# A thread's code is a list of steps. A step is a list of ways to go on: functions
# of the world and the thread, which change the world, and return where the
# thread goes on (None: at the next step) or raise Blocked or Fault. Memory is
# sequentially consistent; races are those of C++: two accesses of which one
# writes, and neither happens before the other.
from typing import NamedTuple


class Blocked(Exception):
    """Not now."""


class Fault(Exception):
    """The program is wrong: 'race', 'use-after-free', ..."""


class Step(NamedTuple):
    ways: tuple
    silent: bool = False  # nobody else can notice: it comes with the one before
    # What may happen but cannot be waited for: a wake-up for no reason.
    unforced: tuple = ()


class World:
    """A state. `memory`: by name, whatever a step keeps there. Accesses are
    (place, thread, kind), only the last of each kept; `known` are those that
    happen before what a thread does next, or before what acquires from a
    synchronisation object."""

    def __init__(self, memory, threads):
        self.memory = dict(memory)
        self.at = [0] * threads
        self.last = [0] * threads   # the number that was noted last
        self.notes = [0] * threads  # all of them
        self.known = {}
        self.accesses = frozenset()

    def copy(self):
        other = World.__new__(World)
        other.memory = dict(self.memory)
        other.at = list(self.at)
        other.last = list(self.last)
        other.notes = list(self.notes)
        other.known = dict(self.known)
        other.accesses = self.accesses
        return other

    def key(self):
        return (tuple(self.memory.values()), tuple(self.at), tuple(self.last),
                tuple(self.notes), frozenset(self.known.items()),
                self.accesses)

    def note(self, thread, number):
        self.last[thread] = number
        self.notes[thread] = self.notes[thread] * 11 + number

    # What happens before what.

    def acquire(self, thread, place):
        gained = self.known.get(place)
        if gained:
            self.known[thread] = self.known.get(thread, frozenset()) | gained

    def release(self, thread, place):
        """Whoever acquires there knows this, and what was released before."""
        mine = self.known.get(thread, frozenset())
        self.known[place] = self.known.get(place, frozenset()) | mine

    def access(self, thread, place, kind):
        """Kinds: read, write, hidden read, hidden write, atomic, free."""
        if self.memory.get(("freed", place)):
            raise Fault("double-free" if kind == "free" else "use-after-free")
        known = self.known.get(thread, frozenset())
        for other in self.accesses:
            if other[0] != place or other[1] == thread or other in known:
                continue
            if conflict(kind, other[2]):
                raise Fault("race")
        mine = (place, thread, kind)
        if mine in self.accesses:  # it is a new one, which nobody knows of
            for who, what in self.known.items():
                if mine in what:
                    self.known[who] = what - {mine}
        self.accesses |= {mine}
        self.known[thread] = self.known.get(thread, frozenset()) | {mine}

    # Plain and atomic memory.

    def read(self, thread, place, kind="read"):
        self.access(thread, place, kind)
        return self.memory[place]

    def write(self, thread, place, value, kind="write"):
        self.access(thread, place, kind)
        self.memory[place] = value

    def load(self, thread, place, order="seq_cst"):
        self.access(thread, place, "atomic")
        if order in ("seq_cst", "acquire", "acq_rel"):
            self.acquire(thread, place)
        return self.memory[place]

    def store(self, thread, place, value, order="seq_cst"):
        self.access(thread, place, "atomic")
        self.memory[place] = value
        self.known.pop(place, None)
        if order in ("seq_cst", "release", "acq_rel"):
            self.release(thread, place)

    def update(self, thread, place, change, order="seq_cst"):
        """Returns what was there."""
        before = self.load(thread, place, order)
        self.memory[place] = change(before)
        if order in ("seq_cst", "release", "acq_rel"):
            self.release(thread, place)
        return before

    # Locks: the holder, or None.

    def lock(self, thread, mutex):
        if self.memory[mutex] is not None:
            raise Blocked
        self.memory[mutex] = thread
        self.acquire(thread, mutex)

    def unlock(self, thread, mutex):
        assert self.memory[mutex] == thread
        self.memory[mutex] = None
        self.release(thread, mutex)


def conflict(one, other):
    if "free" in (one, other):
        return True
    # Code that no hook tells of may order what it does by any means: two of its
    # accesses are taken for atomic ones, and named beside the verdict.
    if one.startswith("hidden") and other.startswith("hidden"):
        return False
    return one.endswith("write") or other.endswith("write")


class Meaning(NamedTuple):
    outcomes: set  # what `finish` said of complete runs
    faults: set
    states: int


class TooLarge(Exception):
    """More states than allowed."""


def explore(memory, codes, most, finish):
    """All that `codes` may do, one for each thread. `finish(world)`: the
    outcome, and the faults that are noticed only then."""
    first = World(memory, len(codes))
    numbers = {first.key(): 0}
    pending = [first]
    before = [[]]  # of each state, those it may come from
    ends = []      # states after which all is said
    outcomes, faults = set(), set()
    while pending:
        world = pending.pop()
        here = numbers[world.key()]
        if all(at >= len(code) for at, code in zip(world.at, codes)):
            ends.append(here)
            outcome, late = finish(world)
            outcomes.add(outcome)
            faults |= late
            continue
        stuck = True
        for thread, code in enumerate(codes):
            if world.at[thread] >= len(code):
                continue
            step = code[world.at[thread]]
            for way in step.ways + step.unforced:
                try:
                    after = taken(world, thread, code, way)
                except Blocked:
                    continue
                except Fault as fault:
                    faults.add(str(fault))
                    ends.append(here)
                    stuck = False
                    continue
                stuck &= way in step.unforced
                key = after.key()
                if key not in numbers:
                    if len(numbers) >= most:
                        raise TooLarge
                    numbers[key] = len(before)
                    before.append([])
                    pending.append(after)
                before[numbers[key]].append(here)
        if stuck:
            faults.add("deadlock")
            ends.append(here)
    if not reach_an_end(before, ends):
        faults.add("livelock")
    return Meaning(outcomes, faults, len(before))


def taken(world, thread, code, way):
    after = world.copy()
    go_on(after, thread, way(after, thread))
    while after.at[thread] < len(code) and code[after.at[thread]].silent:
        step = code[after.at[thread]]
        go_on(after, thread, step.ways[0](after, thread))
    return after


def go_on(world, thread, where):
    world.at[thread] = world.at[thread] + 1 if where is None else where


def reach_an_end(before, ends):
    """Can every state reach one of those?"""
    seen = set(ends)
    pending = list(ends)
    while pending:
        for state in before[pending.pop()]:
            if state not in seen:
                seen.add(state)
                pending.append(state)
    return len(seen) == len(before)
