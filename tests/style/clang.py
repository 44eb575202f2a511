# SPDX-License-Identifier: Apache-2.0
# clang accepts, without a warning, what g++ has compiled, but for the tests.
"""Usage: clang.py ROOT compile_commands.json

Only the front end runs, with the options of the g++ build: that finds what a
whole build with clang finds, but for link errors, in a third of the time. Files
of folders that the sanitizers' build compiles several at once are shown several at
once here too, because most of the time goes into what they include."""

import json
import pathlib
import shlex
import shutil
import sys
import tempfile

import common

# As with PLUMB_UNITY in CMakeLists.txt.
TOGETHER = ("base", "history", "lts", "explore", "lang", "cli")
AT_ONCE = 8


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


def batches(root, entries, folder):
    """Pairs of what is compiled and the command: a file, or several."""
    groups = {}
    for entry in entries:
        file = pathlib.Path(entry["file"])
        if file.is_relative_to(root / "tests") or file.suffix != ".cpp":
            continue
        command = clang_command(entry)
        if file.parent.parent != root / "src" or (
                file.parent.name not in TOGETHER):
            yield str(file), command
            continue
        options = [word for word in command if word != str(file)]
        groups.setdefault(tuple(options), []).append(file)
    for number, (options, files) in enumerate(groups.items()):
        for at in range(0, len(files), AT_ONCE):
            batch = pathlib.Path(folder) / f"batch_{number}_{at}.cpp"
            batch.write_text("".join(f'#include "{file}"\n'
                                     for file in files[at:at + AT_ONCE]))
            yield str(files[at]), [*options, str(batch)]


def faults(root):
    if not shutil.which("clang++"):
        common.skip("clang++ is not installed")
    root = pathlib.Path(root)
    entries = json.loads(pathlib.Path(sys.argv[2]).read_text())
    with tempfile.TemporaryDirectory() as folder:
        commands = list(batches(root, entries, folder))
        for file, output in common.run_each(commands):
            place = pathlib.Path(file)
            if place.is_relative_to(root):
                place = place.relative_to(root)
            yield f"{place}:1: clang does not accept it:\n{output}"


if __name__ == "__main__":
    common.main(faults)
