# SPDX-License-Identifier: Apache-2.0
# Gadgets of random programs that share data: atomics, locks, flags.
from generator import std
from variables import Reading, Writing


def cells(g):
    """Atomics, and what is done only if something was seen."""
    variables = [g.variable("atomic", 0) for _ in range(g.random.randint(1, 2))]
    for thread in g.some():
        for _ in range(g.random.randint(1, 3)):
            item = g.atomic_item(g.random.choice(variables))
            if g.random.random() < 0.25:
                item = only_if(g.random.randint(0, 1), item)
            g.parts[thread].append(item)


def only_if(number, item):
    def guarded(w):
        with w.if_last(number):
            item(w)
    return guarded


def big_cells(g):
    """Atomics of 24 bytes."""
    v = g.variable("big", 0)
    for thread in g.some():
        for _ in range(g.random.randint(1, 2)):
            k, expected = g.random.randint(1, 3), g.random.randint(0, 2)
            big = f"Big{{{k}, {k}, {k}}}"

            def swap_if(w, t, k=k, expected=expected):
                if w.memory[v.name] == expected:
                    return w.update(t, v.name, lambda _: k)
                return w.load(t, v.name)
            g.parts[thread].append(g.random.choice((
                lambda w: w.read(Reading(f"number_of({v.ref})",
                                         lambda w, t: w.load(t, v.name))),
                lambda w, k=k, big=big: w.write(Writing(
                    f"{v.ref}.store({big})",
                    lambda w, t: w.store(t, v.name, k))),
                lambda w, k=k, big=big: w.read(Reading(
                    f"copy_of({v.ref}.exchange({big}))",
                    lambda w, t: w.update(t, v.name, lambda _: k))),
                lambda w, k=k, e=expected, s=swap_if: w.read(Reading(
                    f"swap_big({v.ref}, {e}, {k})", s)))))


def sections(g):
    """Data under a lock, of whatever kind."""
    style = g.random.choice(("mutex", "mutex", "timed", "shared"))
    mutex = g.variable(style)
    data = [g.data() for _ in range(g.random.randint(1, 2))]
    for thread in g.some():
        uses = [g.use(g.random.choice(data))
                for _ in range(g.random.randint(1, 2))]
        if g.errs():
            g.parts[thread] += uses
            continue
        g.parts[thread].append(section(g, style, mutex, data, uses))


def section(g, style, mutex, data, uses):
    random = g.random
    caller = random.choice(("", "", "call", "far_call"))
    if caller == "far_call" and "far" not in g.allowed:
        caller = "call"
    throws = random.random() < 0.35
    thrown, number = random.randint(5, 9), random.randint(0, 1)
    watched = g.reading(random.choice(data))
    how = random.choice(("lock", "lock", "try"))
    reads = random.random() < 0.5

    def body(w):
        if throws:
            w.read(watched)
            w.throw_if_last(number, thrown)
        for use in uses:
            use(w)

    def locked(w):
        if style == "shared":
            lock = w.share_locked if reads else w.write_locked
            entered = lock(mutex, how == "try")
        elif how == "try":
            call = "try_lock()" if style == "mutex" else "try_lock_for(kShort)"
            entered = w.try_locked(mutex, call)
        else:
            entered = w.locked(mutex)
        with entered:
            if style == "shared" and reads:
                w.read(watched)
            else:
                body(w)

    def called(w):
        if not caller:
            return locked(w)
        with w.call(caller):
            locked(w)

    def item(w):
        if not throws or style == "shared":
            return called(w)
        with w.attempt(thrown):
            called(w)
    if style == "shared":
        throws = False
    return item


def two_locks(g):
    """Two mutexes, one inside the other, or both at once."""
    mutexes = [g.variable("mutex") for _ in range(2)]
    data = g.data()
    for thread in g.some():
        order = mutexes if not g.errs() else mutexes[::-1]
        use = g.use(data)

        def item(w, order=order, use=use):
            with w.locked(order[0]), w.locked(order[1]):
                use(w)
        g.parts[thread].append(item)


def handover(g):
    """Data that is given to others by a flag."""
    data, flag = g.data(), g.variable("atomic", 0)
    writer, *readers = g.some()
    writing = g.writing(data)
    orders = ("release", "seq_cst"), ("acquire", "seq_cst")
    if g.errs():
        orders = ("relaxed",), ("acquire", "relaxed")
    order = g.random.choice(orders[0])
    g.parts[writer] += [
        lambda w: w.write(writing),
        lambda w: w.write(Writing(
            f"{flag.ref}.store(1, {std(order)})",
            lambda w, t: w.store(t, flag.name, 1, order)))]
    for reader in readers:
        reading, how = g.reading(data), g.random.choice(orders[1])

        def item(w, reading=reading, how=how):
            w.read(Reading(f"{flag.ref}.load({std(how)})",
                           lambda w, t: w.load(t, flag.name, how)))
            with w.if_last(1):
                w.read(reading)
        g.parts[reader].append(item)


def own_values(g):
    """What each thread has for itself: thread_local, or thread-specific."""
    name = g.fresh("own")
    program = g.program
    for thread in range(program.threads):
        program.memory[name, thread] = 0
    cell = g.variable("atomic", 0)
    specific = g.random.random() < 0.5
    if specific:
        key = f"key_{name}"
        program.setup.append(f"  pthread_key_create(&{key}, nullptr);")
        program.cleanup.append(f"  pthread_key_delete({key});")
        program.declarations.append(f"pthread_key_t {key};")
        bump = f"bump_specific({key});"
        value = (f"reinterpret_cast<std::intptr_t>(pthread_getspecific({key}))")
    else:
        program.declarations.append(f"thread_local int {name} = 0;")
        bump, value = f"++{name};", name

    def more(w, t):
        w.memory[name, t] += 1
    for thread in g.some():
        g.parts[thread] += [
            lambda w: w.own(bump, more), g.atomic_item(cell),
            lambda w: w.own(bump, more),
            lambda w: w.own(f"n.note({value});",
                            lambda w, t: w.note(t, w.memory[name, t]))]
