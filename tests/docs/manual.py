# SPDX-License-Identifier: Apache-2.0
# The manual's pages can be made, and each of their links leads somewhere.
"""manual.py ROOT: also says which pictures are not as tools/pictures draws
them.  Without Node, or what npm brings, the pages are skipped."""
import html.parser
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

SKIPPED = 77


class Page(html.parser.HTMLParser):
    """What a page refers to, what can be referred to, and its open elements."""

    ALONE = {"meta", "link", "img", "br", "hr"}

    def __init__(self, text):
        super().__init__()
        self.targets, self.names, self.open = [], set(), []
        self.faults = []
        self.feed(text)
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            if values["id"] in self.names:
                self.faults.append(f"id '{values['id']}' comes twice")
            self.names.add(values["id"])
        self.targets += [values[name] for name in ("href", "src")
                         if name in values]
        if tag == "img" and not values.get("alt"):
            self.faults.append(f"'{values.get('src')}' has no words")
        if tag == "script":
            self.faults.append("a script")
        if tag not in self.ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")


def faults(folder):
    pages = {file.name: Page(file.read_text(encoding="utf-8"))
             for file in sorted(folder.glob("*.html"))}
    for name, page in pages.items():
        for fault in page.faults:
            yield f"{name}: {fault}"
        for target in page.targets:
            if target.startswith("data:"):
                continue
            if urllib.parse.urlparse(target).scheme:
                yield from [] if target.startswith("https:") else [
                    f"{name}: '{target}'"]
                continue
            file, _, anchor = urllib.parse.unquote(target).partition("#")
            if not (folder / (file or name)).is_file():
                yield f"{name}: '{target}' leads nowhere"
            elif anchor and anchor not in pages[file or name].names:
                yield f"{name}: '{target}' leads to no heading"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    subprocess.run([root / "tools/pictures", "--check"], check=True)
    if not shutil.which("node") or not shutil.which("npm"):
        print("Node is not installed")
        sys.exit(SKIPPED)
    installed = subprocess.run(
        [root / "page/modules", root / "manual", root / "build/node/manual"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if installed.returncode != 0:
        print(installed.stdout, "npm cannot be reached", sep="\n")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run([root / "tools/manual", temporary], check=True)
        found = list(faults(pathlib.Path(temporary)))
    print("\n".join(found) or "manual: ok")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
