# SPDX-License-Identifier: Apache-2.0
# Variables of random programs: where they lie, what they hold, and the many
# ways to read and to write them, each as C++ and as what it means.
from typing import Callable, NamedTuple


class Variable(NamedTuple):
    name: str
    kind: str     # of TYPES
    place: str    # global, stack, heap, thread_local, static, mapped
    value: object = None

    @property
    def ref(self):
        """As threads write it."""
        return {"global": self.name, "stack": f"f.{self.name}",
                "heap": f"f.h->{self.name}", "static": f"{self.name}()",
                "thread_local": f"(*f.{self.name})",
                "mapped": f"(*f.{self.name})"}[self.place]


class Counter(NamedTuple):
    """A count that one thread keeps, somewhere."""
    name: str
    place: str  # of COUNTERS

    @property
    def bump(self):
        """An expression that adds one and gives the sum."""
        return COUNTERS[self.place].bump.format(k=self.name)


class Reading(NamedTuple):
    text: str          # an expression, from 0 to 10
    meaning: Callable  # of world and thread
    features: frozenset = frozenset()
    otherwise: Callable = None  # what may happen as well, for no reason


class Writing(NamedTuple):
    text: str
    meaning: Callable
    features: frozenset = frozenset()


TYPES = {"atomic": "std::atomic<int>", "plain": "int", "text": "Text",
         "string": "std::string", "map": "std::map<int, int>",
         "list": "std::list<int>", "vector": "std::vector<int>",
         "hash": "std::unordered_map<int, int>",
         "big": "std::atomic<Big>", "trio": "Trio", "mutex": "std::mutex",
         "timed": "std::timed_mutex", "shared": "std::shared_mutex",
         "semaphore": "Semaphore", "barrier": "Barrier", "condition": "std::condition_variable",
         "block": "std::atomic<int*>"}
# These need no constructor that does something: they may lie anywhere.
ANYWHERE = ("atomic", "plain", "text", "trio", "big")
SEQUENCES = ("list", "vector")
MAPS = ("map", "hash")
PLACES = ("global", "stack", "heap", "thread_local", "static", "mapped")


def initial(variable):
    if variable.kind in ("mutex", "timed"):
        return None
    if variable.kind in ("condition", "shared"):
        return frozenset()
    return variable.value


def initialiser(variable):
    value = variable.value
    if variable.kind in ("mutex", "timed", "shared", "condition"):
        return ""
    if variable.kind in ("text", "string"):
        return f'{{"{value}"}}'
    if variable.kind in ("big", "trio"):
        name = {"big": "Big", "trio": "Trio"}[variable.kind]
        return f"{{{name}{{{value}, {value}, {value}}}}}"
    if variable.kind in SEQUENCES:
        return "{" + ", ".join(map(str, value)) + "}"
    if variable.kind in MAPS:
        return "{" + ", ".join(f"{{{k}, {v}}}" for k, v in value) + "}"
    if variable.kind == "block":
        return "{nullptr}"
    return f"{{{value}}}"


def text_number(text):
    return sum(text.encode()) % 11


def map_number(items):
    return sum(3 * k + v + 1 for k, v in items) % 11


def sequence_number(items):
    return (sum(items) + 3 * len(items)) % 11


def number_of(variable, value):
    """What the end of a program looks at; None: nothing."""
    if variable.kind in ("text", "string"):
        return text_number(value)
    if variable.kind in SEQUENCES:
        return sequence_number(value)
    if variable.kind in MAPS:
        return map_number(value)
    if variable.kind in ("atomic", "plain", "big", "trio", "semaphore"):
        return value
    return None


class Declared(NamedTuple):
    globals: list
    heap: list
    frame: list
    setup: list
    finals: list
    cleanup: list


def declared(variables, counters, name):
    parts = Declared([], [], [], [], [], [])
    for v in variables:
        type_, init = TYPES[v.kind], initialiser(v)
        if v.place == "global":
            parts.globals.append(f"{type_} {v.name}{init};")
        elif v.place == "stack":
            parts.frame.append(f"  {type_} {v.name}{init};")
        elif v.place == "heap":
            parts.heap.append(f"  {type_} {v.name}{init};")
        elif v.place == "static":
            parts.globals.append(f"{type_}& {v.name}() {{ static {type_} "
                                 f"value{init}; return value; }}")
        elif v.place == "thread_local":
            parts.globals.append(f"thread_local {type_} mine_{v.name}{init};")
            parts.frame.append(f"  {type_}* {v.name} = &mine_{v.name};")
        elif v.place == "mapped":
            parts.frame.append(f"  {type_}* {v.name} = "
                               f"new (map_page()) {type_}{init};")
            parts.cleanup.append(f"  munmap(f.{v.name}, 4096);")
        if number_of(v, v.value) is not None:
            parts.finals.append(f"  all.add(number_of({v.ref}));")
    for c in counters:
        place = COUNTERS[c.place]
        if place.declaration:
            getattr(parts, place.part).append(
                place.declaration.format(k=c.name))
        if place.setup:
            parts.setup.append("  " + place.setup.format(k=c.name))
        if place.cleanup:
            parts.cleanup.append("  " + place.cleanup.format(k=c.name))
    return parts


class CounterPlace(NamedTuple):
    bump: str
    part: str = "globals"
    declaration: str = ""
    setup: str = ""
    cleanup: str = ""
    features: frozenset = frozenset()


UNSEEN = frozenset({"unseen"})
COUNTERS = {
    "member": CounterPlace("++n.count"),
    "global": CounterPlace("++{k}", "globals", "int {k} = 0;"),
    "thread_local": CounterPlace("++{k}", "globals",
                                 "thread_local int {k} = 0;"),
    "frame": CounterPlace("++f.{k}", "frame", "  int {k} = 0;"),
    "heap": CounterPlace("++f.h->{k}", "heap", "  int {k} = 0;"),
    "malloc": CounterPlace(
        "++*f.{k}", "frame", "  int* {k} = nullptr;",
        "f.{k} = static_cast<int*>(calloc(1, 4));", "free(f.{k});"),
    "mapped": CounterPlace("++*f.{k}", "frame",
                           "  int* {k} = new (map_page()) int(0);", "",
                           "munmap(f.{k}, 4096);"),
    "specific": CounterPlace("bump_specific(f.{k})", "frame",
                             "  pthread_key_t {k};",
                             "pthread_key_create(&f.{k}, nullptr);",
                             "pthread_key_delete(f.{k});"),
    "semaphore": CounterPlace("bump_semaphore({k}.own)", "globals",
                              "Semaphore {k}{{0}};"),
    "text": CounterPlace("bump_text(f.{k})", "frame", "  Text {k}{{\"\"}};"),
    "string": CounterPlace("bump_string({k})", "globals", "std::string {k};"),
    "map": CounterPlace("bump_map(f.{k})", "frame", "  std::map<int, int> {k};"),
    "atomic": CounterPlace("{k}.fetch_add(1) + 1", "globals",
                           "std::atomic<int> {k}{{0}};"),
    "static": CounterPlace("{k}()", "globals",
                           "int {k}() {{ static int count = 0; "
                           "return ++count; }}"),
    "errno": CounterPlace("++errno", "frame", "", ""),
    "raw": CounterPlace("raw_add(&{k}, 1) + 1", "globals", "int {k} = 0;",
                        features=UNSEEN),
    "far": CounterPlace("far_bump(&{k}) ", "globals", "int {k} = 0;",
                        features=UNSEEN | {"far"}),
    "far_own": CounterPlace("far_count({k}_number)", "globals",
                            "constexpr int {k}_number = __COUNTER__ % 64;",
                            features=UNSEEN | {"far"}),
}


# Ways to read and write.  Those that the compiler's instrumentation cannot see
# have the feature "unseen".

def plain_readings(v, k):
    """Of an int; `k` is compared with where a way only tells equality."""
    def get(w, t):
        return w.read(t, v.name)

    def same(w, t):
        return int(w.read(t, v.name) == k)

    def get_hidden(w, t):
        return w.read(t, v.name, "hidden read")
    return [
        Reading(v.ref, get),
        Reading(f"copied(&{v.ref})", get),
        Reading(f"same_bytes(&{v.ref}, {k})", same),
        Reading(f"raw_read(&{v.ref})", get_hidden, UNSEEN),
        Reading(f"asm_read(&{v.ref})", get_hidden, UNSEEN | {"asm"}),
        Reading(f"far_read(&{v.ref})", get_hidden, UNSEEN | {"far"})]


def plain_writings(v, k):
    def put(w, t):
        w.write(t, v.name, k)

    def put_hidden(w, t):
        w.write(t, v.name, k, "hidden write")

    def add(w, t):
        w.read(t, v.name)
        w.write(t, v.name, (w.memory[v.name] + 1) % 8)
    return [
        Writing(f"{v.ref} = {k}", put),
        Writing(f"{v.ref} = ({v.ref} + 1) % 8", add),
        Writing(f"copy_to(&{v.ref}, {k})", put),
        Writing(f'sscanf("{k}", "%d", &{v.ref})', put),
        Writing(f"raw_write(&{v.ref}, {k})", put_hidden, UNSEEN),
        Writing(f"asm_write(&{v.ref}, {k})", put_hidden, UNSEEN | {"asm"}),
        Writing(f"kernel_write(&{v.ref}, {k})", put, UNSEEN | {"kernel"}),
        Writing(f"far_write(&{v.ref}, {k})", put_hidden, UNSEEN | {"far"})]


TEXTS = ("", "a", "ab", "abc", "b", "7", "5x")


def leading_number(text):
    digits = ""
    for letter in text:
        if not letter.isdigit():
            break
        digits += letter
    return int(digits or "0")


def text_readings(v, other):
    def told(how):
        return lambda w, t: how(w.read(t, v.name))
    return [Reading(text.format(x=f"{v.ref}.at", other=other), told(how))
            for text, how in (
                ("strlen({x})", len),
                ('strcmp({x}, "{other}") == 0', lambda s: int(s == other)),
                ('strncmp({x}, "{other}", 2) == 0',
                 lambda s: int(s[:2] == other[:2])),
                ('memcmp({x}, "{other}", sizeof "{other}") == 0',
                 lambda s: int(s == other)),
                ("strchr({x}, 'b') != nullptr", lambda s: int("b" in s)),
                ("atoi({x})", leading_number),
                ("strtol({x}, nullptr, 10)", leading_number),
                ("printed({x})", len),
                ("duplicated({x})", len),
                ("std::string({x}).size()", len),
                ('std::string_view({x}) == "{other}"',
                 lambda s: int(s == other)),
                ('strstr({x}, "{other}") != nullptr',
                 lambda s: int(other in s)))]


def text_writings(v, text):
    x = f"{v.ref}.at"

    def put(w, t):
        w.write(t, v.name, text)
    ways = [f'strcpy({x}, "{text}")', f'memcpy({x}, "{text}", sizeof "{text}")',
            f'snprintf({x}, 16, "%s", "{text}")', f'stpcpy({x}, "{text}")',
            f'strncpy({x}, "{text}", 15)', f'{v.ref} = Text{{"{text}"}}']
    if text:
        ways.append(f'sscanf("{text}", "%15s", {x})')
    return [Writing(way, put) for way in ways]


def string_readings(v, other):
    def told(how):
        return lambda w, t: how(w.read(t, v.name))
    return [Reading(text.format(x=v.ref, other=other), told(how))
            for text, how in (
                ("{x}.size() % 11", lambda s: len(s) % 11),
                ('{x} == "{other}"', lambda s: int(s == other)),
                ('{x} == std::string("{other}")', lambda s: int(s == other)),
                ('{x} < std::string("{other}")', lambda s: int(s < other)),
                ('{x}.compare("{other}") == 0', lambda s: int(s == other)),
                ("{x}.empty()", lambda s: int(not s)),
                ("std::string({x}).size() % 11", lambda s: len(s) % 11),
                ("{x}.find('b') != std::string::npos",
                 lambda s: int("b" in s)))]


def string_writings(v, text):
    def put(value):
        return lambda w, t: w.write(t, v.name, value)

    def append(w, t):
        w.read(t, v.name)
        w.write(t, v.name, w.memory[v.name] + "b")
    return [Writing(f'{v.ref} = "{text}"', put(text)),
            Writing(f"{v.ref}.assign(20, 'x')", put("x" * 20)),
            Writing(f'{v.ref} = std::string("{text}")', put(text)),
            Writing(f"{v.ref}.clear()", put("")),
            Writing(f"{v.ref}.push_back('b')", append),
            Writing(f'{v.ref} += "b"', append)]


def map_readings(v):
    def get(w, t):
        return map_number(w.read(t, v.name))
    return [Reading(f"number_of({v.ref})", get)]


def map_writings(v, k, value):
    def put(w, t):
        w.read(t, v.name)
        items = dict(w.memory[v.name])
        items[k] = value
        w.write(t, v.name, tuple(sorted(items.items())))
    return [Writing(f"{v.ref}[{k}] = {value}", put),
            Writing(f"{v.ref}.insert_or_assign({k}, {value})", put),
            Writing(f"{v.ref}.clear()",
                    lambda w, t: w.write(t, v.name, ()))]


def sequence_readings(v):
    return [Reading(f"number_of({v.ref})",
                    lambda w, t: sequence_number(w.read(t, v.name)))]


def sequence_writings(v, k):
    def change(how):
        def put(w, t):
            w.write(t, v.name, how(w.read(t, v.name)))
        return put
    return [Writing(f"{v.ref}.push_back({k})", change(lambda s: s + (k,))),
            Writing(f"{v.ref}.insert({v.ref}.begin(), {k})",
                    change(lambda s: (k,) + s)),
            Writing(f"{v.ref}.assign(1, {k})", change(lambda s: (k,)))]


def trio_readings(v):
    return [Reading(f"copy_of({v.ref})", lambda w, t: w.read(t, v.name))]


def trio_writings(v, k):
    def put(w, t):
        w.write(t, v.name, k)
    return [Writing(f"{v.ref} = Trio{{{k}, {k}, {k}}}", put),
            Writing(f"memset(&{v.ref}, 0, sizeof(Trio))",
                    lambda w, t: w.write(t, v.name, 0))]
