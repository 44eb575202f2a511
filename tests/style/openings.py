# SPDX-License-Identifier: Apache-2.0
# Each file opens with its licence and, most of them, with its purpose.
import re

import common

LICENCE = "SPDX-License-Identifier: Apache-2.0"


def is_script(file, lines):
    return file.suffix in (".py", ".sh") or (
        lines and re.match(r"#!.*(sh|python3)$", lines[0]))


def cpp_faults(place, lines):
    if lines[:1] != [f"// {LICENCE}"]:
        yield f"{place}:1: the first line must be '// {LICENCE}'"
    if place.suffix != ".h":
        return
    if len(lines) < 2 or not re.match(r"// \S.*\.$", lines[1]):
        yield f"{place}:2: the second line must be a comment: its purpose."
    code = next((line for line in lines if not line.startswith("//")), "")
    if code != "#pragma once":
        yield f"{place}:3: '#pragma once' must follow the opening comment"


def script_faults(place, lines):
    at = 1 if lines[0].startswith("#!") else 0
    if lines[at:at + 1] != [f"# {LICENCE}"]:
        yield f"{place}:{at + 1}: this line must be '# {LICENCE}'"
    if len(lines) < at + 2 or not re.match(r"# \S", lines[at + 1]):
        yield f"{place}:{at + 2}: this line must be a comment: its purpose."


def faults(root):
    cpp = set(common.cpp_files(root))
    for file, text in common.text_files(root):
        lines, place = text.splitlines(), file.relative_to(root)
        if file in cpp:
            yield from cpp_faults(place, lines)
        elif lines and is_script(file, lines):
            yield from script_faults(place, lines)


if __name__ == "__main__":
    common.main(faults)
