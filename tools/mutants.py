# SPDX-License-Identifier: Apache-2.0
# What tools/mutate-models and tools/mutate-programs have in common.
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

TOKEN = re.compile(r"""(?P<gap>\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)
    | (?P<word>[A-Za-z_]\w*) | (?P<number>\d+[uUlL]*)
    | (?P<sign>==|!=|<=|>=|&&|\|\||\+\+|--|\+=|-=|->|::|\.\.|.)""",
                   re.VERBOSE | re.DOTALL)

# What a sign or a word is replaced by.
OTHER = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
         "&&": "||", "||": "&&", "true": "false", "false": "true"}

Token = collections.namedtuple("Token", "text begin end kind")
Edit = collections.namedtuple("Edit", "begin end text")
# `change` is for people and for the list of harmless ones.
Mutant = collections.namedtuple("Mutant", "file object change edits source")


def tokens_of(text):
    found = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "gap":
            found.append(Token(match[0], match.start(), match.end(),
                               match.lastgroup))
    return found


def closing(tokens, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in "([{":
            depth += 1
        elif tokens[i].text in ")]}":
            depth -= 1
            if depth == 0:
                return i
    raise ValueError("a bracket is not closed")


class Statement:
    """Tokens [first, last], and the blocks or statements inside."""

    def __init__(self, kind, first):
        self.kind, self.first, self.last = kind, first, first
        self.condition = None  # (first, last) of the tokens between ( )
        self.inner = []        # lists of statements


class Parser:
    """Just enough of a language like C to find statements in a block."""

    def __init__(self, tokens):
        self.tokens = tokens

    def block(self, at):
        """The statements of the block that opens at `at`."""
        end, found = closing(self.tokens, at), []
        at += 1
        while at < end:
            statement = self.statement(at)
            found.append(statement)
            at = statement.last + 1
        return found

    def statement(self, at):
        word = self.tokens[at].text
        result = Statement(word, at)
        if self.special(result):
            return result
        if word in ("if", "while"):
            bracket = at + 2 if self.text(at + 1) == "constexpr" else at + 1
            close = closing(self.tokens, bracket)
            result.condition = (bracket + 1, close - 1)
            self.add_body(result, close + 1)
            if word == "if" and self.text(result.last + 1) == "else":
                self.add_body(result, result.last + 2)
        elif word == "for":
            self.add_body(result, closing(self.tokens, at + 1) + 1)
        elif word == "do":
            self.add_body(result, at + 1)
            close = closing(self.tokens, result.last + 2)
            result.condition = (result.last + 3, close - 1)
            result.last = close + 1
        elif word == "{":
            result.inner.append(self.block(at))
            result.last = closing(self.tokens, at)
        else:
            self.simple(result)
        return result

    def special(self, _):
        """For statements of one language only: is it one?"""
        return False

    def simple(self, result):
        result.kind = "simple"
        while self.tokens[result.last].text != ";":
            if self.tokens[result.last].text in "([{":
                self.bracket(result)
                result.last = closing(self.tokens, result.last)
            result.last += 1

    def bracket(self, _):
        """A bracket inside of a simple statement, at its `last`."""

    def add_body(self, outer, at):
        body = self.statement(at)
        outer.inner.append([body] if body.kind != "{" else body.inner[0])
        outer.last = body.last

    def text(self, at):
        return self.tokens[at].text if at < len(self.tokens) else ""


class Mutator:
    """Makes mutants of one object; what it changes is up to its heirs."""

    def __init__(self, file, text, tokens, name):
        self.file, self.source, self.tokens, self.name = (file, text, tokens,
                                                          name)
        self.mutants = []

    def span(self, first, last):
        return (self.tokens[first].begin, self.tokens[last].end)

    def written(self, first, last):
        begin, end = self.span(first, last)
        return self.source[begin:end]

    def line(self, position):
        begin = self.source.rfind("\n", 0, position) + 1
        return self.source[begin:self.source.find("\n", begin)].strip()

    def add(self, change, *edits):
        self.mutants.append(Mutant(self.file, self.name, change, edits,
                                   self.source))

    def replace(self, what, first, last, to):
        begin, end = self.span(first, last)
        old = " ".join(self.source[begin:end].split())
        line = self.line(begin)
        self.add(f"{what}: `{old}` -> `{to}` in `{line}`",
                 Edit(begin, end, to))

    def swap(self, before, after):
        one = self.span(before.first, before.last)
        two = self.span(after.first, after.last)
        self.add(f"swap: `{self.line(one[0])}` with `{self.line(two[0])}`",
                 Edit(*one, self.source[two[0]:two[1]]),
                 Edit(*two, self.source[one[0]:one[1]]))

    def arguments(self, at):
        """The parts between the brackets that open at `at`, and the end."""
        close = closing(self.tokens, at)
        parts, first, depth = [], at + 1, 0
        for i in range(at + 1, close + 1):
            text = self.tokens[i].text
            if i == close or (text == "," and depth == 0):
                if first < i:
                    parts.append(self.written(first, i - 1))
                first = i + 1
            depth += (text in "([{") - (text in ")]}")
        return parts, close


def numbered(mutants):
    """Tells equal changes of one object apart by a number."""
    seen, found = collections.Counter(), []
    for mutant in mutants:
        key = mutant[:3]
        seen[key] += 1
        if seen[key] > 1:
            mutant = mutant._replace(change=f"{mutant.change} #{seen[key]}")
        found.append(mutant)
    return found


def changed(text, mutant):
    """`text` with the edits of the mutant."""
    for edit in sorted(mutant.edits, reverse=True):
        text = text[:edit.begin] + edit.text + text[edit.end:]
    return text


def key_of(mutant):
    return f"{mutant.file} {mutant.object} {mutant.change}"


def read_harmless(path):
    """Key to reason: a reason stands after its mutants, indented."""
    known, keys = {}, []
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith(" "):
            known.update((key, line.strip()) for key in keys)
        else:
            if keys and keys[-1] in known:
                keys = []
            keys.append(line)
    return known | {key: "" for key in keys if key not in known}


def parse_arguments(text, time_limit):
    parser = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--plumb", default=str(ROOT / "plumb"))
    parser.add_argument("--time-limit", type=int, default=time_limit)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def chosen(mutants, arguments):
    """Those with all the words; of each file `--sample` at most."""
    found = [mutant for mutant in mutants
             if all(word in key_of(mutant) for word in arguments.words)]
    if not arguments.sample:
        return found
    files = collections.defaultdict(list)
    for mutant in found:
        files[mutant.file].append(mutant)
    # Seeded by the file, so that changing one does not draw others elsewhere.
    return [one for name, its in files.items()
            for one in random.Random(f"{arguments.seed} {name}").sample(
                its, min(arguments.sample, len(its)))]


def judge(mutants, arguments, verdict_on):
    """What became of each; prints those that were not simply killed."""
    became = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        verdicts = pool.map(lambda one: verdict_on(one, arguments), mutants)
        for mutant, verdict in zip(mutants, verdicts):
            became[key_of(mutant)] = verdict
            if verdict not in ("killed", "stillborn"):
                print(f"{verdict}: {key_of(mutant)}", flush=True)
    return became


def entry_for(key, known):
    """The entry that speaks of this mutant.  In one that ends in '*' each '*'
    stands for anything."""
    if key in known:
        return key
    return next((entry for entry in known if entry.endswith("*")
                 and re.fullmatch(".*".join(map(re.escape, entry.split("*"))),
                                  key)), None)


def faults_of(became, known, arguments):
    """What is wrong with them or with the list of the harmless ones."""
    faults, used = [], collections.Counter()
    for key, verdict in became.items():
        entry = entry_for(key, known)
        if entry:
            used[entry] += 1
        if verdict == "survived" and not (entry and known[entry]):
            faults.append(f"not known to be harmless: {key}")
        elif verdict.startswith(("crash", "hangs")):
            faults.append(f"{verdict}: {key}")
        elif entry and verdict not in ("survived", "undecided"):
            faults.append(f"said to be harmless, but {verdict}: {key}")
    if not arguments.sample:
        faults += [f"said to be harmless, but gone: {entry}"
                   for entry in known if not used[entry]
                   and all(word in entry for word in arguments.words)]
    return faults


def run(name, mutants, harmless, arguments, verdict_on):
    """Runs the mutants; the exit status."""
    picked = chosen(mutants, arguments)
    if arguments.list:
        print("\n".join(map(key_of, picked)))
        return 0
    became = judge(picked, arguments, verdict_on)
    faults = faults_of(became, read_harmless(harmless), arguments)
    count = collections.Counter(became.values())
    print(f"{name}:", ", ".join(f"{number} {what}" for what, number
                                in sorted(count.items())))
    print("\n".join(faults))
    return 1 if faults else 0
