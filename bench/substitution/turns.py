"""Times programs that know nothing of myblas: plain, and under the preload library in each math
mode. All processes start at the same time, because starting takes long. Then they measure in turns.
"""

import collections
import json
import math
import pathlib
import re
import select
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from process import Failure, Program

SUITES = ["jax_programs", "cupy_programs", "pytorch_compiled", "pytorch_programs"]
MATH_MODES = ["strict", "emulated", "fast"]
# Each is a process. Two of them are plain: their difference shows the noise.
CONTENDERS = ["plain", "plain again", *MATH_MODES]
WITH_ERRORS = ["plain", *MATH_MODES]
TURNS = 5  # measurements of each program by each contender
TURN_SECONDS = 0.01  # longer, if one run takes longer
READY_SECONDS = 150  # the longest time in which all processes become ready

here = pathlib.Path(__file__).resolve().parent


class Worker(Program):
    """A process of a script of this folder that answers commands, usually worker.py."""

    def __init__(self, suite, preload=None, script="worker.py", **settings):
        command = [sys.executable, here / script, suite]
        super().__init__(command, preload, stdin=subprocess.PIPE, **settings)
        # The process may print more than a pipe holds, so a thread reads it.
        self.last_words = collections.deque(maxlen=20)
        self.reader = threading.Thread(
            target=self.last_words.extend, args=[self.process.stderr], daemon=True
        )
        self.reader.start()

    def tell(self, *command):
        try:
            self.process.stdin.write(json.dumps(command) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self.failure() from None

    def answer(self, deadline=math.inf):
        """Reads an answer, one line, which the process writes as a whole."""
        left = max(0, min(deadline, Program.deadline) - time.monotonic())
        if not select.select([self.process.stdout], [], [], left)[0]:
            raise Failure(f"{self.name}: no answer in time")
        line = self.process.stdout.readline()
        if not line:
            raise self.failure()
        return json.loads(line)

    def failure(self):
        status = self.process.wait()
        self.reader.join(1)  # the pipe may stay open: child processes may live on
        return Failure(f"{self.name}: status {status}\n{''.join(self.last_words)}")

    def end(self):
        self.process.kill()
        self.process.wait()
        Program.running.remove(self)


REPORT_LINE = re.compile(r"(\w+) +[a-z]+ +(\d+) +[\d.]+ +(\d+) +[\d.]+(.*)")
REPORT_LABEL = re.compile(r"(.+?) \((\d+)\)(?:, |$)")


def calls_in(report):
    """The calls of cuBLAS that a report counts, as {"served": {function: calls}, ...}."""
    counts = {kind: collections.Counter() for kind in ("served", "kernels", "forwarded", "reasons")}
    report = re.sub(r"\n    (served by|forwarded): ", r"  \1: ", report)
    for line in report.replace("\n    ", " ").splitlines():  # without the breaks in long lines
        row = REPORT_LINE.match(line)
        if not row:
            continue
        function, served, forwarded, labels = row.groups()
        counts["served"][function] += int(served)
        counts["forwarded"][function] += int(forwarded)
        kernels, _, reasons = labels.partition("  forwarded: ")
        kernels = kernels.removeprefix("  served by: ")
        for kind, text in (("kernels", kernels), ("reasons", reasons)):
            for label, count in REPORT_LABEL.findall(text):
                counts[kind][label] += int(count)
    return {kind: {name: n for name, n in of.most_common() if n} for kind, of in counts.items()}


def listed(counts):
    return ", ".join(f"{name} {count}" for name, count in counts.items())


class Suite:
    """The processes of a suite: one that counts calls, and one for each contender. only: as of
    measure()."""

    def __init__(self, name, report, preload, only):
        self.name = name
        self.counting = Worker(name, preload, MYBLAS_REPORT=str(report))
        self.counting.tell("count", only)
        self.timing = {}
        for contender in CONTENDERS:
            settings = {"MYBLAS_MATH": contender} if contender in MATH_MODES else {}
            self.timing[contender] = Worker(name, preload if settings else None, **settings)
            self.timing[contender].tell("prepare", only, contender in WITH_ERRORS)

    def wait(self, deadline):
        """Waits for all processes, so that nothing else runs during a measurement."""
        self.ready = {name: worker.answer(deadline) for name, worker in self.timing.items()}
        self.reports = self.counting.answer(deadline).get("reports", {})

    def measure(self, results, problems):
        """Appends the kernels, seconds, ratios to plain and errors of each program."""
        absent = self.ready["plain"].get("absent")
        if absent:
            print(f"{self.name}: left out: {absent}", file=sys.stderr)
            return
        failures = {}
        for contender, answer in self.ready.items():
            if "absent" in answer:
                raise Failure(f"{self.name}, {contender}: {answer['absent']}")
            for program, why in answer["failures"].items():
                failures.setdefault(program, f"{self.name}: {program}, {contender}: {why}")
        problems += failures.values()
        for program in self.ready["plain"]["errors"]:
            if program not in failures:
                results.append(self.entry(program))

    def entry(self, program):
        seconds = {contender: [] for contender in self.timing}
        for _ in range(TURNS):
            for contender, worker in self.timing.items():
                worker.tell("time", program, TURN_SECONDS)
                seconds[contender].append(worker.answer()["seconds"])

        def times_as_fast(contender):
            ratios = [plain / own for plain, own in zip(seconds["plain"], seconds[contender])]
            return round(statistics.median(ratios), 3)

        entry = {"suite": self.ready["plain"]["name"], "program": program}
        calls = calls_in(self.reports.get(program, ""))
        entry |= {kind: listed(counts) for kind, counts in calls.items()}
        entry |= {c: float(f"{statistics.median(seconds[c]):.5g}") for c in WITH_ERRORS}
        entry |= {f"{mode}_ratio": times_as_fast(mode) for mode in MATH_MODES}
        entry["noise"] = round(abs(times_as_fast("plain again") - 1), 3)
        for contender in WITH_ERRORS:
            error = self.ready[contender]["errors"][program]
            entry[f"{contender}_error"] = float(f"{error:.3g}")
        return entry

    def end(self):
        for worker in [self.counting, *self.timing.values()]:
            worker.end()


def measure(preload, suites=SUITES, only=""):
    """Returns the results of the installed suites, and a list of problems. only: a regular
    expression that the names of the programs must match somewhere."""
    results, problems = [], []
    with tempfile.TemporaryDirectory() as folder:
        suites = [Suite(name, pathlib.Path(folder, name), preload, only) for name in suites]
        deadline = time.monotonic() + READY_SECONDS
        ready = []
        for suite in suites:
            try:
                suite.wait(deadline)
                ready.append(suite)
            except Failure as failure:
                problems.append(str(failure))
                suite.end()
        for suite in ready:
            try:
                suite.measure(results, problems)
            except Failure as failure:
                problems.append(str(failure))
            suite.end()
    return results, problems
