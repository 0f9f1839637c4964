#!/usr/bin/env python3
"""Runs the test programs that have GPU cases under compute-sanitizer, piece by piece.

A piece is one program under one tool; a program that takes long is cut into shards of its kernels.
Each piece has a time limit, so that a run ends. Pieces run side by side, on all GPUs that are
there. It needs a finished build tree, which may have been copied to another machine, and no
CMake. The last line counts the pieces; the exit status is 1 if one found an error or did not end.

With --json, one line of JSON for the run is appended to a file, for docs/testing.py.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import time

TOOLS = {
    "memcheck": [],
    "racecheck": [],
    "initcheck": [],
    "synccheck": [],
}
# Programs that run no kernel of their own, or that look at the whole GPU's memory.
LEFT_OUT = {"test_status_handle", "test_arguments", "test_cuda_graph", "test_growth", "test_large"}
SHARDS = {"test_sgemm": 12, "test_kernels": 4, "test_level3": 4, "test_fused": 4}
FUZZ_CALLS = {"memcheck": 1500, "racecheck": 300, "initcheck": 300, "synccheck": 600}


def programs(tests):
    """Of the list in the build tree, what is a program and not a script."""
    names = [line.split()[0] for line in (tests / "gpu_tests.txt").read_text().splitlines()]
    return [name for name in names if not name.endswith(".sh") and name not in LEFT_OUT]


def pieces_of(names, tools):
    """(tool, program, shard) of each piece, those that take long first."""
    pieces = []
    for name in sorted(names, key=lambda name: -SHARDS.get(name, 1)):
        for tool in tools:
            count = SHARDS.get(name, 1)
            pieces += [(tool, name, f"{i}/{count}") for i in range(count)]
    return pieces


def command_of(tests, tool, name):
    command = ["compute-sanitizer", "--tool", tool, *TOOLS[tool], "--error-exitcode", "99"]
    command.append(str(tests / name))
    if name == "test_fuzz":
        command += ["--calls", str(FUZZ_CALLS[tool]), "-j", "1"]
    return command


def all_gpus():
    listing = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    return [str(index) for index in range(len(listing.stdout.splitlines()))]


def gpu_name():
    query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader", "-i", "0"]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()


def run_piece(arguments, piece, gpu):
    """The piece's result, as it stands in the JSON."""
    tool, name, shard = piece
    environment = dict(
        os.environ,
        CUDA_VISIBLE_DEVICES=gpu,
        MYBLAS_TEST_REDUCED="1",
        MYBLAS_TEST_REQUIRE_GPU="1",
        MYBLAS_TEST_SHARD=shard,
    )
    begin = time.monotonic()
    try:
        done = subprocess.run(
            command_of(arguments.tests, tool, name),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=arguments.limit,
            check=False,
        )
        output, status = done.stdout.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as expired:
        output, status = (expired.stdout or b"").decode(errors="replace"), None
    summary = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", output)
    result = {
        "tool": tool,
        "program": name,
        "shard": shard,
        "seconds": round(time.monotonic() - begin, 1),
        # Without a summary the tool has not looked to the end.
        "result": "timeout" if status is None else summary[-1] if summary else f"exit {status}",
        "passed": status == 0 and bool(summary),
    }
    if not result["passed"]:
        log = arguments.logs / f"{tool}-{name}-{shard.replace('/', '-of-')}.log"
        log.write_text(output[-200000:])
    return result


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=pathlib.Path, help="a finished build tree")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="only these tools")
    parser.add_argument("--program", action="append", help="only these programs")
    parser.add_argument("--limit", type=float, default=480, help="seconds for a piece (480)")
    parser.add_argument("--gpu", action="append", help="only these GPUs, by their numbers")
    parser.add_argument("-j", "--jobs", type=int, default=4, help="pieces at a time, a GPU (4)")
    parser.add_argument("--json", type=pathlib.Path, help="append a line for the run here")
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("."), help="of failures")
    parser.add_argument("--commit", default="", help="the build's commit, for the JSON")
    arguments = parser.parse_args()
    arguments.tests = arguments.build / "tests"
    arguments.logs.mkdir(parents=True, exist_ok=True)
    return arguments


def main():
    arguments = parse_arguments()
    names = arguments.program or programs(arguments.tests)
    pieces = pieces_of(names, arguments.tool or list(TOOLS))
    gpus = arguments.gpu or all_gpus()
    results = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs * len(gpus)) as pool:
        futures = [
            pool.submit(run_piece, arguments, piece, gpus[index % len(gpus)])
            for index, piece in enumerate(pieces)
        ]
        for future in concurrent.futures.as_completed(futures):
            result = future.result()
            results.append(result)
            print(*result.values(), flush=True)
    failed = [result for result in results if not result["passed"]]
    if arguments.json:
        run = {
            "tool": "compute-sanitizer",
            "commit": arguments.commit,
            "machine": gpu_name(),
            "date": datetime.date.today().isoformat(),
            "pieces": sorted(results, key=lambda result: list(result.values())[:3]),
        }
        with arguments.json.open("a") as file:
            file.write(json.dumps(run) + "\n")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
