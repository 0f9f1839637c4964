#!/usr/bin/env python3
"""Measures programs that use several GPUs, plain and under the preload libraries, and writes it as
JSON.

usage: measure.py [OPTION...] BUILD_DIR OUTPUT.json [PART...]

links      GB/s between host memory and GPUs, and between GPUs
cublasmp   products by NVIDIA's cuBLASMp: all-gather and product, product and reduce-scatter
host       sgemm_, ssyrk_ and strsm_ of matrices in host memory, by one process
dtensor    a tensor-parallel MLP by PyTorch's DTensor: forward, and a training step
jax        a product that JAX shards by rows
overlap    products beside all-reduces by NCCL
scalapack  psgemm_ and pspotrf_ of ScaLAPACK, whose MPI processes share the GPUs
lu         psgetrf_ of ScaLAPACK, most of whose time passes on the host
large      cuBLASMp's products of large matrices

Without a part: all of them, in this order. Each part runs on 1, 2, 4 GPUs and so on. A mode is
plain, without myblas, or a math mode of myblas. Each result is compared with double precision.
ScaLAPACK runs with each number of MPI processes (ranks), and the fastest of these results stays.

OUTPUT.json is written whenever there is a result; what it has of other runs stays, and a result
replaces an earlier one of the same work. BUILD_DIR is a finished build tree, wherever it was
copied: its bin, lib, bench/engines and bench/generated are enough. fetch.sh installs what the parts
need. Exit status 1: a run failed, was left out, or its result was wrong.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
sys.path += [str(here.parent / "substitution"), str(here.parent)]
import machine  # noqa: E402
from measurements import json_text  # noqa: E402
from turns import calls_in, listed  # noqa: E402

PLAIN = "plain"
MODES = "plain,strict,fast"
LEAST_SECONDS = 8  # that a run needs at all
SECONDS_TO_END = 4  # after SIGTERM, and after one process of several has failed
CORES = len(os.sched_getaffinity(0))  # that this process may use
PATIENCE = 5  # a rehearsal may take 5 times as long: all ranks share the host's cores
RANKS = "4,8,16"  # products are fastest with squares, as PBLAS then sends panels as they are
LIMIT_OF_ERROR = 1e-5  # relative to the norm; of an element, in root mean squares, ten times this
LIMITS_OF_ERROR = {"psgetrf_": 1e-3}  # of A - LU, which grows in the factorisation
FIRST_PORT = 29510
# Figures are the same whether or not a host allows multicast over NVLink.
ENVIRONMENT = {
    "NCCL_NVLS_ENABLE": "0",
    "NVSHMEM_DISABLE_NVLS": "1",
    "TORCH_SYMM_MEM_DISABLE_MULTICAST": "1",
    "GLOO_SOCKET_IFNAME": "lo",
    "PYTHONUNBUFFERED": "1",
}


@dataclasses.dataclass
class Part:
    name: str
    engine: str  # as results name it
    program: str  # a Python worker of this folder, or a program of BUILD_DIR/bench/engines
    arguments: list  # numbers are of sizes that --divisor makes smaller
    job_seconds: int  # limit of one run
    seconds: int  # and of all of them, from the first one's start
    has_process_per_gpu: bool = False
    is_alone: bool = False  # its memory is the host's, which runs beside it would use, too
    has_ranks: bool = False  # of MPI
    without_gpu: tuple = ()  # modes that use none: run once, after all others
    has_ends_first: bool = False  # the greatest number of GPUs, and then the least
    least_gpus: int = 1


PARTS = {
    part.name: part
    for part in (
        Part("links", "", "links.py", [], 45, 45, is_alone=True),
        Part("cublasmp", "cuBLASMp", "cublasmp_products.py", [16384, 32768], 75, 190,
             has_process_per_gpu=True),
        Part("host", "BLAS of host matrices", "host_matrices",
             [16384, "sgemm", 32768, "sgemm", "ssyrk", "strsm"], 75, 150, is_alone=True,
             without_gpu=(PLAIN,)),
        Part("dtensor", "PyTorch DTensor", "dtensor_mlp.py", [4096, 8192], 60, 100,
             has_process_per_gpu=True),
        Part("jax", "JAX", "jax_products.py", [16384, 32768], 60, 100),
        Part("overlap", "PyTorch and NCCL", "overlap.py", [8192, 1 << 28], 60, 100,
             has_process_per_gpu=True, least_gpus=2),
        Part("scalapack", "ScaLAPACK", "scalapack_calls",
             [16384, 512, "psgemm", "pspotrf", 64, "psgemm"], 75, 300, is_alone=True,
             has_ranks=True, without_gpu=(PLAIN,), has_ends_first=True),
        Part("lu", "ScaLAPACK", "scalapack_calls", [16384, 512, "psgetrf"], 60, 240, is_alone=True,
             has_ranks=True, without_gpu=(PLAIN,), has_ends_first=True),
        Part("large", "cuBLASMp", "cublasmp_products.py", [65536], 120, 300,
             has_process_per_gpu=True, has_ends_first=True),
    )
}  # fmt: skip


@dataclasses.dataclass
class Job:
    """A run of a part in a mode on some GPUs."""

    part: Part
    gpus: int
    mode: str
    ranks: int = 0

    def __str__(self):
        ranks = f", {self.ranks} ranks" if self.ranks else ""
        return f"{self.part.name}, {self.mode}, {self.gpus} GPUs{ranks}"

    def file_name(self):
        ranks = f"_{self.ranks}_ranks" if self.ranks else ""
        return f"{self.part.name}_{self.mode}_{self.gpus}{ranks}"

    def row(self, seconds, status):
        """For `jobs`."""
        row = {"part": self.part.name, "gpus": self.gpus, "mode": self.mode}
        row |= {"ranks": self.ranks} if self.ranks else {}
        return row | {"seconds": seconds, "status": status}


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD_DIR")
    parser.add_argument("output", type=pathlib.Path, metavar="OUTPUT.json")
    parser.add_argument("parts", nargs="*", metavar="PART", help="of the list above")
    parser.add_argument("--gpus", help="numbers of GPUs, as 1,2,4")
    parser.add_argument("--modes", default=MODES, help="default: %(default)s")
    parser.add_argument(
        "--ranks", help=f"of ScaLAPACK; default: {RANKS}, but at most half as many as cores"
    )
    parser.add_argument(
        "--at-once", action="store_true", help="runs on different GPUs at the same time"
    )
    parser.add_argument("--seconds", type=float, default=3600, help="limit of all, %(default)s")
    parser.add_argument("--divisor", type=int, default=1, help="of all sizes of matrices")
    parser.add_argument("--python", default=sys.executable, help="has the engines; default: this")
    parser.add_argument("--log", type=pathlib.Path, help="folder for outputs and reports")
    parser.add_argument(
        "--rehearse", action="store_true", help="without GPUs: the host backend and the CPU"
    )
    arguments = parser.parse_intermixed_args()
    for part in arguments.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part}; there are: {', '.join(PARTS)}")
    return arguments


# ---- The results ---------------------------------------------------------------------------------


class Results:
    """OUTPUT.json. `results` has a row for each work, size, number of GPUs and mode, `links` one
    for each number of GPUs, and `jobs` one for each run: its status, and its calls by the report of
    the preload libraries."""

    KEYS = {
        "links": ("gpus",),
        "results": ("engine", "work", "n", "gpus", "mode"),
        "jobs": ("part", "gpus", "mode"),
    }

    def __init__(self, path, context):
        self.path = path
        self.measured = json.loads(path.read_text()) if path.exists() else {}
        earlier = self.measured.get("context", {})
        context = machine.of_all_runs(context, earlier)
        self.measured["context"] = context | {"versions": earlier.get("versions", {})}
        self.own = []  # rows of this run
        self.is_good = True

    def add(self, kind, row):
        """Replaces rows of the same work. Those of this run have other numbers of ranks: all its
        jobs stay, and its fastest result, or a wrong one."""
        rows = self.measured.get(kind, [])
        same = [r for r in rows if all(r.get(key) == row.get(key) for key in self.KEYS[kind])]
        own = [r for r in same if any(r is other for other in self.own)]
        kept = [r for r in rows if not any(r is other for other in same)]
        self.own.append(row)
        if kind == "results":
            kept.append(min([*own, row], key=lambda r: (r["is_right"], r["ms"])))
        else:
            kept += [*own, row]
        self.measured[kind] = kept
        self.write()

    def add_versions(self, versions):
        self.measured["context"]["versions"] |= {k: v for k, v in versions.items() if v}
        self.write()

    def add_result(self, job, row):
        limit = LIMITS_OF_ERROR.get(row["work"].split(",")[0], LIMIT_OF_ERROR)
        is_right = row["error"] <= limit and row["largest_error"] <= 10 * limit
        self.is_good &= is_right
        shown = {key: float(f"{v:.5g}") if isinstance(v, float) else v for key, v in row.items()}
        head = {"engine": job.part.engine, "work": shown.pop("work"), "n": shown.pop("n")}
        head |= {"gpus": job.gpus, "mode": job.mode}
        self.add("results", head | shown | {"is_right": is_right})

    def write(self):
        """At once or not at all: a run may be cut off."""
        new = self.path.with_name(self.path.name + ".new")
        new.write_text(json_text(self.measured) + "\n")
        new.replace(self.path)


# ---- A run ---------------------------------------------------------------------------------------


class Run:
    """The processes of a job. The first one's output has the results."""

    def __init__(self, job, limit, gpus, port, setting):
        self.job, self.gpus, self.setting = job, gpus, setting
        self.begin = time.monotonic()
        self.end = self.begin + limit
        self.log = setting.log / f"{job.file_name()}.txt"
        self.report = setting.log / f"{job.file_name()}_report.txt"
        self.report.unlink(missing_ok=True)
        self.why = None  # it is ended, or failed
        self.read_bytes = 0
        self.processes = [self.start(rank, port) for rank in range(self.count())]

    def count(self):
        return self.job.gpus if self.job.part.has_process_per_gpu else 1

    def command(self):
        part, arguments = self.job.part, self.setting
        sized = [str(a if isinstance(a, str) else self.sized(a)) for a in part.arguments]
        front = []
        if self.job.mode != PLAIN:
            run = arguments.build / "bin/myblas-run"
            front = [run, "--math", self.job.mode, "--report", self.report]
            front += ["--offload", "always"] if arguments.rehearse else []
            front.append("--")
        if part.program.endswith(".py"):
            front += [arguments.python, here / part.program]
        else:
            if self.job.ranks:
                mpirun = shutil.which("mpirun.openmpi") or "mpirun"
                front += [mpirun, "--bind-to", "none", "-n", self.job.ranks]
                # Ranks that wait then yield their core, which makes every message slower.
                if 2 * self.job.ranks > CORES:
                    front.insert(-2, "--oversubscribe")
            front.append(arguments.build / "bench/engines" / part.program)
        return [*map(str, front), *sized]

    def sized(self, number):
        divisor = self.setting.divisor
        return number if divisor == 1 else max(1, number // divisor)

    def environment(self, rank, port):
        part, rehearses = self.job.part, self.setting.rehearse
        kept = {name: v for name, v in os.environ.items() if not name.startswith("MYBLAS_")}
        own = {"CUDA_VISIBLE_DEVICES": ",".join(map(str, self.gpus))}
        if part.has_process_per_gpu:
            own |= {"RANK": rank, "LOCAL_RANK": rank, "MASTER_ADDR": "127.0.0.1"}
            own |= {"WORLD_SIZE": self.count(), "LOCAL_WORLD_SIZE": self.count()}
            own |= {"MASTER_PORT": port}
        sharers = self.job.ranks or self.count()
        threads = str(max(1, CORES // sharers))
        own |= {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        if rehearses and part.name == "jax":
            own["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={self.job.gpus}"
        return ENVIRONMENT | kept | {name: str(value) for name, value in own.items()}

    def start(self, rank, port):
        log = self.log if rank == 0 else self.log.with_suffix(f".{rank}.txt")
        with log.open("wb") as output:
            return subprocess.Popen(
                self.command(),
                env=self.environment(rank, port),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def new_lines(self):
        with self.log.open("rb") as output:
            output.seek(self.read_bytes)
            whole, newline, _ = output.read().rpartition(b"\n")
        self.read_bytes += len(whole) + len(newline)
        return whole.decode(errors="replace").splitlines()

    def is_running(self):
        """After a failure or at the limit, the other processes are ended first gently."""
        statuses = [process.poll() for process in self.processes]
        if None not in statuses:
            failed = [status for status in statuses if status != 0]
            if failed and not self.why:
                self.why = f"status {failed[0]}"
            return False
        now = time.monotonic()
        if self.why is None and any(statuses):
            self.why = f"status {next(filter(None, statuses))}"
            self.end = min(self.end, now + SECONDS_TO_END)
        if now >= self.end + SECONDS_TO_END:
            self.signal(signal.SIGKILL)
        elif now >= self.end:
            self.why = self.why or "not at its end in time"
            self.signal(signal.SIGTERM)
        return True

    def signal(self, number):
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, number)

    def row(self):
        seconds = round(time.monotonic() - self.begin, 1)
        row = self.job.row(seconds, self.why or "ended")
        if self.report.exists():
            calls = calls_in(self.report.read_text(errors="replace"))
            row |= {kind: listed(counts) for kind, counts in calls.items()}
        return row


# ---- All of them ---------------------------------------------------------------------------------


class Schedule:
    def __init__(self, jobs, gpus, setting, results):
        self.waiting, self.running = list(jobs), []
        self.free = list(range(gpus))
        self.setting, self.results = setting, results
        self.end = time.monotonic() + setting.seconds
        self.ends = {}  # of parts that have begun
        self.started = 0

    def may_start(self, job):
        if not self.running:
            return True
        is_alone = job.part.is_alone or any(run.job.part.is_alone for run in self.running)
        return self.setting.at_once and not is_alone and job.gpus <= len(self.free)

    def start_jobs(self):
        """In their order, but a job that does not fit yet lets those of its own part pass."""
        blocked_part = None
        for job in list(self.waiting):
            if blocked_part not in (None, job.part):
                return
            if not self.may_start(job):
                blocked_part = job.part
                continue
            self.waiting.remove(job)
            now = time.monotonic()
            # The time of a part is over long before those without a GPU begin.
            part = (job.part.name, job.gpus == 0)
            patience = PATIENCE if self.setting.rehearse else 1
            end_of_part = self.ends.setdefault(part, now + patience * job.part.seconds)
            limit = patience * job.part.job_seconds
            limit = min(limit, end_of_part - now, self.end - now - SECONDS_TO_END)
            if limit < LEAST_SECONDS:
                self.leave_out(job)
                continue
            gpus = [self.free.pop(0) for _ in range(job.gpus)]
            print(f"{job}: begins", file=sys.stderr, flush=True)
            port = FIRST_PORT + self.started
            self.started += 1
            try:
                self.running.append(Run(job, limit, gpus, port, self.setting))
            except OSError as error:
                self.free = sorted([*self.free, *gpus])
                self.leave_out(job, str(error))

    def leave_out(self, job, why="left out: no time"):
        self.results.add("jobs", job.row(0, why))
        self.results.is_good = False
        print(f"{job}: {why}", file=sys.stderr, flush=True)

    def take(self, run):
        """What a run has printed since the last time."""
        for line in run.new_lines():
            kind, _, text = line.partition(" ")
            if kind not in ("RESULT", "LINKS", "VERSIONS"):
                continue
            row = json.loads(text)
            if kind == "RESULT":
                self.results.add_result(run.job, row)
            elif kind == "LINKS":
                self.results.add("links", row)
            else:
                self.results.add_versions(row)
            print(f"{run.job}: {text}", file=sys.stderr, flush=True)

    def work(self):
        while self.waiting or self.running:
            self.start_jobs()
            time.sleep(0.05)
            for run in list(self.running):
                is_running = run.is_running()
                self.take(run)
                if is_running:
                    continue
                self.running.remove(run)
                self.free = sorted([*self.free, *run.gpus])
                row = run.row()
                self.results.add("jobs", row)
                self.results.is_good &= row["status"] == "ended"
                print(f"{run.job}: {row['status']}, {row['seconds']} s", file=sys.stderr)

    def stop(self):
        for run in self.running:
            run.signal(signal.SIGKILL)


def powers_of_two(count):
    return [1 << i for i in range(count.bit_length())] if count else []


def default_ranks():
    least, *others = map(int, RANKS.split(","))
    return [least, *(ranks for ranks in others if 2 * ranks <= CORES)]


def jobs_of(part, counts, modes, ranks=()):
    if part.name == "links":
        return [Job(part, max(counts), PLAIN)]
    counts = [count for count in counts if count >= part.least_gpus]
    order = [*counts[-1:], *counts[:-1]] if part.has_ends_first else counts
    with_gpus = [mode for mode in modes if mode not in part.without_gpu]
    runs = [(count, mode) for count in order for mode in with_gpus]
    runs += [(0, mode) for mode in modes if mode in part.without_gpu]
    ranks = ranks if part.has_ranks else [0]
    return [Job(part, *run, count) for run in runs for count in ranks]


def main():
    setting = parse()
    setting.build = setting.build.resolve()
    gpus = machine.gpus()
    count = 8 if setting.rehearse else len(gpus)
    if not count:
        sys.exit("measure.py: there is no GPU; --rehearse runs everything without")
    asked = setting.gpus.split(",") if setting.gpus else powers_of_two(count)
    counts = sorted(n for n in map(int, asked) if n <= count)
    parts = [PARTS[name] for name in setting.parts or PARTS]
    modes = setting.modes.split(",")
    ranks = list(map(int, setting.ranks.split(","))) if setting.ranks else default_ranks()
    jobs = [job for part in parts for job in jobs_of(part, counts, modes, ranks)]
    jobs.sort(key=lambda job: job.gpus == 0)
    if setting.rehearse:
        jobs = [job for job in jobs if job.part.name != "links"]
    context = machine.context(setting.build, command_line(setting))
    if gpus:
        context["gpu"] = f"{count} x {context['gpu']}"
    with tempfile.TemporaryDirectory() as folder:
        setting.log = setting.log or pathlib.Path(folder)
        setting.log.mkdir(parents=True, exist_ok=True)
        results = Results(setting.output, context)
        schedule = Schedule(jobs, count, setting, results)
        try:
            schedule.work()
        finally:
            schedule.stop()
    return 0 if results.is_good else 1


def command_line(setting):
    """Without paths of this machine."""
    words = ["bench/engines/measure.py"]
    words += [f"--gpus {setting.gpus}"] if setting.gpus else []
    words += [f"--modes {setting.modes}"] if setting.modes != MODES else []
    words += [f"--ranks {setting.ranks}"] if setting.ranks else []
    words += ["--at-once"] if setting.at_once else []
    words += [f"--divisor {setting.divisor}"] if setting.divisor != 1 else []
    words += ["--rehearse"] if setting.rehearse else []
    return [*words, "BUILD_DIR", setting.output.name, *setting.parts]


if __name__ == "__main__":
    sys.exit(main())
