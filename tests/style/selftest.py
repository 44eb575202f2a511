# SPDX-License-Identifier: Apache-2.0
# Each style test finds a planted fault, and nothing in a tree without one.
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def header(body, purpose="// What it is for.\n", pragma="#pragma once\n"):
    return LICENCE + purpose + pragma + "\n" + body


def unit(body):
    return LICENCE + "\n" + body


def function(lines, first="int f() {\n", line="  g();\n"):
    return first + line * (lines - 2) + "}\n"


GOOD = {
    "src/base/value.h": header("inline int one() { return 1; }\n"),
    "src/check/decide.cpp": unit(
        '#include "base/value.h"\n\n// As in [Lowe17, p. 3].\n'
        "int decide() { return one(); }\n"),
    "src/base/door.txt": "value.h\n",
    "docs/references.bib": "@article{Lowe17,\n  year = 2017\n}\n",
    "tools/tidy": "#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\n"
                  "# Tidies up.\ntrue\n",
    ".clang-format": "BasedOnStyle: Google\n",
}

CASES = "".join(f"    case {i}:\n      return {i};\n" for i in range(40))

# rule, file, its text, what the rule must say
PLANTED = [
    ("layering", "src/base/up.cpp", unit('#include "check/decide.h"\n'),
     "src/base/up.cpp:3: base/ may not include check/"),
    ("layering", "src/spec/side.h", header('#include "history/history.h"\n'),
     "src/spec/side.h:5: spec/ may not include history/"),
    ("layering", "src/check/near.cpp", unit('#include "decide.h"\n'),
     'src/check/near.cpp:3: "decide.h" must be included from the src root'),
    ("layering", "src/check/json.cpp", unit("#include <simdjson.h>\n"),
     "src/check/json.cpp:3: only history/ may include simdjson.h"),
    ("layering", "src/misc/x.cpp", unit(""),
     "src/misc/x.cpp:1: layering.py does not know the folder misc/"),
    ("layering", "src/base/angle.cpp", unit("#include <check/decide.h>\n"),
     "src/base/angle.cpp:3: <check/decide.h> is one of ours: write it in"),
    ("layering", "src/base/way.cpp",
     unit('#include "base/../check/decide.h"\n'),
     "src/base/way.cpp:3: base/../check/decide.h goes another way"),
    ("layering", "src/base/round.cpp",
     unit("#include <fmt/../check/decide.h>\n"),
     "src/base/round.cpp:3: fmt/../check/decide.h goes another way"),
    ("doors", "src/check/inside.cpp", unit('#include "base/inner.h"\n'),
     "src/check/inside.cpp:3: base/inner.h is not in the door of base/"),
    ("doors", "src/check/door.txt", "decide.cpp\n",
     "src/check/door.txt:1: nobody outside includes decide.cpp"),
    ("doors", "src/check/door.txt", "gone.h\n",
     "src/check/door.txt:1: there is no gone.h"),
    ("sizes", "src/base/long.h", header("\n" * 297),
     "src/base/long.h:1: 301 lines; the limit is 300"),
    ("sizes", "src/base/long.cpp", unit("\n" * 799),
     "src/base/long.cpp:1: 801 lines; the limit is 800"),
    ("sizes", "tests/base/long_test.cpp", unit("\n" * 499),
     "tests/base/long_test.cpp:1: 501 lines; the limit is 500"),
    ("sizes", "src/base/wide.cpp", unit("// " + "w" * 78 + "\n"),
     "src/base/wide.cpp:3: 81 columns; the limit is 80"),
    ("sizes", "src/base/f.cpp", unit(function(61)),
     "src/base/f.cpp:3: a function of 61 lines; the limit is 60"),
    ("sizes", "src/base/method.cpp",
     unit("namespace a {\n"
          + function(61, "A::A(int b) : b_{b}, c_(b) {\n") + "}\n"),
     "src/base/method.cpp:4: a function of 61 lines; the limit is 60"),
    ("sizes", "src/base/inner.h",
     header("template <class T>\nstruct A {\n"
            + function(61, "  int f() const {\n", "    // a comment {\n")
            + "};\n"),
     "src/base/inner.h:7: a function of 61 lines; the limit is 60"),
    ("sizes", "src/base/many.cpp",
     unit("void f(int a, int b, int c, int d, int e, int f, int g) {}\n"),
     "src/base/many.cpp:3: 7 parameters; the limit is 6"),
    ("openings", "src/base/bare.cpp", "int f();\n",
     "src/base/bare.cpp:1: the first line must be"),
    ("openings", "src/base/bare.h", header("", purpose="\n"),
     "src/base/bare.h:2: the second line must be a comment"),
    ("openings", "src/base/twice.h", header("", pragma=""),
     "src/base/twice.h:3: '#pragma once' must follow"),
    ("openings", "tools/bare.py", "print(1)\n",
     "tools/bare.py:1: this line must be '# SPDX"),
    ("openings", "tools/bare", "#!/bin/bash\ntrue\n",
     "tools/bare:2: this line must be '# SPDX"),
    ("openings", "tools/mute.py",
     "# SPDX-License-Identifier: Apache-2.0\nprint(1)\n",
     "tools/mute.py:2: this line must be a comment"),
    ("words", "docs/path.md", "See /" "work/main.\n",
     "docs/path.md:1: '/" "work/m...' is on one machine only"),
    ("words", "src/base/later.cpp", unit("// TO" "DO: later\n"),
     "src/base/later.cpp:3: 'TO" "DO' without the number of an issue"),
    ("words", "src/base/space.cpp", unit("int a; \n"),
     "src/base/space.cpp:3: white space at the end of the line"),
    ("references", "src/base/cite.cpp", unit("// See [Nobody99].\n"),
     "src/base/cite.cpp:3: [Nobody99] is not in docs/references.bib"),
    ("references", "src/base/cite.cpp", unit("// [Lowe17; Nobody99, p. 4]\n"),
     "src/base/cite.cpp:3: [Nobody99] is not in docs/references.bib"),
    ("references", "docs/cite.md", "Broken off [Nobody99,\np. 4].\n",
     "docs/cite.md:1: [Nobody99] is not in docs/references.bib"),
    ("links", "docs/page.md", "# Page\n\n[gone](gone.md)\n",
     "docs/page.md:3: 'gone.md' leads nowhere"),
    ("links", "docs/page.md", "# Page\n\n[over two\nlines](#pages)\n",
     "docs/page.md:4: '#pages' leads to no heading of that file"),
    ("links", "docs/page.md", "# Page\n\n![](references.bib)\n",
     "docs/page.md:3: the picture 'references.bib' has no words"),
    ("links", "docs/page.md", "```\n# Not a heading\n```\n[x](#not-a-heading)\n",
     "docs/page.md:4: '#not-a-heading' leads to no heading"),
    ("format", "src/base/ugly.cpp", unit("int  a ;\n"),
     "src/base/ugly.cpp:3: run tools/format"),
    ("headers", "src/base/needs.h", header("inline std::string s;\n"),
     "src/base/needs.h:1: does not compile alone"),
    ("headers", "src/base/again.h", header("struct A {};\n", pragma=""),
     "src/base/again.h:1: does not compile alone"),
    ("headers", "include/plumb/new.h",
     header("template <typename T>\nconcept Any = true;\n"),
     "include/plumb/new.h:1: does not compile alone"),
]

# Not faults, though they look like some.
SOUND = [
    ("layering", "tests/base/x_test.cpp", unit('#include "cli/main.h"\n')),
    ("sizes", "src/base/f.cpp", unit(function(60))),
    ("sizes", "src/base/table.cpp",
     unit("int f(int i) {\n  switch (i) {\n" + CASES + "  }\n}\n")),
    ("sizes", "src/base/data.cpp",
     unit("const int kTable[] = {\n" + "    f(1),\n" * 90 + "};\n")),
    ("words", "src/base/later.cpp", unit("// TO" "DO(#12): later\n")),
    ("words", "src/base/path.cpp", unit("// frame/" "work/x\n")),
    ("references", "src/base/index.cpp", unit("int a = table[Entry99];\n")),
    ("links", "docs/page.md", "# A `page`, twice\n\n# A page, twice\n"
     "`[x](gone.md)` [a](#a-page-twice-1) [b](../docs/page.md#a-page-twice)\n"
     "[there](https://example.org/gone)\n"),
    ("references", "docs/link.md", "[a link](there.md) [Lowe17]\n"),
]


def run(rule, root, *more):
    return subprocess.run(
        [sys.executable, str(HERE / f"{rule}.py"), str(root), *more],
        capture_output=True, text=True)


class StyleTests(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in GOOD.items():
            self.write(name, text)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def assert_accepts(self, rule, *more):
        done = run(rule, self.root, *more)
        self.assertEqual((done.returncode, done.stdout), (0, f"{rule}: ok\n"),
                         done.stderr)

    def assert_reports(self, expected, rule, *more):
        done = run(rule, self.root, *more)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertTrue(done.stdout.startswith(expected), done.stdout)

    def test_a_good_tree_has_no_fault(self):
        for rule in sorted({planted[0] for planted in PLANTED}):
            if rule == "format" and not shutil.which("clang-format"):
                continue
            with self.subTest(rule):
                self.assert_accepts(rule)

    def test_each_planted_fault_is_reported(self):
        for rule, name, text, expected in PLANTED:
            if rule == "format" and not shutil.which("clang-format"):
                continue
            with self.subTest(f"{rule} {name}"):
                self.write(name, text)
                self.assert_reports(expected, rule)
                os.remove(self.root / name)

    def test_what_only_looks_like_a_fault_is_not_reported(self):
        for rule, name, text in SOUND:
            with self.subTest(f"{rule} {name}"):
                self.write(name, text)
                self.assert_accepts(rule)
                os.remove(self.root / name)

    def test_a_symbol_of_a_folder_above_is_reported(self):
        build = self.root / "build"
        build.mkdir()

        def library(folder, text):
            source = build / f"{folder}.cpp"
            source.write_text(text)
            subprocess.run(["c++", "-c", source.name], cwd=build, check=True)
            subprocess.run(["ar", "rcs", f"libplumb_{folder}.a",
                            f"{folder}.o"], cwd=build, check=True)

        base = "namespace plumb { int decide(); int one() { return 1; } }\n"
        check = ("namespace plumb { int one();"
                 " int decide() { return one(); } }\n")
        library("base", base)
        library("check", check)
        self.assert_accepts("symbols", str(build))
        library("base", base.replace("return 1", "return decide()"))
        self.assert_reports("src/base:1: base/ may not use check/: _ZN5plumb6",
                            "symbols", str(build))

    def test_an_unused_variable_is_reported_by_clang(self):
        if not shutil.which("clang++"):
            self.skipTest("clang++ is not installed")
        source, database = self.root / "src/a.cpp", self.root / "commands.json"
        database.write_text(json.dumps([{
            "file": str(source), "directory": str(self.root),
            "command": f"ccache g++ -O3 -Wall -Werror -o a.o -c {source}"}]))
        source.write_text("void f() {}\n")
        self.assert_accepts("clang", str(database))
        source.write_text("void f() { int unused; }\n")
        self.assert_reports("src/a.cpp:1: clang does not accept it", "clang",
                            str(database))


if __name__ == "__main__":
    unittest.main()
