"""worker.py SUITE: runs the programs of a suite (pytorch_programs.py, ...), as measure.py tells it.

Reads one command on a line, a list in JSON, and answers each by one line of JSON:

["prepare", ONLY, CHECKS]
                        makes the inputs of the programs whose names match ONLY, a regular
                        expression, and runs each; with CHECKS, compares with the same in FP64
                        -> {"name": what the suite is, "errors": {program: relative error},
                            "failures": {program: why}}
["count", ONLY]         the same, under the cuBLAS preload library with a report
                        -> {"reports": {program: the report of one run}}
["time", PROGRAM, S]    seconds that one run takes, measured for about S seconds
                        -> {"seconds": of one}

A suite that is not installed, or finds no GPU, answers {"absent": why}.
"""

import ctypes
import gc
import importlib
import json
import os
import pathlib
import re
import sys
import time
import traceback

BATCHES = 4


def one_line(error):
    return (str(error).splitlines() or [""])[0][:200] or type(error).__name__


def programs(suite, only):
    return [item for item in suite.PROGRAMS.items() if re.search(only, item[0])]


def prepare(suite, prepared, only, checks):
    suite.start()
    errors, failures = {}, {}
    for name, make in programs(suite, only):
        try:
            program = make()
            program.run()
            errors[name] = program.error() if checks else None
            prepared[name] = program
        except Exception as error:  # a program that cannot be run here is left out
            traceback.print_exc()
            failures[name] = one_line(error)
    suite.finish()
    gc.collect()
    gc.disable()
    return {"name": suite.NAME, "errors": errors, "failures": failures}


def seconds(suite, program, wanted):
    """The least mean of several batches of runs, because the host is interrupted now and then."""

    def run(count):
        suite.finish()
        begin = time.perf_counter()
        for _ in range(count):
            program.run()
        suite.finish()
        return (time.perf_counter() - begin) / count

    once = run(1)
    if once > wanted:
        return once
    count = max(1, int(wanted / BATCHES / min(once, run(2))))
    return min(run(count) for _ in range(BATCHES))


def count(suite, only):
    report = ctypes.CDLL(os.environ["LD_PRELOAD"]).myblas_preload_report
    path = pathlib.Path(os.environ["MYBLAS_REPORT"])
    length = 0

    def text_of(work):
        nonlocal length
        work()
        suite.finish()
        report()
        text = path.read_text() if path.exists() else ""
        new, length = text[length:], len(text)
        return new

    suite.start()
    reports = {}
    for name, make in programs(suite, only):
        try:
            program = make()
            text_of(program.run)  # which may compile, or compare algorithms
            reports[name] = text_of(getattr(program, "capture", program.run))
        except Exception:
            traceback.print_exc()
    return {"reports": reports}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not mix with answers
    try:
        suite = importlib.import_module(sys.argv[1])
    except ImportError as error:
        suite, absent = None, one_line(error)
    prepared = {}
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        try:
            if suite is None:
                answer = {"absent": absent}
            elif command == "prepare":
                answer = prepare(suite, prepared, *arguments)
            elif command == "count":
                answer = count(suite, *arguments)
            else:
                name, wanted = arguments
                answer = {"seconds": seconds(suite, prepared[name], wanted)}
        except ImportError as error:
            answer = {"absent": one_line(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
