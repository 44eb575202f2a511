# SPDX-License-Identifier: Apache-2.0
# Completions offer what --help tells of, in every shell that is installed:
# completions.py PLUMB
import os
import pathlib
import shutil
import sys
import tempfile

from common import ROOT, demand, run

PLUMB = sys.argv[1]
FOLDER = ROOT / "completions"


def in_bash(line):
    """What is offered for the last word of a line."""
    words = line.split(" ")
    script = ('source "$1"; shift; COMP_WORDS=("$@"); '
              'COMP_CWORD=$(($# - 1)); compopt() { :; }; _plumb; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    said = run("bash", "-c", script, "bash", FOLDER / "plumb.bash", *words)
    return set(said.split())


def in_fish(line):
    said = run("fish", "--no-config", "-c",
               f"source {FOLDER / 'plumb.fish'}; complete -C '{line}'")
    return {offer.split("\t")[0] for offer in said.splitlines()}


def check(offers):
    demand(offers("plumb h") == {"history"}, offers("plumb h"))
    demand({"test", "verify", "doctor"} <= offers("plumb "), offers("plumb "))
    demand(offers("plumb test --heap ") ==
           {"lifo", "fifo", "quarantine", "shared", "all", "own"}, "--heap")
    demand({"queue", "snzi"} <= offers("plumb history --spec "), "--spec")
    demand({"--spec", "--condition"} <= offers("plumb history --"), "options")
    demand("--spec" not in offers("plumb test --"), "options of others")
    demand("naive.cpp" in offers("plumb test n"), offers("plumb test n"))
    demand("naive.cpp" in offers("plumb test --json n"), "files of options")
    demand("naive.cpp" not in offers("plumb test --jobs "), "numbers")


def main():
    run(ROOT / "tools/completions", "--check", "--plumb", PLUMB)
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / "naive.cpp").touch()
        os.chdir(place)
        check(in_bash)
        demand("naive.cpp" in in_bash("plumb test a.cpp -- n"), "for compilers")
        if shutil.which("fish"):
            check(in_fish)
    if shutil.which("zsh"):
        run("zsh", "-n", FOLDER / "_plumb")
    print("completions are as --help says")


if __name__ == "__main__":
    main()
