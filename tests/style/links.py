# SPDX-License-Identifier: Apache-2.0
# Each relative link of a document leads to a file, a heading, a picture.
"""Headings get their anchors as GitHub gives them; tools/manual does the same.
Pictures need words for those who cannot see them."""
import re
import urllib.parse

import common

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def prose(text):
    """The text with fenced blocks and spans of code blanked."""
    fenced, lines = False, []
    for line in text.splitlines():
        is_fence = line.lstrip().startswith("```")
        lines.append("" if fenced or is_fence else line)
        fenced ^= is_fence
    return re.sub(r"`[^`\n]*`", "``", "\n".join(lines))


def anchors(text):
    """Where `#...` can lead; a heading that comes again gets a number."""
    found = {}
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        heading = None if fenced else re.match(r"#{1,6} +(.*?) *#*$", line)
        if not heading:
            continue
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        again = found.get(name, 0)
        found[name] = again + 1
        if again:
            found[f"{name}-{again}"] = 1
    return found


def fault_of(file, texts, target):
    """What is wrong with a link of `file`, or None."""
    path, _, anchor = urllib.parse.unquote(target).partition("#")
    place = (file.parent / path).resolve() if path else file.resolve()
    if not place.exists():
        return f"'{target}' leads nowhere"
    if not anchor:
        return None
    text = texts.get(place)
    if text is None or anchor not in anchors(text):
        return f"'{target}' leads to no heading of that file"
    return None


def faults(root):
    texts = {file.resolve(): text for file, text in common.text_files(root)
             if file.suffix == ".md"}
    for file, text in texts.items():
        plain = prose(text)
        for link in LINK.finditer(plain):
            picture, words, target = link.groups()
            number = plain.count("\n", 0, link.start(3)) + 1
            where = f"{file.relative_to(root.resolve())}:{number}: "
            if re.match(r"[a-z]+:", target):
                continue  # another site: not looked at
            if fault := fault_of(file, texts, target):
                yield where + fault
            if picture and not words.strip():
                yield where + f"the picture '{target}' has no words"


if __name__ == "__main__":
    common.main(faults)
