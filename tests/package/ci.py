# SPDX-License-Identifier: Apache-2.0
# The recipe of docs/ci.md, with what is installed, in a project outside of the
# tree: ci.py BUILD_DIR
import os
import pathlib
import re
import shutil
import sys
import tempfile

from common import PROGRAMS, ROOT, demand, run


def recipe():
    """The script that the document shows."""
    text = (ROOT / "docs/ci.md").read_text()
    found = re.search(r"```sh\n(# file: check\.sh\n.*?)```", text, re.S)
    demand(found, "docs/ci.md has no block '# file: check.sh'")
    return found[1]


def make_project(project):
    for name in ("runs", "tests", "models"):
        (project / name).mkdir(parents=True)
    shutil.copy(ROOT / "examples/histories/queue.jsonl", project / "runs")
    shutil.copy(ROOT / "examples/models/counter.plumb", project / "models")
    shutil.copy(PROGRAMS / "counter.cpp", project / "tests")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        run("cmake", "--install", sys.argv[1], "--prefix", place / "prefix")
        script, project = place / "check.sh", place / "project"
        script.write_text(recipe())
        where = {**os.environ, "XDG_CACHE_HOME": str(place / "cache"),
                 "PATH": f"{place / 'prefix/bin'}:{os.environ['PATH']}"}

        def check(status):
            return run("bash", script, project, status=status, cwd=place,
                       env=where)
        make_project(project)
        check(status=0)
        for name in ("histories", "tests", "models"):
            report = (project / f"results/{name}.xml").read_text()
            demand('failures="0"' in report, report)
        # A bug in any one of the three turns it red, and so does rubbish.
        for source, folder in (
                (ROOT / "examples/histories/queue_overtaken.jsonl", "runs"),
                (PROGRAMS / "naive.cpp", "tests"),
                (PROGRAMS / "mistakes.cpp", "models/broken.plumb")):
            added = project / folder
            if added.is_dir():
                added = added / source.name
            shutil.copy(source, added)
            check(status=1)
            added.unlink()
        check(status=0)
    print("the recipe works")


if __name__ == "__main__":
    main()
