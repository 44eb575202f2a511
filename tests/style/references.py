# SPDX-License-Identifier: Apache-2.0
# Each paper cited in a comment or a document is in docs/references.bib.
import re

import common

KEY = r"[A-Z][A-Za-z]+\d{2}[a-z]?"
COMMENTS = {".h": r"//.*|^\s*\*.*", ".cpp": r"//.*|^\s*\*.*",
            ".py": r"^\s*#.*", ".md": r".*"}
CITATION = re.compile(rf"\[({KEY}(?:[,;][^\]\[]*)?)(?:\]|$)")


def known_keys(root):
    bibliography = root / "docs" / "references.bib"
    if not bibliography.exists():
        return set()
    return set(re.findall(r"^@\w+\{([^,\s]+),", bibliography.read_text(),
                          re.MULTILINE))


def cited_keys(line):
    """[Lowe17], [Lowe17, p. 3] and [HerlihyWing90; Lowe17] are citations."""
    for citation in CITATION.findall(line):
        for part in citation.split(";"):
            if key := re.match(rf"\s*({KEY})(?=\s*(?:,|$))", part):
                yield key[1]


def faults(root):
    known = known_keys(root)
    for file, text in common.text_files(root):
        if file.suffix not in COMMENTS:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            comment = re.search(COMMENTS[file.suffix], line)
            for key in cited_keys(comment[0] if comment else ""):
                if key not in known:
                    yield (f"{file.relative_to(root)}:{number}: [{key}] is "
                           "not in docs/references.bib")


if __name__ == "__main__":
    common.main(faults)
