"""Where, when and how something was measured, for results of measure.py, of python_package.py, and
of the measure.py of bench/engines."""

import ctypes
import datetime
import os
import pathlib
import re
import subprocess


def cuda_version():
    """Of the driver, as 13.0."""
    version = ctypes.c_int(0)
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def commit(build):
    """MYBLAS_COMMIT, or else of the build."""
    if os.environ.get("MYBLAS_COMMIT"):
        return os.environ["MYBLAS_COMMIT"]
    header = (build / "bench/generated/build_commit.h").read_text()
    return re.search('build_commit = "(.*)"', header)[1]


def gpus():
    """(name, version of the driver) of each GPU."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=30)
    except FileNotFoundError:
        return []
    found = answer.stdout.splitlines() if answer.returncode == 0 else []
    return [line.split(", ") for line in found]


def context(build, command):
    """Without a GPU: of the host alone."""
    found = gpus()
    gpu, driver = found[0] if found else ("", "")
    cpus = re.findall("model name\\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {
        "gpu": gpu,
        "driver": driver,
        "cuda": cuda_version() if found else "",
        "cpu": f"{len(cpus)} x {cpus[0]}",
        "commit": commit(build),
        "command": " ".join(command),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def of_all_runs(context, earlier):
    """The context of a file that also has results of earlier runs: the commits and commands of all
    runs. earlier: None if there was none."""
    merged = dict(context)
    if earlier:
        for name in ("commit", "command"):
            merged[name] = "; ".join(dict.fromkeys([*earlier[name].split("; "), context[name]]))
    return merged
