# SPDX-License-Identifier: Apache-2.0
# Random CSP# models: the same verdicts with each choice of reductions.
"""All assertions of a model are judged with everything on, everything off, each
alone, on two threads, depth first and as PAT does it.  `unknown` agrees with
all.  (What a model means is compared with an interpreter in tests/random.)"""
import json
import os
import subprocess

WAYS = [[], ["--no-por"], ["--no-symmetry"], ["--keep-dead"],
        ["--no-por", "--no-symmetry", "--keep-dead"], ["--jobs", "2"],
        ["--search", "dfs"], ["--pat-counts"]]
EVENTS = ["a", "b", "c", "d"]
FORMULAS = ["[] {p}", "<> {p}", "[]<> {p}", "<>[] {p}", "[] ({p} -> <> {q})",
            "{p} U {q}", "{p} R {q}", "[] ({p} xor {q})", "X {p}",
            "!({p} && X {q})", "[]<> {e}", "[] ({e} -> <> {f})",
            "!{e} U {f}", "[] !\"m!1\"", "[]<> m?1", "[] (n.1 -> <> {e})"]
FAIRNESS = ["none", "weak", "strong", "weak-event", "strong-event", "global"]


class Writer:
    def __init__(self, rng):
        self.rng = rng
        self.copies = rng.choice([0, 2, 2, 3])
        # Each speaks of its neighbours, too.
        self.is_ring = self.copies and rng.random() < 0.4

    def index(self):
        if not self.is_ring or self.rng.random() < 0.6:
            return "i"
        return self.rng.choice(["(i + 1)", "(i - 1)", f"({self.copies - 1} + i)",
                                "(2 + i)"]) + f" % {self.copies}"

    def event(self, index):
        e = self.rng.choice(EVENTS)
        if not index or self.rng.random() < 0.5:
            return e
        return f"{e}.{self.index()}"

    def expression(self, index):
        options = ["x", "y", "0", "1", "2", "x + 1", "1 - x", "(y + 1) % 3"]
        if index:
            options += ["l[i]", f"l[{self.index()}]", "l[i] + 1"]
            options += [] if self.is_ring else ["i"]
        return self.rng.choice(options)

    def condition(self, index):
        op = self.rng.choice(["==", "!=", "<", ">="])
        return f"{self.expression(index)} {op} {self.rng.randint(0, 2)}"

    def block(self, index):
        mine = [f"l[{self.index()}]"] if index else []
        place = self.rng.choice(["x", "y"] + mine)
        return f"{{{place} = ({self.expression(index)}) % 3;}}"

    def prefix(self, index):
        kind = self.rng.randrange(8)
        if kind < 3:
            return self.event(index)
        if kind < 5:
            return self.event(index) + self.block(index)
        if kind == 5:
            return "tau" + self.block(index)
        return self.rng.choice(["m!1", "m!2", "m?1", "m?z", "n!1", "n?1"])

    def term(self, depth, index):
        rng = self.rng
        me = "(i)" if index else "()"
        if depth == 0:
            names = ["Q", "R"] if index else ["S", "T"]
            if self.is_ring and index and rng.random() < 0.2:
                me = f"({self.index()})"
            return rng.choice(["Skip", "Stop"] + 3 * [n + me for n in names])
        one = lambda: self.term(depth - 1, index)
        kind = rng.randrange(14)
        if kind < 6:
            return f"{self.prefix(index)} -> {one()}"
        if kind == 6:
            return f"({one()} [] {one()})"
        if kind == 7:
            return f"[{self.condition(index)}] ({one()})"
        if kind == 8:
            word = rng.choice(["if", "ifa", "ifb"])
            other = "" if word == "ifb" else f" else {{ {one()} }}"
            return f"({word} ({self.condition(index)}) {{ {one()} }}{other})"
        if kind == 9:
            return f"({one()} <> {one()})"
        if kind == 10:
            return f"({self.prefix(index)} -> Skip; {one()})"
        if kind == 11:
            return f"(({one()}) interrupt ({self.event(index)} -> {one()}))"
        if kind == 12:
            return f"atomic {{ {self.prefix(index)} -> {one()} }}"
        return f"(({one()}) \\ {{{rng.choice(EVENTS)}}})"

    def system(self):
        rng = self.rng
        parts = ["S()", "T()"]
        if self.copies:
            sign = rng.choice(["|||", "|||", "||"])
            parts.append(f"({sign} i:{{0..{self.copies - 1}}}@Q(i))")
        rng.shuffle(parts)
        parts = parts[:rng.choice([1, 2, 2, 3])]
        return rng.choice([" ||| ", " || ", " [] "]).join(parts)

    def formula(self):
        rng = self.rng
        pick = lambda: rng.choice(["one", "two", "zero"])
        return rng.choice(FORMULAS).format(p=pick(), q=pick(),
                                           e=rng.choice(EVENTS),
                                           f=rng.choice(EVENTS))

    def model(self):
        size = max(self.copies, 1)
        lines = ["var x:{0..2} = 0;", "var y:{0..2} = 1;",
                 f"var l[{size}]:{{0..2}};", "channel m 1;", "channel n 0;",
                 "#define one x == 1;", "#define two y == 2;",
                 "#define zero x == 0 && y != 1;",
                 f"S() = {self.prefix(False)} -> {self.term(2, False)};",
                 f"T() = {self.prefix(False)} -> {self.term(2, False)};",
                 f"Q(i) = {self.prefix(True)} -> {self.term(2, True)};",
                 f"R(i) = {self.prefix(True)} -> {self.term(1, True)};",
                 "All() = a -> b -> c -> d -> Stop;",
                 f"Sys() = {self.system()};", f"Other() = {self.system()};"]
        asked = ["deadlockfree", "nonterminating", "divergencefree",
                 "deterministic", "reaches one", "reaches two",
                 "refines Other()", "refines<F> Other()",
                 "refines<FD> Other()", f"|= {self.formula()}",
                 f"|= {self.formula()}", f"|= {self.formula()}"]
        lines += [f"#assert Sys() {a};" for a in asked]
        return "\n".join(lines) + "\n"


def answers_of(plumb, path, options, folder):
    file = os.path.join(folder, "answers.json")
    if os.path.exists(file):
        os.remove(file)
    run = subprocess.run(
        [plumb, "verify", "--quiet", "--state-limit", "4000", "--time-limit",
         "30s", *(options if "--jobs" in options
                  else ["--jobs", "1", *options]), "--json", file, path],
        capture_output=True, text=True)
    if run.returncode not in (0, 1, 3):
        return f"exit {run.returncode}: {run.stderr[-1500:]}"
    with open(file) as text:
        return [r["verdict"] for r in json.load(text)["results"]]


def batch(rng, plumb, folder, tally):
    text = Writer(rng).model()
    path = os.path.join(folder, "model.csp")
    with open(path, "w") as out:
        out.write(text)
    fair = rng.choice(FAIRNESS)
    found = {}
    for options in WAYS:
        got = answers_of(plumb, path, [*options, "--fairness", fair], folder)
        if isinstance(got, str):
            yield f"{' '.join(options)}: {got}\n{text}"
            return
        found[" ".join(options)] = got
    tally["models"] += 1
    for at, verdicts in enumerate(zip(*found.values())):
        tally["verdicts"] += len(verdicts)
        for verdict in verdicts:
            tally[verdict] += 1
        if len(set(verdicts) - {"unknown"}) > 1:
            yield (f"assertion {at + 1}, --fairness {fair}: "
                   f"{dict(zip(found, verdicts))}\n{text}")
