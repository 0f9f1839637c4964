"""The machine and the build of a measurement, for programs that write bench/results."""

import ctypes
import datetime
import os
import pathlib
import re
import subprocess

HEADER = "bench/generated/build_commit.h"  # in a build tree


def gpus():
    """(name, driver's version) of each GPU."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=30)
    except FileNotFoundError:
        return []
    found = answer.stdout.splitlines() if answer.returncode == 0 else []
    return [line.split(", ") for line in found]


def cuda_version():
    """The CUDA version of the driver, such as 13.0."""
    version = ctypes.c_int(0)
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def commit(build):
    """MYBLAS_COMMIT, or else the commit of the build tree."""
    if os.environ.get("MYBLAS_COMMIT"):
        return os.environ["MYBLAS_COMMIT"]
    return re.search('build_commit = "(.*)"', (build / HEADER).read_text())[1]


def context(build, command):
    """What a file of results says of where its figures come from."""
    found = gpus()
    name, driver = found[0] if found else ("", "")
    cpus = re.findall("model name\\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {
        "gpu": name,
        "driver": driver,
        "cuda": cuda_version() if found else "",
        "cpu": f"{len(cpus)} x {cpus[0]}",
        "commit": commit(build),
        "command": command,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
