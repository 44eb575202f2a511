# SPDX-License-Identifier: Apache-2.0
# What is found in the last moments before a time limit is told as found, and
# samples find there what an exhaustive search would come to last.
"""Usage: late.py --plumb PLUMB"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

# An execution takes a known part of a second, and then fails: so long that it
# cannot be shown again, or not explained, before the limit of a second.
CODE = """#include <plumb/test.h>
#include <chrono>
#include <cstdlib>
static void work(long rounds) {
  for (volatile long i = 0; i < rounds; i = i + 1) {}
}
static double seconds() {
  return std::chrono::duration<double>(
      std::chrono::steady_clock::now().time_since_epoch()).count();
}
static long rounds_of_a_second() {
  const double start = seconds();
  work(10000000);
  return static_cast<long>(10000000 / (seconds() - start));
}
static const long rounds = static_cast<long>(
    rounds_of_a_second() * std::atof(std::getenv("PLUMB_LATE")));
PLUMB_TEST(late) {
  test.run([] {
    work(rounds);
    PLUMB_ASSERT(rounds == 0);
  });
}
"""

# Each round is another state, so no search of all orders gets out of the loop.
COUNTS = """#include <plumb/test.h>
#include <mutex>
#include <thread>
PLUMB_TEST(counts) {
  test.run([] {
    std::mutex mutex;
    int tries = 0;
    std::thread thread([&] {
      while (!mutex.try_lock()) ++tries;
      mutex.unlock();
    });
    mutex.lock();
    mutex.unlock();
    thread.join();
    PLUMB_ASSERT(tries != 3);
  });
}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumb", required=True)
    plumb = parser.parse_args().plumb
    found, faults = 0, []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "late.cpp"
        file.write_text(CODE)
        for limit, part in [("30s", 0.01), ("1s", 0.5), ("1s", 0.7),
                            ("1s", 0.8), ("1s", 0.9)]:
            done = subprocess.run(
                [plumb, "test", "--audit", "off", "--jobs", "1",
                 "--time-limit", limit, str(file)], capture_output=True,
                text=True, env={"PATH": "/usr/bin:/bin", "HOME": folder,
                                "PLUMB_LATE": str(part)})
            said = done.stdout
            found += "late: violated" in said
            # On a machine with much else to do it may not be found at all.
            plain = ("was reached before an exhaustive search" in said or
                     "in code that did not come back in time" in said)
            if "late: violated" not in said and not plain:
                faults.append(f"{part} s: {said}{done.stderr}")
        file = pathlib.Path(folder) / "counts.cpp"
        file.write_text(COUNTS)
        done = subprocess.run(
            [plumb, "test", "--time-limit", "12s", str(file)],
            capture_output=True, text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": folder})
        if "counts: violated" not in done.stdout:
            faults.append(f"counts: {done.stdout}{done.stderr}")
    if found < 2:
        faults.append(f"only {found} of 5 were found")
    print("\n".join(faults) or "late: ok")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
