# SPDX-License-Identifier: Apache-2.0
# Other folders include the headers in a folder's door and no others.
"""src/FOLDER/door.txt names the headers that others may include, sorted, a name
a line.  Tests may include anything, main.cpp of a folder is part of it."""

import common
import layering


def door_of(folder):
    door = folder / "door.txt"
    return door.read_text().split() if door.exists() else []


def faults(root):
    doors = {folder.name: door_of(folder)
             for folder in sorted((root / "src").iterdir())}
    used = set()
    for file in common.cpp_files(root):
        place = file.relative_to(root)
        if place.parts[0] != "src":
            continue
        for number, quoted, target in layering.includes(file):
            other, _, name = target.partition("/")
            if not quoted or other not in doors or other == place.parts[1]:
                continue
            used.add((other, name))
            if name not in doors[other]:
                yield (f"{place}:{number}: {target} is not in the door of "
                       f"{other}/ (src/{other}/door.txt)")
    for folder, names in doors.items():
        door = f"src/{folder}/door.txt"
        if names != sorted(set(names)):
            yield f"{door}:1: sort it"
        for number, name in enumerate(names, 1):
            if not (root / "src" / folder / name).exists():
                yield f"{door}:{number}: there is no {name}"
            elif (folder, name) not in used:
                yield f"{door}:{number}: nobody outside includes {name}"


if __name__ == "__main__":
    common.main(faults)
