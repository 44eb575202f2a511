#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs golden transcripts: run.py --plumb BINARY [--approve] FILE.test...
import shutil

import runner
import transcript


def make_folder(folder, _plumb):
    """A copy of tests/golden/files, and the examples."""
    shutil.copytree(runner.ROOT / "tests/golden/files", folder,
                    dirs_exist_ok=True)
    (folder / "examples").symlink_to(runner.ROOT / "examples")


def read(text):
    pieces = transcript.parse(text.splitlines())
    if not any(isinstance(piece, transcript.Command) for piece in pieces):
        raise SystemExit("there is no command in this transcript")
    return [pieces]


def write(_text, lists):
    return "".join(line + "\n" for line in transcript.render(lists[0]))


if __name__ == "__main__":
    runner.main(read, write, make_folder, says_status=True)
