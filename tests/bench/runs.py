"""Runs of myblas-bench for its tests; CTest names the program in MYBLAS_BENCH."""

import os
import pathlib
import subprocess
import tempfile

# The folder of the scripts and of their results.
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "bench"
BENCH = str(pathlib.Path(os.environ["MYBLAS_BENCH"]).resolve())
BRIEF = ("--min-time", "0", "--repeats", "2")
ON_HOST = (*BRIEF, "--backend", "host")


def start(*arguments, **environment):
    command, settings = [BENCH, *map(str, arguments)], os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=settings)


def written_by(*arguments, **environment):
    """Runs a command that must succeed. Returns its output and the text of its JSON file."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "result.json")
        done = start(*arguments, "--json", file, **environment)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        return done.stdout, file.read_text()


def assert_refused(done, *words, status=2):
    """Checks that the run printed only one line, on standard error, which has these words."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1), done.stderr
    for word in words:
        assert word in done.stderr


def width_of(text):
    return max(map(len, text.splitlines()))
