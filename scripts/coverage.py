#!/usr/bin/env python3
"""Counts which lines and branches of src and abi the tests run.

coverage.py BUILD_DIR builds the library with gcc's counters in BUILD_DIR and runs all tests
(tests/run.sh), then asks gcovr 5 (Debian: gcovr). It prints the files with lines that no test
runs, those with most of them last. The last line counts the tests, and the coverage as one more:
with CUDA, it fails below LEAST. A build without CUDA has code of the CUDA backend that only the
tests on the stand-in for CUDA run; they need a toolkit.

Not counted are kernels for the GPU (.cu, .cuh), which run on no host.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST = 95.0  # percent of the lines, in a build with CUDA


def run_tests(build):
    """The exit status, and the line that counts the tests."""
    environment = dict(os.environ, MYBLAS_COVERAGE="ON")
    for counts in build.rglob("*.gcda"):  # of earlier runs
        counts.unlink()
    last = ""
    with subprocess.Popen(
        [ROOT / "tests/run.sh", build], env=environment, stdout=subprocess.PIPE, text=True
    ) as tests:
        for last in tests.stdout:
            print(last, end="", flush=True)
    return tests.returncode, last


def gcovr(build):
    """gcovr's report: the files, with the counts of lines and branches."""
    report = build / "gcovr.json"
    command = ["gcovr", "--root", ROOT, "--filter", f"{ROOT}/src/", "--filter", f"{ROOT}/abi/"]
    command += ["--exclude", r".*\.cuh?$", "--exclude-throw-branches"]
    command += ["--exclude-unreachable-branches", "--gcov-ignore-parse-errors"]
    command += ["-j", str(os.cpu_count()), "--json", report]
    # tests/abi compiles sources for their debug information alone.
    command += ["--exclude-directories", r".*/tests/abi\b.*"]
    command += [build / folder for folder in ("src", "abi", "tools", "tests")]
    subprocess.run(command, check=True)
    return json.loads(report.read_text())["files"]


def ranges(numbers):
    """Sorted numbers as text: 3-5, 9."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def summary(files):
    """What is kept of gcovr's report: totals, and for each file the lines that did not run."""
    result = {"lines": 0, "lines_run": 0, "branches": 0, "branches_run": 0, "files": []}
    for file in files:
        lines = [line for line in file["lines"] if not line["gcovr/noncode"]]
        missed = sorted({line["line_number"] for line in lines if line["count"] == 0})
        branches = [branch["count"] for line in lines for branch in line["branches"]]
        count = len({line["line_number"] for line in lines})
        result["lines"] += count
        result["lines_run"] += count - len(missed)
        result["branches"] += len(branches)
        result["branches_run"] += sum(count > 0 for count in branches)
        entry = {"file": file["file"], "lines": count, "run": count - len(missed)}
        result["files"].append(entry | {"missed": ranges(missed)})
    return result


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=pathlib.Path, help="folder of the build")
    parser.add_argument(
        "--json", type=pathlib.Path, help="write the result here, for docs/testing.py"
    )
    parser.add_argument("--no-run", action="store_true", help="read the counts of an earlier run")
    asked = parser.parse_args()
    build = asked.build.resolve()

    status, last = (0, "") if asked.no_run else run_tests(build)
    counted = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped\n", last)
    passed, failed, skipped = map(int, counted.groups()) if counted else (0, int(status != 0), 0)
    try:
        result = summary(gcovr(build))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no counts of lines: {error}")
        print(f"{passed} passed, {failed + 1} failed, {skipped} skipped")
        return 1
    for file in sorted(result["files"], key=lambda file: file["lines"] - file["run"]):
        if file["missed"]:
            share = percent(file["run"], file["lines"])
            print(f"{share:5.1f}%  {file['file']}: {file['missed']}")
    lines = percent(result["lines_run"], result["lines"])
    branches = percent(result["branches_run"], result["branches"])
    print(f"{lines:.1f}% of {result['lines']} lines, {branches:.1f}% of the branches")
    with_cuda = "MYBLAS_CUDA:STRING=ON" in (build / "CMakeCache.txt").read_text()
    is_enough = lines >= LEAST or not with_cuda
    if not is_enough:
        print(f"the tests must run {LEAST}% of the lines")
    if asked.json:
        commit = ["git", "rev-parse", "--short=12", "HEAD"]
        context = {
            "commit": subprocess.check_output(commit, cwd=ROOT, text=True).strip(),
            "date": datetime.date.today().isoformat(),
            "cuda": with_cuda,
        }
        if os.environ.get("MYBLAS_TEST_REDUCED"):
            context["note"] = "few and small shapes"
        text = json.dumps(context | result)
        text = text.replace('[{"file"', '[\n{"file"').replace('}, {"file"', '},\n{"file"')
        asked.json.write_text(text + "\n")
    passed += with_cuda and is_enough
    skipped += not with_cuda
    print(f"{passed} passed, {failed + (not is_enough)} failed, {skipped} skipped")
    return 0 if status == 0 and is_enough else 1


if __name__ == "__main__":
    sys.exit(main())
