# SPDX-License-Identifier: Apache-2.0
# Quasi-linearizability of small histories, place by place.
"""`is_quasi` builds pi and pi' side by side.  At each place of a class, pi gets
an operation of the history that may stand there, pi' gets any of the class:
the same one, one that pi has already (it is late), one that pi has still to
get (early), or a further one.  Nobody is further from its place than the
factor.  Further operations are those that nobody has called yet, with any
argument: the first of them in pi' is the first of them in pi, and so on, so
that only their numbers count.  After the history, places are added until
nothing is owed, or no new node is found: containers hold no more than they
would with one item for each operation, counters count no further than the
history saw with all factors on top, and some on top of that."""
from definitions import predecessors
from objects import SILENT


def class_of(classes, object_, f, argument, result):
    """The index of the class and the part of the object, or None."""
    if result is None and f in object_.takes:
        return None
    for c, one in enumerate(classes):
        for m in one.members:
            if m.f == f and inside(m.argument, argument) and \
                    inside(m.result, result):
                return (c, object_.part(argument)) if one.factor else None
    return None


def inside(span, value):
    if span is None:
        return True
    if isinstance(value, tuple):
        value = value[0]
    if isinstance(span[0], bool) or isinstance(value, bool):
        return value is span[0]
    return isinstance(value, (int, float)) and span[0] <= value <= span[1]


def asks_for_truth(classes):
    return any(m.result and isinstance(m.result[0], bool)
               for one in classes for m in one.members)


def further_calls(object_, classes, history):
    """Calls that operations after the history may make, worth trying."""
    values, lists = set(), set()

    def note(value):
        if isinstance(value, tuple):
            for item in value:
                note(item)
        elif isinstance(value, int) and not isinstance(value, bool):
            values.add(value)
    for o in history:
        note(o.argument)
        note(o.result)
        if isinstance(o.argument, tuple) and \
                object_.argument_kind(o.f) == "value":
            lists.add(o.argument)
        if isinstance(o.result, tuple):
            lists.add(o.result)
    ends = {end for one in classes for m in one.members
            for span in (m.argument, m.result) for end in span or ()
            if not isinstance(end, bool)}
    values.update(end + i for end in ends for i in (-1, 0, 1))
    values.add(min(values, default=0) - 1)
    # A class of operations that add something takes one more each time.
    more = 1 + asks_for_truth(classes) * sum(c.factor for c in classes)
    top = max(values)
    values.update(range(top + 1, top + 1 + more))
    for low, high in zip(sorted(ends), sorted(ends)[1:]):
        parts = more + sum(low < v < high for v in values) + 1
        values.update(low + (high - low) * i / parts
                      for i in range(1, more + 1))
    singles = sorted(values) + sorted(lists)
    firsts, seconds = [None, *sorted(values)], sorted(values)
    if object_.part((0, 0)) is None or any(
            isinstance(o.argument, tuple) and o.argument[-1] is None
            for o in history):
        seconds.append(None)  # nobody else is taken to put it
    if object_.part((0, 0)) is not None:  # of others, nobody speaks
        firsts = singles = sorted({object_.part(o.argument) for o in history})
    pairs = [(a, b) for a in firsts for b in seconds]
    calls = []
    for f in object_.operations:
        if not any(m.f == f and c.factor for c in classes for m in c.members):
            continue
        kind = object_.argument_kind(f)
        arguments = {"value": singles, "pair": pairs}.get(kind, [None])
        calls += [(f, a) for a in arguments]
    return calls


def limit_of(object_, classes, history):
    factors = sum(c.factor for c in classes)
    seen = [o.result for o in history
            if isinstance(o.result, int) and not isinstance(o.result, bool)]
    size = len(history) + factors + 2

    def too_large(state):
        if object_.initial == (0,):  # it counts
            return state[0] > max(seen, default=0) + size
        return len(state) > max(size, (object_.capacity or 0) + 1)
    return too_large


class Search:
    """A node: placed in pi, executed in pi', the state, what is owed: (who,
    class, age, +1 late or -1 early), who being None for further ones."""

    def __init__(self, history, object_, condition, effort):
        self.history, self.object, self.effort = history, object_, effort
        self.classes, self.closed = condition.classes, condition.closed
        classes, closed = self.classes, self.closed
        self.before = predecessors(history, condition.order)
        self.certain = sum(1 << i for i, o in enumerate(history)
                           if not o.pending)
        self.calls = [] if closed else further_calls(object_, classes, history)
        self.too_large = limit_of(object_, classes, history)

    def holds(self):
        start = (0, 0, self.object.initial, ())
        seen, stack = {start}, [start]
        while stack:
            node = stack.pop()
            if node[0] & self.certain == self.certain and not node[3] and \
                    node[0] == node[1]:
                return True
            for after in self.moves(node):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
        return False

    def may_stand_next(self, placed, i):
        if placed >> i & 1 or self.before[i] & self.certain & ~placed:
            return False
        return not any(placed >> j & 1 and self.before[j] >> i & 1
                       for j in range(len(self.history)))

    def moves(self, node):
        placed, executed, state, owed = node
        early = {who: one for who, one, _, sign in owed if sign < 0}
        for i, o in enumerate(self.history):
            if not self.may_stand_next(placed, i):
                continue
            if executed >> i & 1:
                yield from self.place(node, i, early[i])
                continue
            for one in self.classes_of(o):
                if one is None:
                    yield from self.in_place(node, i)
                else:
                    yield from self.place(node, i, one)
        if placed & self.certain == self.certain and owed and \
                not self.closed and not self.too_large(state):
            for one in {c for c in self.further_classes(state)}:
                yield from self.place(node, None, one)

    def classes_of(self, o):
        """The classes that it may turn out to be in."""
        if not o.pending:
            return [class_of(self.classes, self.object, o.f, o.argument,
                             o.result)]
        part = self.object.part(o.argument)
        return [None] + [(c, part) for c, one in enumerate(self.classes)
                         if one.factor and any(m.f == o.f
                                               for m in one.members)]

    def further_classes(self, state):
        parts = {self.object.part(a) for _, a in self.calls} or {None}
        for c, one in enumerate(self.classes):
            if one.factor:
                yield from ((c, part) for part in parts)

    def in_place(self, node, i):
        placed, executed, state, owed = node
        for after in self.execute(state, self.history[i], None):
            yield (placed | 1 << i, executed | 1 << i, after, owed)

    def execute(self, state, o, one):
        for result, after in self.object.apply(state, o.f, o.argument):
            fits = o.pending or result == o.result or result is SILENT
            if fits and class_of(self.classes, self.object, o.f, o.argument,
                                 result) == one:
                yield after

    def place(self, node, i, one):
        """pi gets `i` (None: a further one) at a place of class `one`."""
        placed, executed, state, owed = node
        owed = list(owed)
        mark = placed if i is None else placed | 1 << i
        debt = next((d for d in owed if d[0] == i and d[1] == one and
                     d[3] < 0 and d[2] == max(
                         (e[2] for e in owed if e[0] == i and e[1] == one and
                          e[3] < 0), default=0)), None)
        if debt is not None:
            owed.remove(debt)
        else:
            owed.append((i, one, 0, +1))
        for who, after, new in self.executions(state, owed, executed, mark,
                                               one):
            did = executed if who is None else executed | 1 << who
            aged = tuple(sorted(
                ((w, c, age + (c == one), sign) for w, c, age, sign in new),
                key=str))
            if all(age <= self.classes[c[0]].factor for _, c, age, _ in aged):
                yield (mark, did, after, aged)

    def executions(self, state, owed, executed, placed, one):
        """What pi' may get: who, the state after it, what is owed then."""
        for i, o in enumerate(self.history):
            if executed >> i & 1 or one not in self.classes_of(o):
                continue
            late = next((d for d in owed if d[0] == i and d[3] > 0), None)
            if late is not None and late[1] != one:
                continue
            if late is None and placed >> i & 1:
                continue
            new = [d for d in owed if d is not late]
            if late is None:
                new.append((i, one, 0, -1))
            for after in self.execute(state, o, one):
                self.effort.spend()
                yield i, after, new
        if self.closed:
            return
        late = max((d for d in owed if d[0] is None and d[1] == one and
                    d[3] > 0), key=lambda d: d[2], default=None)
        new = list(owed)
        if late is not None:
            new.remove(late)
        else:
            new.append((None, one, 0, -1))
        for f, argument in self.calls:
            self.effort.spend()
            for result, after in self.object.apply(state, f, argument):
                if class_of(self.classes, self.object, f, argument,
                            result) == one:
                    yield None, after, new


def is_quasi(history, object_, condition, effort):
    return Search(history, object_, condition, effort).holds()


class Relaxed:
    """The relaxed object itself: its state is what was executed, and what is
    owed: (operation, class, age, sign), where early ones are guesses."""

    def __init__(self, object_, condition, history, effort):
        self.object, self.effort = object_, effort
        self.classes, self.closed = condition.classes, condition.closed
        classes = self.classes
        self.part = object_.part
        self.calls = further_calls(object_, classes, history)
        values = [o.result for o in history if not o.pending] + \
            [None, SILENT, False, True] + [a for _, a in self.calls]
        if object_.initial == (0,):  # it counts: what a pending call may see
            seen = [v for v in values
                    if isinstance(v, int) and not isinstance(v, bool)]
            values += range(max(seen, default=0) + len(history) + 2 +
                            sum(c.factor for c in classes))
        self.results = {(type(v), v): v for v in values}
        self.too_large = limit_of(object_, classes, history)
        self.initial = (object_.initial, ())
        self.ends = {}

    def apply(self, state, f, argument):
        """All results that anybody asks for, each with the states after."""
        inner, owed = state
        out = []
        possible = {**self.results, **{
            (type(r), r): r for r, _ in
            self.object.apply(inner, f, argument)}}
        for result in possible.values():
            one = class_of(self.classes, self.object, f, argument, result)
            if one is None:
                out += [(r, (after, owed)) for r, after in
                        self.object.apply(inner, f, argument)
                        if r == result and type(r) is type(result)]
            else:
                out += [(result, s) for s in
                        self.place(state, (f, argument, result), one)]
        return out

    def place(self, state, operation, one):
        inner, owed = state
        ways = [list(owed) + [(operation, one, 0, +1)]]
        for early in {d for d in owed
                      if d[:2] == (operation, one) and d[3] < 0}:
            rest = list(owed)
            rest.remove(early)  # one of them, where two are alike
            ways.append(rest)
        for rest in ways:
            for after, new in self.executions(inner, rest, one):
                aged = tuple(sorted(((w, c, age + (c == one), sign)
                                     for w, c, age, sign in new), key=str))
                if all(age <= self.classes[c[0]].factor
                       for _, c, age, _ in aged):
                    yield (after, aged)

    def executions(self, inner, owed, one):
        for d in {d for d in owed if d[1] == one and d[3] > 0}:
            new = list(owed)
            new.remove(d)
            for after in self.run(inner, d[0], one):
                yield after, new
        for f, argument in self.calls:
            self.effort.spend()
            for result, after in self.object.apply(inner, f, argument):
                if class_of(self.classes, self.object, f, argument,
                            result) == one:
                    yield after, owed + [((f, argument, result), one, 0, -1)]

    def run(self, inner, operation, one):
        f, argument, wanted = operation
        for result, after in self.object.apply(inner, f, argument):
            if result == wanted and class_of(self.classes, self.object, f,
                                             argument, result) == one:
                yield after

    def may_end(self, state):
        if not state[1] or self.closed:
            return not state[1]
        if state not in self.ends:
            self.ends[state] = self.can_pay(state)
        return self.ends[state]

    def can_pay(self, start):
        seen, stack = {start}, [start]
        while stack:
            state = stack.pop()
            inner, owed = state
            if not owed:
                return True
            if self.too_large(inner):
                continue
            operations = {d[0] for d in owed if d[3] < 0}
            for f, argument in self.calls:
                for result, _ in self.object.apply(inner, f, argument):
                    operations.add((f, argument, result))
            for operation in operations:
                one = class_of(self.classes, self.object, *operation)
                if one is None:
                    continue
                for after in self.place(state, operation, one):
                    if after not in seen:
                        seen.add(after)
                        stack.append(after)
        return False
