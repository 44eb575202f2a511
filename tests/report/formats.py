# SPDX-License-Identifier: Apache-2.0
# JUnit XML and SARIF of real runs are what their readers expect.
"""formats.py --plumb BINARY ROOT: runs the tool on examples and on hostile
input, and checks the files against what the schemas require."""
import argparse
import json
import pathlib
import subprocess
import tempfile
import xml.etree.ElementTree

RUNS = [  # arguments, expected exit status
    (["history", "--spec", "queue", "examples/histories/queue_overtaken.jsonl",
      "tests/golden/files/hostile.jsonl", "no such file"], 2),
    (["history", "--spec", "register", "examples/histories/keys.jsonl"], 1),
    (["verify", "examples/models/naive_counter.plumb",
      "examples/csp/peterson.csp"], 0),
    (["verify", "--property", "linearizable", "--object", "naive_counter",
      "--processes", "2", "--operations", "2",
      "examples/models/naive_counter.plumb"], 1),
    (["verify", "--state-limit", "5", "examples/models/counter.plumb"], 3),
]
# What may stand in what, in this order, and which attributes it must have:
# the schema that Jenkins publishes.
CHILDREN = {"testsuites": ["testsuite"], "testsuite": ["testcase"],
            "testcase": ["skipped", "error", "failure", "system-out"]}
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "time"},
    "testcase": {"name", "classname", "time"},
    "failure": {"type", "message"}, "error": {"type", "message"}}


def require(holds, what):
    if not holds:
        raise SystemExit(f"formats: {what}")


def check_element(element):
    wanted = ATTRIBUTES.get(element.tag, set())
    require(set(element.attrib) == wanted,
            f"<{element.tag}> has {sorted(element.attrib)}")
    order = CHILDREN.get(element.tag, [])
    tags = [child.tag for child in element]
    require(all(tag in order for tag in tags),
            f"{tags} stand in <{element.tag}>")
    require(tags == sorted(tags, key=order.index), f"the order is {tags}")
    for child in element:
        check_element(child)


def check_junit(text):
    root = xml.etree.ElementTree.fromstring(text)
    require(root.tag == "testsuites", f"the root is <{root.tag}>")
    check_element(root)
    for suite in [root, *root]:
        cases = list(suite.iter("testcase"))
        for name, tag in [("failures", "failure"), ("errors", "error")]:
            count = sum(case.find(tag) is not None for case in cases)
            require(int(suite.get(name)) == count, f"{name} is not {count}")
        require(int(suite.get("tests")) == len(cases), "tests are not counted")
        require(float(suite.get("time")) >= 0, "time is no time")
    return root


def check_location(location):
    physical = location["physicalLocation"]
    artifact = physical["artifactLocation"]
    uri = artifact["uri"]
    require(uri.isascii() and " " not in uri, f"'{uri}' is no URI")
    require(("uriBaseId" in artifact) != uri.startswith("file:///"),
            f"'{uri}' is relative to what?")
    require(physical["region"]["startLine"] >= 1, "lines begin with 1")


def check_result(result, rules):
    require(result["level"] in ("error", "warning"), "no such level")
    require(result["message"]["text"], "there is no message")
    require(rules[result["ruleIndex"]]["id"] == result["ruleId"],
            "the rule is another one")
    require(result["partialFingerprints"]["plumb/v1"], "no fingerprint")
    for location in result["locations"]:
        check_location(location)
    for flow in result.get("codeFlows", []):
        for thread in flow["threadFlows"]:
            require(thread["locations"], "a flow of nothing")
            for step in thread["locations"]:
                check_location(step["location"])
                require(step["location"]["message"]["text"], "no text")


def check_sarif(text):
    file = json.loads(text)
    require(file["version"] == "2.1.0", "the version is another one")
    require(len(file["runs"]) == 1, "there is one run")
    run = file["runs"][0]
    driver = run["tool"]["driver"]
    require(driver["name"] == "plumb" and driver["version"], "which tool?")
    require(len({rule["id"] for rule in driver["rules"]})
            == len(driver["rules"]), "a rule is there twice")
    for result in run["results"]:
        check_result(result, driver["rules"])
    invocation = run["invocations"][0]
    require(invocation["executionSuccessful"]
            == (not invocation["toolExecutionNotifications"]),
            "was it successful?")
    return run


def check_run(plumb, root, arguments, status, folder):
    files = {kind: folder / f"out.{kind}" for kind in ("junit", "sarif", "json")}
    options = [word for kind, file in files.items()
               for word in (f"--{kind}", str(file))]
    done = subprocess.run([plumb, *arguments, "--quiet", *options], cwd=root,
                          stderr=subprocess.DEVNULL, check=False)
    require(done.returncode == status,
            f"{arguments}: exit status {done.returncode}, not {status}")
    junit = check_junit(files["junit"].read_bytes())
    sarif = check_sarif(files["sarif"].read_text())
    require(int(junit.get("failures")) == sum(
        result["level"] == "error" for result in sarif["results"]),
            "JUnit and SARIF do not agree")
    # The same can be made of the JSON result.
    for kind in ("junit", "sarif"):
        again = subprocess.run(
            [plumb, "report", files["json"], f"--{kind}", "-"], cwd=root,
            capture_output=True, check=True).stdout
        require(again == files[kind].read_bytes(), f"--{kind} differs")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    parser.add_argument("root")
    arguments = parser.parse_args()
    for words, status in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            check_run(arguments.plumb, arguments.root, words, status,
                      pathlib.Path(folder))
    print(f"formats: {len(RUNS)} runs are as they should be")


if __name__ == "__main__":
    main()
