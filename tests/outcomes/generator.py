# SPDX-License-Identifier: Apache-2.0
# Makes random programs: a few gadgets, each with a part for some of the
# threads, and now and then a mistake.
from program import Program
from variables import (ANYWHERE, COUNTERS, PLACES, TEXTS, UNSEEN, Counter,
                       Reading, Variable, Writing, map_readings, map_writings,
                       plain_readings, plain_writings, sequence_readings,
                       sequence_writings, string_readings, string_writings,
                       text_readings, text_writings,
                       trio_readings, trio_writings)

LOADS = ("seq_cst", "seq_cst", "acquire", "relaxed")
STORES = ("seq_cst", "seq_cst", "release", "relaxed")
UPDATES = ("seq_cst", "seq_cst", "acq_rel", "relaxed")


class Generator:
    """`allowed`: features that may be used: "unseen", "asm", "far", ...;
    `without`: places where nothing may lie."""

    def __init__(self, random, name, allowed, spurious, without):
        self.random = random
        self.allowed = allowed
        self.without = without
        threads = random.choice((2, 2, 2, 3))
        self.program = Program(name, threads, spurious)
        self.program.main_works = random.random() < 0.4
        self.names = 0
        self.parts = [[] for _ in range(threads)]  # of the gadget at hand
        self.repeats = set()  # threads that have a loop already
        self.mistake = random.random() < 0.4

    def make(self, gadgets):
        random, program = self.random, self.program
        todo = [[] for _ in self.parts]
        for gadget in random.choices(gadgets,
                                     k=random.choice((1, 2, 2))):
            self.parts = [[] for _ in todo]
            gadget(self)
            for thread, part in enumerate(self.parts):
                todo[thread] = merged(random, todo[thread], part)
        for writer, items in zip(program.writers, todo):
            for item in items:
                item(writer)
        return program

    def fresh(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    def variable(self, kind, value=None):
        places = PLACES if kind in ANYWHERE else PLACES[:3]
        places = [place for place in places if place not in self.without]
        return self.program.add(Variable(
            self.fresh("v"), kind, self.random.choice(places), value))

    def counter(self):
        place = self.random.choice([
            name for name, place in COUNTERS.items()
            if place.features <= self.allowed and name not in self.without])
        counter = Counter(self.fresh("k"), place)
        self.program.counters.append(counter)
        self.program.features |= COUNTERS[place].features
        return counter

    def some(self, least=2):
        """Threads, in any order."""
        threads = list(range(self.program.threads))
        self.random.shuffle(threads)
        return threads[:self.random.randint(least, len(threads))]

    def pick(self, ways):
        ways = [way for way in ways if way.features <= self.allowed]
        hidden = [way for way in ways if way.features & UNSEEN]
        if hidden and self.random.random() < 0.6:
            ways = hidden
        return self.random.choice(ways)

    def errs(self):
        """Is this the place of the mistake?"""
        if self.mistake and self.random.random() < 0.5:
            self.mistake = False
            return True
        return False

    # Data that is not atomic.

    def data(self):
        values = {"plain": 0, "text": "a", "string": "a", "map": ((1, 1),),
                  "hash": ((1, 1),), "list": (1,), "vector": (1,), "trio": 1}
        kind = self.random.choice(("plain", "text", "string", *values))
        return self.variable(kind, values[kind])

    def reading(self, v):
        other = self.random.choice(TEXTS[1:])
        k = self.random.randint(0, 3)
        return self.pick({
            "plain": lambda: plain_readings(v, k),
            "text": lambda: text_readings(v, other),
            "string": lambda: string_readings(v, other),
            "map": lambda: map_readings(v),
            "hash": lambda: map_readings(v),
            "list": lambda: sequence_readings(v),
            "vector": lambda: sequence_readings(v),
            "trio": lambda: trio_readings(v)}[v.kind]())

    def writing(self, v):
        text = self.random.choice(TEXTS)
        k = self.random.randint(0, 5)
        return self.pick({
            "plain": lambda: plain_writings(v, k),
            "text": lambda: text_writings(v, text),
            "string": lambda: string_writings(v, text),
            "map": lambda: map_writings(v, k, self.random.randint(0, 3)),
            "hash": lambda: map_writings(v, k, self.random.randint(0, 3)),
            "list": lambda: sequence_writings(v, k),
            "vector": lambda: sequence_writings(v, k),
            "trio": lambda: trio_writings(v, k)}[v.kind]())

    def use(self, v):
        """An access, as an item."""
        if self.random.random() < 0.5:
            reading = self.reading(v)
            return lambda w: w.read(reading)
        writing = self.writing(v)
        return lambda w: w.write(writing)

    # Atomics.

    def load(self, v):
        order = self.random.choice(LOADS)

        def get(w, t):
            return w.load(t, v.name, order)

        def get_all(w, t):
            return w.load(t, v.name)
        return self.pick([
            Reading(f"{v.ref}.load({std(order)})", get),
            Reading(f"raw_load(&{v.ref})", get_all, UNSEEN)])

    def store(self, v, k):
        order = self.random.choice(STORES)
        return self.pick([
            Writing(f"{v.ref}.store({k}, {std(order)})",
                    lambda w, t: w.store(t, v.name, k, order)),
            Writing(f"raw_store(&{v.ref}, {k})",
                    lambda w, t: w.store(t, v.name, k), UNSEEN)])

    def update(self, v):
        random = self.random
        order, k = random.choice(UPDATES), random.randint(0, 3)
        expected = random.randint(0, 2)

        def swap_if(w, t):
            if w.memory[v.name] == expected:
                return w.update(t, v.name, lambda _: k, order)
            failure = {"acq_rel": "acquire"}.get(order, order)
            return w.load(t, v.name, failure)

        def fails(w, t):
            w.load(t, v.name)
            return 0

        def add(w, t):
            return w.update(t, v.name, lambda old: old + 1, order) % 11

        def add_all(w, t):
            return w.update(t, v.name, lambda old: old + 1) % 11
        return self.pick([
            Reading(f"{v.ref}.fetch_add(1, {std(order)}) % 11", add),
            Reading(f"{v.ref}.exchange({k}, {std(order)})",
                    lambda w, t: w.update(t, v.name, lambda _: k, order)),
            Reading(f"swap_if({v.ref}, {expected}, {k}, {std(order)})",
                    swap_if),
            Reading(f"swap_if_weakly({v.ref}, {expected}, {k})",
                    lambda w, t: weak_swap(w, t, v.name, expected, k),
                    frozenset({"weak"}), fails),
            Reading(f"asm_add(&{v.ref}, 1) % 11", add_all, UNSEEN | {"asm"})])

    def atomic_item(self, v):
        what = self.random.choice(("load", "store", "update", "update"))
        if what == "store":
            writing = self.store(v, self.random.randint(0, 3))
            return lambda w: w.write(writing)
        reading = self.load(v) if what == "load" else self.update(v)
        return lambda w: w.read(reading)


def weak_swap(w, t, place, expected, k):
    if w.memory[place] != expected:
        w.load(t, place)
        return 0
    w.update(t, place, lambda _: k)
    return 1


def std(order):
    return f"std::memory_order_{order}"


def merged(random, one, other):
    """Both, in any order that keeps each in its own."""
    one, other, both = list(one), list(other), []
    while one or other:
        first = random.random() * (len(one) + len(other)) < len(one)
        both.append((one if first else other).pop(0))
    return both
