"""worker.py SUITE: runs the programs of a suite (pytorch_programs.py, ...), as measure.py tells it.

Reads one command on a line, a list in JSON, and answers each by one line of JSON:

["prepare"]             makes the inputs of all programs and runs each once
                        -> {"name": what the suite is, "errors": {program: relative error}, "failures": {program: why}}
["count", FOLDER]       runs each program once in a process of its own, which reports its calls of cuBLAS in
                        FOLDER/<number of the program>   -> the programs' names
["time", PROGRAM, S]    seconds that a program takes, over about S seconds of it   -> {"seconds": of one}

A suite that is not installed, or finds no GPU, answers {"absent": why}.
"""

import gc
import importlib
import json
import os
import sys
import time
import traceback

PROCESSES = 6  # that count calls at a time


def one_line(error):
    return (str(error).splitlines() or [""])[0][:200] or type(error).__name__


def prepare(suite, prepared):
    suite.start()
    errors, failures = {}, {}
    for name, make in suite.PROGRAMS.items():
        try:
            program = make()
            errors[name] = program.error()
            prepared[name] = program
        except Exception as error:  # a program that cannot be run here is left out
            traceback.print_exc()
            failures[name] = one_line(error)
    suite.finish()
    gc.collect()
    gc.disable()
    return {"name": suite.NAME, "errors": errors, "failures": failures}


def seconds(suite, program, wanted):
    def run(count):
        suite.finish()
        begin = time.perf_counter()
        for _ in range(count):
            program.run()
        suite.finish()
        return (time.perf_counter() - begin) / count

    once = run(1)
    return once if once > wanted else run(max(2, int(wanted / min(once, run(2)))))


def count(suite, folder):
    """The suite has not touched the GPU yet, so that it can be forked."""
    running = set()
    for number, make in enumerate(suite.PROGRAMS.values()):
        if len(running) == PROCESSES:
            running.remove(os.wait()[0])
        child = os.fork()
        if child == 0:
            os.environ["MYBLAS_REPORT"] = os.path.join(folder, str(number))
            try:
                suite.start()
                make().run()
                suite.finish()
            except Exception:
                traceback.print_exc()
            sys.exit(0)  # whereby the report is written
        running.add(child)
    while running:
        running.remove(os.wait()[0])
    return list(suite.PROGRAMS)


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
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
                answer = prepare(suite, prepared)
            elif command == "count":
                answer = count(suite, *arguments)
            else:
                name, wanted = arguments
                answer = {"seconds": seconds(suite, prepared[name], wanted)}
        except ImportError as error:
            answer = {"absent": one_line(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


main()
