# SPDX-License-Identifier: Apache-2.0
# Each header compiles alone, and may be included twice.
import os
import tempfile

import common

# Users of the public headers may still be on C++17.
PUBLIC, PUBLIC_STANDARD, STANDARD = "include", "c++17", "c++20"


def commands(root, folder):
    """A file that includes nothing but the header, for each header."""
    compiler = os.environ.get("CXX", "g++")
    for number, header in enumerate(common.cpp_files(root, (".h",))):
        place = header.relative_to(root)
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
