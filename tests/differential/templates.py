# SPDX-License-Identifier: Apache-2.0
# Concurrent objects to begin with, right ones and nearly right ones.
"""TEMPLATES[kind] is a list of (variables, {operation: program}); see
programs.py for what programs are.  `changed` makes one mistake in them."""
X, Y, LOCK, TOP = ("var", "x"), ("var", "y"), ("var", "lock"), ("var", "top")
INT = {"x": ("int", 0), "y": ("int", 0)}
NONE = {"x": ("int", "empty")}
LOCKED = {**INT, "lock": ("int", 0)}
OWNED = {**INT, "owner": ("process", "nobody")}
SEQ = {"q": ("seq", ())}
NODES = {"top": ("Node", "null")}
OWNER = ("var", "owner")


def forever(*body):
    return [("while", True, list(body))]


def locked(*body, result):
    return [("let", "got", ("cas", LOCK, 0, 1)),
            ("while", ("not", "got"), [("again", "got", ("cas", LOCK, 0, 1))]),
            *body, ("set", LOCK, 0), ("return", result)]


def owned(*body, result):
    return [("let", "got", ("cas", OWNER, "nobody", "self")),
            ("while", ("not", "got"),
             [("again", "got", ("cas", OWNER, "nobody", "self"))]),
            *body, ("set", OWNER, "nobody"), ("return", result)]


def retry(step):
    return forever(("let", "t", X), ("let", "ok", ("cas", X, "t", step)),
                   ("if", "ok", [("return", "t")], []))


def read(place=X):
    return [("let", "t", place), ("return", "t")]


DOWN = ("max", ("-", "t", 1), 0)
COUNTERS = [
    (INT, {"inc": retry(("+", "t", 1)), "get": read(), "dec": retry(DOWN)}),
    (INT, {"inc": [("let", "t", ("add", X, 1)), ("return", "t")],
           "get": read()}),
    (LOCKED, {"inc": locked(("let", "t", X), ("set", X, ("+", "t", 1)),
                            result="t"),
              "dec": locked(("let", "t", X), ("set", X, DOWN), result="t")}),
    (OWNED, {"inc": owned(("let", "t", X), ("set", X, ("+", "t", 1)),
                          result="t"), "get": read()}),
]
SNZIS = [
    (INT, {"arrive": [("let", "t", ("add", X, 1)), ("return", None)],
           "depart": [("atomic", [("await", X, ">", 0),
                                  ("let", "t", ("add", X, -1))]),
                      ("return", None)],
           "query": [("let", "t", X), ("return", (">", "t", 0))]}),
]
MUTEXES = [
    (LOCKED, {"acquire": [("await", LOCK, "==", 0), ("set", LOCK, 1),
                          ("return", None)],
              "release": [("atomic", [("await", LOCK, "==", 1),
                                      ("set", LOCK, 0)]), ("return", None)]}),
    (LOCKED, {"acquire": [("atomic", [("await", LOCK, "==", 0),
                                      ("set", LOCK, 1)]), ("return", None)],
              "release": [("atomic", [("await", LOCK, "==", 1),
                                      ("set", LOCK, 0)]), ("return", None)]}),
]
REGISTERS = [
    (NONE, {"read": read(), "write": [("set", X, "v"), ("return", None)],
            "cas": [("let", "ok", ("cas", X, "old", "new_one")),
                    ("return", "ok")]}),
    ({"x": ("int", "empty"), "y": ("int", "empty")},
     {"read": [("let", "a", X), ("let", "b", Y),
               ("if", ("==", "a", "b"), [("return", "a")], []),
               ("return", "b")],
      "write": [("set", X, "v"), ("set", Y, "v"), ("return", None)]}),
    ({"x": ("int", "empty"), "last": ("mine", 0)},
     {"read": [("let", "a", ("mine", "last")),
               ("if", ("!=", "a", 0),
                [("set", ("mine", "last"), 0), ("return", "a")], []),
               ("let", "t", X), ("return", "t")],
      "write": [("set", X, "v"), ("set", ("mine", "last"), "v"),
                ("return", None)]}),
]
HERE = ("array", "there", "v")
SETS = [
    ({"there": ("bools", False)},
     {"add": [("let", "ok", ("cas", HERE, False, True)), ("return", "ok")],
      "remove": [("let", "ok", ("cas", HERE, True, False)), ("return", "ok")],
      "contains": [("let", "t1", HERE), ("return", "t1")]}),
    ({"there": ("bools", False)},
     {"add": [("let", "t1", HERE), ("set", HERE, True),
              ("return", ("not", "t1"))],
      "remove": [("let", "t1", HERE), ("set", HERE, False), ("return", "t1")]}),
]
SLOT = ("array", "slots", "k")
MAPS = [
    ({"slots": ("ints", "empty")},
     {"put": [("let", "t", ("exchange", SLOT, "v")), ("return", "t")],
      "get": [("let", "t", SLOT), ("return", "t")],
      "remove": [("let", "t", ("exchange", SLOT, "empty")), ("return", "t")]}),
    ({"slots": ("ints", "empty")},
     {"put": [("let", "t", SLOT), ("set", SLOT, "v"), ("return", "t")],
      "get": [("let", "t", SLOT), ("return", "t")]}),
]


def put(at, says, capacity):
    if not says:
        return [("push", at, "v"), ("return", None)]
    return [("atomic", [("let", "n", ("len",)),
                        ("if", (">=", "n", capacity), [("return", False)], []),
                        ("push", at, "v"), ("return", True)])]


def take(where, waits):
    found = [("await", ("len",), ">", 0)] if waits else []
    return [("atomic", found + [("let", "n", ("len",)),
                                ("if", ("==", "n", 0), [("return", "empty")],
                                 []), *where, ("return", "t")])]


def at(index):
    return [("take", "t", index)]


LAST = ("-", "n", 1)
SECOND = ("if", (">=", "n", 2), 1, 0)
LEAST = [("let", "a", ("at", 0)), ("let", "b", ("at", SECOND)),
         ("take", "t", ("if", ("<", "b", "a"), 1, 0))]
EITHER = [("choose", [("local", "i", 0), *at("i"), ("return", "t")], []),
          ("take", "t", SECOND)]
CONTAINERS = {"queue": [at(0), at(SECOND), EITHER, at(LAST)],
              "stack": [at(LAST), at(0), EITHER],
              "bag": [at(0), at(LAST), EITHER],
              "priority_queue": [LEAST, at(0), at(LAST)]}
TREIBER = (NODES, {
    "push": forever(("let", "t0", TOP), ("new", "n0", "v", "t0"),
                    ("let", "ok", ("cas", TOP, "t0", "n0")),
                    ("if", "ok", [("return", None)], [])),
    "pop": forever(("let", "t0", TOP),
                   ("if", ("==", "t0", "null"), [("return", "empty")], []),
                   ("let", "n0", ("field", "t0", "next")),
                   ("let", "ok", ("cas", TOP, "t0", "n0")),
                   ("if", "ok", [("let", "t", ("field", "t0", "val")),
                                 ("return", "t")], []))})
ONE_PLACE = {
    "put": [("set", X, "v"), ("return", None)],
    "take": [("let", "t", ("exchange", X, "empty")), ("return", "t")]}
TEMPLATES = {"counter": COUNTERS, "snzi": SNZIS, "mutex": MUTEXES,
             "register": REGISTERS, "set": SETS, "map": MAPS}
TYPES = {"ok": "bool", "got": "bool", "t1": "bool", "t0": "Node",
         "n0": "Node"}
# Operations: names of parameters, type of the result.
SIGNATURES = {"inc": "int", "dec": "int", "get": "int", "arrive": "void",
              "depart": "void", "query": "bool", "acquire": "void",
              "release": "void", "read": "int", "write": "void v",
              "cas": "bool old new_one", "add": "bool v", "remove": "bool v",
              "contains": "bool v"}


def changed(rng, program):
    """Two statements swapped, one left out, an atomic opened, a cas that is
    a write: somewhere inside."""
    program = list(program)
    nested = [(i, j) for i, s in enumerate(program)
              for j, part in enumerate(s) if isinstance(part, list) and part]
    if nested and rng.random() < 0.5:
        i, j = rng.choice(nested)
        s = list(program[i])
        s[j] = changed(rng, s[j])
        program[i] = tuple(s)
        return program
    i = rng.randrange(len(program))
    s = program[i]
    way = rng.randrange(5)
    if way == 0 and s[0] == "atomic":
        program[i:i + 1] = s[1]
    elif way == 1 and s[0] in ("set", "skip", "push"):
        del program[i]
    elif way == 2 and i + 1 < len(program) and s[0] in ("set", "push") and \
            program[i + 1][0] in ("set", "push"):
        program[i], program[i + 1] = program[i + 1], s
    elif way == 3 and s[0] == "let" and s[2][0] == "cas":
        program[i:i + 1] = [("set", s[2][1], s[2][3]), ("local", s[1], True)]
    elif way == 4:
        program.insert(i, ("skip",))
    return program
