# SPDX-License-Identifier: Apache-2.0
# Each folder of src/ may include only the folders below it.
import re

import common

# The arrows of ARCHITECTURE.md.  Each folder may include itself too; plumb/
# stands for the public headers.
MAY_INCLUDE = {
    "base": [],
    "spec": ["base"],
    "history": ["base", "spec"],
    "check": ["base", "spec", "history"],
    "lts": ["base"],
    "explore": ["base", "lts"],
    "text": ["base"],
    "lang": ["base", "text", "spec", "lts"],
    "csp": ["base", "text", "lts"],
    "verify": ["base", "spec", "history", "check", "lts", "explore"],
    "ltl": ["base", "text"],
    "assertions": ["base", "spec", "history", "check", "lts", "explore",
                   "verify", "ltl"],
    "ask": ["base", "text", "spec", "history", "check", "lts", "explore",
            "lang", "csp", "verify", "ltl", "assertions"],
    "report": ["base", "spec", "history", "check", "lts", "verify"],
    "sched": ["base"],
    "runtime": ["base", "sched", "plumb"],
    "harness": ["base", "spec", "history", "check", "lang", "report", "sched",
                "runtime", "plumb"],
    "cli": ["base", "spec", "history", "check", "lts", "explore", "text",
            "lang", "csp", "verify", "ltl", "assertions", "ask", "report"],
}

# What only one folder may use, so that the choice stays in one place.
HEADERS_OF = {"CLI/": "cli", "simdjson": "history", "zlib.h": "base",
              "nlohmann/": "report"}


INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)')


def includes(file):
    """Number of the line, whether it is quoted and target of each include."""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        include = INCLUDE.match(line)
        if include:
            yield number, include[1] == '"', include[2]


def fault_of(folder, quoted, target):
    """What is wrong with src/FOLDER including this target, or None."""
    parts = target.split("/")
    if ".." in parts or "." in parts:
        return f"{target} goes another way than from the src root"
    for prefix, owner in HEADERS_OF.items():
        if target.startswith(prefix) and folder != owner:
            return f"only {owner}/ may include {target}"
    other = parts[0]
    if not quoted:
        if other in MAY_INCLUDE and len(parts) > 1:
            return f"<{target}> is one of ours: write it in quotes"
        return None
    if len(parts) == 1:
        return f'"{target}" must be included from the src root'
    if other != folder and other not in MAY_INCLUDE[folder]:
        return f"{folder}/ may not include {other}/"
    return None


def faults(root):
    for file in common.cpp_files(root):
        place = file.relative_to(root)
        if place.parts[0] != "src":
            continue
        folder = place.parts[1]
        if folder not in MAY_INCLUDE:
            yield f"{place}:1: layering.py does not know the folder {folder}/"
            continue
        for number, quoted, target in includes(file):
            fault = fault_of(folder, quoted, target)
            if fault:
                yield f"{place}:{number}: {fault}"


if __name__ == "__main__":
    common.main(faults)
