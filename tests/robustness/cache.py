# SPDX-License-Identifier: Apache-2.0
# `plumb test` never runs a stale program from its cache of compiled tests.
"""Usage: cache.py --plumb PLUMB

Each case builds a test that holds, changes one thing that the compiler or the
linker reads or would look for, and expects that the test is violated now."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

TEST = """#include <assert.h>
#include "value.h"
int main(void) { assert(VALUE == 1); return 0; }
"""
CALLS = """#include <assert.h>
int value(void);
int main(void) { assert(value() == 1); return 0; }
"""


class Case:
    """A folder with a test, a home with a cache, and the environment."""

    def __init__(self, plumb, folder):
        self.plumb = plumb
        self.folder = pathlib.Path(folder)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.environment = dict(os.environ, HOME=str(self.home))
        for name in ("XDG_CACHE_HOME", "CPATH", "LIBRARY_PATH", "CC", "CXX"):
            self.environment.pop(name, None)
        self.faults = []

    def cache(self):
        return self.home / ".cache" / "plumbline"

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def value(self, name, value):
        self.write(name, f"#define VALUE {value}\n")

    def run(self, *words):
        return subprocess.run(
            [self.plumb, "test", "t.c", *words], cwd=self.folder,
            env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def expect(self, status, *words, said=""):
        got = self.run(*words)
        if got.returncode != status or said not in got.stdout:
            self.faults.append(f"exit {got.returncode}, not {status}"
                               f" ('{said}'):\n{got.stdout}")

    def library(self, name, value):
        """Compiles NAME.o, NAME.a or NAME.so, whose value() is this."""
        file = self.folder / name
        self.write("library.c", f"int value(void) {{ return {value}; }}\n")
        built = file.with_suffix(".o")
        flags = ["-shared", "-fPIC"] if file.suffix == ".so" else ["-c"]
        out = file if file.suffix == ".so" else built
        file.parent.mkdir(exist_ok=True)
        subprocess.run(["gcc", *flags, "-o", out, "library.c"],
                       cwd=self.folder, check=True)
        if file.suffix == ".a":
            file.unlink(missing_ok=True)
            subprocess.run(["ar", "rcs", file, built], check=True)


def changed_header(case):
    case.write("t.c", TEST)
    case.value("value.h", 1)
    case.expect(0)
    before = len(os.listdir(case.cache()))
    case.expect(0)
    if len(os.listdir(case.cache())) != before:
        case.faults.append("what did not change was built again")
    case.value("value.h", 2)
    case.expect(1)


def changed_in_memory(case):
    """/dev/shm is no device: people build there."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        case.folder = pathlib.Path(folder)
        changed_header(case)


def header_from_a_pipe(case):
    """What came through a pipe cannot be looked at again."""
    case.write("t.c", TEST)
    os.mkfifo(case.folder / "value.h")
    for value, status in ((1, 0), (2, 1)):
        writer = subprocess.Popen(
            ["sh", "-c", f"while echo '#define VALUE {value}' > value.h;"
             " do :; done"], cwd=case.folder, stderr=subprocess.DEVNULL)
        case.expect(status)
        writer.kill()
        writer.wait()


def changed_back_in_time(case):
    """A change that dates do not show: same size, same times."""
    case.write("t.c", TEST)
    case.value("value.h", 1)
    file = case.folder / "value.h"
    os.utime(file, (1e9, 1e9))
    time.sleep(0.02)
    case.expect(0)
    case.value("value.h", 2)
    os.utime(file, (1e9, 1e9))
    case.expect(1)


def changed_archive(case):
    case.write("t.c", CALLS)
    case.library("lib.a", 1)
    case.expect(0, "--", "lib.a")
    case.library("lib.a", 2)
    case.expect(1, "--", "lib.a")


def changed_object(case):
    case.write("t.c", CALLS)
    case.library("lib.o", 1)
    case.expect(0, "--", "lib.o")
    case.library("lib.o", 2)
    case.expect(1, "--", "lib.o")


def library_earlier_on_the_path(case):
    case.write("t.c", CALLS)
    (case.folder / "first").mkdir()
    case.library("second/libvalue.a", 1)
    words = ("--", "-Lfirst", "-Lsecond", "-lvalue")
    case.expect(0, *words)
    case.library("first/libvalue.a", 2)
    case.expect(1, *words)


def header_earlier_on_the_path(case):
    case.write("t.c", TEST)
    (case.folder / "first").mkdir()
    case.value("second/value.h", 1)
    words = ("--", "-Ifirst", "-Isecond")
    case.expect(0, *words)
    case.value("first/value.h", 2)
    case.expect(1, *words)


def folder_of_headers_that_appears(case):
    case.write("t.c", TEST)
    case.value("second/value.h", 1)
    words = ("--", "-Ifirst", "-Isecond")
    case.expect(0, *words)
    case.value("first/value.h", 2)
    case.expect(1, *words)


def has_include(case):
    case.write("t.c", "#if __has_include(\"own.h\")\n#include \"own.h\"\n"
               "#else\n#define VALUE 1\n#endif\n" +
               TEST.replace('#include "value.h"\n', ""))
    case.expect(0)
    case.value("own.h", 2)
    case.expect(1)


def environment(case):
    case.write("t.c", TEST)
    case.value("first/value.h", 1)
    case.value("second/value.h", 2)
    case.environment["CPATH"] = str(case.folder / "first")
    case.expect(0)
    case.environment["CPATH"] = str(case.folder / "second")
    case.expect(1)


def response_file(case):
    case.write("t.c", TEST)
    case.value("first/value.h", 1)
    case.value("second/value.h", 2)
    case.write("options", "-Ifirst\n")
    case.expect(0, "--", "@options")
    case.write("options", "-Isecond\n")
    case.expect(1, "--", "@options")


def file_that_the_assembler_reads(case):
    case.write("value.bin", "1")
    case.write("t.c", "#include <assert.h>\n"
               "__asm__(\".data\\nbytes: .incbin \\\"value.bin\\\"\\n.text\");\n"
               "extern char bytes[];\n"
               "int main(void) { assert(bytes[0] == '1'); return 0; }\n")
    case.expect(0, "--", "-fno-pie", "-Wl,-no-pie")
    case.write("value.bin", "2")
    case.expect(1, "--", "-fno-pie", "-Wl,-no-pie")


def variables_that_a_script_reads(case):
    """All that the compiler sees counts; it does not see the rest."""
    case.write("t.c", TEST.replace('#include "value.h"\n', ""))
    script = case.folder / "cc"
    names = ["GITHUB_VALUE", "XDG_CONFIG_HOME", "RUNNER_OS", "EDITOR",
             "SSH_AUTH_SOCK", "NO_COLOR", "PWD"]
    unseen = ["MAKEFLAGS", "VSCODE_PID", "XDG_SESSION_ID", "TERM"]
    for name in names + unseen:
        script.write_text("#!/bin/sh\nv=1; if env | grep -q "
                          f"'^{name}=two'; then v=2; fi\n"
                          "exec gcc -DVALUE=$v \"$@\"\n")
        script.chmod(0o755)
        case.environment["CC"] = str(script)
        case.expect(0)
        before = case.environment.get(name)
        case.environment[name] = "two"
        # A shell says itself where it is.
        case.expect(0 if name in unseen + ["PWD"] else 1)
        del case.environment[name]
        if before is not None:
            case.environment[name] = before


def compiler_that_changes(case):
    """A script that stands in for a compiler is what decides."""
    case.write("t.c", TEST.replace('#include "value.h"\n', ""))
    script = case.folder / "cc"
    script.write_text("#!/bin/sh\nexec gcc -DVALUE=${VALUE:-1} \"$@\"\n")
    script.chmod(0o755)
    case.environment["CC"] = str(script)
    case.expect(0)
    case.environment["VALUE"] = "2"
    case.expect(1)
    del case.environment["VALUE"]
    case.expect(0)
    script.write_text("#!/bin/sh\nexec gcc -DVALUE=2 \"$@\"\n")
    case.expect(1)


def damaged_entry(case):
    """Any part of an entry that is cut or changed is built anew."""
    case.write("t.c", TEST)
    case.value("value.h", 1)
    case.expect(0)
    lists = list(case.cache().glob("*.list"))
    text = lists[0].read_text().splitlines(keepends=True)
    cuts = ["", "".join(text[:1]), "".join(text[:2]), "".join(text[:3]),
            "".join(text[:-1]), "".join(text)[:-2],
            "".join(line for line in text if "value.h" not in line)]
    case.value("value.h", 2)
    for cut in cuts:
        lists[0].write_text(cut)
        case.expect(1)
    for program in case.cache().glob("t-*"):
        program.write_bytes(program.read_bytes()[:-100] + b"x" * 100)
    case.expect(1, said="violated")
    for program in case.cache().glob("t-*"):
        program.write_bytes(b"#!/bin/sh\nexit 0\n")
    case.expect(1, said="violated")


def others_may_write(case):
    case.write("t.c", TEST)
    case.value("value.h", 1)
    case.cache().mkdir(parents=True)
    case.cache().chmod(0o777)
    case.expect(0, said="others may write to")
    if os.listdir(case.cache()):
        case.faults.append("something was kept there")
    if os.geteuid() == 0:
        case.cache().chmod(0o755)
        os.chown(case.cache(), 12345, 12345)
        case.expect(0, said="belongs to somebody else")


def header_as_an_output(case):
    """What was compiled is not written over, just built or from the cache."""
    case.write("t.c", TEST)
    case.value("value.h", 1)
    for _ in range(2):
        case.expect(2, "--json", "value.h", said="was read")
    case.expect(0)


def rebuild(case):
    case.write("t.c", TEST)
    case.value("value.h", 1)
    case.expect(0)
    program = next(case.cache().glob("t-*"))
    before = program.stat().st_ino
    case.expect(0)
    if program.stat().st_ino != before:
        case.faults.append("it was built again without --rebuild")
    case.expect(0, "--rebuild")
    after = [file.stat().st_ino for file in case.cache().glob("t-*")]
    if after == [before]:
        case.faults.append("--rebuild did not build")


def bounded(case):
    case.write("t.c", TEST)
    case.value("value.h", 1)
    case.cache().mkdir(parents=True)
    for name, age in (("old", 9), ("older", 99), ("recent", 1)):
        with open(case.cache() / name, "wb") as file:
            file.truncate(600 << 20)
        then = time.time() - age * 3600
        os.utime(case.cache() / name, (then, then))
    case.expect(0)
    left = {file.name for file in case.cache().iterdir()}
    if "recent" not in left or "old" in left or "older" in left:
        case.faults.append(f"of a large cache, {left} are left")


CASES = [changed_header, changed_in_memory, header_from_a_pipe,
         changed_back_in_time, changed_archive, changed_object,
         library_earlier_on_the_path, header_earlier_on_the_path,
         folder_of_headers_that_appears, has_include, environment,
         variables_that_a_script_reads,
         response_file, file_that_the_assembler_reads, compiler_that_changes,
         damaged_entry, others_may_write, header_as_an_output, rebuild,
         bounded]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("case", nargs="?")
    arguments = parser.parse_args()
    plumb = str(pathlib.Path(arguments.plumb).resolve())
    failed = 0
    for function in CASES:
        if arguments.case not in (None, function.__name__):
            continue
        with tempfile.TemporaryDirectory() as folder:
            case = Case(plumb, folder)
            function(case)
        for fault in case.faults:
            print(f"{function.__name__}: {fault}")
        failed += bool(case.faults)
    print(f"{len(CASES)} cases, {failed} failures")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
