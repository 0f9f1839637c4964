#!/usr/bin/env python3
"""Plants wrong lines in a copy of the sources, one at a time, and runs the tests that should fail.

The faults are in faults.toml. A fault that needs a GPU is checked, listed and not planted. --json
writes a line for each fault, from which docs/testing.py writes a table. The exit status is not 0 if
a fault went unnoticed.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AREAS = ("kernels", "selection", "checks", "memory", "preload", "tools", "bench")
FIELDS = {"name", "area", "file", "old", "new", "tests", "targets", "gpu"}
LEAST_FAULTS = 40
TEST_SECONDS = 300  # a fault may hang


def run(command, log=None, **options):
    if log:
        options |= {"stdout": log, "stderr": subprocess.STDOUT}
    return subprocess.run(command, text=True, **options)


def check(faults):
    """What is wrong with the table."""
    wrong = []
    names = [fault.get("name") for fault in faults]

    def refuse(fault, why):
        wrong.append(f"{fault.get('name')}: {why}")

    for fault in faults:
        if not {"name", "area", "file", "old", "new", "tests"} <= set(fault) <= FIELDS:
            refuse(fault, "the fields are " + ", ".join(sorted(fault)))
            continue
        path = ROOT / fault["file"]
        count = path.read_text().count(fault["old"]) if path.is_file() else None
        if names.count(fault["name"]) != 1:
            refuse(fault, "another fault has this name")
        if fault["area"] not in AREAS:
            refuse(fault, f"{fault['area']} is no area")
        if count is None:
            refuse(fault, f"there is no {fault['file']}")
        elif count != 1:
            refuse(
                fault, f"{fault['file']} has the old text {count} times, not once: {fault['old']!r}"
            )
        if fault["old"] == fault["new"] or not fault["tests"]:
            refuse(fault, "nothing is changed, or nothing is tested")
    planted = sum(not fault.get("gpu", False) for fault in faults)
    if planted < LEAST_FAULTS:
        wrong.append(f"{planted} faults can be planted without a GPU, not {LEAST_FAULTS}")
    return wrong


def words_of(test):
    """The words of a test's command and the values of its environment."""
    words = list(test.get("command", []))
    for field in test.get("properties", []):
        if field["name"] == "ENVIRONMENT":
            words += [setting.partition("=")[2] for setting in field["value"]]
    return words


class Scratch:
    """A copy of the sources, and its build without CUDA."""

    def __init__(self, folder, faults):
        self.source = folder / "source"
        self.build = self.source / "build/no-cuda"
        self.log = folder / "log"
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = run(listing, cwd=ROOT, check=True, capture_output=True).stdout.split("\0")
        for name in filter(None, files):
            source, target = ROOT / name, self.source / name
            if not source.is_file() or (
                target.is_file() and source.read_bytes() == target.read_bytes()
            ):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
            target.touch()
        launcher = shutil.which("ccache")
        options = [
            f"-DCMAKE_{language}_COMPILER_LAUNCHER={launcher}"
            for language in ("C", "CXX")
            if launcher
        ]
        self.tell(["cmake", "--preset", "no-cuda", *options], cwd=self.source)
        shown = run(
            ["ctest", "--test-dir", self.build, "--show-only=json-v1"],
            check=True,
            capture_output=True,
        ).stdout
        self.tests = {test["name"]: test for test in json.loads(shown)["tests"]}
        shown = run(
            ["ninja", "-C", self.build, "-t", "targets", "all"], check=True, capture_output=True
        ).stdout
        self.targets = {line.split(":")[0] for line in shown.splitlines()}
        missing = {name for fault in faults for name in fault["tests"]} - set(self.tests)
        if missing:
            sys.exit(f"there are no tests {', '.join(sorted(missing))}")

    def tell(self, command, **options):
        with open(self.log, "a") as log:
            if run(command, log, **options).returncode != 0:
                sys.exit(f"{' '.join(map(str, command))} failed: see {self.log}")

    def targets_of(self, fault):
        """The programs of the tests, and the files of the build that their commands and their
        environments name."""
        build = str(self.build) + "/"
        programs = {
            "test_" + re.sub("^(bench[.]|preload_)|_without_openblas$", "", name)
            for name in fault["tests"]
        }
        words = {word for name in fault["tests"] for word in words_of(self.tests[name])}
        files = {word.removeprefix(build) for word in words if word.startswith(build)}
        return sorted((programs | files) & self.targets | set(fault.get("targets", [])))

    def compile(self, targets):
        command = [
            "cmake",
            "--build",
            self.build,
            "--parallel",
            str(os.cpu_count()),
            "--target",
            *targets,
        ]
        with open(self.log, "a") as log:
            return run(command, log).returncode == 0

    def failing(self, names, reduced):
        """The names of the tests that fail, of these. Reduced: with few and small shapes."""
        pattern = "^(" + "|".join(map(re.escape, names)) + ")$"
        command = [
            "ctest",
            "--test-dir",
            self.build,
            "-R",
            pattern,
            "--no-tests=error",
            "--stop-on-failure",
        ]
        command += ["--timeout", str(TEST_SECONDS)]
        environment = os.environ | {
            "CUDA_VISIBLE_DEVICES": "",
            "MYBLAS_TEST_REDUCED": str(int(reduced)),
        }
        done = run(command, capture_output=True, env=environment)
        with open(self.log, "a") as log:
            log.write(done.stdout)
        return re.findall(r"^\s+\d+ - (\S+) \(", done.stdout, re.MULTILINE)

    def plant(self, fault):
        """The first test that fails, or None."""
        path = self.source / fault["file"]
        right = path.read_text()
        try:
            path.write_text(right.replace(fault["old"], fault["new"]))
            if not self.compile(self.targets_of(fault)):
                sys.exit(f"{fault['name']}: the wrong line does not compile: see {self.log}")
            failing = self.failing(fault["tests"], True)
            if failing:
                return failing[0]
            failing = self.failing(fault["tests"], False)
        finally:
            path.write_text(right)
        if not failing:
            return None
        if not self.compile(self.targets_of(fault)) or self.failing(failing, False):
            sys.exit(f"{failing[0]} fails without a fault: see {self.log}")
        return failing[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="check the table, and plant nothing")
    parser.add_argument(
        "--scratch", type=pathlib.Path, default=ROOT / "build/planted", help="folder of the copy"
    )
    parser.add_argument("--json", type=pathlib.Path, help="file to append the results to")
    parser.add_argument(
        "names", nargs="*", help="the faults to plant, by a part of their names (all)"
    )
    asked = parser.parse_args()

    with open(pathlib.Path(__file__).parent / "faults.toml", "rb") as file:
        faults = tomllib.load(file)["fault"]
    if wrong := check(faults):
        sys.exit("\n".join(wrong))
    if asked.check:
        print(f"{len(faults)} faults, each in its place")
        return
    chosen = [
        f for f in faults if not asked.names or any(name in f["name"] for name in asked.names)
    ]
    asked.scratch.mkdir(parents=True, exist_ok=True)
    scratch = Scratch(asked.scratch.resolve(), chosen)
    commit = run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True
    ).stdout.strip()

    here = [fault for fault in chosen if not fault.get("gpu", False)]
    targets = sorted({target for fault in here for target in scratch.targets_of(fault)})
    if not scratch.compile(targets):
        sys.exit(f"the sources do not compile: see {scratch.log}")
    for name in sorted({name for fault in here for name in fault["tests"]}):
        if scratch.failing([name], True):
            sys.exit(f"{name} fails without a fault: see {scratch.log}")

    unseen = 0
    for fault in chosen:
        begin = time.monotonic()
        result = {
            "tool": "planted",
            "area": fault["area"],
            "fault": fault["name"],
            "file": fault["file"],
            "commit": commit,
        }
        if fault.get("gpu", False):
            result["needs"] = "a GPU"
        else:
            result["seen_by"] = scratch.plant(fault)
            unseen += result["seen_by"] is None
        outcome = result.get("needs") or result["seen_by"] or "NOT SEEN"
        print(f"{outcome:<28} {fault['name']} ({time.monotonic() - begin:.0f} s)", flush=True)
        if asked.json:
            with open(asked.json, "a") as file:
                file.write(json.dumps(result) + "\n")
    seen, left = len(here) - unseen, len(chosen) - len(here)
    print(f"{len(here)} faults planted, {seen} seen; {left} need a GPU")
    sys.exit(unseen > 0)


if __name__ == "__main__":
    main()
