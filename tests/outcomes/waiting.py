# SPDX-License-Identifier: Apache-2.0
# Gadgets of random programs that wait, try again, or end a life:
# semaphores, condition variables, loops, blocks of memory, static variables.
from program import Label
from variables import Reading, Writing
from world import Blocked


def semaphore_items(v):
    """Each as C++ and meaning: what one may do with a semaphore."""
    def post(w, t):
        w.memory[v.name] += 1
        w.release(t, v.name)

    def take(w, t):
        if w.memory[v.name] == 0:
            raise Blocked
        w.memory[v.name] -= 1
        w.acquire(t, v.name)

    def attempt(w, t):
        if w.memory[v.name] == 0:
            return 0
        take(w, t)
        return 1
    at = f"&{v.ref}.own"
    return {
        "post": Writing(f"sem_post({at})", post),
        "wait": Writing(f"sem_wait({at})", take),
        "try": Reading(f"sem_trywait({at}) == 0", attempt),
        "timed": Reading(f"timed_wait({at})", attempt),
        "value": Reading(f"value_of({v.ref})",
                         lambda w, t: w.memory[v.name])}


def semaphores(g):
    """Counting, and what is found out about the count."""
    v = g.variable("semaphore", g.random.randint(0, 2))
    items = semaphore_items(v)
    for thread in g.some():
        names = g.random.choices(("post", "try", "timed", "value", "wait"),
                                 (4, 3, 1, 2, 1), k=g.random.randint(1, 3))
        for name in names:
            what = items[name]
            if isinstance(what, Reading):
                g.parts[thread].append(lambda w, what=what: w.read(what))
            else:
                g.parts[thread].append(lambda w, what=what: w.write(what))


def tokens(g):
    """Data that is handed over with a semaphore."""
    v, data = g.variable("semaphore", 0), g.data()
    items = semaphore_items(v)
    giver, *takers = g.some()
    writing = g.writing(data)
    given = [lambda w: w.write(writing), lambda w: w.write(items["post"])]
    g.parts[giver] += given[::-1] if g.errs() else given
    for taker in takers:
        reading = g.reading(data)

        def item(w, reading=reading):
            w.read(items["try"])
            with w.if_last(1):
                w.read(reading)
        g.parts[taker].append(item)


def conditions(g):
    """Waiting for something to be so, rightly or not."""
    mutex, condition = g.variable("mutex"), g.variable("condition")
    ready = g.variable("plain", 0)
    teller, *waiters = g.some()
    everybody = g.random.random() < 0.5
    inside = g.random.random() < 0.5
    get = Reading(ready.ref, lambda w, t: w.read(t, ready.name))
    put = Writing(f"{ready.ref} = 1", lambda w, t: w.write(t, ready.name, 1))
    forgets = g.errs()

    def tell(w):
        with w.locked(mutex):
            w.write(put)
            if inside and not forgets:
                w.notify(condition, everybody)
        if not inside and not forgets:
            w.notify(condition, everybody)
    g.parts[teller].append(tell)
    for waiter in waiters:
        how = g.random.choice(("until", "until", "once", "timed"))

        def item(w, how=how):
            with w.locked(mutex, "std::unique_lock"):
                if how == "until":
                    with w.repeat(None, -1):
                        w.look(get)
                        w.break_if_last(1)
                        w.wait(condition, mutex)
                else:
                    w.look(get)
                    with w.if_last(0):
                        w.wait(condition, mutex, timed=how == "timed")
                w.read(get)
        g.parts[waiter].append(item)


def looking(g, flag):
    """What a loop asks: a Reading that is 1 when it may end."""
    which = g.random.choice(("load", "load", "text", "semaphore", "lock"))
    if which == "load":
        return g.load(flag), Writing(
            f"{flag.ref}.store(1)", lambda w, t: w.store(t, flag.name, 1))
    if which == "semaphore":
        items = semaphore_items(g.variable("semaphore", 0))
        return items["try"], items["post"]
    mutex = g.variable("mutex")
    v = g.variable("text", "a") if which == "text" else g.variable("plain", 0)
    if which == "text":
        reading = Reading(f'strcmp({v.ref}.at, "b") == 0',
                          lambda w, t: int(w.read(t, v.name) == "b"))
        writing = Writing(f'strcpy({v.ref}.at, "b")',
                          lambda w, t: w.write(t, v.name, "b"))
    else:
        reading = Reading(v.ref, lambda w, t: w.read(t, v.name))
        writing = Writing(f"{v.ref} = 1", lambda w, t: w.write(t, v.name, 1))
    return (mutex, reading), (mutex, writing)


def retries(g):
    """A loop that gives up after some rounds; how many it has had is kept
    somewhere, and nothing else changes from round to round."""
    looper, *others = g.some()
    flag = g.variable("atomic", 0)
    asked, told = looking(g, flag)
    spins = g.random.random() < 0.15
    most = -1 if spins else g.random.randint(2, 3)
    counter = None if spins else g.counter()
    if spins:
        g.program.features.add("spins")
        if "load" not in getattr(asked, "text", ""):
            g.program.features.add("spins with locks")

    def look(w):
        if isinstance(asked, Reading):
            return w.look(asked)
        with w.locked(asked[0]):
            w.look(asked[1])

    def loop(w):
        if counter and counter.place == "errno":
            w.own("errno = 0;", lambda w, t: None)
        with w.repeat(counter, most):
            look(w)
            w.break_if_last(1)
        w.own("n.note(n.last);", lambda w, t: w.note(t, w.last[t]))

    def tell(w):
        if isinstance(told, Writing):
            return w.write(told)
        with w.locked(told[0]):
            w.write(told[1])
    g.parts[looper].append(loop)
    tells = g.random.random() < 0.9 or not spins
    for other in others[:1]:
        cell = g.variable("atomic", 0)
        g.parts[other] += [g.atomic_item(cell)] * g.random.randint(0, 1)
        if tells:
            g.parts[other].append(tell)


def lifetimes(g):
    """A block that somebody frees while others may look at it."""
    v = g.variable("block", 1)
    block = ("block", v.name)
    program = g.program
    program.memory[block] = 5
    program.memory["freed", block] = False
    made, freed = g.random.choice((
        ("new int(5)", "delete {};"),
        ("new (malloc(sizeof(int))) int(5)", "free({});")))
    program.setup.append(f"  {v.ref}.store({made});")
    end = f"int* left_{v.name} = {v.ref}.load();"
    program.cleanup.append(f"  {end} if (left_{v.name}) "
                           + freed.format(f"left_{v.name}"))

    program.at_end.append(("leak", lambda world: not world.memory[v.name]
                           and not world.memory["freed", block]))
    mutex = g.variable("mutex") if g.random.random() < 0.7 else None
    ender, *lookers = g.some()
    forgets = g.errs()
    for thread in (ender, *lookers):
        program.memory[v.name, thread] = 0
    p = f"p_{v.name}"

    def take(w):
        def exchange(w, t):
            w.memory[v.name, t] = w.update(t, v.name, lambda _: 0)
        label = Label()
        w.line(f"int* {p} = {v.ref}.exchange(nullptr);")
        w.step(exchange)
        if forgets:
            return

        def free(w, t):
            w.access(t, block, "free")
            w.memory["freed", block] = True
        w.silent(lambda w, t: None if w.memory[v.name, t] else label.at)
        w.line(f"if ({p} != nullptr) {freed.format(p)}")
        w.step(free)
        w.place(label)

    def look(w):
        def load(w, t):
            w.memory[v.name, t] = w.load(t, v.name)
        label = Label()
        w.line(f"int* {p} = {v.ref}.load();")
        w.step(load)
        w.silent(lambda w, t: None if w.memory[v.name, t] else label.at)
        w.line(f"if ({p} != nullptr) n.note(*{p});")
        w.step(lambda w, t: w.note(t, w.read(t, block)))
        w.place(label)

    def under_lock(do):
        def item(w):
            if mutex is None:
                with w.block():
                    return do(w)
            with w.locked(mutex):
                do(w)
        return item
    g.parts[ender].append(under_lock(take))
    for looker in lookers:
        g.parts[looker].append(under_lock(look))


def once(g):
    """A static variable whose initialiser looks at what others change, and may
    fail: then it is tried again."""
    name, cell = g.fresh("once"), g.variable("atomic", 0)
    reading = g.update(cell)
    first, *others = g.some()
    calls = g.random.random() < 0.4
    throws = g.random.random() < 0.3

    def item(w):
        if not throws:
            with w.initialised_once(name, calls):
                w.read(reading)
            return
        with w.attempt(9), w.initialised_once(name, calls):
            w.read(reading)
            w.throw_if_last(0, 9)
    for thread in (first, *others):
        g.parts[thread].append(item)
        if g.random.random() < 0.7:
            g.parts[thread].append(g.atomic_item(cell))


def barriers(g):
    """Two threads meet; one of them is told that it came last. What each did
    before is known to the other one."""
    one, other = g.random.sample(range(g.program.threads), 2)
    v, data = g.variable("barrier", 2), g.data()
    g.program.memory[v.name, "gone"] = False
    early, late = g.writing(data), g.reading(data)
    if g.errs():
        early, late = g.writing(data), g.writing(data)

    def meet(w):
        label = Label()

        def come(w, t):
            w.memory[v.name] -= 1
            w.release(t, v.name)
            if w.memory[v.name] > 0:
                return None
            w.memory[v.name, "gone"] = True
            w.acquire(t, v.name)
            w.note(t, 1)
            return label.at

        def leave(w, t):
            if not w.memory[v.name, "gone"]:
                raise Blocked
            w.acquire(t, v.name)
            w.note(t, 0)
        w.line(f"n.note(pthread_barrier_wait(&{v.ref}.own) != 0);")
        w.step(come)
        w.step(leave)
        w.place(label)
    g.parts[one] += [lambda w: w.write(early), meet]
    wrong = isinstance(late, Writing)
    after = lambda w: w.write(late) if wrong else w.read(late)
    g.parts[other] += [after, meet] if wrong else [meet, after]


def lent_values(g):
    """A thread_local of one thread that another one changes."""
    owner, *others = g.some()
    name = g.fresh("lent")
    program = g.program
    program.declarations += [f"thread_local std::atomic<int> {name}{{0}};",
                             f"std::atomic<std::atomic<int>*> at_{name}{{}};"]
    program.memory[name] = 0
    program.memory["at", name] = 0
    back = semaphore_items(g.variable("semaphore", 0))
    for thread in others:
        program.memory["at", name, thread] = 0

    def lend(w, t):
        w.store(t, ("at", name), 1)

    def change(w):
        def find(w, t):
            w.memory["at", name, t] = w.load(t, ("at", name))
        label = Label()
        w.line(f"auto* {name}_there = at_{name}.load();")
        w.step(find)
        w.line(f"if ({name}_there) n.note({name}_there->fetch_add(1));")
        w.silent(lambda w, t: None if w.memory["at", name, t] else label.at)
        w.step(lambda w, t: w.note(t, w.update(t, name, lambda v: v + 1)))
        w.place(label)
    g.parts[owner] += [
        lambda w: w.write(Writing(f"at_{name}.store(&{name})", lend)),
        lambda w: w.read(Reading(f"{name}.fetch_add(1)", lambda w, t: w.update(
            t, name, lambda v: v + 1))),
        *[lambda w: w.write(back["wait"]) for _ in others],
        lambda w: w.read(Reading(f"{name}.load()",
                                 lambda w, t: w.load(t, name)))]
    for thread in others:
        g.parts[thread] += [change, lambda w: w.write(back["post"])]
