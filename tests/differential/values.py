# SPDX-License-Identifier: Apache-2.0
# Random values of histories, spelled in many ways: which of them are equal?
"""A register is written to and read from; the history holds if and only if
the manual (docs/histories.md) calls the two values equal.  Numbers are exact
fractions here."""
import json
import os
import subprocess
from fractions import Fraction

BATCH = 80
TEXTS = ["a", "b", "nil", "null", "true", "1", "1.5", "NaN", "", "a b",
         "\u00e9", "\U0001f600", "tab\t", "quote\"", "back\\slash", "/", "x/y"]


def plain_digits(number):
    """The decimal digits of a fraction, or None if they never end."""
    below = number.denominator
    digits = 0
    while below % 10 == 0:
        below, digits = below // 10, digits + 1
    for prime in (2, 5):
        while below % prime == 0:
            below, digits = below // prime, digits + 1
    if below != 1:
        return None
    shifted = abs(number) * 10 ** digits
    assert shifted.denominator == 1
    text = str(shifted.numerator).rjust(digits + 1, "0")
    sign = "-" if number < 0 else ""
    if digits:
        return f"{sign}{text[:-digits]}.{text[-digits:]}"
    return sign + text


def number_texts(rng, number, edn):
    texts = []
    digits = plain_digits(number)
    if digits is not None:
        texts += [digits]
        if "." in digits:
            texts += [digits + "0" * rng.randint(1, 3)]
        else:
            texts += [digits + ".0", digits + ".000", digits + "e0"]
        shift = rng.randint(-5, 5)
        moved = plain_digits(number * Fraction(10) ** shift)
        texts += [f"{moved}e{-shift}", f"{moved}E{-shift:+}"]
        if edn:
            texts += [t + "M" for t in texts]
            if "." not in digits:
                texts += [digits + "N"]
                if number >= 0:
                    texts += ["+" + digits]
                if 0 <= number < 2 ** 63:
                    texts += [hex(number.numerator)]
    if edn and number.denominator > 1 and \
            max(abs(number.numerator), number.denominator) < 2 ** 62:
        k = rng.choice([1, 1, 2, 3])
        texts += [f"{number.numerator * k}/{number.denominator * k}"]
    return [t for t in texts if t and (edn or not t.startswith("+"))]


def random_number(rng):
    kind = rng.randrange(8)
    if kind == 7:  # about as large and as small as doubles get
        return Fraction(rng.randint(1, 3)) * \
            Fraction(10) ** (rng.choice([1, -1]) * rng.randint(305, 330))
    if kind == 0:
        return Fraction(rng.randint(-3, 3))
    if kind == 1:  # near what doubles and words can hold
        return Fraction(rng.choice([2 ** 53, 2 ** 61, 2 ** 62, 2 ** 63,
                                    2 ** 64, 10 ** 30]) + rng.randint(-2, 2)) \
            * rng.choice([1, -1])
    if kind == 2:
        return Fraction(rng.randint(-30, 30), rng.choice([2, 4, 10, 100]))
    if kind == 3:
        return Fraction(10 ** 19 + rng.randint(0, 3), 10 ** rng.choice([1, 20]))
    if kind == 4:
        return Fraction(rng.randint(1, 40), rng.randint(3, 40))
    if kind == 5:  # decimals that are nearly a ratio
        ratio = Fraction(rng.randint(1, 40), rng.randint(3, 40))
        places = 10 ** rng.choice([14, 15, 16, 17, 18])
        return Fraction(round(ratio * places), places)
    return Fraction(rng.randint(1, 9)) * Fraction(10) ** rng.randint(-60, 60)


def near(rng, number):
    """The same one, mostly, or one that is easily mistaken for it."""
    way = rng.randrange(6)
    if way < 3:
        return number
    if way == 3:
        return number + Fraction(1, 10 ** rng.randint(1, 25))
    if way == 4:
        return -number
    places = 10 ** rng.choice([14, 15, 16, 17])
    return Fraction(round(number * places), places)


def text_forms(rng, text, edn):
    forms = [json.dumps(text), json.dumps(text, ensure_ascii=False)]
    if edn:
        simple = text.isalpha() and text.isascii()
        if simple:
            forms.append(":" + text)
            if text not in ("nil", "true", "false"):
                forms.append(text)
        if len(text) == 1 and text.isprintable():
            forms.append("\\" + text)
            if ord(text) < 0x10000:
                forms.append(f"\\u{ord(text):04x}")
        if text == "NaN":
            forms.append("##NaN")
    return forms


def random_value(rng, depth=0):
    """What it is: None, bool, Fraction, text, tuple, or a frozenset of
    pairs for a map."""
    kind = rng.randrange(6 if depth < 2 else 4)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind in (1, 2):
        return random_number(rng)
    if kind == 3:
        return rng.choice(TEXTS)
    if kind == 4:
        return tuple(random_value(rng, depth + 1)
                     for _ in range(rng.randint(0, 3)))
    return frozenset((key, random_value(rng, depth + 1)) for key in
                     rng.sample(["a", "b", "c"], rng.randint(0, 2)))


def changed(rng, value):
    if isinstance(value, Fraction):
        return near(rng, value)
    if rng.random() < 0.6:
        return value
    if isinstance(value, tuple) and value:
        i = rng.randrange(len(value))
        return value[:i] + (changed(rng, value[i]),) + value[i + 1:]
    if isinstance(value, frozenset) and value:
        entries = sorted(value, key=str)
        key, inner = entries.pop(rng.randrange(len(entries)))
        return frozenset([*entries, (key, changed(rng, inner))])
    if isinstance(value, str) and value in ("1", "1.5"):
        return Fraction(value)
    return {None: "nil", True: "true", "nil": None, "true": True}.get(
        value, random_value(rng))


def spelled(rng, value, edn):
    if value is None:
        return "nil" if edn else "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        texts = number_texts(rng, value, edn)
        return rng.choice(texts) if texts else None
    if isinstance(value, str):
        return rng.choice(text_forms(rng, value, edn))
    blank = rng.choice([" ", ", ", " ,"]) if edn else ", "
    if isinstance(value, frozenset):
        entries = sorted(value, key=lambda e: rng.random())
        inner = []
        for key, item in entries:
            text = spelled(rng, item, edn)
            if text is None:
                return None
            name = rng.choice(text_forms(rng, key, edn)) if edn \
                else json.dumps(key)
            inner.append(name + (" " if edn else ": ") + text)
        return "{" + blank.join(inner) + "}"
    items = [spelled(rng, item, edn) for item in value]
    if None in items:
        return None
    brackets = rng.choice(["[]", "()"]) if edn else "[]"
    if edn and len(value) == 1 and rng.random() < 0.3:
        brackets = ["#{", "}"]
    tag = rng.choice(["", "", "#tag "]) if edn else ""
    return tag + brackets[0] + blank.join(items) + brackets[1]


def history(written, read, edn):
    if edn:
        return "".join(f"{{:process 0 :type :{t} :f :{f} :value {v}}}\n"
                       for t, f, v in (("invoke", "write", written),
                                       ("ok", "write", written),
                                       ("invoke", "read", "nil"),
                                       ("ok", "read", read)))
    return "".join(
        f'{{"process": 0, "type": "{t}", "f": "{f}", "value": {v}}}\n'
        for t, f, v in (("invoke", "write", written), ("ok", "write", written),
                        ("invoke", "read", "null"), ("ok", "read", read)))


def same(a, b):
    """Equal, where True is not 1."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        left, right = dict(a), dict(b)
        return left.keys() == right.keys() and all(
            same(left[key], right[key]) for key in left)
    return type(a) is type(b) and a == b


def batch(rng, plumb, folder, tally):
    pairs, paths = [], []
    while len(pairs) < BATCH:
        edn = rng.random() < 0.7
        a = random_value(rng)
        b = changed(rng, a)
        texts = [spelled(rng, v, edn) for v in (a, b)]
        if None in texts:
            continue
        pairs.append((a, b))
        paths.append(os.path.join(folder, f"{len(pairs)}.jsonl"))
        with open(paths[-1], "w", encoding="utf-8") as out:
            out.write(history(*texts, edn))
    answers = os.path.join(folder, "answers.json")
    run = subprocess.run(
        [plumb, "history", "--quiet", "--jobs", "1", "--keys", "none",
         "--spec", "register", "--json", answers, *paths],
        capture_output=True, text=True)
    if run.returncode not in (0, 1):
        yield f"exit {run.returncode}: {run.stderr}"
        return
    with open(answers) as file:
        results = json.load(file)["results"]
    for (a, b), path, result in zip(pairs, paths, results):
        expected = "holds" if same(a, b) else "violated"
        tally[result["verdict"]] += 1
        tally["values"] += 1
        if result["verdict"] != expected:
            with open(path, encoding="utf-8") as file:
                yield f"{a} and {b}: {result['verdict']}\n{file.read()}"
