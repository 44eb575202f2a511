# SPDX-License-Identifier: Apache-2.0
# Small concurrent objects: as text of models, and run step by step.
"""A program is a list of statements (tuples); `text` writes them as the body of
an operation of a `.plumb` model, `compiled` makes flat code of them, and
`steps` takes one step of it: one shared access, with the local computation
behind it.

  ("let", x, access)    x = access      ("local", x, e)   x = e
  ("set", place, e)                     ("await", place, op, k)
  ("if", e, [..], [..]) ("while", e, [..])  ("choose", [..], [..])
  ("atomic", [..])      ("return", e)   ("assert", e)     ("skip",)
  ("push", at, e)       of the seq q    ("take", x, at)   of the seq q
  ("new", x, e, e)      x = new Node { val = e, next = e }

Places: ("var", x), ("array", a, e), ("mine", a), ("field", e, name).
Accesses: a place, ("cas", place, e, e), ("add", place, k),
("exchange", place, e), ("len",), ("at", e).
Expressions: numbers, names of locals, (op, e, e), ("not", e), ("if", e, e, e).
"""


class Fault(Exception):
    pass


class Blocked(Exception):
    pass


EMPTY = None  # `empty`, and nobody, and null: each where it fits
WORDS = {"empty", "null", "nobody", "self", "true", "false"}


# --- as text ----------------------------------------------------------------

def expression(e):
    if isinstance(e, bool):
        return "true" if e else "false"
    if isinstance(e, (int, str)):
        return str(e)
    if e[0] == "not":
        return f"!({expression(e[1])})"
    if e[0] == "if":
        return "({} ? {} : {})".format(*map(expression, e[1:]))
    if e[0] in ("min", "max"):
        return "{}({}, {})".format(e[0], *map(expression, e[1:]))
    return f"({expression(e[1])} {e[0]} {expression(e[2])})"


def access(a):
    kind = a[0]
    if kind == "var":
        return a[1]
    if kind == "array":
        return f"{a[1]}[{expression(a[2])}]"
    if kind == "mine":
        return f"{a[1]}[self]"
    if kind == "field":
        return f"{expression(a[1])}.{a[2]}"
    if kind == "len":
        return "len(q)"
    if kind == "at":
        return f"q[{expression(a[1])}]"
    word = {"cas": "cas", "add": "fetch_add", "exchange": "exchange"}[kind]
    return f"{word}({', '.join([access(a[1]), *map(expression, a[2:])])})"


def text(program, types, indent="        "):
    lines = []
    more = indent + "    "
    for s in program:
        kind = s[0]
        if kind == "let":
            lines.append(f"{types.get(s[1], 'int')} {s[1]} = {access(s[2])};")
        elif kind == "local":
            lines.append(f"{types.get(s[1], 'int')} {s[1]} = "
                         f"{expression(s[2])};")
        elif kind == "again":
            lines.append(f"{s[1]} = {access(s[2])};")
        elif kind == "set":
            lines.append(f"{access(s[1])} = {expression(s[2])};")
        elif kind == "await":
            lines.append(f"await {access(s[1])} {s[2]} {expression(s[3])};")
        elif kind == "return":
            lines.append("return;" if s[1] is None
                         else f"return {expression(s[1])};")
        elif kind == "assert":
            lines.append(f"assert {expression(s[1])};")
        elif kind == "skip":
            lines.append("skip;")
        elif kind == "push":
            word = "push_back" if s[1] == "back" else "push_front"
            lines.append(f"{word}(q, {expression(s[2])});")
        elif kind == "take":
            lines.append(f"int {s[1]} = remove_at(q, {expression(s[2])});")
        elif kind == "new":
            lines.append(f"Node {s[1]} = new Node {{ val = {expression(s[2])}, "
                         f"next = {expression(s[3])} }};")
        else:
            heads = {"if": ["if (%s)", "else"], "while": ["while (%s)"],
                     "atomic": ["atomic"], "choose": ["choose", "or"]}[kind]
            bodies = s[2:] if kind in ("if", "while") else s[1:]
            for head, body in zip(heads, bodies):
                if head == "else" and not body:
                    continue
                head = head % expression(s[1]) if "%" in head else head
                inner = text(body, types, more)
                lines.append(f"{head} {{\n{inner}\n{indent}}}")
    return "\n".join(indent + line for line in lines)


# --- as code ----------------------------------------------------------------

def compiled(program):
    code = []
    emit(program, code)
    code.append(("return", None))
    return code


def emit(program, code):
    for s in program:
        kind = s[0]
        if kind == "if":
            at = len(code)
            code.append(None)
            emit(s[2], code)
            out = len(code)
            code.append(None)
            code[at] = ("unless", s[1], len(code))
            emit(s[3], code)
            code[out] = ("goto", len(code))
        elif kind == "while":
            at = len(code)
            code.append(None)
            emit(s[2], code)
            code.append(("goto", at))
            code[at] = ("unless", s[1], len(code))
        elif kind == "choose":
            at = len(code)
            code.append(None)
            emit(s[1], code)
            out = len(code)
            code.append(None)
            code[at] = ("fork", at + 1, len(code))
            emit(s[2], code)
            code[out] = ("goto", len(code))
        elif kind == "atomic":
            code.append(("begin",))
            emit(s[1], code)
            code.append(("end",))
        else:
            code.append(s)


def value(e, names):
    if isinstance(e, str):
        return names.get(e, EMPTY) if e not in WORDS else {
            "true": True, "false": False, "self": names["self"]}.get(e, EMPTY)
    if not isinstance(e, tuple):
        return e
    if e[0] == "&&":
        return value(e[1], names) and value(e[2], names)
    if e[0] == "||":
        return value(e[1], names) or value(e[2], names)
    if e[0] == "if":
        return value(e[2] if value(e[1], names) else e[3], names)
    left = value(e[1], names)
    if e[0] == "not":
        return not left
    right = value(e[2], names)
    if e[0] == "==":
        return left == right
    if e[0] == "!=":
        return left != right
    if left is EMPTY or right is EMPTY:
        raise Fault()  # arithmetic with what is no number
    return {"+": lambda: left + right, "-": lambda: left - right,
            "<": lambda: left < right, "<=": lambda: left <= right,
            ">": lambda: left > right, ">=": lambda: left >= right,
            "%": lambda: left % right, "min": lambda: min(left, right),
            "max": lambda: max(left, right)}[e[0]]()


class Run:
    """A step in progress: a copy of the shared state, and of the locals."""

    def __init__(self, shared, names):
        self.shared, self.names = dict(shared), dict(names)

    def key(self, place):
        kind = place[0]
        if kind == "var":
            return place[1]
        if kind == "mine":
            return (place[1], self.names["self"])
        if kind == "array":
            index = value(place[2], self.names)
            if (place[1], index) not in self.shared:
                raise Fault()
            return (place[1], index)
        cell = value(place[1], self.names)
        if cell is EMPTY:
            raise Fault()
        return (cell, place[2])

    def do_access(self, a):
        kind = a[0]
        if kind == "len":
            return len(self.shared["q"])
        if kind == "at":
            i = value(a[1], self.names)
            if not 0 <= i < len(self.shared["q"]):
                raise Fault()
            return self.shared["q"][i]
        if kind not in ("cas", "add", "exchange"):
            return self.shared[self.key(a)]
        key = self.key(a[1])
        before = self.shared[key]
        if kind == "cas":
            if before != value(a[2], self.names):
                return False
            self.shared[key] = value(a[3], self.names)
            return True
        if kind == "exchange":
            self.shared[key] = value(a[2], self.names)
        elif before is EMPTY:
            raise Fault()
        else:
            self.shared[key] = before + value(a[2], self.names)
        return before

    def do(self, s):
        kind = s[0]
        if kind in ("let", "again"):
            self.names[s[1]] = self.do_access(s[2])
        elif kind == "set":
            self.shared[self.key(s[1])] = value(s[2], self.names)
        elif kind == "await":
            if not value((s[2], self.do_access(s[1]), s[3]), self.names):
                raise Blocked()
        elif kind == "push":
            q, item = self.shared["q"], value(s[2], self.names)
            if len(q) == 6:
                raise Blocked()  # as the model's seq<int, 6>
            self.shared["q"] = q + (item,) if s[1] == "back" else (item,) + q
        elif kind == "take":
            q, i = self.shared["q"], value(s[2], self.names)
            if not 0 <= i < len(q):
                raise Fault()
            self.names[s[1]] = q[i]
            self.shared["q"] = q[:i] + q[i + 1:]
        elif kind == "new":
            cell = 1 + max((k[0] for k in self.shared if isinstance(k, tuple)
                            and isinstance(k[0], int)), default=0)
            self.shared[(cell, "val")] = value(s[2], self.names)
            self.shared[(cell, "next")] = value(s[3], self.names)
            self.names[s[1]] = cell


ACCESSES = {"let", "again", "set", "await", "push", "take", "skip", "new"}


def settle(code, at, run, in_atomic, out, depth=0):
    """Runs what is no access; appends (position, run) where one is next."""
    for _ in range(1000):
        s = code[at]
        kind = s[0]
        if kind in ACCESSES or kind == "begin" or kind == "return":
            out.append((at, run))
            return
        at += 1
        if kind == "goto":
            at = s[1]
        elif kind == "unless":
            if not value(s[1], run.names):
                at = s[2]
        elif kind == "fork":
            other = Run(run.shared, run.names)
            settle(code, s[1], other, in_atomic, out, depth + 1)
            at = s[2]
        elif kind == "local":
            run.names[s[1]] = value(s[2], run.names)
        elif kind == "assert":
            if not value(s[1], run.names):
                raise Fault()
        elif kind == "end" and in_atomic:
            out.append((("out", at), run))
            return
    raise RuntimeError("a loop without accesses")


def begin(code, names):
    """Where a call may stand before its first step."""
    out = []
    settle(code, 0, Run({}, names), False, out)
    return [(at, frozenset(run.names.items())) for at, run in out]


def steps(code, at, shared, names):
    """The outcomes of the step at `at`: (position, shared, locals), where a
    position on a return means that the call is over; it may be blocked."""
    run = Run(shared, names)
    todo, found = [], []
    if code[at][0] == "begin":
        inner = []
        settle(code, at + 1, run, True, inner)
        todo = inner
    else:
        try:
            run.do(code[at])
        except Blocked:
            return []
        settle(code, at + 1, run, False, found)
    for _ in range(1000):
        if not todo:
            break
        where, run = todo.pop()
        if isinstance(where, tuple):
            settle(code, where[1], run, False, found)
        elif code[where][0] == "return":
            found.append((where, run))
        else:
            try:
                run.do(code[where])
            except Blocked:
                continue
            settle(code, where + 1, run, True, todo)
    return [(where, frozenset(r.shared.items()), frozenset(r.names.items()))
            for where, r in found]
