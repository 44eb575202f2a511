#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs the consoles of documents: run.py --plumb BINARY [--approve] FILE.md...
"""Each fenced block of the kind `console` is a transcript, run as if in the
root of the repository.  What exit status a command has is compared only where
the document says `[exit n]`."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))

import runner  # noqa: E402
import transcript  # noqa: E402


def make_folder(folder, plumb):
    """Looks like the root, but what commands write does not get there, and
    ./plumb is the tool under test."""
    for entry in runner.ROOT.iterdir():
        if entry.name not in ("plumb", ".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "plumb").symlink_to(plumb)


def consoles(lines):
    """Pairs (first, last + 1): the insides of the fenced console blocks."""
    first, fence = None, None
    for at, line in enumerate(lines):
        if fence is None and line.startswith("```"):
            fence = line
            first = at + 1
        elif fence is not None and line == "```":
            if fence == "```console":
                yield first, at
            fence = None


def read(text):
    lines = text.splitlines()
    return [transcript.parse(lines[first:last], first + 1)
            for first, last in consoles(lines)]


def write(text, lists):
    lines = text.splitlines()
    for (first, last), pieces in reversed(
            list(zip(consoles(lines), lists, strict=True))):
        lines[first:last] = transcript.render(pieces)
    return "".join(line + "\n" for line in lines)


if __name__ == "__main__":
    runner.main(read, write, make_folder, says_status=False)
