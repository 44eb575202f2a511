# SPDX-License-Identifier: Apache-2.0
# The command line that golden/run.py and docs/run.py have in common.
import argparse
import difflib
import pathlib
import sys
import tempfile

import transcript

ROOT = pathlib.Path(__file__).resolve().parents[2]


def approve(command, lines, status, always_say_status):
    command.output = transcript.with_masks_kept(command.output, lines)
    if always_say_status or command.status is not None:
        command.status = status


def show(file, command, lines, status):
    """Prints what was expected and what came."""
    print(f"{file}:{command.line}: $ {command.text}")
    actual = transcript.Command(0, command.text, transcript.with_masks_kept(
        command.output, lines), status)
    expected = transcript.Command(0, command.text, command.output,
                                  status if command.status is None
                                  and status == 0 else command.status)
    print("\n".join(difflib.unified_diff(
        transcript.render([expected])[1:], transcript.render([actual])[1:],
        "expected", "actual", n=3, lineterm="")))
    print()


def main(read, write, make_folder, says_status):
    """read(text): lists of pieces; write(text, lists): the text anew;
    make_folder(folder, plumb): fills the folder that commands run in."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", type=pathlib.Path, help="the tool itself")
    parser.add_argument("--approve", action="store_true",
                        help="write what the commands do into the files")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    commands, wrong = 0, 0
    for file in options.files:
        text = file.read_text(encoding="utf-8")
        lists = read(text)
        commands += sum(isinstance(piece, transcript.Command)
                        for pieces in lists for piece in pieces)
        with tempfile.TemporaryDirectory() as temporary:
            place = pathlib.Path(temporary)
            (place / "bin").mkdir()
            (place / "files").mkdir()
            if options.plumb:
                (place / "bin/plumb").symlink_to(options.plumb.resolve())
            make_folder(place / "files", place / "bin/plumb")
            environment = transcript.environment_for(place / "bin", place)
            for pieces in lists:
                for command, lines, status in transcript.run_all(
                        pieces, place / "files", environment,
                        0 if says_status else None):
                    wrong += 1
                    show(file, command, lines, status)
                    approve(command, lines, status, says_status)
        if options.approve:
            anew = write(text, lists)
            if anew != text:
                file.write_text(anew, encoding="utf-8")
                print(f"{file}: written anew")
    if options.approve:
        return
    if wrong:
        print(f"{wrong} commands do something else; if that is right, run "
              "tools/approve")
        sys.exit(1)
    print(f"{commands} commands do what is expected")
