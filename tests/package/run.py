# SPDX-License-Identifier: Apache-2.0
# Installs what was built, moves it, and uses it from another project:
# run.py BUILD_DIR
import os
import pathlib
import sys
import tempfile

from common import HERE, PROGRAMS, demand, run

SHARED = ["doc/plumbline/LICENSE", "doc/plumbline/README.md",
          "doc/plumbline/docs/testing.md",
          "doc/plumbline/examples/models/counter.plumb",
          "bash-completion/completions/plumb", "zsh/site-functions/_plumb",
          "fish/vendor_completions.d/plumb.fish"]


def use_from_cmake(prefix, build):
    run("cmake", "-S", HERE, "-B", build, f"-DPROGRAMS={PROGRAMS}",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build, "--parallel", os.cpu_count())
    run("ctest", "--test-dir", build, "--output-on-failure")


def use_from_make(prefix, build):
    """With the flags that pkg-config tells, in two steps as make does it."""
    [file] = prefix.glob("**/plumbline.pc")
    where = {**os.environ, "PKG_CONFIG_PATH": str(file.parent)}

    def flags(which):
        return run("pkg-config", which, "plumbline", env=where).split()
    program = build / "by_hand"
    run("g++", "-std=c++17", "-g", *flags("--cflags"), "-c", "-o",
        f"{program}.o", PROGRAMS / "naive.cpp")
    # Some give the compiler's flags to the linker, too.
    run("g++", *flags("--cflags"), f"{program}.o", "-o", program,
        *flags("--libs"))
    said = run(program, status=1)
    demand("naive.cpp:10" in said, "no line of the source in:", said)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        first, prefix, build = (place / "first", place / "moved here",
                                place / "build")
        run("cmake", "--install", sys.argv[1], "--prefix", first)
        # Whoever still looks for the first place finds nothing.
        first.rename(prefix)
        for name in SHARED:
            demand((prefix / "share" / name).exists(), name, "is missing")
        files = [file for file in prefix.rglob("*")
                 if file.is_file() and file.suffix in (".cmake", ".pc")]
        for file in files:
            demand(str(place) not in file.read_text(), file, "names its folder")
        plumb = prefix / "bin/plumb"
        version = run(plumb, "--version")
        demand(f"yes, with g++ and {prefix}" in version, version)
        run(plumb, "test", PROGRAMS / "counter.cpp",
            env={**os.environ, "XDG_CACHE_HOME": str(place / "cache")})
        use_from_cmake(prefix, build)
        # pkg-config cannot do with spaces.
        use_from_make(prefix.rename(place / "again"), build)
    print("the installed package works")


if __name__ == "__main__":
    main()
