#!/usr/bin/env python3
"""Measures what the preload libraries do to programs as they are, and writes it as JSON.

usage: measure.py BUILD_DIR OUTPUT.json [calls|pytorch|blas]...

calls     nanoseconds that the host spends on a call of cuBLAS, plain, forwarded and served, and on the
          same call of libmyblas itself
pytorch   seconds of torch.mm, plain and in each math mode
blas      seconds of a CPU program's sgemm_, plain, forwarded and served, and the transfers' share

Without a part: all of them; what OUTPUT.json has of others stays. Runs of one thing with and without the
library take turns, and the quicker ones count: what disturbs a measurement makes it longer. BUILD_DIR is a
finished build tree, wherever it was copied.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys

MATH_MODES = ["strict", "emulated", "fast"]
PYTORCH_SIZES = [4096, 8192]
SMALL_SIZES = [1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 64, 96, 127, 128, 160, 200, 203, 204]
LARGE_SIZES = [4096, 256, 320, 384, 512, 768, 1024, 1536, 2048, 3072]  # the first starts the GPU
HUGE_SIZES = [8192]
TRANSFER_SIZE = 8192

build = pathlib.Path(sys.argv[1]).resolve()
output = pathlib.Path(sys.argv[2])
parts = sys.argv[3:] or ["calls", "pytorch", "blas"]
here = pathlib.Path(__file__).resolve().parent
programs = build / "bench" / "substitution"
cublas_preload = build / "lib/myblas/libmyblas-cublas-preload.so"
blas_preload = build / "lib/myblas/libmyblas-blas-preload.so"


def run(command, preload=None, **settings):
    """The JSON that the command prints, its numbers as floats."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MYBLAS_")} | settings
    if preload:
        environment["LD_PRELOAD"] = str(preload)
    command = [str(word) for word in command]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def quickest(turns, variants):
    """{variant: {key: least value}} of some turns of all variants, which are functions."""
    best = {name: {} for name in variants}
    for _ in range(turns):
        for name, measure in variants.items():
            for key, value in measure().items():
                best[name][key] = min(value, best[name].get(key, value))
    return best


def calls():
    program = programs / "cublas_calls"
    measured = quickest(
        1,
        {
            "plain": lambda: run([program]),
            "forwarded": lambda: run([program], cublas_preload, MYBLAS_OFFLOAD="never"),
            "served": lambda: run([program], cublas_preload),
            "libmyblas": lambda: run([program, build / "lib/libmyblas.so.1"]),
        },
    )
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
    command = [sys.executable, here / "pytorch_matmul.py", *PYTORCH_SIZES]
    results = {"plain": run(command)}
    for mode in MATH_MODES:
        results[mode] = run(command, cublas_preload, MYBLAS_MATH=mode)
        for size, entry in results[mode].items():
            entry["speedup"] = round(results["plain"][size]["seconds"] / entry["seconds"], 3)
    return results


def blas():
    program = programs / "blas_calls"

    def compare(sizes, turns, **settings):
        command = [program, *sizes]
        return quickest(
            turns,
            {
                "plain": lambda: run(command, **settings),
                "preloaded": lambda: run(command, blas_preload, **settings),
            },
        )

    results = {
        "small, one thread": compare(SMALL_SIZES, 5, OPENBLAS_NUM_THREADS="1"),
        "large": compare(LARGE_SIZES, 2),
        "huge": compare(HUGE_SIZES, 1),
    }
    for times in results.values():
        times["ratio"] = {
            size: round(plain / times["preloaded"][size], 4) for size, plain in times["plain"].items()
        }
    transfer = run([program, "--transfer"])
    matrix_bytes = 4 * TRANSFER_SIZE**2
    least = 2 * matrix_bytes / transfer["to_device"] + matrix_bytes / transfer["to_host"]
    results["transfer"] = {
        "bytes_per_second": transfer,
        "n": TRANSFER_SIZE,
        "seconds_of_copies": least,
    }
    for mode in MATH_MODES:
        taken = run([program, TRANSFER_SIZE], blas_preload, MYBLAS_MATH=mode)[str(TRANSFER_SIZE)]
        results["transfer"][mode] = {"seconds": taken, "share": round(least / taken, 3)}
    return results


def context():
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    gpu, driver = subprocess.run(query, capture_output=True, text=True).stdout.strip().split(", ")
    cpus = [line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return {
        "gpu": gpu,
        "driver": driver,
        "cpu": f"{len(cpus)} x {cpus[0]}",
        "commit": os.environ.get("MYBLAS_COMMIT", ""),
        "command": f"bench/substitution/measure.py BUILD_DIR {output.name}",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


measured = json.loads(output.read_text()) if output.exists() else {}
measured["context"] = context()
for part in parts:
    measured[part] = {"calls": calls, "pytorch": pytorch, "blas": blas}[part]()
output.write_text(json.dumps(measured, indent=2) + "\n")
