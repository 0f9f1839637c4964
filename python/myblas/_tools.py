"""The commands of the package: each becomes the program of the same name in the package."""

import os
import pathlib
import sys

folder = pathlib.Path(__file__).resolve().parent / "bin"


def become(name, arguments):
    program = str(folder / name)
    os.execv(program, [program, *arguments])


def run():
    become("myblas-run", sys.argv[1:])


def doctor():
    become("myblas-doctor", sys.argv[1:])


def bench():
    become("myblas-bench", sys.argv[1:])
