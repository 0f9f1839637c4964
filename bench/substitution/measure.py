#!/usr/bin/env python3
"""Measures what the preload libraries do to programs as they are, and writes it as JSON.

usage: measure.py BUILD_DIR OUTPUT.json [calls|pytorch|blas]...

calls     nanoseconds that the host spends on a call of cuBLAS, plain, forwarded and served, and on the
          same call of libmyblas itself
pytorch   seconds of torch.mm, plain and in each math mode
blas      seconds of a CPU program's sgemm_ and of its BLAS, and the transfers' share

Without a part: all of them; what OUTPUT.json has of others stays. BUILD_DIR is a finished build tree,
wherever it was copied: its bench/substitution, bench/generated and lib are enough. All parts together take
about 50 seconds and no more than 120: a program that does not come to its end by then is killed, and what was
measured before is there. Exit status 1: a part failed.
"""

import ctypes
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from measurements import json_text  # noqa: E402

MATH_MODES = ["strict", "emulated", "fast"]
PYTORCH_SIZES = [4096, 8192]
# Processes differ by where the loader puts things, and calls of many threads are held up now and then.
PROCESSES = 3
# Products of one thread, whose times are steady enough for nanoseconds.
ONE_THREAD_SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 127, 128, 160, 202, 203, 204,
                    256]  # fmt: skip
# The first one starts the GPU.
SIZES = [8192, 64, 96, 127, 128, 160, 192, 203, 224, 256, 288, 320, 352, 384, 416, 448, 512, 576, 640, 768, 896,
         1024, 1280, 1536, 2048, 2560, 3072, 4096, 5120, 6144]  # fmt: skip
TRANSFER_SIZE = 8192
LIMIT_SECONDS = 120  # of all programs together

build = pathlib.Path(sys.argv[1]).resolve()
output = pathlib.Path(sys.argv[2])
parts = sys.argv[3:] or ["calls", "pytorch", "blas"]
here = pathlib.Path(__file__).resolve().parent
programs = build / "bench" / "substitution"
cublas_preload = build / "lib/myblas/libmyblas-cublas-preload.so"
blas_preload = build / "lib/myblas/libmyblas-blas-preload.so"
deadline = time.monotonic() + LIMIT_SECONDS


class Failure(Exception):
    pass


class Program:
    """A program that runs; result() is the JSON that it prints at last."""

    running = []

    def __init__(self, command, preload=None, **settings):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MYBLAS_")} | settings
        if preload:
            environment["LD_PRELOAD"] = str(preload)
        self.name = " ".join(pathlib.Path(word).name for word in map(str, command))
        self.process = subprocess.Popen(
            [str(word) for word in command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        Program.running.append(self)

    def end(self):
        self.process.kill()
        self.process.communicate()
        Program.running.remove(self)

    def result(self):
        try:
            out, err = self.process.communicate(timeout=max(1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name}: not at its end in time") from None
        Program.running.remove(self)
        if self.process.returncode != 0:
            raise Failure(f"{self.name}: status {self.process.returncode}\n{err}")
        return json.loads(out.splitlines()[-1])


def run(*arguments, **settings):
    return Program(*arguments, **settings).result()


def calls():
    program = programs / "cublas_calls"
    measured = {
        "plain": run([program]),
        "forwarded": run([program], cublas_preload, MYBLAS_OFFLOAD="never"),
        "served": run([program], cublas_preload),
        "libmyblas": run([program, build / "lib/libmyblas.so.1"]),
    }
    # A launch takes thousands of nanoseconds, more or less: the calls without one tell the overhead.
    overheads = {
        name: {
            "forwarded": round(measured["forwarded"][name] - measured["plain"][name], 1),
            "served": round(measured["served"][name] - measured["libmyblas"][name], 1),
        }
        for name in measured["plain"]
        if name.endswith("_nothing")
    }
    return {"nanoseconds": measured, "overhead_nanoseconds": overheads}


def pytorch():
    """All processes start at once, for that takes them long, and measure one after the other."""
    with tempfile.NamedTemporaryFile() as lock:
        command = [sys.executable, here / "pytorch_matmul.py", lock.name, *PYTORCH_SIZES]
        started = {"plain": Program(command)}
        for mode in MATH_MODES:
            started[mode] = Program(command, cublas_preload, MYBLAS_MATH=mode)
        results = {mode: program.result() for mode, program in started.items()}
    for mode in MATH_MODES:
        for size, entry in results[mode].items():
            entry["speedup"] = round(results["plain"][size]["seconds"] / entry["seconds"], 3)
    return results


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
    program = programs / "blas_calls"

    def ratios(sizes, **settings):
        command = [program, *sizes]
        return with_ratios([run(command, blas_preload, **settings) for _ in range(PROCESSES)])

    results = {
        "one thread": ratios(ONE_THREAD_SIZES, OPENBLAS_NUM_THREADS="1"),
        "all threads": ratios(SIZES),
    }
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


def cuda_version():
    """Of the driver, as 13.0."""
    version = ctypes.c_int(0)
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def commit():
    """MYBLAS_COMMIT, or else of the build."""
    if os.environ.get("MYBLAS_COMMIT"):
        return os.environ["MYBLAS_COMMIT"]
    header = (build / "bench/generated/build_commit.h").read_text()
    return re.search('build_commit = "(.*)"', header)[1]


def context():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, timeout=30)
    gpu, driver = answer.stdout.splitlines()[0].split(", ")
    cpus = [line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return {
        "gpu": gpu,
        "driver": driver,
        "cuda": cuda_version(),
        "cpu": f"{len(cpus)} x {cpus[0]}",
        "commit": commit(),
        "command": " ".join(["bench/substitution/measure.py BUILD_DIR", output.name, *sys.argv[3:]]),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


measured = json.loads(output.read_text()) if output.exists() else {}
measured["context"] = context()
status = 0
for part in parts:
    begin = time.monotonic()
    try:
        measured[part] = {"calls": calls, "pytorch": pytorch, "blas": blas}[part]()
    except Failure as failure:
        print(failure, file=sys.stderr)
        status = 1
    for program in list(Program.running):  # what a failure left behind
        program.end()
    print(f"{part}: {time.monotonic() - begin:.1f} s", file=sys.stderr)
    output.write_text(json_text(measured) + "\n")
sys.exit(status)
