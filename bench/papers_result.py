# SPDX-License-Identifier: Apache-2.0
# The figures of bench/papers and bench/growth as a result that pages show.
"""`plumb report` makes a page of what result() gives: tables of the papers'
rows, one for each family, and plots of how the cost of a proof grows."""
import json
import platform

import runs

FIGURES = {"states": "states", "seconds": "CPU seconds"}
NAMES = {"none": "no reductions", "both": "all reductions"}


def machine():
    """The processor, as the system calls it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def cells(run):
    """States, seconds and megabytes; where a limit was reached, what was used
    until then."""
    if run is None:
        return [None, None, None]
    memory = round(run["peak_bytes"] / 1e6, 1)
    if run["verdict"] == "unknown":
        return [None, f"> {run['seconds']:.0f}", memory]
    return [run["states"], run["seconds"], memory]


def row(entry, columns):
    out = [entry["row"], entry["operations"] or "any", entry["expected"]]
    for name in columns:
        out += cells(entry["ours"].get(name))
        out += (entry["paper"].get(name) or [None, None])[:2]
    return out


def table(title, entries, columns):
    names = ["object", "operations", "expected"]
    for name in columns:
        names += [f"{name}: states", f"{name}: seconds", f"{name}: MB",
                  f"{name}: states, paper", f"{name}: seconds, paper"]
    return {"title": title, "columns": names,
            "rows": [row(entry, columns) for entry in entries]}


def tables(entries, columns):
    """One for each family, in the order of the rows; rows that stand alone
    share one."""
    families = {}
    for entry in entries:
        families.setdefault(entry["family"], []).append(entry)
    out, alone = [], []
    for name, rows in families.items():
        if len(rows) > 1:
            out.append(table(name, rows, columns))
        else:
            alone += rows
    if alone:
        out.append(table("others" if out else "all", alone, columns))
    return out


def plots(data):
    """One for each object, parameter and figure of docs/growth.json."""
    curves = {}
    for entry in data:
        for figure in FIGURES:
            if not entry.get(figure):
                continue  # nothing at 0 on such a scale
            key = (entry["object"], entry["parameter"], figure)
            curves.setdefault(key, {}).setdefault(
                NAMES.get(entry["column"], entry["column"]), []).append(
                    [entry["value"], entry[figure]])
    return [{"title": f"{name}: {FIGURES[figure]} by {parameter}",
             "x": parameter, "y": FIGURES[figure], "log": True,
             "series": [{"name": series, "points": sorted(points)}
                        for series, points in by_series.items()]}
            for (name, parameter, figure), by_series in curves.items()]


def growth():
    file = runs.ROOT / "docs" / "growth.json"
    return json.loads(file.read_text()) if file.exists() else []


def result(entries, columns):
    return {"tool": "plumb", "schema": 1, "level": "papers",
            "machine": machine(), "tables": tables(entries, columns),
            "plots": plots(growth())}
