"""python -m myblas kernelspec: a kernel for Jupyter that is started by myblas-run."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys

from ._tools import folder


def specification(report=None):
    """kernel.json: IPython's kernel of this Python, under the preload libraries."""
    options = ["--report", report] if report else []
    return {
        "argv": [
            str(folder / "myblas-run"),
            *options,
            "--",
            sys.executable,
            "-m",
            "ipykernel_launcher",
            "-f",
            "{connection_file}",
        ],
        "display_name": "Python 3 (myblas)",
        "language": "python",
        "metadata": {"debugger": True},
    }


def user_folder():
    """Jupyter's folder of a user, as `jupyter --data-dir` prints it."""
    if os.environ.get("JUPYTER_DATA_DIR"):
        return pathlib.Path(os.environ["JUPYTER_DATA_DIR"])
    share = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return pathlib.Path(share) / "jupyter"


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m myblas kernelspec",
        description=(
            "Adds the kernel 'Python 3 (myblas)' to Jupyter: NumPy's and PyTorch's single "
            "precision runs on myblas in it."
        ),
    )
    parser.add_argument(
        "--user", action="store_true", help="for this user, instead of for this environment"
    )
    parser.add_argument("--prefix", help="for the environment in this folder")
    parser.add_argument(
        "--name", default="myblas", help="the kernel's name for Jupyter (default: myblas)"
    )
    parser.add_argument(
        "--report", metavar="FILE", help="the kernel writes its report to this file when it ends"
    )
    parser.add_argument("--print", action="store_true", help="only print kernel.json")
    options = parser.parse_args(arguments)
    report = os.path.abspath(options.report) if options.report else None
    text = json.dumps(specification(report), indent=1) + "\n"
    if options.print:
        print(text, end="")
        return 0
    base = (
        user_folder()
        if options.user
        else pathlib.Path(options.prefix or sys.prefix) / "share" / "jupyter"
    )
    target = base / "kernels" / options.name / "kernel.json"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    except OSError as error:
        print(
            f"{target}: {error.strerror} (--user writes into the home directory)", file=sys.stderr
        )
        return 1
    print(
        f"{target}\n"
        f"In Jupyter: Kernel, Change Kernel, Python 3 (myblas). It needs ipykernel "
        f"in {sys.executable}."
    )
    return 0
