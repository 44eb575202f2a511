# SPDX-License-Identifier: Apache-2.0
# The libraries of the folders refer only to symbols of folders below them.
"""`symbols.py ROOT BUILD`: what an include does not show, a declaration by hand
or a template that is instantiated elsewhere, the linker sees."""

import pathlib
import subprocess
import sys

import common
import layering

DEFINED = set("TDBRSAI")  # not the weak ones: inline functions are everywhere
# Others stand in for functions of the system, which everybody uses.
OURS = "5plumb"


def symbols(files):
    """The symbols that object files or archives define, and those they want."""
    out = subprocess.run(["nm", "-P", "-g", *map(str, files)], text=True,
                         capture_output=True, check=True).stdout
    defined, wanted = set(), set()
    for line in out.splitlines():
        words = line.split()
        if len(words) < 2 or OURS not in words[0]:
            continue
        if words[1] in DEFINED:
            defined.add(words[0])
        elif words[1] == "U":
            wanted.add(words[0])
    return defined, wanted


def parts_of(build):
    """What each folder of src/ was compiled to."""
    for folder in layering.MAY_INCLUDE:
        library = build / f"libplumb_{folder}.a"
        if library.exists():
            yield folder, [library]
    tool = sorted((build / "CMakeFiles/plumb.dir/src/cli").glob("*.o"))
    if tool:
        yield "cli", tool


def faults(root):
    build = pathlib.Path(sys.argv[2]).resolve()
    found = {folder: symbols(files) for folder, files in parts_of(build)}
    if not found:
        common.skip(f"nothing was built in {build}")
    owner = {name: folder for folder, (defined, _) in found.items()
             for name in defined}
    for folder, (defined, wanted) in found.items():
        may = {folder, *layering.MAY_INCLUDE[folder]}
        bad = {}
        for name in sorted(wanted - defined):
            if name in owner and owner[name] not in may:
                bad.setdefault(owner[name], name)
        for other, name in sorted(bad.items()):
            yield f"src/{folder}:1: {folder}/ may not use {other}/: {name}"


if __name__ == "__main__":
    common.main(faults)
