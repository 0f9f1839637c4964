"""The measurements in bench/results, and what the programs that present them share."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = pathlib.Path("bench/results/h100")  # relative to ROOT


class Problem(Exception):
    """Something the user has to mend; its text is one line."""


def load(path):
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise Problem(f"{path} is missing: bench/run_h100.sh makes it") from None
    except json.JSONDecodeError as error:
        raise Problem(f"{path} is not JSON: {error}") from None


def provenance(context):
    """Where, when and how the results of a file were measured."""
    return (
        f"{context['gpu'] or context['cpu']}, driver {context['driver']}, CUDA {context['cuda']}, "
        f"cuBLAS {context['cublas']}; commit {context['commit']}, {context['date'][:10]}: "
        f"`{context['command']}`"
    )


def run(program, work):
    """The exit status of a program whose work may meet a Problem."""
    try:
        work()
    except Problem as problem:
        print(f"{program}: {problem}", file=sys.stderr)
        return 1
    return 0
