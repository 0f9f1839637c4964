"""Tests of bench/engines/measure.py: with planted programs, and a rehearsal of those that are
there. CTest names the build tree in MYBLAS_BUILD."""

import importlib.util
import json
import os
import pathlib
import stat
import subprocess
import sys

import engine_tables
import pytest
from runs import SCRIPTS

PROGRAM = SCRIPTS / "engines" / "measure.py"
# By another name: there are two measure.py.
spec = importlib.util.spec_from_file_location("measure_engines", PROGRAM)
measure = sys.modules["measure_engines"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(measure)

# Instead of myblas-run: tells the mode, and writes a report.
RUN = """#!/bin/sh
export MODE="$2"
echo "sgemm   small   3   1.0   1   0.5  served by: kernel (3)  forwarded: too small (1)" >"$4"
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""
MPIRUN = """#!/bin/sh
while [ "$1" != -n ]; do shift; done
export RANKS="$2"
shift 2
[ "$1" != --oversubscribe ] || shift
exec "$@"
"""
RESULT = 'RESULT {"work": "sgemm_", "n": %s, "ms": %s, "error": %s, "largest_error": 1e-6}'


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Runs measure.py with a program in place of the part's; gives its status and results."""
    build = tmp_path / "build"
    executable(build / "bin/myblas-run", RUN)
    monkeypatch.setenv("MYBLAS_COMMIT", "planted")
    monkeypatch.setattr(measure, "SECONDS_TO_END", 0.2)
    monkeypatch.setattr(measure, "LEAST_SECONDS", 0.1)
    output = tmp_path / "engines.json"

    def run(program, *options, part="host"):
        executable(build / "bench/engines" / measure.PARTS[part].program, f"#!/bin/sh\n{program}\n")
        log = ["--log", tmp_path / "log"]
        words = [PROGRAM, "--rehearse", *log, *options, build, output, part]
        monkeypatch.setattr(sys, "argv", list(map(str, words)))
        status = measure.main()
        return status, json.loads(output.read_text())

    return run


def keys(measured):
    return [(row["gpus"], row["mode"]) for row in measured["results"]]


def test_order_and_calls(planted):
    """Modes that need no GPU come last; the reports' calls are with the runs."""
    status, measured = planted(f"echo '{RESULT % (64, 2.5, 1e-7)}'", "--gpus", "1,2")
    assert status == 0
    ordered = [(1, "strict"), (1, "fast"), (2, "strict"), (2, "fast"), (0, "plain")]
    assert keys(measured) == ordered
    assert [(job["gpus"], job["mode"]) for job in measured["jobs"]] == ordered
    assert all(row["is_right"] and row["ms"] == 2.5 for row in measured["results"])
    first, last = measured["jobs"][0], measured["jobs"][-1]
    assert first["served"] == "sgemm 3" and first["reasons"] == "too small 1"
    assert "served" not in last and last["status"] == "ended"
    context = measured["context"]
    assert context["commit"] == "planted" and "BUILD_DIR engines.json host" in context["command"]
    assert str(pathlib.Path.home()) not in context["command"]


def test_later_results_replace_earlier_ones(planted):
    planted(f"echo '{RESULT % (64, 2, 1e-7)}'; echo '{RESULT % (32, 1, 1e-7)}'", "--gpus", "1,2")
    program = f"[ \"$MODE\" != fast ] || echo '{RESULT % (64, 9, 1e-7)}'"
    os.environ["MYBLAS_COMMIT"] = "later"  # monkeypatch restores it
    status, measured = planted(program, "--gpus", "2", "--modes", "strict,fast")
    assert status == 0
    context = measured["context"]
    assert context["commit"] == "planted; later" and context["command"].count("; ") == 1
    ms = {(row["gpus"], row["mode"], row["n"]): row["ms"] for row in measured["results"]}
    assert ms[2, "fast", 64] == 9 and ms[2, "strict", 64] == 2 and ms[2, "fast", 32] == 1
    assert len(ms) == len(measured["results"]) == 10
    assert len(measured["jobs"]) == 5


def test_fastest_number_of_ranks(planted, tmp_path, monkeypatch):
    """Of each work, unless a result is wrong; a later run replaces it, though it is slower."""
    executable(tmp_path / "mpi/mpirun.openmpi", MPIRUN)
    monkeypatch.setenv("PATH", f"{tmp_path / 'mpi'}:{os.environ['PATH']}")
    program = "\n".join([
        f"echo '{RESULT}'" % (64, "'$RANKS'", 1e-7),  # faster with fewer
        f"echo '{RESULT}'" % (32, "'$((20 - RANKS))'", 1e-7),  # with more
        f"echo '{RESULT}'" % (16, "'$RANKS'", "'$([ $RANKS = 4 ] && echo 1e-7 || echo 0.1)'"),
    ])  # fmt: skip
    options = ["--gpus", "2", "--modes", "fast"]

    def found(ranks):
        status, measured = planted(program, *options, "--ranks", ranks, part="scalapack")
        of_jobs = [job["ranks"] for job in measured["jobs"]]
        return status, {row["n"]: row["ms"] for row in measured["results"]}, of_jobs

    assert found("4,8,2") == (1, {64: 2, 32: 12, 16: 2}, [4, 8, 2])
    assert found("16") == (1, {64: 16, 32: 4, 16: 16}, [16])
    assert found("4") == (0, {64: 4, 32: 16, 16: 4}, [4])


def test_at_most_half_as_many_ranks_as_cores(monkeypatch):
    def counts(cores):
        monkeypatch.setattr(measure, "CORES", cores)
        part = measure.PARTS["scalapack"]
        return [job.ranks for job in measure.jobs_of(part, [1], ["fast"], measure.default_ranks())]

    assert counts(32) == [4, 8, 16]
    assert counts(31) == [4, 8] and counts(15) == counts(2) == [4]
    (job,) = measure.jobs_of(measure.PARTS["host"], [1], ["fast"], [4, 16])
    assert job.ranks == 0


def test_visible_gpus_and_sizes(planted):
    program = 'echo "VERSIONS {\\"visible $CUDA_VISIBLE_DEVICES, $1 $2\\": \\"yes\\"}"'
    status, measured = planted(program, "--gpus", "4", "--modes", "strict", "--divisor", "64")
    assert status == 0
    assert list(measured["context"]["versions"]) == ["visible 0,1,2,3, 256 sgemm"]


def test_wrong_results(planted):
    status, measured = planted(f"echo '{RESULT % (64, 2, 0.1)}'", "--gpus", "1")
    assert status == 1
    assert not any(row["is_right"] for row in measured["results"])
    (work,) = engine_tables.works(measured)
    assert "WRONG" in engine_tables.cell(work, 1, "fast")


def test_failed_program(planted):
    status, measured = planted(f"echo '{RESULT % (64, 2, 1e-7)}'; exit 3", "--gpus", "1")
    assert status == 1
    assert len(measured["results"]) == 3  # they were there before
    assert {job["status"] for job in measured["jobs"]} == {"status 3"}


def test_program_without_end(planted, monkeypatch):
    """What it had printed is there; it is ended, also where it does not listen."""
    monkeypatch.setattr(measure.PARTS["host"], "job_seconds", 1 / measure.PATIENCE)
    program = f"trap '' TERM; echo '{RESULT % (64, 2, 1e-7)}'; while :; do sleep 0.1; done"
    status, measured = planted(program, "--gpus", "1", "--modes", "fast")
    assert status == 1
    assert keys(measured) == [(1, "fast")]
    assert measured["jobs"][0]["status"] == "not at its end in time"


def test_time_is_over(planted, monkeypatch):
    monkeypatch.setattr(measure, "LEAST_SECONDS", 1000)
    status, measured = planted(f"echo '{RESULT % (64, 2, 1e-7)}'", "--gpus", "1")
    assert status == 1 and "results" not in measured
    assert {job["status"] for job in measured["jobs"]} == {"left out: no time"}
    assert "left out" in " ".join(engine_tables.failures(measured))


def schedule(parts, at_once):
    """Which jobs begin together on 4 GPUs, if each ends when no other can begin."""
    setting = type("Setting", (), {"at_once": at_once, "seconds": 1000, "rehearse": False})
    jobs = [j for part in parts for j in measure.jobs_of(measure.PARTS[part], [1, 2, 4], ["fast"])]
    made = measure.Schedule(jobs, 4, setting, None)
    rounds = []
    while made.waiting:
        made.running, made.free = [], [0, 1, 2, 3]
        for job in list(made.waiting):
            if made.may_start(job):
                made.waiting.remove(job)
                made.running.append(type("Run", (), {"job": job}))
                made.free = made.free[job.gpus :]
            else:
                break
        rounds.append([run.job.gpus for run in made.running])
    return rounds


def test_runs_at_once():
    assert schedule(["cublasmp"], False) == [[1], [2], [4]]
    assert schedule(["cublasmp"], True) == [[1, 2], [4]]
    assert schedule(["cublasmp", "host", "jax"], True) == [[1, 2], [4], [1], [2], [4], [1, 2], [4]]


@pytest.mark.skipif("MYBLAS_BUILD" not in os.environ, reason="CTest names the build tree")
def test_rehearsal(tmp_path):
    """The programs that can run here, with small matrices, on the host backend: as on 4 and 8 GPUs.
    PyTorch, JAX and ScaLAPACK are left out where they are not installed."""
    build = pathlib.Path(os.environ["MYBLAS_BUILD"])
    python = os.environ.get("PYTHON", sys.executable)
    parts = []
    modules = {"cublasmp": "torch", "dtensor": "torch", "jax": "jax", "overlap": "torch"}
    for part, module in modules.items():
        found = subprocess.run([python, "-c", f"import {module}"], capture_output=True)
        parts += [part] if found.returncode == 0 else []
    for part in ("host", "scalapack"):
        parts += [part] if (build / "bench/engines" / measure.PARTS[part].program).exists() else []
    if not parts:
        pytest.skip("none of the engines is here")
    output = tmp_path / "engines.json"
    words = [sys.executable, PROGRAM, "--rehearse", "--divisor", "256", "--gpus", "4,8"]
    words += ["--python", python, "--modes", "fast", "--log", tmp_path, build, output, *parts]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    root["MYBLAS_COMMIT"] = "rehearsed"
    done = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, env=os.environ | root
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(output.read_text())
    assert {job["part"] for job in measured["jobs"]} == set(parts)
    engines = {measure.PARTS[part].engine for part in parts}
    assert {row["engine"] for row in measured["results"]} == engines
    for job in measured["jobs"]:
        if job["mode"] == "fast" and job["part"] in ("host", "scalapack"):
            assert "sgemm" in job["served"] and "sgemm" not in job["forwarded"], job
