#!/usr/bin/env python3
"""Measures the Python package on a GPU, and cuBLAS's names for emulated FP32; writes JSON.

usage: python_package.py BUILD_DIR OUTPUT.json [PART]...

products    programs with PyTorch, plain and under myblas.torch.enable() in each mode
training    steps of a small GPT, and its losses, plain and in each mode
compiled    the same under torch.compile
calls       microseconds of the host for small products of PyTorch: plain, enabled with kernels in
            Python and with compiled ones, and under the preload library
cupy, jax   myblas.matmul of their arrays, against the same call of the library by ctypes
emulation   products of cuBLAS in emulated FP32 by each name that asks for it, under the preload
            library, against cuBLAS's FP32

Without a part: all of them; what OUTPUT.json has of others stays. BUILD_DIR is a finished build
tree, wherever it was copied: its bench/substitution, bench/generated and lib are enough. All parts
together take about 90 seconds. A part whose packages are not installed is left out. Exit status 1:
a part failed.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
sys.path += [str(here), str(here.parent)]
from machine import context  # noqa: E402
from measurements import json_text  # noqa: E402
from process import Failure, Program  # noqa: E402
from turns import Worker, calls_in, listed  # noqa: E402

COMMAND = "bench/substitution/python_package.py BUILD_DIR"
WORKERS = ["products", "training", "compiled", "calls", "cupy", "jax"]
LIMIT_SECONDS = 300
EMULATION_SIZE = 8192
EMULATION_TURNS = 3
LEAST_EMULATED = 2.4  # times as fast as FP32

build = pathlib.Path(sys.argv[1]).resolve()
output = pathlib.Path(sys.argv[2])
parts = sys.argv[3:] or [*WORKERS, "emulation"]
cublas_preload = build / "lib/myblas/libmyblas-cublas-preload.so"
Program.deadline = time.monotonic() + LIMIT_SECONDS
status = 0


def fail(what):
    global status
    print(what, file=sys.stderr)
    status = 1


def write():
    output.write_text(json_text(measured) + "\n")


def assemble(folder):
    """The package, as a wheel has it."""
    package = folder / "myblas"
    (package / "lib").mkdir(parents=True)
    for source in (here.parent.parent / "python" / "myblas").iterdir():
        if source.is_file():
            shutil.copy(source, package)  # it looks for the library beside itself
    (package / "include").symlink_to(here.parent.parent / "include")
    for name in ("libmyblas.so.1", "myblas"):
        (package / "lib" / name).symlink_to(build / "lib" / name)
    return str(folder)


def paths(folder):
    """Variables for the package in this folder. Compiled kernels are kept only where the caller
    says.
    """
    return {"PYTHONPATH": folder, "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", folder)}


class PackageWorker(Worker):
    def __init__(self, part, path, preload=None):
        super().__init__(part, preload, "python_worker.py", **paths(path))

    def is_ready(self):
        answer = self.answer()
        if "absent" in answer:
            print(f"{self.name}: {answer['absent']}", file=sys.stderr)
        return "absent" not in answer

    def measure(self):
        self.tell("measure")
        return self.answer()


def compile_kernels(path):
    """For myblas.torch; without them, its kernels in Python are measured."""
    command = [sys.executable, "-m", "myblas", "build-torch"]
    environment = os.environ | paths(path)
    answer = subprocess.run(command, env=environment, capture_output=True, text=True)
    if answer.returncode != 0:
        print(answer.stderr, file=sys.stderr)


def workers(wanted, path):
    """All start at once, which takes long, and measure one after the other."""
    compile_kernels(path)
    running = {part: [PackageWorker(part, path)] for part in wanted}
    if "calls" in running:
        running["calls"].append(PackageWorker("calls", path, cublas_preload))
    ready = {}
    for part, processes in running.items():
        try:
            ready[part] = all([process.is_ready() for process in processes])
        except Failure as failure:
            fail(failure)
    for part, processes in running.items():
        begin = time.monotonic()
        try:
            if ready.get(part):
                answers = [process.measure() for process in processes]
                measured[part] = with_preload(*answers) if part == "calls" else answers[0]
                write()
        except Failure as failure:
            fail(failure)
        for process in processes:
            process.end()
        print(f"{part}: {time.monotonic() - begin:.1f} s", file=sys.stderr)


def with_preload(enabled, preloaded):
    for name, entry in enabled.items():
        entry["preload"] = preloaded[name]["plain"]
    return enabled


def emulation(folder):
    program = [build / "bench/substitution/emulation_calls", EMULATION_SIZE]
    report = folder / "report.txt"
    plain, served = [], []
    for _ in range(EMULATION_TURNS):
        plain.append(Program(program).result())
        served.append(Program(program, cublas_preload, MYBLAS_REPORT=str(report)).result())
    native = statistics.median(run["FP32"]["us"] for run in plain)
    results = {"n": EMULATION_SIZE, "native_us": native}
    results |= {name: listed(counts) for name, counts in calls_in(report.read_text()).items()}
    results["requests"] = []
    for name in served[0]:
        own = [run[name] for run in served]
        entry = {"request": name, "cublas_status": plain[0][name]["status"]}
        if "us" in plain[0][name]:
            entry["cublas_us"] = statistics.median(run[name]["us"] for run in plain)
            entry["cublas_error"] = plain[0][name]["error"]
        entry["status"] = own[0]["status"]
        if own[0]["status"] == 0:
            entry["us"] = statistics.median(run["us"] for run in own)
            entry["ratio"] = round(native / entry["us"], 3)
            entry["error"] = own[0]["error"]
        if name != "FP32" and entry.get("ratio", 0) < LEAST_EMULATED:
            fail(f"emulation: {name}: {entry}")
        results["requests"].append(entry)
    return results


measured = json.loads(output.read_text()) if output.exists() else {}
measured["context"] = context(build, [COMMAND, output.name, *sys.argv[3:]])
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    try:
        workers([part for part in WORKERS if part in parts], assemble(folder))
        if "emulation" in parts:
            measured["emulation"] = emulation(folder)
    except Failure as failure:
        fail(failure)
    for program in list(Program.running):  # what a failure left behind
        program.end()
write()
sys.exit(status)
