"""NumPy's own products: why a running process cannot be switched, and the lines that start one."""

from __future__ import annotations

import os
import shlex
import sys


def _is_preloaded():
    return "libmyblas-blas-preload.so" in os.environ.get("LD_PRELOAD", "")


def _restart_line():
    words = [
        os.path.basename(sys.executable or "python3"),
        *getattr(sys, "orig_argv", [None, *sys.argv])[1:],
    ]  # from Python 3.10 on with its options
    return "myblas-run -- " + " ".join(shlex.quote(word) for word in words)


def enable() -> None:
    """Checks that NumPy's products run on myblas: returns if this process was started by
    myblas-run.

    RuntimeError otherwise, with the line that starts it so. NumPy binds its BLAS when it is loaded,
    in tables that the loader makes read-only. Rewriting them in a running process would race with
    other threads, would miss every pointer that was copied before, and could not be undone safely.
    `myblas.matmul` and `myblas.torch.enable()` need no restart.
    """
    if _is_preloaded():
        return
    if "ipykernel" in sys.modules:
        how = (
            "python -m myblas kernelspec --user, then choose the kernel 'Python 3 (myblas)' in "
            "this notebook"
        )
    else:
        how = _restart_line()
    raise RuntimeError(
        "NumPy's BLAS cannot be exchanged in a running process; start it under the preload "
        f"library:\n    {how}"
    )
