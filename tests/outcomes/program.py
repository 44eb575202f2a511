# SPDX-License-Identifier: Apache-2.0
# A program said twice: as C++ and as the steps of an interpreter (world.py).
#
# Each method of Writer writes one statement of a thread, in both.
import contextlib

from variables import declared, initial, number_of
from world import Blocked, Step, explore

MASK = (1 << 62) - 1
# What stands before and after an initialiser.
STATIC = (["  static int value = [&] {"],
          ["    return n.last;", "  }();", "  return value;"])
ONCE = (["  static std::once_flag flag;", "  static int value;",
         "  std::call_once(flag, [&] {"],
        ["    value = n.last;", "  });", "  return value;"])


class Label:
    at = None


class Writer:
    """Writes one thread."""

    def __init__(self, program, thread):
        self.program = program
        self.thread = thread
        self.lines = []
        self.steps = []
        self.scopes = []  # what an exception passes: ("lock", ...), ("try", ...)
        self.depth = 1

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def step(self, *ways, unforced=()):
        self.steps.append(Step(ways, unforced=unforced))

    def silent(self, way):
        self.steps.append(Step((way,), silent=True))

    def place(self, label):
        label.at = len(self.steps)

    @contextlib.contextmanager
    def block(self, head="{", tail="}"):
        self.line(head)
        self.depth += 1
        yield
        self.depth -= 1
        self.line(tail)

    # Control.

    @contextlib.contextmanager
    def if_last(self, number):
        """What follows only if `number` was noted last."""
        label = Label()
        self.silent(lambda w, t: None if w.last[t] == number else label.at)
        with self.block(f"if (n.last == {number}) {{"):
            yield
        self.place(label)

    @contextlib.contextmanager
    def repeat(self, counter, most):
        """Until a break_if_last(), or so often as the counter goes; -1: for
        ever."""
        start, self.end = Label(), Label()
        end = self.end
        self.place(start)
        with self.block("for (;;) {"):
            yield
            if most >= 0:
                self.line(f"if ({counter.bump} >= {most}) break;")

                def count(w, t):
                    w.memory[counter.name] += 1
                    reached = w.memory[counter.name] >= most
                    return end.at if reached else start.at
                self.silent(count)
            else:
                self.silent(lambda w, t: start.at)
        self.place(end)

    def break_if_last(self, number):
        end = self.end
        self.line(f"if (n.last == {number}) break;")
        self.silent(lambda w, t: end.at if w.last[t] == number else None)

    @contextlib.contextmanager
    def attempt(self, thrown):
        """A try block; what throw_if_last() throws in it is noted."""
        handler, after = Label(), Label()
        self.scopes.append(("try", handler))
        with self.block("try {", f"}} catch (const Thrown& e) {{ "
                                 f"n.note(e.number); }}"):
            yield
        self.scopes.pop()
        self.silent(lambda w, t: after.at)
        self.place(handler)
        self.silent(lambda w, t: w.note(t, thrown))
        self.place(after)

    def throw_if_last(self, number, thrown):
        label = Label()
        self.line(f"if (n.last == {number}) throw_it({thrown});")
        self.silent(lambda w, t: None if w.last[t] == number else label.at)
        for kind, what in reversed(self.scopes):
            if kind == "try":
                self.silent(lambda w, t, what=what: what.at)
                break
            if kind == "once":
                def give_up(w, t, what=what):
                    w.memory[what] = "not yet"
                self.step(give_up)
            else:
                self.step(lambda w, t, what=what: w.unlock(t, what))
        self.place(label)

    @contextlib.contextmanager
    def call(self, by):
        """In another function, called by `by`: call, or one of another file."""
        if by == "far_call":
            self.program.far = True
        with self.block(f"{by}([&] {{", "});"):
            yield

    # Numbers that threads read and write; `what` is a Reading or Writing.

    def read(self, what):
        self.program.features |= what.features
        self.line(f"n.note({what.text});")
        self.step(*(lambda w, t, way=way: w.note(t, way(w, t))
                    for way in (what.meaning, what.otherwise) if way))

    def look(self, what):
        """As read(), but not part of the outcome."""
        def meaning(w, t):
            w.last[t] = what.meaning(w, t)
        self.program.features |= what.features
        self.line(f"n.last = static_cast<int>({what.text});")
        self.step(meaning)

    def write(self, what):
        self.program.features |= what.features
        self.line(f"{what.text};")
        self.step(lambda w, t: what.meaning(w, t))

    def own(self, text, meaning):
        """Something that only concerns this thread."""
        self.line(text)
        self.silent(meaning)

    # Locks.

    @contextlib.contextmanager
    def locked(self, mutex, guard="std::lock_guard"):
        with self.block():
            self.line(f"{guard} guard_{mutex.name}({mutex.ref});")
            self.step(lambda w, t: w.lock(t, mutex.name))
            self.scopes.append(("lock", mutex.name))
            yield
            self.scopes.pop()
            self.step(lambda w, t: w.unlock(t, mutex.name))

    @contextlib.contextmanager
    def try_locked(self, mutex, call="try_lock()"):
        """Notes whether it worked; what follows only if it did."""
        label = Label()

        def attempt(w, t):
            if w.memory[mutex.name] is not None:
                w.note(t, 0)
                return label.at
            w.lock(t, mutex.name)
            w.note(t, 1)
            return None
        self.step(attempt)
        with self.block(f"if (n.note({mutex.ref}.{call})) {{"):
            self.line(f"std::lock_guard guard_{mutex.name}({mutex.ref}, "
                      f"std::adopt_lock);")
            self.scopes.append(("lock", mutex.name))
            yield
            self.scopes.pop()
            self.step(lambda w, t: w.unlock(t, mutex.name))
        self.place(label)

    @contextlib.contextmanager
    def share_locked(self, mutex, tries=False):
        """A reader's lock: memory is the set of readers, or the writer."""
        def enter(w, t):
            if not isinstance(w.memory[mutex.name], frozenset):
                raise Blocked
            w.memory[mutex.name] |= {t}
            w.acquire(t, mutex.name)

        def leave(w, t):
            w.memory[mutex.name] -= {t}
            w.release(t, (mutex.name, "readers"))
        with self.held(f"std::shared_lock shared_{mutex.name}", mutex, enter,
                       leave, tries):
            yield

    @contextlib.contextmanager
    def write_locked(self, mutex, tries=False):
        def enter(w, t):
            if w.memory[mutex.name] != frozenset():
                raise Blocked
            w.memory[mutex.name] = t
            w.acquire(t, mutex.name)
            w.acquire(t, (mutex.name, "readers"))

        def leave(w, t):
            w.memory[mutex.name] = frozenset()
            w.release(t, mutex.name)
        with self.held(f"std::unique_lock guard_{mutex.name}", mutex, enter,
                       leave, tries):
            yield

    @contextlib.contextmanager
    def held(self, guard, mutex, enter, leave, tries):
        """`tries`: notes whether it worked; what follows only if it did."""
        label = Label()

        def attempt(w, t):
            try:
                enter(w, t)
            except Blocked:
                w.note(t, 0)
                return label.at
            return w.note(t, 1)
        name = guard.split()[-1]
        with self.block():
            how = ", std::try_to_lock" if tries else ""
            self.line(f"{guard}({mutex.ref}{how});")
            self.step(attempt if tries else enter)
            if tries:
                self.line(f"if (n.note({name}.owns_lock())) {{")
            yield
            if tries:
                self.line("}")
            self.step(leave)
        self.place(label)

    # Condition variables: memory is the set of threads that wait. The mutex is
    # held by an enclosing locked().

    def wait(self, condition, mutex, timed=False):
        guard = f"guard_{mutex.name}"
        self.line(f"{condition.ref}.wait_for({guard}, kShort);" if timed else
                  f"{condition.ref}.wait({guard});")

        def start(w, t):
            w.unlock(t, mutex.name)
            w.memory[condition.name] |= {t}

        def woken(w, t):
            if t in w.memory[condition.name]:
                raise Blocked

        def leave(w, t):
            if t not in w.memory[condition.name]:
                raise Blocked
            w.memory[condition.name] -= {t}
        self.step(start)
        if timed:
            self.step(woken, leave)
        else:
            self.step(woken, unforced=(leave,) * self.program.spurious)
        self.step(lambda w, t: w.lock(t, mutex.name))

    def notify(self, condition, everybody):
        name = condition.name
        self.line(f"{condition.ref}.notify_{'all' if everybody else 'one'}();")
        if everybody:
            def wake(w, t):
                w.memory[name] = frozenset()
            self.step(wake)
            return

        def nobody(w, t):
            if w.memory[name]:
                raise Blocked

        def wake_one(who):
            def wake(w, t):
                if who not in w.memory[name]:
                    raise Blocked
                w.memory[name] -= {who}
            return wake
        self.step(nobody, *map(wake_one, range(self.program.threads)))

    # A variable that is initialised once.

    @contextlib.contextmanager
    def initialised_once(self, name, calls=False):
        """`with` is the initialiser; the last number it notes is the value,
        which is noted afterwards by everybody. The same in each thread.
        `calls`: by std::call_once, not as a static variable."""
        state, after = (name, "state"), Label()
        self.program.memory[state] = "not yet"
        self.program.memory[name] = 0

        def begin(w, t):
            if w.memory[state] == "at it":
                raise Blocked
            if w.memory[state] == "done":
                w.acquire(t, state)
                return after.at
            w.memory[state] = "at it"
            return None
        self.step(begin)
        outer, self.lines = self.lines, []
        depth, self.depth = self.depth, 2
        self.scopes.append(("once", state))
        yield
        self.scopes.pop()
        self.program.functions[name] = (ONCE if calls else STATIC, self.lines)
        self.lines, self.depth = outer, depth

        def end(w, t):
            w.memory[name] = w.last[t]
            w.memory[state] = "done"
            w.release(t, state)
        self.step(end)
        self.place(after)
        self.line(f"n.note({name}(n, f));")
        self.silent(lambda w, t: w.note(t, w.memory[name]))


class Program:
    """`threads` of them; with `main_works`, the last one is main's own."""

    def __init__(self, name, threads, spurious):
        self.name = name
        self.threads = threads
        self.spurious = spurious
        self.main_works = False
        self.variables = []
        self.counters = []
        self.memory = {}      # what else the interpreter keeps
        self.functions = {}   # that initialise once: frame and lines
        self.features = set()
        self.far = False      # needs the file that is compiled without us
        self.declarations = []
        self.setup = []       # lines of C++, and of the end
        self.cleanup = []
        self.at_end = []      # (fault, function of the world: is it there?)
        self.writers = [Writer(self, t) for t in range(threads)]

    def add(self, variable):
        self.variables.append(variable)
        return variable

    def meaning(self, most):
        memory = {v.name: initial(v) for v in self.variables}
        memory.update({c.name: 0 for c in self.counters})
        memory.update(self.memory)

        def finish(world):
            late = {fault for fault, has in self.at_end if has(world)}
            value = 0
            seen = [number_of(v, world.memory[v.name]) for v in self.variables]
            for number in world.notes + [n for n in seen if n is not None]:
                value = value * 1000003 + number & MASK
            return value, late
        return explore(memory, [w.steps for w in self.writers], most, finish)

    def text(self):
        """A namespace with `long run()`, which gives the outcome."""
        parts = declared(self.variables, self.counters, self.name)
        lines = [f"namespace {self.name} {{", *parts.globals,
                 *self.declarations, "struct Heap {", *parts.heap, "};",
                 "struct Frame {", "  Heap* h = nullptr;", *parts.frame,
                 f"  long out[{self.threads}] = {{}};", "};"]
        for name, inner in self.functions.items():
            lines += [f"int {name}(Notes& n, Frame& f) {{", "  (void)f;",
                      *inner[0][0], *inner[1], *inner[0][1], "}"]
        for writer in self.writers:
            thread = writer.thread
            lines += [f"void thread_{thread}(Frame& f) {{", "  Notes n;",
                      *writer.lines, f"  f.out[{thread}] = n.all;", "}"]
        started = self.threads - self.main_works
        lines += ["long run() {", "  Frame f;", "  f.h = new Heap;",
                  *parts.setup, *self.setup, "  std::thread threads[] = {"]
        lines += [f"    std::thread(thread_{t}, std::ref(f)),"
                  for t in range(started)]
        lines += ["  };"]
        if self.main_works:
            lines += [f"  thread_{self.threads - 1}(f);"]
        lines += ["  for (std::thread& thread : threads) thread.join();",
                  "  Outcome all;",
                  *(f"  all.add(f.out[{t}]);" for t in range(self.threads)),
                  *parts.finals, *self.cleanup, *parts.cleanup,
                  "  delete f.h;", "  return all.value;", "}",
                  f"}}  // namespace {self.name}"]
        return "\n".join(lines)
