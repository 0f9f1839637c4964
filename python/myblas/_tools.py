"""The commands of the package: each becomes the program of the same name in the package."""

import os
import pathlib
import sys


def _become(name):
    program = str(pathlib.Path(__file__).resolve().parent / "bin" / name)
    os.execv(program, [program, *sys.argv[1:]])


def run():
    _become("myblas-run")


def doctor():
    _become("myblas-doctor")


def bench():
    _become("myblas-bench")
