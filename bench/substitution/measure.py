#!/usr/bin/env python3
"""Measures unchanged programs with and without the preload libraries, and writes JSON.

usage: measure.py [--suites SUITE,...] [--only REGEX] [--seconds S] BUILD_DIR OUTPUT.json
                  [calls|programs|blas]...

calls     nanoseconds that the host spends on a call of cuBLAS, plain, forwarded and served, and
          on the same call of libmyblas itself
programs  seconds of programs with PyTorch, CuPy and JAX, and of calls that others make, plain and
          in each math mode, the errors of their results, and who computed them by the preload
          library's report
blas      seconds of a CPU program's sgemm_, ssyrk_ and strsm_ and of its BLAS, and the transfers'
          share

Without a part: all of them; what OUTPUT.json has of others stays. --suites (pytorch_programs, ...)
and --only, which the names of programs must match, choose programs; the results of others stay.
BUILD_DIR is a finished build tree, wherever it was copied: its bench/substitution, bench/generated
and lib are enough. All parts together take about 150 seconds and no more than --seconds (400): a
program that has not ended by then is killed, and what was measured before is there. Suites of
programs that are not installed are left out. Exit status 1: a part failed.
"""

import argparse
import json
import pathlib
import shlex
import statistics
import sys
import time

here = pathlib.Path(__file__).resolve().parent
sys.path += [str(here), str(here.parent)]
import machine  # noqa: E402
import turns  # noqa: E402
from measurements import json_text  # noqa: E402
from process import Failure, Program  # noqa: E402

MATH_MODES = ["strict", "emulated", "fast"]
# Several processes, because the addresses that the loader chooses affect times, and because threads
# are interrupted now and then.
PROCESSES = 3
# Products of one thread, whose times are steady enough for nanoseconds.
ONE_THREAD_SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 127, 128, 160, 202,
                    203, 204, 256]  # fmt: skip
# The first call starts the GPU.
SIZES = [8192, 64, 96, 127, 128, 160, 192, 203, 224, 256, 288, 320, 352, 384, 416, 448, 512, 576,
         640, 768, 896, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 5120, 6144]  # fmt: skip
ROUTINES = ["ssyrk", "strsm"]  # beside sgemm
ROUTINE_SIZES = [8192, 1, 4, 16, 64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096]
TRANSFER_SIZE = 8192
PARTS = ["calls", "programs", "blas"]

parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
parser.add_argument("--suites", type=lambda text: text.split(","), default=turns.SUITES)
parser.add_argument("--only", default="")
parser.add_argument("--seconds", type=float, default=400)
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("output", type=pathlib.Path)
parser.add_argument("parts", nargs="*", metavar="part")
chosen = parser.parse_args()
build, output, parts = chosen.build.resolve(), chosen.output, chosen.parts or PARTS
is_choice = bool(chosen.only or chosen.suites != turns.SUITES)
if unknown := set(parts) - set(PARTS):
    parser.error(f"there is no part {unknown.pop()}; there are: {' '.join(PARTS)}")
if unknown := set(chosen.suites) - set(turns.SUITES):
    parser.error(f"there is no suite {unknown.pop()}; there are: {' '.join(turns.SUITES)}")
binaries = build / "bench" / "substitution"
cublas_preload = build / "lib/myblas/libmyblas-cublas-preload.so"
blas_preload = build / "lib/myblas/libmyblas-blas-preload.so"
Program.deadline = time.monotonic() + chosen.seconds


def run(*arguments, **settings):
    return Program(*arguments, **settings).result()


def calls():
    program = binaries / "cublas_calls"
    measured = {
        "plain": run([program]),
        "forwarded": run([program], cublas_preload, MYBLAS_OFFLOAD="never"),
        "served": run([program], cublas_preload),
        "libmyblas": run([program, build / "lib/libmyblas.so.1"]),
    }
    # A launch takes thousands of nanoseconds. Calls without a launch show the overhead.
    overheads = {
        name: {
            "forwarded": round(measured["forwarded"][name] - measured["plain"][name], 1),
            "served": round(measured["served"][name] - measured["libmyblas"][name], 1),
        }
        for name in measured["plain"]
        if name.endswith("_nothing")
    }
    return {"nanoseconds": measured, "overhead_nanoseconds": overheads}


def programs():
    results, problems = turns.measure(cublas_preload, chosen.suites, chosen.only)
    if not results:
        raise Failure("\n".join(problems) or "none of the suites is installed")
    for problem in problems:
        fail(problem)
    again = {(entry["suite"], entry["program"]) for entry in results}
    earlier = measured.get("programs", []) if is_choice else []
    return [e for e in earlier if (e["suite"], e["program"]) not in again] + results


def with_ratios(processes):
    """Medians over the processes, and how many times as fast as its BLAS the program is."""
    merged = {}
    for size in processes[0]:
        entry = {
            key: statistics.median(p[size][key] for p in processes) for key in ("program", "blas")
        }
        ratios = [p[size]["blas"] / p[size]["program"] for p in processes]
        entry["ratio"] = round(statistics.median(ratios), 4)
        entry["noise"] = round(max(abs(p[size]["noise"]) for p in processes), 4)
        merged[size] = entry
    return merged


def blas():
    program = binaries / "blas_calls"

    def ratios(routine, sizes, **settings):
        command = [program, routine, *sizes]
        return with_ratios([run(command, blas_preload, **settings) for _ in range(PROCESSES)])

    results = {
        "one thread": ratios("sgemm", ONE_THREAD_SIZES, OPENBLAS_NUM_THREADS="1"),
        "all threads": ratios("sgemm", SIZES),
    }
    for routine in ROUTINES:
        results[routine] = ratios(routine, ROUTINE_SIZES)
    results["least_ratio"] = min(e["ratio"] for sizes in results.values() for e in sizes.values())

    transfer = run([program, "--transfer"])
    matrix_bytes = 4 * TRANSFER_SIZE**2
    least = 2 * matrix_bytes / transfer["to_device"] + matrix_bytes / transfer["to_host"]
    results["transfer"] = {
        "bytes_per_second": transfer,
        "n": TRANSFER_SIZE,
        "seconds_of_copies": least,
    }
    for mode in MATH_MODES:
        command = [program, "--program", TRANSFER_SIZE]
        taken = run(command, blas_preload, MYBLAS_MATH=mode)[str(TRANSFER_SIZE)]
        results["transfer"][mode] = {"seconds": taken, "share": round(least / taken, 3)}
    return results


def fail(what):
    global status
    print(what, file=sys.stderr)
    status = 1


is_whole = set(parts) == set(PARTS) and not is_choice
measured = json.loads(output.read_text()) if output.exists() and not is_whole else {}
words = ["BUILD_DIR" if w == str(chosen.build) else w for w in sys.argv[1:]]
words = [output.name if w == str(output) else w for w in words]
command = shlex.join(["bench/substitution/measure.py", *words])
context = machine.context(build, [command])
measured["context"] = machine.of_all_runs(context, measured.get("context"))
status = 0
for part in parts:
    begin = time.monotonic()
    try:
        measured[part] = {"calls": calls, "programs": programs, "blas": blas}[part]()
    except Failure as failure:
        fail(failure)
    for program in list(Program.running):  # what a failure left behind
        program.end()
    print(f"{part}: {time.monotonic() - begin:.1f} s", file=sys.stderr)
    output.write_text(json_text(measured) + "\n")
sys.exit(status)
