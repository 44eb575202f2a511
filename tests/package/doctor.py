# SPDX-License-Identifier: Apache-2.0
# Breaks what plumb needs, one thing at a time, and sees what `plumb doctor`
# says: doctor.py PLUMB
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from common import demand

PLUMB = pathlib.Path(sys.argv[1]).resolve()


def examine(plumb=PLUMB, before=None, **variables):
    """What it finds, by subject, with these variables of the environment."""
    where = {key: value for key, value in {**os.environ, **variables}.items()
             if value is not None}
    done = subprocess.run([plumb, "doctor", "--json", "-"], env=where,
                          preexec_fn=before, stdout=subprocess.PIPE)
    result = json.loads(done.stdout)
    healths = {each["health"] for each in result["findings"]}
    demand(done.returncode == (1 if "problem" in healths else 0),
           "status", done.returncode, "of", result)
    demand(result["ready"]["test"] == ("problem" not in healths), result)
    return {each["subject"]: each for each in result["findings"]}


def expect(findings, subject, health, found, advice):
    each = findings[subject]
    demand(each["health"] == health and found in each["found"]
           and advice in each["advice"],
           f"of '{subject}', '{health}', '{found}' and '{advice}' were "
           f"expected, not {each}")


def nothing_broken(place):
    findings = examine()
    expect(findings, "instrumentation", "ok", "one with a bug is violated", "")
    expect(findings, "debug information", "ok", "lines and variables", "")
    expect(findings, "library", "ok", "libplumbline.so", "")


def no_compiler(place):
    findings = examine(PATH=str(place), CXX=None, CC=None)
    expect(findings, "compiler", "problem", "no compiler for C++",
           "install g++ or clang++, or name one in CXX")
    expect(findings, "C compiler", "warning", "no compiler for C", "CC")
    expect(findings, "instrumentation", "problem", "not tried", "above")
    expect(findings, "debugger", "warning", "no gdb", "install gdb")


def wrong_compiler(place):
    """One that has a version but compiles nothing, and one that is nowhere."""
    fake = place / "fake"
    fake.write_text("#!/bin/sh\n"
                    "[ \"$1\" != --version ] || { echo fake 1; exit; }\n"
                    "echo 'I do not compile' >&2; exit 1\n")
    fake.chmod(0o755)
    findings = examine(CXX=str(fake))
    expect(findings, "compiler", "ok", "fake 1", "")
    expect(findings, "instrumentation", "problem", "I do not compile", "CXX")
    findings = examine(CXX="no-such-compiler")
    expect(findings, "compiler", "problem", "'no-such-compiler'", "CXX")


def blind_compiler(place):
    """One that leaves the instrumentation out: no access is seen."""
    blind = place / "blind"
    blind.write_text("#!/bin/bash\n"
                     "exec g++ \"${@/-fsanitize=thread/-w}\"\n")
    blind.chmod(0o755)
    findings = examine(CXX=str(blind))
    expect(findings, "instrumentation", "problem", "the one with a bug 'unknown'",
           "another compiler")


def no_debug_information(place):
    silent = place / "silent"
    silent.write_text("#!/bin/bash\nexec g++ \"$@\" -g0\n")
    silent.chmod(0o755)
    expect(examine(CXX=str(silent)), "debug information", "warning",
           "without their lines", "libdw")


def no_cache(place):
    file = place / "file"
    file.touch()
    findings = examine(XDG_CACHE_HOME=str(file))  # even root can write nothing
    expect(findings, "cache folder", "warning", str(file), "XDG_CACHE_HOME")
    expect(findings, "instrumentation", "ok", "", "")
    findings = examine(XDG_CACHE_HOME=None, HOME=None)
    expect(findings, "cache folder", "warning", "there is none", "HOME")


def no_temporary_folder(place):
    findings = examine(TMPDIR=str(place / "nowhere"))
    expect(findings, "temporary folder", "problem", "nowhere", "TMPDIR")
    expect(findings, "room for states", "warning", "nowhere", "--spill")


def no_library(place):
    copy = place / "bin/plumb"
    copy.parent.mkdir()
    shutil.copy(PLUMB, copy)
    expect(examine(copy), "library", "problem", "libplumbline.so",
           "install the whole of Plumbline")


def other_library(place):
    """A library of another version beside it."""
    copy = place / "old/bin/plumb"
    copy.parent.mkdir(parents=True)
    shutil.copy(PLUMB, copy)
    (place / "old/lib").mkdir()
    (place / "old/lib/libplumbline.so.0.0.9").touch()
    (place / "old/lib/libplumbline.so").symlink_to("libplumbline.so.0.0.9")
    header = place / "old/include/plumb/test.h"
    header.parent.mkdir(parents=True)
    header.touch()
    expect(examine(copy), "library", "problem", "version 0.0.9",
           "the same package")


def little_memory(place):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    expect(examine(before=limit), "memory", "problem", "8.0 GB", "ulimit -v")


def main():
    for what in (nothing_broken, no_compiler, wrong_compiler, blind_compiler,
                 no_debug_information, no_cache, no_temporary_folder,
                 no_library, other_library, little_memory):
        with tempfile.TemporaryDirectory() as temporary:
            print(what.__name__, flush=True)
            what(pathlib.Path(temporary))
    left = list(pathlib.Path(tempfile.gettempdir()).glob("plumb-doctor-*"))
    demand(not left, "it leaves", left)


if __name__ == "__main__":
    main()
