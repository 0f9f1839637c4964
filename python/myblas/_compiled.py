"""torch_kernels.cpp, compiled for the PyTorch that is here, in the user's cache."""

from __future__ import annotations

import ctypes
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import torch

from ._library import library_path

SOURCE = pathlib.Path(__file__).resolve().parent / "torch_kernels.cpp"
INCLUDE = SOURCE.parent / "include"  # myblas's headers


def path():
    """Where the compiled kernels are, or would be."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    text = SOURCE.read_bytes() + torch.__version__.encode()
    return pathlib.Path(cache, "myblas", f"torch-{hashlib.sha256(text).hexdigest()[:16]}.so")


def build():
    """Compiles the kernels and returns their path. RuntimeError: why it is not possible."""
    compiler = shlex.split(os.environ.get("CXX") or "c++")
    if not shutil.which(compiler[0]):
        raise RuntimeError(f"there is no compiler {compiler[0]} (CXX names another one)")
    root = pathlib.Path(torch.__file__).resolve().parent
    target = path()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = pathlib.Path(folder, "kernels.so")
        command = [
            *compiler,
            *("-O2", "-std=c++20", "-fPIC", "-shared", "-fvisibility=hidden"),
            f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
            f"-I{INCLUDE}",
            *(f"-I{root / 'include' / part}" for part in ("", "torch/csrc/api/include")),
            *(str(SOURCE), "-o", str(made), f"-L{root / 'lib'}", "-lc10", "-ltorch_cpu"),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{shlex.join(command)} failed:\n{done.stderr}")
        made.replace(target)
    return str(target)


_loaded = None


def load(builds):
    """The compiled kernels, as ctypes has them; None if they were not compiled, unless `builds`."""
    global _loaded
    if _loaded is None and (builds or path().exists()):
        _loaded = ctypes.CDLL(str(path()) if path().exists() else build())
        _loaded.myblas_torch_served.restype = ctypes.c_int64
    return _loaded


def enable(kernels, is_cuda, mode):
    """mode: a number of MODES; None: that of new handles. RuntimeError: it failed."""
    number = -1 if mode is None else mode
    if kernels.myblas_torch_enable(library_path.encode(), int(is_cuda), number) != 0:
        raise RuntimeError("the compiled kernels could not be registered")


def main(arguments):
    if arguments:
        print("usage: python -m myblas build-torch", file=sys.stderr)
        return 2
    try:
        print(build())
    except (RuntimeError, OSError) as error:
        print(f"python -m myblas build-torch: {error}", file=sys.stderr)
        return 1
    return 0
