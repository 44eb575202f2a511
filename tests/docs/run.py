#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Runs what documents show: run.py --plumb BINARY [--approve] FILE.md...
"""Each fenced block of the kind `console` is a transcript, run as if in the
root of the repository.  What exit status a command has is compared only where
the document says `[exit n]`.

Each fenced block of the kind `plumb` is a model.  It is laid out as `plumb
format` does it, and `plumb verify` must find its checks as they expect.  If its
first line is `// file: NAME.plumb`, later consoles find it under that name.
A block of the kind `plumb wrong` has errors: it is only put there.  So is a
block of another kind whose first line is `// file: NAME` or `# file: NAME`; it
gets a file of its own, whatever has that name in the repository.  If it looks
for Plumbline with CMake, Plumbline gets installed.  A block of the kind `csp`
is a CSP# model: its assertions must be as they expect."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))

import runner  # noqa: E402
import transcript  # noqa: E402


# Installs what was built so that CMake finds it where the PATH leads: the tool
# is in $HOME/bin already.
INSTALL = """
cmake --install "$(dirname "$(readlink -f "$(command -v plumb)")")" \\
  --prefix "$HOME/installed" > install.log || cat install.log
for part in lib include; do ln -sfn "installed/$part" "$HOME/$part"; done
"""


def make_folder(folder, plumb):
    """Looks like the root, but what commands write does not get there, and
    ./plumb is the tool under test."""
    for entry in runner.ROOT.iterdir():
        if entry.name not in ("plumb", ".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "plumb").symlink_to(plumb)


def blocks(lines):
    """Triples (kind, first, last + 1): the insides of the fenced blocks."""
    first, fence = None, None
    for at, line in enumerate(lines):
        if fence is None and line.startswith("```"):
            fence = line[3:]
            first = at + 1
        elif fence is not None and line == "```":
            yield fence, first, at
            fence = None


def model_commands(lines, first_line, wrong):
    """The command that puts a model there and checks it."""
    name = re.match(r"// file: (\w+\.plumb)$", lines[0] if lines else "")
    file = name[1] if name else f"line_{first_line}.plumb"
    text = "\n".join([f"cat > {file} <<'END_OF_MODEL'", *lines, "END_OF_MODEL"])
    if not wrong:
        text += f"\nplumb verify --quiet {file} && plumb format --check {file}"
    return [transcript.Command(first_line, text, [], 0)]


def csp_commands(lines, first_line):
    name = re.match(r"// file: (\w+\.csp)$", lines[0] if lines else "")
    file = name[1] if name else f"line_{first_line}.csp"
    text = "\n".join([f"cat > {file} <<'END_OF_MODEL'", *lines, "END_OF_MODEL",
                      f"plumb verify --quiet {file} 2> warnings"])
    return [transcript.Command(first_line, text, [], 0)]


def file_commands(lines, first_line):
    """The command that puts a file there, if it has a name."""
    name = re.match(r"(?://|#) file: ((?!/)[\w./-]+\.\w+)$",
                    lines[0] if lines else "")
    if not name:
        return []
    folder = pathlib.PurePath(name[1]).parent
    if folder.parts and (runner.ROOT / folder.parts[0]).exists():
        sys.exit(f"line {first_line}: {name[1]} would be in the repository")
    text = "\n".join([f"mkdir -p {folder}; rm -f {name[1]}",
                      f"cat > {name[1]} <<'END_OF_FILE'", *lines,
                      "END_OF_FILE"])
    if "find_package(Plumbline" in text:
        text += INSTALL
    return [transcript.Command(first_line, text, [], 0)]


def read(text):
    lines = text.splitlines()
    lists = []
    for kind, first, last in blocks(lines):
        if kind == "console":
            lists.append(transcript.parse(lines[first:last], first + 1))
        elif kind in ("plumb", "plumb wrong"):
            lists.append(model_commands(lines[first:last], first + 1,
                                        kind == "plumb wrong"))
        elif kind == "csp":
            lists.append(csp_commands(lines[first:last], first + 1))
        else:
            lists.append(file_commands(lines[first:last], first + 1))
    return lists


def write(text, lists):
    """The text with what its consoles print now; models stay as they are."""
    lines = text.splitlines()
    for (kind, first, last), pieces in reversed(
            list(zip(blocks(lines), lists, strict=True))):
        if kind == "console":
            lines[first:last] = transcript.render(pieces)
    return "".join(line + "\n" for line in lines)


if __name__ == "__main__":
    runner.main(read, write, make_folder, says_status=False)
