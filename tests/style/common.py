# SPDX-License-Identifier: Apache-2.0
# What the style tests share: which files there are, and how faults are told.
"""A style test is a script `RULE.py ROOT` with a function `faults(root)` that
yields lines `file:line: what is wrong`.  It exits with 1 if there are any."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77  # the exit status by which ctest knows a test that was skipped
NOT_OURS = {".git", "build", ".cache", "__pycache__"}
INPUTS = {"tests/fuzz/corpus", "tests/golden/files"}  # may look like anything
CPP_FOLDERS = ("src", "include", "tests", "examples", "bench")


def all_files(root):
    """Every file of the tree that may be committed, sorted."""
    found = []
    for folder, folders, names in os.walk(root):
        place = pathlib.Path(folder).relative_to(root)
        folders[:] = sorted(f for f in folders if f not in NOT_OURS
                            and (place / f).as_posix() not in INPUTS)
        # In a worktree of git, .git is a file.
        found += [pathlib.Path(folder, name) for name in sorted(names)
                  if name not in NOT_OURS]
    return found


def cpp_files(root, suffixes=(".h", ".cpp")):
    return [
        file for file in all_files(root)
        if file.suffix in suffixes
        and file.relative_to(root).parts[0] in CPP_FOLDERS
    ]


def text_files(root):
    """Pairs of a file and its text, for all files that are text."""
    for file in all_files(root):
        try:
            yield file, file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def include_options(root):
    return [f"-I{root / folder}" for folder in ("src", "include", "tests")]


# Raw strings, strings, characters, numbers (for their ' signs) and comments.
TOKENS = re.compile(
    r'R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|\b\d[\w.']*"
    r"|'(?:\\.[^']*|[^'\\\n])'"
    r"|//[^\n]*"
    r"|/\*.*?\*/",
    re.DOTALL)


def code_only(text):
    """The text of a C++ file with comments and what is quoted blanked out;
    line numbers and columns stay."""
    def blank(match):
        if match[0][0].isdigit():
            return match[0].replace("'", "0")
        return re.sub(r"[^\n]", " ", match[0])
    return TOKENS.sub(blank, text)


def run_each(commands):
    """Runs pairs (name, command) in parallel; yields (name, output) of those
    that fail."""
    def run(named):
        name, command = named
        done = subprocess.run(command, capture_output=True, text=True)
        return name, done.returncode, done.stdout + done.stderr
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, output in pool.map(run, commands):
            if status != 0:
                yield name, output.strip()


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def main(faults):
    root = pathlib.Path(sys.argv[1]).resolve()
    bad = list(faults(root))
    rule = pathlib.Path(sys.argv[0]).stem
    print("\n".join(bad) or f"{rule}: ok")
    sys.exit(bool(bad))
