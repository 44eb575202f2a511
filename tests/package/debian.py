# SPDX-License-Identifier: Apache-2.0
# Makes the Debian package and uses what is in it: debian.py BUILD_DIR
import gzip
import os
import pathlib
import re
import shutil
import sys
import tempfile

from common import PROGRAMS, SKIPPED, demand, run

NEEDED = ["cpack", "dpkg-deb", "dpkg-shlibdeps", "lintian", "help2man"]


def check_control(package):
    control = run("dpkg-deb", "--field", package)
    depends = re.search(r"^Depends: (.*)$", control, re.M)[1]
    for name in ("g++", "libc6", "libdw1", "libfmt"):
        demand(name in depends, f"it does not depend on {name}:", depends)


def check_with_lintian(package):
    """Nothing that lintian calls an error or a warning."""
    said = run("lintian", "--allow-root", "--fail-on", "error,warning", package)
    demand(not re.search(r"^[EW]:", said, re.M), said)


def use(package, place):
    """As from another machine's /usr; a library or header of the tree that the
    package was built from would not be found from there."""
    root = place / "root"
    run("dpkg-deb", "-x", package, root)
    plumb = root / "usr/bin/plumb"
    where = {**os.environ, "XDG_CACHE_HOME": str(place / "cache")}
    version = run(plumb, "--version")
    demand(f"yes, with g++ and {root}" in version, version)
    said = run(plumb, "test", PROGRAMS / "naive.cpp", status=1, env=where)
    demand("naive.cpp:10" in said, "no line of the source in:", said)
    examples = root / "usr/share/doc/plumbline/examples"
    run(plumb, "verify", examples / "models/counter.plumb", "--quiet")
    pages = root / "usr/share/man/man1"  # lintian has looked at how they are
    for name in ["plumb", *commands_of(plumb)]:
        demand((pages / f"{name}.1.gz").exists(), name, "has no page")
    text = gzip.decompress((pages / "plumb-test.1.gz").read_bytes()).decode()
    demand(r"\fB\-\-replay\fR SCHEDULE" in text, "--replay is not in", text)


def commands_of(plumb):
    listed = run(plumb, "--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return [f"plumb-{line.split()[0]}" for line in listed.splitlines()]


def main():
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        print("skipped: there is no", ", ".join(missing))
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        # Others may read it, so that lintian and apt can.
        place.chmod(0o755)
        run("cpack", "-G", "DEB", "-B", place / "made", cwd=sys.argv[1])
        [package] = (place / "made").glob("*.deb")
        check_control(package)
        check_with_lintian(package)
        use(package, place)
    print("the Debian package works")


if __name__ == "__main__":
    main()
