# SPDX-License-Identifier: Apache-2.0
# No file names a folder of somebody's machine or puts work off.
import re

import common

CODE = {".h", ".cpp", ".py", ".sh", ".cmake", ".txt", ""}

# Strings are cut in two so that this file does not break its own rules.
MACHINE_PATH = re.compile(r"(?<![\w.~])/(work|root|home)" r"/\w")
LATER = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b(?!\(#\d+\))")


def faults(root):
    for file, text in common.text_files(root):
        place = file.relative_to(root)
        for number, line in enumerate(text.splitlines(), 1):
            if path := MACHINE_PATH.search(line):
                yield f"{place}:{number}: '{path[0]}...' is on one machine only"
            if file.suffix in CODE and (later := LATER.search(line)):
                yield (f"{place}:{number}: '{later[0]}' without the number of "
                       f"an issue, as in {later[0]}(#12)")
            if file.suffix in CODE and line != line.rstrip():
                yield f"{place}:{number}: white space at the end of the line"


if __name__ == "__main__":
    common.main(faults)
