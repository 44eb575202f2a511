# SPDX-License-Identifier: Apache-2.0
# Runs `plumb verify` on one check and says what that cost; for the benchmarks.
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "examples" / "models"

OFF = {"processes": "--no-symmetry", "data": "--no-data-symmetry",
       "tight": "--no-tight-calls", "order": "--no-por"}


def only(*reductions):
    return [option for name, option in OFF.items() if name not in reductions]


# The columns of Liu et al. and what they are here.  Tight calls take the part
# of a partial order reduction: they leave out interleavings.
COLUMNS = {"none": only(), "symmetry": only("processes", "data"),
           "POR": only("tight", "order"), "both": []}
# Each by itself, and all with one of the partial order reductions only.
MORE_COLUMNS = {
    **{name: only(name) for name in OFF},
    "persistent": [*only("order"), "--por", "persistent"],
    "cartesian": [*only("order"), "--por", "cartesian"],
    "both-persistent": ["--por", "persistent"],
    "both-cartesian": ["--por", "cartesian"],
}
ALL_COLUMNS = COLUMNS | MORE_COLUMNS


@dataclasses.dataclass
class Run:
    """What one run found and cost: CPU seconds of all threads, seconds on the
    clock, and the most memory that was resident."""
    verdict: str
    states: int
    pairs: int
    transitions: int
    seconds: float
    elapsed: float
    peak_bytes: int
    stats: dict


def prepare(plumb):
    """Lets ./plumb build what it has to, so that nobody measures that."""
    subprocess.run([plumb, "--version"], check=True, stdout=subprocess.DEVNULL)


def without_checks(model):
    """The text of a shipped model, or of one for benchmarks; each check there is
    one statement."""
    file = MODELS / f"{model}.plumb"
    if not file.exists():
        file = ROOT / "bench" / f"{model}.plumb"
    text = file.read_text()
    return re.sub(r"^check [^;]*;\n", "", text, flags=re.MULTILINE)


def write_check(folder, model, check):
    """A file with a shipped model and one check only."""
    file = pathlib.Path(folder) / "row.plumb"
    file.write_text(f"{without_checks(model)}\ncheck {check};\n")
    return file


def count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def verify(plumb, file, options, watch=None):
    """Runs the one check in `file` to its end.  `watch` is told the number of
    the process when it begins."""
    answer = pathlib.Path(f"{file}.json")
    command = [plumb, "verify", "--quiet", "--json", str(answer), *options,
               str(file)]
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    if watch:
        watch(child.pid)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.monotonic() - began
    if child.returncode not in (0, 1, 3):
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: exit status "
                 f"{child.returncode} of {' '.join(command)}")
    result = json.loads(answer.read_text())["results"][0]
    stats = result["stats"]
    return Run(result["verdict"], stats["states"], stats["pairs"],
               stats["transitions"], usage.ru_utime + usage.ru_stime, elapsed,
               usage.ru_maxrss * 1024, stats)
