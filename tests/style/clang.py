# SPDX-License-Identifier: Apache-2.0
# clang accepts, without a warning, what g++ has compiled, but for the tests.
"""Usage: clang.py ROOT compile_commands.json

Only the front end runs, with the commands of the g++ build (which compiles several
files at once): that finds what a whole build with clang finds, but for link errors,
in a third of the time."""

import json
import pathlib
import shlex
import shutil
import sys

import common

def clang_command(entry):
    words = shlex.split(entry["command"])
    compiler = next(i for i, word in enumerate(words) if word.endswith("++"))
    options = words[compiler + 1:]
    # g++'s precompiled headers are none of clang's.
    for output in ("-o", "-MT", "-MF", "-include"):
        if output in options:
            at = options.index(output)
            del options[at:at + 2]
    options = [word for word in options
               if not word.startswith("-O") and word != "-MD"]
    # Options that only g++ knows are no fault.
    return ["clang++", "-fsyntax-only", "-Wno-unknown-warning-option",
            *options]


def faults(root):
    if not shutil.which("clang++"):
        common.skip("clang++ is not installed")
    root = pathlib.Path(root)
    entries = json.loads(pathlib.Path(sys.argv[2]).read_text())
    commands = [(entry["file"], clang_command(entry)) for entry in entries
                if not pathlib.Path(entry["file"]).is_relative_to(root / "tests")]
    for file, output in common.run_each(commands):
        place = pathlib.Path(file)
        if place.is_relative_to(root):
            place = place.relative_to(root)
        yield f"{place}:1: clang does not accept it:\n{output}"


if __name__ == "__main__":
    common.main(faults)
