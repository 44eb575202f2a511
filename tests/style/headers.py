# SPDX-License-Identifier: Apache-2.0
# Each header compiles alone, and may be included twice.
"""A header that its own .cpp includes before anything else compiles alone if
the .cpp compiles at all, which is for the build to find out; openings.py sees
that it has its #pragma once.  Only the others are compiled here."""

import os
import re
import tempfile

import common

# Users of the public headers may still be on C++17.
PUBLIC, PUBLIC_STANDARD, STANDARD = "include", "c++17", "c++20"


def is_first_in_its_source(root, header):
    source = header.with_suffix(".cpp")
    if not source.exists():
        return False
    first = re.search(r'^\s*#\s*include\s*[<"]([^>"]+)', source.read_text(),
                      re.MULTILINE)
    folder = root / header.relative_to(root).parts[0]
    return first is not None and folder / first[1] == header


def commands(root, folder):
    """A file that includes nothing but the header, for each header."""
    compiler = os.environ.get("CXX", "g++")
    for number, header in enumerate(common.cpp_files(root, (".h",))):
        place = header.relative_to(root)
        if is_first_in_its_source(root, header):
            continue
        unit = os.path.join(folder, f"{number}.cpp")
        with open(unit, "w", encoding="utf-8") as file:
            file.write(f'#include "{header}"\n' * 2)
        public = place.parts[0] == PUBLIC
        for standard in [STANDARD] + [PUBLIC_STANDARD] * public:
            yield str(place), [
                compiler, f"-std={standard}", "-fsyntax-only",
                *common.include_options(root), unit]


def faults(root):
    with tempfile.TemporaryDirectory() as folder:
        for place, output in common.run_each(commands(root, folder)):
            yield f"{place}:1: does not compile alone:\n{output}"


if __name__ == "__main__":
    common.main(faults)
