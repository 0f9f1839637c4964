"""python -m myblas: the commands of the package."""

import importlib
import os
import sys

from . import _tools

USAGE = """usage: python -m myblas COMMAND [ARGUMENT...]

  doctor        says what myblas can use here, and which calls of a program it can serve
  run           starts a program under the preload libraries: run -- python3 script.py
  bench         measures the library beside others
  plot          draws what bench --json FILE measured
  build-torch   compiles myblas.torch for the PyTorch that is here, for less time of each call
  kernelspec    adds a kernel to Jupyter whose NumPy runs on myblas
  version       prints the version

doctor, run and bench take the arguments of myblas-doctor, myblas-run and myblas-bench; --help after
a command lists them."""


def main(arguments):
    command = arguments[0] if arguments else None
    if command in ("doctor", "run", "bench"):
        _tools.become(f"myblas-{command}", arguments[1:])
    if command in ("kernelspec", "plot"):
        module = importlib.import_module(f"._{command}", "myblas")
        return module.main(arguments[1:])
    if command == "build-torch":
        try:
            compiled = importlib.import_module("._compiled", "myblas")
        except ModuleNotFoundError as error:  # PyTorch is not installed
            print(f"python -m myblas build-torch: {error}", file=sys.stderr)
            return 1
        return compiled.main(arguments[1:])
    if command in ("version", "--version"):
        import myblas

        print(myblas.__version__)
        return 0
    if command in ("help", "--help", "-h"):
        print(USAGE)
        return 0
    print(
        USAGE
        if command is None
        else f"python -m myblas: no command is called {command!r}\n\n{USAGE}",
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # a reader such as head has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)
