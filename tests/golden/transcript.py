# SPDX-License-Identifier: Apache-2.0
# Transcripts of a shell: reads them, runs them, compares, writes them anew.
"""HACKING.md describes the format.  A transcript is read into a list of
pieces: a string is a line that belongs to no command and is kept as it is; a
Command is a command with what it is expected to print and to return."""

import dataclasses
import os
import re
import subprocess

TIME_LIMIT_S = 120

MASKS = {
    "{number}": r"-?\d[\d,.]*(?:e[+-]?\d+)?",
    "{seconds}": r"\d[\d,.]*(?:e[+-]?\d+)? ?(?:ns|us|µs|ms|s|min|h)\b",
    "{size}": r"\d[\d,.]* ?(?:[kKMGT]i?)?B\b",
    "{word}": r"\S+",
    "{any}": r".*",
}
ANY_LINES = "{lines}"

NO_NEWLINE = "[no newline at the end]"
EXIT = re.compile(r"\[exit (\d+)\]$")
# Output that would be read as something else gets a backslash in front.
NEEDS_ESCAPE = re.compile(r"\$ |> |\\|\[exit \d+\]$|\[no newline")


@dataclasses.dataclass
class Command:
    line: int        # where it stands in its file, from 1
    text: str
    output: list     # the expected lines, as they stand in the transcript
    status: int      # the expected exit status, None if it is not said


def parse(lines, first_line=1):
    """The pieces of a transcript."""
    pieces, at = [], 0
    while at < len(lines):
        if not lines[at].startswith("$ "):
            pieces.append(lines[at])
            at += 1
            continue
        command = Command(first_line + at, lines[at][2:], [], None)
        at += 1
        while at < len(lines) and lines[at].startswith("> "):
            command.text += "\n" + lines[at][2:]
            at += 1
        while at < len(lines) and not lines[at].startswith("$ "):
            found = EXIT.match(lines[at])
            if found:
                command.status = int(found[1])
                at += 1
                break
            command.output.append(lines[at])
            at += 1
        pieces.append(command)
        # Blank lines in front of the next command are not output.
        blank = 0
        while command.output and not command.output[-1]:
            command.output.pop()
            blank += 1
        pieces += [""] * blank
    return pieces


def render(pieces):
    """The lines of a transcript: the inverse of parse()."""
    lines = []
    for piece in pieces:
        if isinstance(piece, str):
            lines.append(piece)
            continue
        first, *more = piece.text.split("\n")
        lines += [f"$ {first}", *(f"> {line}" for line in more), *piece.output]
        if piece.status is not None:
            lines.append(f"[exit {piece.status}]")
    return lines


def escaped(output):
    """What a command printed, as the lines of a transcript."""
    lines = output.split("\n")
    if lines[-1] == "":
        lines.pop()
        at_end = []
    else:
        at_end = [NO_NEWLINE]
    lines = ["\\" + line if NEEDS_ESCAPE.match(line) else line
             for line in lines] + at_end
    while lines and not lines[-1]:
        lines.pop()  # as parse() does
    return lines


def has_mask(line):
    return any(mask in line for mask in [*MASKS, ANY_LINES])


def pattern_of(lines):
    """The regular expression for expected lines, each ended by a newline."""
    names = "|".join(re.escape(mask) for mask in MASKS)
    parts = []
    for line in lines:
        if line == ANY_LINES:
            parts.append(r"(?:.*\n)*")
            continue
        for piece in re.split(f"({names})", line):
            parts.append(MASKS.get(piece) or re.escape(piece))
        parts.append(r"\n")
    return "".join(parts)


def matches(expected, actual):
    text = "".join(line + "\n" for line in actual)
    return re.fullmatch(pattern_of(expected), text) is not None


def with_masks_kept(expected, actual):
    """The actual lines, but with the expected masks where they still fit."""
    if matches(expected, actual):
        return expected
    masked = [line for line in expected
              if has_mask(line) and line != ANY_LINES]
    result = []
    for line in actual:
        fit = next((i for i, mask in enumerate(masked)
                    if matches([mask], [line])), None)
        result.append(line if fit is None else masked[fit])
        if fit is not None:
            del masked[:fit + 1]
    return result


def execute(command, folder, environment, last_status):
    """Returns (lines, exit status); $? is that of the command before."""
    try:
        done = subprocess.run(
            ["bash", "-c", f"(exit {last_status})\n{command.text}"],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        return [f"(still running after {TIME_LIMIT_S} s)"], 124
    output = done.stdout.decode("utf-8", errors="backslashreplace")
    return escaped(output), done.returncode


def environment_for(binaries, home):
    """The same everywhere, whatever the user has set."""
    return {
        "PATH": os.pathsep.join([str(binaries), os.environ["PATH"]]),
        "HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "dumb",
        **{name: value for name, value in os.environ.items()
           if name.endswith("SAN_OPTIONS")},
    }


def run_all(pieces, folder, environment, status_if_unsaid=0):
    """Runs the commands; yields (command, lines, status) for those that do
    not do what is expected.  status_if_unsaid None: any status will do."""
    last_status = 0
    for command in (p for p in pieces if isinstance(p, Command)):
        lines, last_status = execute(command, folder, environment, last_status)
        expected = command.status
        if expected is None:
            expected = status_if_unsaid
        if not matches(command.output, lines) or (
                expected is not None and last_status != expected):
            yield command, lines, last_status
