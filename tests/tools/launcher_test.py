# SPDX-License-Identifier: Apache-2.0
# ./plumb builds when it must, and only then; tools/setup says what it lacks.
"""Runs the scripts in a small tree of their own, with a tool of a few lines
and stand-ins for the commands that install packages."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(Small LANGUAGES CXX)
add_executable(plumb src/cli/main.cpp)
"""
MAIN = r"""#include <cstdio>
int main(int count, char** words) {
  for (int i = 1; i < count; ++i) std::printf("VERSION [%s]\n", words[i]);
  return 3;
}
"""


class Launcher(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "a tree"
        shutil.copytree(ROOT / "tools", self.tree / "tools")
        for name in ("plumb", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.tree)
        (self.tree / "CMakeLists.txt").write_text(CMAKE)
        (self.tree / "src/cli").mkdir(parents=True)
        (self.tree / "include").mkdir()
        (self.tree / "page/dist").mkdir(parents=True)
        (self.tree / "cmake").mkdir()
        self.write_tool("one")
        self.commands = self.folder / "bin"
        self.commands.mkdir()
        # The test shall not install anything: all packages are there.
        self.stand_in("dpkg-query", 'shift 3; printf "%s installed\\n" "$@"')

    def write_tool(self, version):
        (self.tree / "src/cli/main.cpp").write_text(
            MAIN.replace("VERSION", version))

    def stand_in(self, name, script):
        (self.commands / name).write_text(f"#!/bin/bash\n{script}\n")
        (self.commands / name).chmod(0o755)

    def environment(self):
        return {**os.environ, "CCACHE_DISABLE": "1",
                "PATH": f"{self.commands}:{os.environ['PATH']}"}

    def run_it(self, *command, folder=None):
        return subprocess.run(
            [str(word) for word in command], cwd=folder or self.folder,
            env=self.environment(), capture_output=True, text=True,
            stdin=subprocess.DEVNULL)

    def plumb(self, *arguments):
        done = self.run_it(self.tree / "plumb", *arguments)
        return done.returncode, done.stdout, done.stderr

    def test_it_builds_once_and_hands_arguments_and_status_on(self):
        status, out, err = self.plumb("a b", "*")
        self.assertEqual((status, out), (3, "one [a b]\none [*]\n"), err)
        self.assertEqual(err, "plumb: configuring in build/release\n"
                         "plumb: building (4 to 5 minutes on two cores the first "
                         "time, seconds from then on)\n")
        self.assertEqual(self.plumb("x"), (3, "one [x]\n", ""))

    def test_it_builds_again_when_a_source_changes_or_goes(self):
        self.plumb()
        self.write_tool("two")
        status, out, err = self.plumb("x")
        self.assertEqual((status, out), (3, "two [x]\n"))
        self.assertIn("building", err)
        (self.tree / "src/cli/main.cpp").unlink()
        status, out, err = self.plumb("x")
        self.assertEqual((status, out), (2, ""))

    def test_a_build_that_fails_is_shown_and_tried_again(self):
        (self.tree / "src/cli/main.cpp").write_text("nonsense\n")
        for _ in range(2):
            status, out, err = self.plumb()
            self.assertEqual((status, out), (2, ""))
            self.assertIn("nonsense", err)
            self.assertTrue(err.endswith("plumb: could not build\n"), err)
        self.write_tool("mended")
        self.assertEqual(self.plumb("x")[:2], (3, "mended [x]\n"))

    def test_a_build_that_takes_long_says_how_far_it_is(self):
        self.stand_in("cmake", """[[ $1 != --build ]] || {
            echo "[3/7] Building a.o"; sleep 3
            mkdir -p "$2"; echo 'exit 3' >"$2/plumb"; chmod +x "$2/plumb"; }""")
        os.environ["PLUMB_PROGRESS_SECONDS"] = "1"
        self.addCleanup(os.environ.pop, "PLUMB_PROGRESS_SECONDS")
        status, _, err = self.plumb()
        self.assertRegex(err, r"plumb: \d+ s: step \[3/7\]\n")
        self.assertEqual(status, 3, err)

    def test_it_works_through_a_link_and_from_elsewhere(self):
        link = self.folder / "link"
        link.symlink_to(self.tree / "plumb")
        done = self.run_it("./link", "x")
        self.assertEqual((done.returncode, done.stdout), (3, "one [x]\n"))
        done = self.run_it("../../plumb", "x", folder=self.tree / "src/cli")
        self.assertEqual((done.returncode, done.stdout), (3, "one [x]\n"))

    def test_two_at_once_build_once(self):
        running = [subprocess.Popen(
            [str(self.tree / "plumb"), "x"], env=self.environment(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(3)]
        results = [process.communicate() for process in running]
        self.assertEqual([out for out, _ in results], ["one [x]\n"] * 3)
        self.assertEqual(
            sum("building" in err for _, err in results), 1, results)

    def test_it_is_quick_when_nothing_has_changed(self):
        self.plumb()
        best = float("inf")
        for _ in range(5):
            began = time.monotonic()
            self.plumb()
            best = min(best, time.monotonic() - began)
        self.assertLess(best, 0.2)  # about 0.01 s; machines may be busy

    def missing(self, name):
        """One package is missing; everything else is there."""
        self.stand_in("dpkg-query", 'shift 3; printf "%s installed\\n" "$@"'
                      f" | grep -v '^{name} '")

    def setup(self):
        done = self.run_it(self.tree / "tools/setup", "build")
        return done.returncode, done.stdout, done.stderr

    def test_what_is_missing_is_installed(self):
        self.missing("libfmt-dev")
        self.stand_in("id", "echo 0")
        self.stand_in("apt-get", f"""echo "$@" >>"{self.folder}/calls"
            [[ "$*" != *--assume-no* ]] || cat <<TXT
Need to get 1,234 kB/25.2 MB of archives.
After this operation, 107 MB of additional disk space will be used.
TXT""")
        status, out, err = self.setup()
        self.assertEqual((status, out, err), (
            0, "", "plumb: installing libfmt-dev: 25.2 MB to download, "
            "107 MB on disk\n"))
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual(len(calls), 3)
        self.assertTrue(calls[0].endswith(" update"), calls)
        self.assertTrue(calls[2].endswith(
            " install -y --no-install-recommends libfmt-dev"), calls)

    def test_users_other_than_root_install_with_sudo(self):
        self.missing("libfmt-dev")
        self.stand_in("id", "echo 1000")
        self.stand_in("apt-get", "exit 1")
        self.stand_in("sudo", f'printf "%s\\n" "$*" >>"{self.folder}/calls"')
        self.assertEqual(self.setup()[0], 0)
        for call in (self.folder / "calls").read_text().splitlines():
            self.assertRegex(call, "^-n env DEBIAN_FRONTEND=.* apt-get ")

    def test_a_failure_names_the_command_to_run(self):
        self.missing("libfmt-dev")
        self.stand_in("id", "echo 0")
        self.stand_in("apt-get", "echo no network; exit 100")
        status, _, err = self.setup()
        self.assertEqual(status, 2)
        self.assertIn("no network\n", err)
        self.assertTrue(err.endswith(
            "plumb: the packages could not be installed; as root, run:\n"
            "  apt-get update && apt-get install -y --no-install-recommends "
            "libfmt-dev\n"), err)

    def test_without_root_and_sudo_the_command_is_named(self):
        self.missing("libfmt-dev")
        self.stand_in("id", "echo 1000")
        for name in ("bash", "env", "readlink", "dirname", "awk", "sort",
                     "comm", "grep", "cat"):
            (self.commands / name).symlink_to(shutil.which(name))
        self.stand_in("apt-get", "exit 1")
        done = subprocess.run(
            [str(self.tree / "tools/setup"), "build"], text=True,
            env={"PATH": str(self.commands)}, capture_output=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("there is no sudo; as root, run:\n  apt-get update && "
                      "apt-get install", done.stderr)


if __name__ == "__main__":
    unittest.main()
