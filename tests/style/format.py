# SPDX-License-Identifier: Apache-2.0
# Each C++ file is as clang-format leaves it; tools/format makes it so.
import re
import shutil

import common


def faults(root):
    if not shutil.which("clang-format"):
        common.skip("clang-format is not installed")
    command = ["clang-format", "--style=file", "--dry-run", "--Werror"]
    files = [(str(file.relative_to(root)), command + [str(file)])
             for file in common.cpp_files(root)]
    for name, output in common.run_each(files):
        line = re.search(r":(\d+):\d+: error", output)
        yield f"{name}:{line[1] if line else 1}: run tools/format"


if __name__ == "__main__":
    common.main(faults)
