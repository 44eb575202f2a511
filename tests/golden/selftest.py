# SPDX-License-Identifier: Apache-2.0
# The runners of transcripts and documents see what is wrong, and approve it.
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN, DOCS = HERE / "run.py", HERE.parent / "docs/run.py"

# Each is what it says, and stays as it is when approved.
RIGHT = [
    "$ echo hello\nhello\n",
    "$ echo hello\nhello\n[exit 0]\n",
    "Words first.\n\n$ false\n[exit 1]\n\nThen more.\n\n$ true\n",
    "$ echo out; echo err >&2\nout\nerr\n",
    "$ (exit 3)\n[exit 3]\n$ echo $?\n3\n",
    "$ cat <<END\n> one\n> two\n> END\none\ntwo\n",
    "$ echo a; echo; echo b\na\n\nb\n",
    "$ printf x\nx\n[no newline at the end]\n",
    "$ echo '$ x'; echo '[exit 1]'; echo '> y'\n\\$ x\n\\[exit 1]\n\\> y\n",
    "$ echo took 0.25 s\ntook {seconds}\n",
    "$ echo 1,234 states in 3 ms, 5.5 MiB\n"
    "{number} states in {seconds}, {size}\n",
    "$ seq 9\n1\n{lines}\n9\n",
    "$ echo '{\"a\": {}}'\n{\"a\": {}}\n",
    "$ echo x >made; ls made\nmade\n",
]

# The transcript, and what it becomes when approved.
WRONG = [
    ("$ echo hello\nbye\n", "$ echo hello\nhello\n[exit 0]\n"),
    ("$ echo hello\n", "$ echo hello\nhello\n[exit 0]\n"),
    ("$ true\nhello\n", "$ true\n[exit 0]\n"),
    ("$ false\n", "$ false\n[exit 1]\n"),
    ("$ true\n[exit 1]\n", "$ true\n[exit 0]\n"),
    ("$ printf x\nx\n",
     "$ printf x\nx\n[no newline at the end]\n[exit 0]\n"),
    ("$ echo took long\ntook {seconds}\n",
     "$ echo took long\ntook long\n[exit 0]\n"),
    ("$ echo new; echo took 3 s\nold\ntook {seconds}\n",
     "$ echo new; echo took 3 s\nnew\ntook {seconds}\n[exit 0]\n"),
    ("$ seq 3\n1\n{lines}\n9\n", "$ seq 3\n1\n2\n3\n[exit 0]\n"),
    ("$ echo a.b\na?b\n\n$ echo c\nc\n",
     "$ echo a.b\na.b\n[exit 0]\n\n$ echo c\nc\n"),
    ("$ plumb --no-such-tool 2>/dev/null\n",
     "$ plumb --no-such-tool 2>/dev/null\n[exit 127]\n"),
]


class Runners(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_on(self, script, text, *options):
        file = self.folder / "a.md"
        file.write_text(text)
        done = subprocess.run(
            [sys.executable, str(script), *options, str(file)],
            capture_output=True, text=True)
        return done.returncode, file.read_text(), done.stdout + done.stderr

    def test_what_is_right_passes_and_stays(self):
        for text in RIGHT:
            with self.subTest(text):
                status, _, output = self.run_on(GOLDEN, text)
                self.assertEqual(status, 0, output)
                _, after, _ = self.run_on(GOLDEN, text, "--approve")
                self.assertEqual(after, text)

    def test_what_is_wrong_fails_and_is_approved(self):
        for text, approved in WRONG:
            with self.subTest(text):
                status, after, output = self.run_on(GOLDEN, text)
                self.assertEqual((status, after), (1, text), output)
                status, after, output = self.run_on(GOLDEN, text, "--approve")
                self.assertEqual((status, after), (0, approved), output)
                status, _, output = self.run_on(GOLDEN, approved)
                self.assertEqual(status, 0, output)

    def test_a_transcript_without_a_command_fails(self):
        status, _, output = self.run_on(GOLDEN, "nothing here\n")
        self.assertEqual(status, 1, output)

    def test_only_consoles_of_a_document_run(self):
        text = ("# Title\n\n```sh\n$ false\nno\n```\n\n```console\n"
                "$ false\n$ echo 1\n1\n```\nEnd.\n")
        self.assertEqual(self.run_on(DOCS, text)[0], 0)

    def test_a_wrong_document_fails_and_is_approved(self):
        text = ("```console\n$ echo 1\n2\n```\nText.\n"
                "```console\n$ false\n[exit 0]\n```\n")
        status, after, output = self.run_on(DOCS, text)
        self.assertEqual((status, after), (1, text), output)
        self.assertIn("2 commands do something else", output)
        _, after, _ = self.run_on(DOCS, text, "--approve")
        self.assertEqual(after, "```console\n$ echo 1\n1\n```\nText.\n"
                                "```console\n$ false\n[exit 1]\n```\n")

    def test_documents_see_the_repository_and_the_tool(self):
        tool = self.folder / "tool"
        tool.write_text("#!/bin/sh\necho tool \"$@\"\n")
        tool.chmod(0o755)
        text = ("```console\n$ ./plumb a\ntool a\n$ plumb b\ntool b\n"
                "$ head -n 1 tools/packages.txt >copy; wc -l copy\n"
                "1 copy\n```\n")
        status, _, output = self.run_on(DOCS, text, "--plumb", str(tool))
        self.assertEqual(status, 0, output)
        self.assertFalse((HERE.parents[1] / "copy").exists())

    def test_models_of_a_document_are_verified_and_laid_out(self):
        tool = self.folder / "tool"  # fails for a model that holds its option
        tool.write_text("#!/bin/sh\n! grep -q -e \"$2\" \"$3\"\n")
        tool.chmod(0o755)

        def status_of(text):
            return self.run_on(DOCS, text, "--plumb", str(tool))[0]

        named = "// file: good.plumb\nmodel\n"
        self.assertEqual(status_of("```plumb\nmodel\n```\n"), 0)
        self.assertEqual(status_of("```plumb\nmodel --quiet\n```\n"), 1)
        self.assertEqual(status_of("```plumb\nmodel --check\n```\n"), 1)
        self.assertEqual(status_of("```plumb wrong\nmodel --quiet\n```\n"), 0)
        text = (f"```plumb\n{named}```\n```console\n$ cat good.plumb\n"
                f"{named}```\n")
        self.assertEqual(status_of(text), 0)
        broken = "```plumb\nmodel --quiet\n```\n```console\n$ true\nx\n```\n"
        _, after, _ = self.run_on(DOCS, broken, "--approve", "--plumb",
                                  str(tool))
        self.assertEqual(after, broken.replace("x\n", ""), "models stay")


if __name__ == "__main__":
    unittest.main()
