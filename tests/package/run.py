# SPDX-License-Identifier: Apache-2.0
# Installs what was built and uses it from another project: run.py BUILD_DIR
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        print("$", *command)
        print(done.stdout)
        sys.exit(1)
    return done.stdout


def main():
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        prefix, build = place / "prefix", place / "build"
        run("cmake", "--install", sys.argv[1], "--prefix", prefix)
        programs = HERE.parent / "golden/files/programs"
        run("cmake", "-S", HERE, "-B", build, f"-DPROGRAMS={programs}",
            f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", build)
        run("ctest", "--test-dir", build, "--output-on-failure")
        run(prefix / "bin/plumb", "test", programs / "counter.cpp")
    print("the installed package works")


if __name__ == "__main__":
    main()
