#!/usr/bin/env python3
"""Runs the test programs that have GPU cases under compute-sanitizer, piece by piece.

A piece is one program under one tool; a program that takes long is cut into shards, which divide
its tests and kernels. Under racecheck and synccheck, which look at the code of kernels rather than
at addresses, the tests call each kernel in each form only a few times. Each piece has a time limit,
so that a run ends. Pieces run side by side, on all GPUs that are there. It needs a finished build
tree, which may have been copied to another machine, and no CMake. The last line counts the pieces;
the exit status is 1 if one found an error, did not end or was not begun.

With --json, each piece appends a line of JSON to a file when it ends, for docs/testing.py. If a
run is cut, the same command goes on: it leaves out what has passed, by the file, at this commit, or
at an earlier one (--same-as) since which neither kernels nor their tests have changed. Pieces that
have not ended yet, by the file, begin first, then those that took longest.

With --kernel, for a change of a few kernels, a piece is what one program tests of the kernels that
a pattern matches. Its line names the pattern and the kernels. It never counts as a whole piece.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import time

TOOLS = ("racecheck", "initcheck", "memcheck", "synccheck")  # the slowest first
# Programs that run no kernel of their own, or that look at the whole GPU's memory.
LEFT_OUT = {"test_status_handle", "test_arguments", "test_cuda_graph", "test_growth", "test_large"}
NOT_BY_KERNEL = {"test_fuzz", "test_memory"}  # left out with --kernel
# In how many shards, under racecheck and under the other tools.
SHARDS = {
    "test_sgemm": (32, 12),
    "test_fused": (14, 8),
    "test_level3": (5, 6),
    "test_reproducible": (6, 3),
    "test_exceptions": (6, 3),
    "test_transpose": (6, 2),
    "test_level1": (6, 2),
    "test_level2": (2, 2),
    "test_fuzz": (4, 2),
    "test_lifecycle": (4, 1),
    "test_sum": (5, 1),
    "test_triangles": (2, 1),
    "test_histogram": (2, 1),
    "test_vector": (2, 1),
}
# Kernels left out under a tool that does not follow their barriers: docs/experiments/level3.md.
KERNELS_LEFT_OUT = {"racecheck": "solve_block", "synccheck": "solve_block"}
# Few calls of each code are enough for these.
MINIMAL = {"racecheck", "synccheck"}
FUZZ_CALLS = {"memcheck": 750, "racecheck": 75, "initcheck": 150, "synccheck": 300}  # of a shard


def programs(tests):
    """Of the list in the build tree, what is a program and not a script."""
    names = [line.split()[0] for line in (tests / "gpu_tests.txt").read_text().splitlines()]
    return [name for name in names if not name.endswith(".sh") and name not in LEFT_OUT]


def shards(tool, name):
    return SHARDS.get(name, (1, 1))[tool != "racecheck"]


def pieces_of(names, tools, kernels, earlier):
    """(tool, program, shard, pattern of kernels) of each piece, those that take long first."""
    took = {key_of(result): result["seconds"] for result in earlier if result["ended"]}
    pieces = []
    for tool in sorted(tools, key=TOOLS.index):
        for name in sorted(names, key=lambda name, tool=tool: -shards(tool, name)):
            count = shards(tool, name)
            if kernels:
                pieces += [(tool, name, "0/1", kernel) for kernel in kernels]
            else:
                pieces += [(tool, name, f"{i}/{count}", None) for i in range(count)]
    return sorted(pieces, key=lambda piece: -took.get(piece, float("inf")))


def command_of(tests, tool, name, shard):
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99"]
    if tool in KERNELS_LEFT_OUT:
        command += ["--kernel-name-exclude", f"kernel_substring={KERNELS_LEFT_OUT[tool]}"]
    command.append(str(tests / name))
    if name == "test_fuzz":
        calls = FUZZ_CALLS[tool]
        first = int(shard.split("/")[0]) * calls
        command += ["--first", str(first), "--calls", str(calls), "-j", "1"]
    return command


def all_gpus():
    listing = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    return [str(index) for index in range(len(listing.stdout.splitlines()))]


def gpu_name():
    query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader", "-i", "0"]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()


def key_of(result):
    return (result["check"], result["program"], result["shard"], result.get("kernel"))


def recorded(path):
    """The results in the file."""
    if not path or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def run_piece(arguments, piece, gpus):
    """The piece's result, as it stands in the JSON; None if there is no time left for it."""
    gpu = gpus.get()
    try:
        return run_on(arguments, piece, gpu)
    finally:
        gpus.put(gpu)


def run_on(arguments, piece, gpu):
    tool, name, shard, kernel = piece
    begin = time.monotonic()
    limit = min(arguments.limit, arguments.end - begin)
    if limit <= 0:
        return None
    environment = dict(
        os.environ,
        CUDA_VISIBLE_DEVICES=gpu,
        MYBLAS_TEST_REDUCED="2" if tool in MINIMAL else "1",
        MYBLAS_TEST_REQUIRE_GPU="1",
        MYBLAS_TEST_SHARD=shard,
        MYBLAS_TEST_KERNELS=kernel or "",
    )
    process = subprocess.Popen(
        command_of(arguments.tests, tool, name, shard),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, ended = process.communicate(timeout=limit)[0], True
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the tool and the program
        output, ended = process.communicate()[0], False
    output = output.decode(errors="replace")
    summary = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", output)
    errors = [re.match(r"(\d+) (?:errors?|hazards?)", text) for text in summary]
    result = {
        "tool": "compute-sanitizer",
        "check": tool,
        "program": name,
        "shard": shard,
        "seconds": round(time.monotonic() - begin, 1),
        "ended": ended,
        # Without a summary the tool has not looked to the end.
        "errors": sum(int(found[1]) for found in errors if found) if summary else None,
        "status": process.returncode,
        "without_kernel": KERNELS_LEFT_OUT.get(tool),
        "commit": arguments.commit,
        "machine": arguments.machine,
        "date": datetime.date.today().isoformat(),
    }
    if kernel:
        tested = re.findall(r"^kernels tested:(.*)$", output, re.MULTILINE)
        result["kernel"], result["kernels"] = kernel, tested[-1].split() if tested else None
    if not passed(result):
        part = re.sub(r"\W+", "_", kernel) if kernel else shard.replace("/", "-of-")
        log = arguments.logs / f"{tool}-{name}-{part}.log"
        log.write_text(output[-200000:])
    return result


def passed(result):
    return result["ended"] and result["errors"] == 0 and result["status"] == 0


def has_kernels(result):
    """Not of a program that tests no such kernel."""
    return result.get("kernels") != []


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=pathlib.Path, help="a finished build tree")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="only these tools")
    parser.add_argument("--program", action="append", help="only these programs")
    parser.add_argument(
        "--kernel", action="append", metavar="PATTERN", help="only these kernels, as 'tf32x3/*'"
    )
    parser.add_argument("--limit", type=float, default=480, help="seconds for a piece (480)")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="for the run; then all pieces are ended"
    )
    parser.add_argument("--gpu", action="append", help="only these GPUs, by their numbers")
    parser.add_argument("-j", "--jobs", type=int, default=4, help="pieces at a time, a GPU (4)")
    parser.add_argument("--json", type=pathlib.Path, help="append a line for each piece here")
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("."), help="of failures")
    parser.add_argument("--commit", default="", help="the build's commit, for the JSON")
    parser.add_argument("--same-as", action="append", default=[], help="an earlier commit")
    arguments = parser.parse_args()
    arguments.tests = arguments.build / "tests"
    arguments.logs.mkdir(parents=True, exist_ok=True)
    arguments.end = time.monotonic() + arguments.seconds
    arguments.machine = gpu_name()
    return arguments


def main():
    arguments = parse_arguments()
    names = arguments.program or programs(arguments.tests)
    if arguments.kernel:
        names = [name for name in names if name not in NOT_BY_KERNEL]
    earlier = recorded(arguments.json)
    commits = {arguments.commit, *arguments.same_as}
    done = {key_of(r) for r in earlier if r["commit"] in commits and passed(r)}
    pieces = pieces_of(names, arguments.tool or TOOLS, arguments.kernel, earlier)
    pieces = [piece for piece in pieces if piece not in done]
    gpus = queue.SimpleQueue()  # each as often as it takes pieces at a time
    for gpu in (arguments.gpu or all_gpus()) * arguments.jobs:
        gpus.put(gpu)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    found = set()  # the patterns that match a kernel
    with concurrent.futures.ThreadPoolExecutor(gpus.qsize()) as pool:
        futures = [pool.submit(run_piece, arguments, piece, gpus) for piece in pieces]
        for future in concurrent.futures.as_completed(futures):
            result = future.result()
            if result is None:
                counts["skipped"] += 1
                continue
            if passed(result) and not has_kernels(result):
                continue
            if has_kernels(result):
                found.add(result.get("kernel"))
            counts["passed" if passed(result) else "failed"] += 1
            names = ("check", "program", "shard", "seconds", "errors", "status", "kernels")
            print(*(f"{name}={result[name]}" for name in names if name in result), flush=True)
            if arguments.json:
                with arguments.json.open("a") as file:
                    file.write(json.dumps(result) + "\n")
    for kernel in arguments.kernel or ():
        if kernel not in found and not any(p[3] == kernel for p in done):
            counts["failed"] += 1
            print(f"{kernel} matches no kernel that a program tests")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["failed"] or counts["skipped"] else 0


if __name__ == "__main__":
    sys.exit(main())
